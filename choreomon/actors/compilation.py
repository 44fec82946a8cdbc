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
from choreomon.actors.balancing import NO_REPLICAS, Replicas
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
    """A send: the label of the sending, the routes that the message may take, one for each replica
    of its receiver, and what it shall carry."""

    label: Label
    routes: tuple[Route, ...]
    given: Given = ()


class Starting(NamedTuple):
    """A message from the environment: when it arrives, in microseconds, the routes that it may
    take, and what it carries."""

    at: int
    routes: tuple[Route, ...]
    values: Binding = ()


@dataclass(frozen=True, slots=True)
class CompiledApplication:
    """An application ready to run; it holds no state, so many runs can share it, and it can be
    pickled.

    - `processes`: with all slots of roles, each of which is a process;
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
    replicas: Replicas = NO_REPLICAS


def compile_application(
    application: Application, replicas: Replicas = NO_REPLICAS
) -> CompiledApplication:
    """Make all handlers programs, those of a role for each of its slots.

    Raises `ValueError`, naming the place, for an unknown process, handler or variable, for a
    process id given twice, and for a conditional on a variable that is not boolean. The
    reader of documents has refused all of these already, with their lines.
    """
    names = application.names
    if len(set(names)) != len(names):
        _refuse(f"two processes have the same id, among {', '.join(names)}")
    slots_of = replicas.roles.slots_of
    own = [(p, slot) for p in application.processes for slot in slots_of(p.id)]
    processes = tuple(slot for _, slot in own)
    handling = [(p, slot, name) for p, slot in own for name in p.handlers]
    handlers = {(slot, name): number for number, (_, slot, name) in enumerate(handling)}
    indices = {slot: index for index, slot in enumerate(processes)}

    def routes(message: Message, where: str) -> tuple[Route, ...]:
        slots = slots_of(message.receiver)
        if (slots[0], message.name) not in handlers:
            _refuse(f"{where}: {message.receiver} has no handler {message.name}")
        return tuple(
            Route(
                indices[slot],
                Label(HANDLE, _with(message, receiver=slot)),
                handlers[slot, message.name],
            )
            for slot in slots
        )

    def program(process: Process, slot: str, name: str) -> Program[Sending]:
        where = f"handler {name} of {process.id}"
        statements = process.handlers[name]
        _check_variables(process, statements, where)

        def sending(send: Tell) -> Sending:
            message = Message(process.id, send.message, send.to)
            label = Label(SEND, _with(message, sender=slot))
            return Sending(label, routes(message, where), send.given)

        places = {variable: place for place, variable in enumerate(process.variables)}
        return program_of(statements, places, sending)

    return CompiledApplication(
        processes=processes,
        programs=tuple(program(*each) for each in handling),
        handlers=handlers,
        variables=tuple(tuple(process.variables.values()) for process, _ in own),
        starts=tuple(
            starting
            for start in application.start
            for starting in _starting(
                start, routes(Message(ENVIRONMENT, start.message, start.to), "start")
            )
        ),
        replicas=replicas,
    )


def _with(message: Message, *, sender: str = "", receiver: str = "") -> Message:
    """The message with a slot at one end; itself where that end is no role."""
    sender, receiver = sender or message.sender, receiver or message.receiver
    if (sender, receiver) == (message.sender, message.receiver):
        return message
    return Message(sender, message.name, receiver)


def _starting(start: Start, routes: tuple[Route, ...]) -> Iterator[Starting]:
    repeat = start.repeat
    if repeat is None:
        yield Starting(start.at, routes, start.values)
        return
    for place, value in enumerate(repeat.values):
        values = tuple(sorted((*start.values, (repeat.name, str(value)))))
        yield Starting(start.at + place * repeat.every, routes, values)


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
