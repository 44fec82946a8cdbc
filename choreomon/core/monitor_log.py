"""Log of the monitors of a run, in the order of their actions, as values. Times are whole
microseconds. `events` places an entry among the events of the application: so many had happened, so
it comes after the event with the index `events - 1`, and before the next one. Together with the
order of these values that is the order of everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from choreomon.core.binding import Binding
from choreomon.core.run import RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.core.vector_clock import VectorClock

MessageKind: TypeAlias = Literal["inquiry", "response", "waiting", "push", "notice"]


@dataclass(frozen=True, slots=True)
class MessageSent:
    """A monitoring message left; `number` counts those of the run from 0.

    - `arrives`: when it reaches its receiver, who may be busy then (`MessageTaken`);
    - `size`: its bytes;
    - `event_index`: of the event that it is about;
    - `inspected`: the transition of the asker whose inspection it is for, if any;
    - `references`: the other transitions in it: those of the receiver that are asked for, or one
      for each record told, including those of others in its evidence;
    - `clock`: as sent, which the receiver merges;
    - `binding`: that of its instance, if the property is for each instance.

    Transitions are (source, target).
    """

    number: int
    time: int
    events: int
    kind: MessageKind
    sender: str
    receiver: str
    arrives: int
    size: int
    event_index: int
    inspected: tuple[str, str] | None
    references: tuple[tuple[str, str], ...]
    clock: VectorClock
    binding: Binding = ()


@dataclass(frozen=True, slots=True)
class MessageTaken:
    """The receiver of a message starts on it: now its clock is merged."""

    number: int
    time: int
    events: int


@dataclass(frozen=True, slots=True)
class VerdictDeclared:
    """A monitor gave its verdict on an event; `None` if nothing was formed. `provisional`: another
    may follow. `binding` as in `MessageSent`. `rule`: which rule the word is about, of a property
    that is written as rules."""

    time: int
    events: int
    monitor: str
    event_index: int
    label: str
    provisional: bool
    verdict: RunVerdict | None
    binding: Binding = ()
    rule: StatedRule | None = None


LogEntry: TypeAlias = MessageSent | MessageTaken | VerdictDeclared
