"""Checks that the shape of a document cannot express: that its names refer to something.

All functions yield `Defect`s with paths from the top of the document, and go on after
the first.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import assert_never

from choreomon.core.action import Action, emission, reception
from choreomon.core.errors import Defect, Path
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import ENVIRONMENT, SEND, Label
from choreomon.core.suggestion import did_you_mean, listed, unknown
from choreomon.documents.property_shape import (
    AutomatonDocument,
    Formula,
    LabelledTransition,
    LoopTransition,
    PropertyDocument,
    TransitionDocument,
)
from choreomon.documents.reachability import messages_sent, sends_of_handlers
from choreomon.documents.shape import (
    INTEGERS_ARE_NOT_TESTED,
    ApplicationDocument,
    AssignStatement,
    IfStatement,
    LinkDocument,
    NotCondition,
    ProcessDocument,
    SendStatement,
    Statement,
)
from choreomon.files.shape_words import shown
from choreomon.properties.automaton import SequenceAutomaton

_TOP: Path = ("application",)
_AUTOMATON: Path = ("property", "automaton")


def application_defects(application: ApplicationDocument) -> Iterator[Defect]:
    """Ids that come twice or are reserved; sends and starts without a handler that takes
    them; variables that are not declared, or of another type."""
    receivers = _handlers_by_process(application)
    first: dict[str, int] = {}
    for number, process in enumerate(application.processes):
        path = (*_TOP, "processes", number)
        if process.id == ENVIRONMENT:
            yield Defect((*path, "id"), f"{ENVIRONMENT!r} is reserved: choose another id")
        if first.setdefault(process.id, number) != number:
            yield Defect(
                (*path, "id"),
                f"the id {process.id!r} is that of process number {first[process.id] + 1}, too: "
                "give each process an id of its own",
            )
        for name, statements in process.handlers.items():
            yield from _statement_defects(statements, process, receivers, (*path, "handlers", name))
    for number, start in enumerate(application.start):
        path = (*_TOP, "start", number)
        yield from _delivery_defects(start.to, start.message, receivers, path)


def link_defects(
    links: Iterable[LinkDocument], application: ApplicationDocument | None
) -> Iterator[Defect]:
    """Links that come twice or, where the application is known, join no processes."""
    receivers = _handlers_by_process(application) if application else None
    first: dict[tuple[str, str], int] = {}
    for number, link in enumerate(links):
        path: Path = ("network", "links", number)
        if first.setdefault((link.source, link.target), number) != number:
            yield Defect(
                path,
                f"the link from {link.source} to {link.target} is number "
                f"{first[link.source, link.target] + 1} of this list, too: keep one of the two",
            )
        for field, process in (("from", link.source), ("to", link.target)):
            if process == ENVIRONMENT:
                yield Defect(
                    (*path, field),
                    f"{ENVIRONMENT!r} has no links: its messages arrive when start says",
                )
            elif receivers is not None and process not in receivers:
                yield Defect((*path, field), unknown_process(process, receivers))


def label_defects(
    labels: Iterable[tuple[Path, Label]], application: ApplicationDocument | None
) -> Iterator[Defect]:
    """Labels that no monitor could watch or, where the application is known, that speak
    of unknown processes or of messages that their receiver does not handle."""
    receivers = _handlers_by_process(application) if application else None
    for path, label in labels:
        sender, name, receiver = label.message
        if sender == ENVIRONMENT != receiver and label.kind == SEND:
            yield Defect(
                path,
                f'{ENVIRONMENT!r} has no monitor that could watch it send: write "handle {label}"',
            )
        if receiver == ENVIRONMENT:
            yield Defect(path, f"{ENVIRONMENT!r} receives nothing: name a process as receiver")
        elif receivers is not None:
            yield from _delivery_defects(receiver, name, receivers, path, own_fields=False)
        if receivers is not None and sender != ENVIRONMENT and sender not in receivers:
            yield Defect(path, unknown_process(sender, receivers))


def label_warnings(
    labels: Iterable[tuple[Path, Label]], application: ApplicationDocument
) -> Iterator[Defect]:
    """Labels of messages that nobody ever sends, each once."""
    sent = messages_sent(application)
    told: set[Label] = set()
    for path, label in labels:
        if label.message in sent or label in told:
            continue
        told.add(label)
        sender, name, receiver = label.message
        reason = (
            f"no entry of application.start sends {name} to {receiver}"
            if sender == ENVIRONMENT
            else f"no handler of {sender} sends {name} to {receiver}"
        )
        yield Defect(path, f'nothing ever happens that is labelled "{label}": {reason}')


def sent_and_handled(application: ApplicationDocument) -> frozenset[Action]:
    """Actions of processes by their handlers, whether these are ever reached or not."""
    done: set[Action] = set()
    for handler, taken in sends_of_handlers(application).items():
        done.add(reception(handler.process, handler.message))
        done.update(emission(handler.process, sent) for _, sent in taken)
    return frozenset(done)


def start_warnings(application: ApplicationDocument) -> Iterator[Defect]:
    """An application that nothing starts."""
    if not application.start:
        yield Defect(
            (*_TOP, "start"),
            "has no message, so nothing ever happens: give at least one, as in "
            "start: [{to: PROCESS, message: NAME}]",
        )


def empty_part_warnings(value: Mapping[str, object]) -> Iterator[Defect]:
    """Keys of the top that hold nothing, as if they were left out."""
    for key, effect in (("application", "nothing runs"), ("property", "nothing is forbidden")):
        if key in value and value[key] is None:
            yield Defect((key,), f"is empty, so {effect}: fill it, or leave it out")


def final_state_warnings(
    document: AutomatonDocument, automaton: SequenceAutomaton
) -> Iterator[Defect]:
    """Final states at which sequences end otherwise than their author may think."""
    entered = {transition.target for transition in automaton.forward}
    for state in automaton.final:
        path: Path = (*_AUTOMATON, "final", document.final.index(state))
        if state in automaton.initial:
            none = "" if state in entered else ", of which there is none"
            yield Defect(
                path,
                f"{state} is initial, too: the sequence is not formed by starting there, only by "
                f"a forward transition into it{none}",
            )
        elif state not in entered:
            yield Defect(
                path,
                f"no forward transition leads into {state}, so no sequence ends there: let one "
                "lead there, or leave the state out of final",
            )


def repetition_warnings(document: PropertyDocument) -> Iterator[Defect]:
    """Warn of what a property states twice, which is the same as once."""
    if document.automaton is not None:
        automaton = document.automaton
        yield from _repeated(automaton.initial, (*_AUTOMATON, "initial"))
        yield from _repeated(automaton.final, (*_AUTOMATON, "final"))
        yield from _repeated(
            map(_transition_meant, automaton.transitions), (*_AUTOMATON, "transitions")
        )
    yield from _repeated(document.fresh, ("property", "fresh"))
    sequences = document.sequences or ()
    yield from _repeated(
        ((sequence.steps, frozenset(sequence.cancel)) for sequence in sequences),
        ("property", "sequences"),
    )
    for number, sequence in enumerate(sequences):
        yield from _repeated(sequence.cancel, ("property", "sequences", number, "cancel"))


def _transition_meant(
    transition: TransitionDocument,
) -> tuple[str, str, Formula | CarryingLabel]:
    match transition:
        case LabelledTransition(source=source, target=target, label=label):
            return source, target, label
        case LoopTransition(source=source, target=target, formula=formula):
            return source, target, formula
        case _:
            assert_never(transition)


def _repeated(items: Iterable[Hashable], path: Path) -> Iterator[Defect]:
    first: dict[Hashable, int] = {}
    for position, item in enumerate(items):
        if first.setdefault(item, position) != position:
            yield Defect(
                (*path, position),
                f"is stated twice, first as number {first[item] + 1} of this list: "
                "leave this one out",
            )


def _handlers_by_process(application: ApplicationDocument) -> dict[str, tuple[str, ...]]:
    handlers: dict[str, tuple[str, ...]] = {}
    for process in application.processes:
        handlers.setdefault(process.id, tuple(process.handlers))
    return handlers


def unknown_process(process: str, processes: Collection[str]) -> str:
    """Say that there is no such process, and which there are."""
    return unknown("process", process, processes, "processes")


def _delivery_defects(
    receiver: str,
    message: str,
    receivers: dict[str, tuple[str, ...]],
    path: Path,
    *,
    own_fields: bool = True,
) -> Iterator[Defect]:
    """Check that `receiver` exists and handles `message`. `own_fields` says that the two are fields
    below `path`."""
    to = (*path, "to") if own_fields else path
    if receiver == ENVIRONMENT:
        yield Defect(to, f"{ENVIRONMENT!r} receives nothing: name a process as receiver")
    elif receiver not in receivers:
        yield Defect(to, unknown_process(receiver, receivers))
    elif message not in receivers[receiver]:
        suggestion = did_you_mean(message, receivers[receiver])
        yield Defect(
            (*path, "message") if own_fields else path,
            f"{receiver} has no handler for {message!r} (it has {listed(receivers[receiver])})"
            f"{suggestion or ': add one, if only an empty one'}",
        )


def _statement_defects(
    statements: Iterable[Statement],
    process: ProcessDocument,
    receivers: dict[str, tuple[str, ...]],
    path: Path,
) -> Iterator[Defect]:
    for number, statement in enumerate(statements):
        here = (*path, number)
        match statement:
            case SendStatement(send=send):
                yield from _delivery_defects(send.to, send.message, receivers, (*here, "send"))
            case AssignStatement(assign=assign):
                for variable, constant in assign.items():
                    yield from _assign_defects(
                        variable, constant, process, (*here, "assign", variable)
                    )
            case IfStatement(condition=condition, then=then, otherwise=otherwise):
                negated = isinstance(condition, NotCondition)
                yield from _condition_defects(
                    condition.variable if isinstance(condition, NotCondition) else condition,
                    process,
                    (*here, "if", "not") if negated else (*here, "if"),
                )
                yield from _statement_defects(then, process, receivers, (*here, "then"))
                yield from _statement_defects(otherwise, process, receivers, (*here, "else"))


def _undeclared(variable: str, process: ProcessDocument) -> str:
    known = tuple(process.variables)
    suggestion = did_you_mean(variable, known) or f"; its variables are {listed(known)}"
    return f"{process.id} declares no variable {variable!r}{suggestion}"


def _assign_defects(
    variable: str, constant: bool | int, process: ProcessDocument, path: Path
) -> Iterator[Defect]:
    if variable not in process.variables:
        yield Defect(path, _undeclared(variable, process))
    elif type(process.variables[variable]) is not type(constant):
        kind = "an integer" if isinstance(constant, bool) else "a boolean"
        yield Defect(
            path,
            f"{variable} is {kind}, so it cannot become {shown(constant)}: assign {kind}",
        )


def _condition_defects(variable: str, process: ProcessDocument, path: Path) -> Iterator[Defect]:
    if variable not in process.variables:
        yield Defect(path, _undeclared(variable, process))
    elif not isinstance(process.variables[variable], bool):
        yield Defect(
            path,
            f"{variable} is an integer: a condition needs a boolean variable, declared with "
            f"true or false; {INTEGERS_ARE_NOT_TESTED}",
        )
