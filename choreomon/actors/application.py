"""Applications: processes with variables, and handlers made of three kinds of statements
(the paper, section 6). `choreomon.actors.compilation` makes them ready to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from choreomon.core.binding import Binding

Constant: TypeAlias = int | bool


@dataclass(frozen=True, slots=True)
class OfHandled:
    """The value of this name that the handled message carries."""

    name: str


Given: TypeAlias = tuple[tuple[str, str | OfHandled], ...]
"""Values that a message is to carry, with their names, sorted by name."""


@dataclass(frozen=True, slots=True)
class Tell:
    """Send the message named `message` to the process `to`, with the values `given`."""

    to: str
    message: str
    given: Given = ()


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


Statement: TypeAlias = Tell | Assign | If


@dataclass(frozen=True, slots=True)
class Process:
    """An actor: its variables with their first values, and a handler for each message name."""

    id: str
    handlers: Mapping[str, tuple[Statement, ...]]
    variables: Mapping[str, Constant] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Repeat:
    """A message once for each of `values`, which it carries as `name`, one every `every`
    microseconds."""

    name: str
    values: range
    every: int


@dataclass(frozen=True, slots=True)
class Start:
    """A message from the environment, in the mailbox of `to` at `at` microseconds, the first one
    where it is repeated. It carries `values`."""

    to: str
    message: str
    at: int = 0
    values: Binding = ()
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Application:
    """Processes, in the order of vector clocks, and the messages that start them."""

    processes: tuple[Process, ...]
    start: tuple[Start, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the processes."""
        return tuple(process.id for process in self.processes)
