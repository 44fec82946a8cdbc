"""Applications made ready to run: every handler a program, every label made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from choreomon.actors.application import (
    Application,
    Assign,
    Constant,
    Given,
    If,
    Process,
    Start,
    Statement,
    Tell,
)
from choreomon.actors.program import Program, program_of
from choreomon.core.binding import Binding
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Label, Message


class Route(NamedTuple):
    """The route of a message: the receiver's index, the label of its handling, and the number of
    the program that handles it."""

    receiver: int
    label: Label
    program: int


class Sending(NamedTuple):
    """A send: the label of the sending, the route of the message, and what it shall carry."""

    label: Label
    route: Route
    given: Given = ()


class Starting(NamedTuple):
    """A message from the environment: when it arrives, in microseconds, its route, and what it
    carries."""

    at: int
    route: Route
    values: Binding = ()


@dataclass(frozen=True, slots=True)
class CompiledApplication:
    """An application ready to run; it holds no state, so many runs can share it, and it can be
    pickled.

    - `programs`: those of all handlers of all processes;
    - `handlers`: the number of the program for a process and the name of a message;
    - `variables`: for each process the first values of its variables, by slot;
    - `starts`: the messages from the environment, in the order of the application.
    """

    processes: tuple[str, ...]
    programs: tuple[Program[Sending], ...]
    handlers: Mapping[tuple[str, str], int]
    variables: tuple[tuple[Constant, ...], ...]
    starts: tuple[Starting, ...]


def compile_application(application: Application) -> CompiledApplication:
    """Make all handlers programs.

    Raises `ValueError`, naming the place, for an unknown process, handler or variable, for a
    process id given twice, and for a conditional on a variable that is not boolean. The
    reader of documents has refused all of these already, with their lines.
    """
    names = application.names
    if len(set(names)) != len(names):
        _refuse(f"two processes have the same id, among {', '.join(names)}")
    own = [(process, name) for process in application.processes for name in process.handlers]
    handlers = {(process.id, name): number for number, (process, name) in enumerate(own)}
    indices = {name: index for index, name in enumerate(names)}

    def route(message: Message, where: str) -> Route:
        program = handlers.get((message.receiver, message.name))
        if program is None:
            _refuse(f"{where}: {message.receiver} has no handler {message.name}")
        return Route(indices[message.receiver], Label(HANDLE, message), program)

    def program(process: Process, name: str) -> Program[Sending]:
        where = f"handler {name} of {process.id}"
        statements = process.handlers[name]
        _check_variables(process, statements, where)

        def sending(send: Tell) -> Sending:
            message = Message(process.id, send.message, send.to)
            return Sending(Label(SEND, message), route(message, where), send.given)

        slots = {variable: slot for slot, variable in enumerate(process.variables)}
        return program_of(statements, slots, sending)

    return CompiledApplication(
        processes=names,
        programs=tuple(program(process, name) for process, name in own),
        handlers=handlers,
        variables=tuple(tuple(process.variables.values()) for process in application.processes),
        starts=tuple(
            starting
            for start in application.start
            for starting in _starting(
                start, route(Message(ENVIRONMENT, start.message, start.to), "start")
            )
        ),
    )


def _starting(start: Start, route: Route) -> Iterator[Starting]:
    repeat = start.repeat
    if repeat is None:
        yield Starting(start.at, route, start.values)
        return
    for place, value in enumerate(repeat.values):
        values = tuple(sorted((*start.values, (repeat.name, str(value)))))
        yield Starting(start.at + place * repeat.every, route, values)


def _check_variables(process: Process, statements: Sequence[Statement], where: str) -> None:
    for statement in _every_statement(statements):
        if isinstance(statement, Tell):
            continue
        variable = statement.variable
        if variable not in process.variables:
            _refuse(f"{where}: {process.id} has no variable {variable}")
        if isinstance(statement, If) and not isinstance(process.variables[variable], bool):
            _refuse(f"{where}: the variable {variable} is not boolean")


def _every_statement(statements: Sequence[Statement]) -> Iterator[Tell | Assign | If]:
    """Yields all statements, also those within conditionals, in any order."""
    pending = [*statements]
    while pending:
        statement = pending.pop()
        yield statement
        if isinstance(statement, If):
            pending += (*statement.then, *statement.otherwise)


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)
