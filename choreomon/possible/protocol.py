"""A protocol as a search sees it: states, and the events that lead from one to the next."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Protocol as Interface
from typing import TypeAlias, TypeVar

from choreomon.core.message import Label

S = TypeVar("S", bound=Hashable)

Events: TypeAlias = tuple[Label, ...]
"""Events that happen at once, in this order: those of one action. Several only where one message is
sent to several receivers, none where it is chosen what happens later."""


class Protocol(Interface[S]):
    """A protocol as states and steps. From each of its states a run can go on to an end that the
    protocol accepts, so each way through its states is the beginning of a run."""

    @property
    def processes(self) -> tuple[str, ...]:
        """The processes at which something happens, in an order for pictures."""

    @property
    def labels(self) -> frozenset[Label]:
        """The labels that an event of a run may have. One of a property that is not among them
        never happens."""

    def loosened(self, watched: Collection[Label]) -> Protocol[S] | None:
        """A protocol with fewer states that allows at least all that this one does, as far as
        events with these labels go, and perhaps more; None where there is none. What it cannot do,
        this one cannot either."""

    def initial(self) -> Iterable[S]:
        """The states in which runs begin; none if the protocol accepts no run at all."""

    def may_end(self, state: S) -> bool:
        """Return whether a run may be over there."""

    def steps(self, state: S) -> Iterator[tuple[Events, S]]:
        """Yields each action that may happen, as each of the events that it may be, and the state
        that follows."""
