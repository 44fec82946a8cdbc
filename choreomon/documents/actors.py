"""The application and the delays of a document -> values of `choreomon.actors`.

Documents are trusted to have passed the checks of `choreomon.documents.read`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import assert_never

from choreomon.actors.application import (
    Application,
    Assign,
    Given,
    If,
    OfHandled,
    Process,
    Repeat,
    Start,
    Statement,
    Tell,
)
from choreomon.actors.delays import (
    Constant,
    Delay,
    Exponential,
    LinkDelays,
    LogNormal,
    Uniform,
    microseconds,
)
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.documents.carrying import StartDocument, passed_on
from choreomon.documents.durations import (
    ConstantDuration,
    Duration,
    ExponentialDuration,
    LognormalDuration,
    UniformDuration,
)
from choreomon.documents.shape import (
    ApplicationDocument,
    AssignStatement,
    IfStatement,
    NetworkDocument,
    NotCondition,
    SendStatement,
)
from choreomon.documents.shape import Statement as DocumentStatement


def application_from_document(document: ApplicationDocument) -> Application:
    """The application that a document describes. The document is trusted to have passed
    the cross-checks of `choreomon.documents`, its bound on nesting among them."""
    return Application(
        processes=tuple(
            Process(
                id=process.id,
                handlers={
                    name: tuple(_statements(statements))
                    for name, statements in process.handlers.items()
                },
                variables=dict(process.variables),
            )
            for process in document.processes
        ),
        start=tuple(map(_start, document.start)),
    )


def _start(start: StartDocument) -> Start:
    repeat = start.repeat
    return Start(
        start.to,
        start.message,
        microseconds(start.at),
        tuple(sorted(start.values.items())),
        None if repeat is None else Repeat(repeat.name, repeat.values, microseconds(repeat.every)),
    )


def _given(values: Mapping[str, str]) -> Given:
    found: list[tuple[str, str | OfHandled]] = []
    for name, value in sorted(values.items()):
        source = passed_on(value)
        found.append((name, value if source is None else OfHandled(source)))
    return tuple(found)


def delay_from_document(duration: Duration) -> Delay:
    """The distribution that a document writes."""
    match duration:
        case UniformDuration(uniform=(least, most)):
            return Uniform(least, most)
        case ExponentialDuration(exponential=mean):
            return Exponential(mean)
        case LognormalDuration(lognormal=(median, sigma)):
            return LogNormal(median, sigma)
        case ConstantDuration(constant=value):
            return Constant(value)
    assert_never(duration)


def link_delays_from_document(network: NetworkDocument, roles: Roles = NO_ROLES) -> LinkDelays:
    """The delays of a document's network, which hold for monitoring messages too. Those of roles
    are those of all their slots."""
    return LinkDelays(
        delay_from_document(network.delay),
        {
            ends: delay_from_document(link.delay)
            for link in network.links
            for ends in product(roles.slots_of(link.source), roles.slots_of(link.target))
        },
    )


def _statements(statements: Iterable[DocumentStatement]) -> Iterator[Statement]:
    for statement in statements:
        match statement:
            case SendStatement(send=send):
                yield Tell(send.to, send.message, _given(send.values))
            case AssignStatement(assign=values):
                for variable, value in values.items():
                    yield Assign(variable, value)
            case IfStatement(condition=condition, then=then, otherwise=otherwise):
                negated = isinstance(condition, NotCondition)
                yield If(
                    variable=condition.variable
                    if isinstance(condition, NotCondition)
                    else condition,
                    then=tuple(_statements(then)),
                    otherwise=tuple(_statements(otherwise)),
                    negated=negated,
                )
