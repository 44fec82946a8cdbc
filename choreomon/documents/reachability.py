"""Reachability: the handlers of an application that can ever run, and whether that is enough for
its property.

A handler can run when the environment sends its message, or a handler that can run does. Both
branches of an `if` count as possible, so a handler that is missing here never runs in any run,
and one that is there may still never run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from choreomon.core.errors import Defect, Path
from choreomon.core.message import BEGIN, ENVIRONMENT, Label, Message
from choreomon.core.suggestion import listed
from choreomon.documents.shape import ApplicationDocument, IfStatement, SendStatement, Statement
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.classification import reflexive_reach


class Handler(NamedTuple):
    """A process and the message that it handles."""

    process: str
    message: str


def sends_of_handlers(application: ApplicationDocument) -> dict[Handler, tuple[Handler, ...]]:
    """The handlers of the messages that each handler sends, whether it is ever reached or not."""
    return {
        Handler(process.id, name): tuple(dict.fromkeys(_sends(statements)))
        for process in application.processes
        for name, statements in process.handlers.items()
    }


def _sends(statements: Iterable[Statement]) -> Iterator[Handler]:
    for statement in statements:
        match statement:
            case SendStatement(send=send):
                yield Handler(send.to, send.message)
            case IfStatement(then=then, otherwise=otherwise):
                yield from _sends((*then, *otherwise))


def handlers_that_can_run(application: ApplicationDocument) -> frozenset[Handler]:
    """The handlers that `application.start` leads to."""
    sends = sends_of_handlers(application)
    todo = [Handler(start.to, start.message) for start in application.start]
    found = set(todo)
    while todo:
        for handler in sends[todo.pop()]:
            if handler not in found:
                found.add(handler)
                todo.append(handler)
    return frozenset(found)


def messages_sent(application: ApplicationDocument) -> frozenset[Message]:
    """The messages that some handler sends, whether it is ever reached or not, or the
    environment."""
    sent = {
        Message(handler.process, name, receiver)
        for handler, taken in sends_of_handlers(application).items()
        for receiver, name in taken
    }
    sent |= {Message(ENVIRONMENT, start.message, start.to) for start in application.start}
    return frozenset(sent)


def reachability_warnings(
    labels: Collection[tuple[Path, Label]],
    application: ApplicationDocument,
    automaton: SequenceAutomaton,
) -> Iterator[Defect]:
    """Handlers that can never run, and labels of messages that only such handlers send, where
    these are why the property can never be formed.

    Elsewhere they are no mistake: documents of one application differ in what they start. Nothing
    is told of an application without `start`, of which that is the one thing to say.
    """
    if not application.start:
        return
    running = handlers_that_can_run(application)
    sends = sends_of_handlers(application)
    senders: dict[Message, list[Handler]] = {}
    for handler, taken in sends.items():
        for receiver, name in taken:
            senders.setdefault(Message(handler.process, name, receiver), []).append(handler)
    sent = {message for message, by in senders.items() if not running.isdisjoint(by)}
    sent |= {Message(ENVIRONMENT, start.message, start.to) for start in application.start}
    never = {
        label: senders[label.message]
        for _, label in labels
        if label.message in senders and label.message not in sent
    }
    if not never or _can_be_formed(automaton, sent):
        return
    for number, process in enumerate(application.processes):
        for name in process.handlers:
            if Handler(process.id, name) not in running:
                yield Defect(
                    ("application", "processes", number, "handlers", name),
                    "can never run, and the property never be formed: neither application.start "
                    f"nor a handler that can run sends {name} to {process.id}",
                )
    for path, label in labels:
        # Removed, so that each is reported once.
        by = never.pop(label, None)
        if by is None:
            continue
        sender, name, receiver = label.message
        only = listed([handler.message for handler in by])
        yield Defect(
            path,
            f'nothing ever happens that is labelled "{label}": {sender} sends {name} to '
            f"{receiver} only when it handles {only}, which it never does",
        )


def _can_be_formed(automaton: SequenceAutomaton, sent: Collection[Message]) -> bool:
    possible = [t for t in automaton.forward if t.label == BEGIN or t.label.message in sent]
    reach = reflexive_reach(automaton.states, {(t.source, t.target) for t in possible})
    return any(
        t.target in automaton.final and any(t.source in reach[q] for q in automaton.initial)
        for t in possible
    )
