"""Messages, the events of sending and handling them, and the labels of a property.

The paper, section 2.2: a message is a triple of sender, name and receiver. A property can speak of
two kinds of events of a process: it *sends* a message, and it *handles* one (takes it from its
mailbox). Internal events are not events here and do not tick any clock.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.names import RESERVED, written
from choreomon.core.vector_clock import VectorClock

EventKind: TypeAlias = Literal["send", "handle"]

SEND: Final = "send"
HANDLE: Final = "handle"

ENVIRONMENT: Final = "env"
"""The reserved sender of the messages that start an application. It has no monitor."""


BEGINNING: Final = RESERVED
"""The process of `BEGIN`, which is no process, and has no monitor: each one answers for it."""


class Message(NamedTuple):
    """A message from one process to another."""

    sender: str
    name: str
    receiver: str

    def __str__(self) -> str:
        return f"{written(self.sender)} -> {written(self.receiver)} : {written(self.name)}"


class Label(NamedTuple):
    """The label of a transition: the sending or the handling of one message."""

    kind: EventKind
    message: Message

    @property
    def process(self) -> str:
        """The process at which the event happens, and whose monitor watches it."""
        return self.message.sender if self.kind == SEND else self.message.receiver

    def __str__(self) -> str:
        if self.message.sender == BEGINNING:
            return self.message.name
        return str(self.message) if self.kind == SEND else f"handle {self.message}"


BEGIN: Final = Label(SEND, Message(BEGINNING, "begin", BEGINNING))
"""The label of the first event of each run, which happened before everything else. No process does
it, and no document can write the name that stands in place of its process."""


class Event(NamedTuple):
    """An event of a process, with the vector clock right after it."""

    label: Label
    clock: VectorClock

    @property
    def process(self) -> str:
        return self.label.process
