"""What monitors say to each other about one instance."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

from choreomon.core.binding import Binding
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.messages import Inquiry, Named, Response, Waiting

AboutOne: TypeAlias = Inquiry | Response | Waiting

M = TypeVar("M")


class InstanceMessage(NamedTuple):
    """A message about the instance with this binding. That of an inquiry, and of what answers it,
    is the binding of the inspected event. `settled` promises for all instances together."""

    message: AboutOne
    binding: Binding

    @property
    def sender(self) -> str:
        return self.message.sender

    @property
    def receiver(self) -> str:
        return self.message.receiver

    @property
    def clock(self) -> VectorClock:
        return self.message.clock

    @property
    def named(self) -> tuple[Named, ...]:
        """Return what a second inquiry, or its answer, names."""
        message = self.message
        return () if type(message) is Waiting else message.named


def said_in(message: M | InstanceMessage) -> M | AboutOne:
    """Return the message itself, without the instance that it is about."""
    return message.message if isinstance(message, InstanceMessage) else message
