"""Defects of values that messages should carry and do not: those that a handler passes on, and
those that the property uses. All is decided from the text of the document: every message that a
handler handles must carry whatever it passes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple, TypeAlias

from choreomon.core.errors import Defect, Path
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import ENVIRONMENT, Message
from choreomon.core.suggestion import did_you_mean
from choreomon.documents.carrying import passed_on
from choreomon.documents.shape import (
    ApplicationDocument,
    IfStatement,
    SendDocument,
    SendStatement,
    Statement,
)

_Handler: TypeAlias = tuple[str, str]
"""A process and the name of a message."""


class _Sent(NamedTuple):
    """A message with the `names` of what it carries, sent at `path`; `passed`: names that it passes
    on from the message that `handler` handles. `where` is that for people."""

    message: Message
    names: Set[str]
    path: Path
    where: str
    passed: Mapping[str, str] = {}
    handler: _Handler | None = None


def carried_defects(
    application: ApplicationDocument, labels: Iterable[tuple[Path, CarryingLabel]]
) -> Iterator[Defect]:
    """Values that a handler passes on though a message that it handles lacks them, and values that
    a message lacks though the property says that it carries them."""
    sent = [*_sent(application)]
    carried = {carrying.label.message: carrying.parameters for _, carrying in labels}
    for each in sent:
        lacking = [name for name in carried.get(each.message, ()) if name not in each.names]
        if lacking:
            meant = did_you_mean(lacking[0], each.names)
            value = "VALUE" if each.handler is None else f"${lacking[0]}"
            yield Defect(
                each.path,
                f"carries no {' and '.join(lacking)}, and the property says that "
                f'"{each.message}" does{meant or f": give it with: {{{lacking[0]}: {value}}}"}',
            )
    handled: dict[_Handler, list[_Sent]] = {}
    for each in sent:
        handled.setdefault((each.message.receiver, each.message.name), []).append(each)
    for each in sent:
        if each.handler is None:
            continue
        for name, source in each.passed.items():
            lacks = [x for x in handled.get(each.handler, ()) if source not in x.names]
            if lacks:
                process, taken = each.handler
                meant = did_you_mean(source, lacks[0].names)
                yield Defect(
                    (*each.path, "with", name),
                    f"is the {source} of the message {taken} that {process} handles, and "
                    f"{lacks[0].where} sends one without"
                    f"{meant or f': let it carry one, by with: {{{source}: ...}}'}",
                )


def _sent(application: ApplicationDocument) -> Iterator[_Sent]:
    for number, start in enumerate(application.start):
        path: Path = ("application", "start", number)
        message = Message(ENVIRONMENT, start.message, start.to)
        yield _Sent(message, start.names, path, f"start[{number}]")
    for number, process in enumerate(application.processes):
        for name, statements in process.handlers.items():
            handler = (process.id, name)
            path = ("application", "processes", number, "handlers", name)
            for at, send in _sends(statements, path):
                yield _Sent(
                    Message(process.id, send.message, send.to),
                    send.values.keys(),
                    at,
                    f"handler {name} of {process.id}",
                    {
                        given: source
                        for given, value in send.values.items()
                        if (source := passed_on(value)) is not None
                    },
                    handler,
                )


def _sends(statements: Iterable[Statement], path: Path) -> Iterator[tuple[Path, SendDocument]]:
    for number, statement in enumerate(statements):
        here = (*path, number)
        match statement:
            case SendStatement(send=send):
                yield (*here, "send"), send
            case IfStatement(then=then, otherwise=otherwise):
                yield from _sends(then, (*here, "then"))
                yield from _sends(otherwise, (*here, "else"))
