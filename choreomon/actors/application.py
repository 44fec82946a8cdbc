"""Applications: processes with variables, and handlers made of three kinds of statements
(the paper, section 6).

`compile_application` flattens handlers into instructions, so that running one needs no
recursion however deep its conditionals nest, and makes every label once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn, TypeAlias

from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Label, Message

Constant: TypeAlias = int | bool


@dataclass(frozen=True, slots=True)
class Send:
    """Send the message named `message` to the process `to`."""

    to: str
    message: str


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a variable of the process a new value."""

    variable: str
    value: Constant


@dataclass(frozen=True, slots=True)
class If:
    """Do `then` where the boolean variable is true (false, where `negated`), else
    `otherwise`."""

    variable: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    negated: bool = False


Statement: TypeAlias = Send | Assign | If


@dataclass(frozen=True, slots=True)
class Process:
    """One actor: its variables with their first values, and a handler a message name."""

    id: str
    handlers: Mapping[str, tuple[Statement, ...]]
    variables: Mapping[str, Constant] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Start:
    """A message from the environment, in the mailbox of `to` at `at` microseconds."""

    to: str
    message: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Application:
    """Processes, in the order of vector clocks, and the messages that start them."""

    processes: tuple[Process, ...]
    start: tuple[Start, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the processes."""
        return tuple(process.id for process in self.processes)


# ---------------------------------------------------------------- compiled


class Route(NamedTuple):
    """Where a message goes: the receiver's index, the label of its handling, and the
    number of the program that handles it."""

    receiver: int
    label: Label
    program: int


class SendInstruction(NamedTuple):
    """Send, with the label of the sending, along the route. `operation` is `SENDING`."""

    operation: int
    label: Label
    route: Route


class AssignInstruction(NamedTuple):
    """`variables[slot] = value`. `operation` is `ASSIGNING`."""

    operation: int
    slot: int
    value: Constant


class BranchInstruction(NamedTuple):
    """Go on at `target` unless `variables[slot] is expected`. `operation` is `BRANCHING`."""

    operation: int
    slot: int
    expected: bool
    target: int


class JumpInstruction(NamedTuple):
    """Go on at `target`. `operation` is `JUMPING`."""

    operation: int
    target: int


Instruction: TypeAlias = SendInstruction | AssignInstruction | BranchInstruction | JumpInstruction
Program: TypeAlias = tuple[Instruction, ...]

SENDING: Final = 0
ASSIGNING: Final = 1
BRANCHING: Final = 2
JUMPING: Final = 3


@dataclass(frozen=True, slots=True)
class CompiledApplication:
    """An application ready to run; it holds no state, so many runs can share it.

    `programs` are those of all handlers of all processes, `variables` the first values of
    each process's variables, `starts` the routes of messages from the environment with
    their times in microseconds.
    """

    processes: tuple[str, ...]
    programs: tuple[Program, ...]
    variables: tuple[tuple[Constant, ...], ...]
    starts: tuple[tuple[int, Route], ...]


def compile_application(application: Application) -> CompiledApplication:
    """Flatten all handlers.

    Raises `ValueError`, naming the place, for an unknown process, handler or variable, for a
    process id given twice, and for a conditional on a variable that is not boolean. The
    reader of documents has refused all of these already, with their lines.
    """
    names = application.names
    if len(set(names)) != len(names):
        _refuse(f"two processes have the same id, among {', '.join(names)}")
    handlers = [
        (index, process.id, handler)
        for index, process in enumerate(application.processes)
        for handler in process.handlers
    ]
    programs = {(process, handler): n for n, (_, process, handler) in enumerate(handlers)}
    indices = {name: index for index, name in enumerate(names)}

    def route(message: Message, where: str) -> Route:
        program = programs.get((message.receiver, message.name))
        if program is None:
            _refuse(f"{where}: {message.receiver} has no handler {message.name}")
        return Route(indices[message.receiver], Label(HANDLE, message), program)

    compiled: list[Program] = []
    for index, name, handler in handlers:
        process = application.processes[index]
        where = f"handler {handler} of {name}"
        routes = {
            send: route(Message(name, send.message, send.to), where)
            for send in _sends(process.handlers[handler])
        }
        compiled.append(_program(process, process.handlers[handler], routes, where))
    starts = tuple(
        (start.at, route(Message(ENVIRONMENT, start.message, start.to), "start"))
        for start in application.start
    )
    variables = tuple(tuple(process.variables.values()) for process in application.processes)
    return CompiledApplication(names, tuple(compiled), variables, starts)


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


def _sends(statements: Sequence[Statement]) -> Iterator[Send]:
    pending = [*statements]
    while pending:
        statement = pending.pop()
        if isinstance(statement, Send):
            yield statement
        elif isinstance(statement, If):
            pending += (*statement.then, *statement.otherwise)


class _Otherwise(NamedTuple):
    """Between the two arms: jump over the second, which the branch at `branch` leads to."""

    branch: int
    statements: tuple[Statement, ...]


class _Land(NamedTuple):
    """After an arm: the branch or jump at this place leads here."""

    place: int


def _program(
    process: Process,
    statements: tuple[Statement, ...],
    routes: Mapping[Send, Route],
    where: str,
) -> Program:
    slots = {variable: slot for slot, variable in enumerate(process.variables)}
    code: list[Instruction] = []
    pending: list[Statement | _Otherwise | _Land] = [*reversed(statements)]

    def land(place: int) -> None:
        instruction = code[place]
        assert isinstance(instruction, BranchInstruction | JumpInstruction)
        code[place] = instruction._replace(target=len(code))

    while pending:
        item = pending.pop()
        if isinstance(item, Assign | If) and item.variable not in slots:
            _refuse(f"{where}: {process.id} has no variable {item.variable}")
        match item:
            case Send():
                route = routes[item]
                code.append(SendInstruction(SENDING, Label(SEND, route.label.message), route))
            case Assign(variable, value):
                code.append(AssignInstruction(ASSIGNING, slots[variable], value))
            case If(variable, then, otherwise, negated):
                if not isinstance(process.variables[variable], bool):
                    _refuse(f"{where}: the variable {variable} is not boolean")
                place = len(code)
                code.append(BranchInstruction(BRANCHING, slots[variable], not negated, -1))
                pending.append(_Otherwise(place, otherwise) if otherwise else _Land(place))
                pending.extend(reversed(then))
            case _Otherwise(branch, otherwise):
                pending.append(_Land(len(code)))
                code.append(JumpInstruction(JUMPING, -1))
                land(branch)
                pending.extend(reversed(otherwise))
            case _Land(place):
                land(place)
    return tuple(code)
