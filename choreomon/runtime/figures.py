"""Figures of an agent for Prometheus.

What happens is counted in plain integers; only a scrape makes metrics of them. `Figures` is an
`Observer` of `choreomon.runtime.node`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from choreomon.formats.table_file import SplitTable
from choreomon.runtime.outputs import Answered, Decided, Dropped, Ticked
from choreomon.runtime.sidecar import Sidecar, SidecarState


class Readings(NamedTuple):
    """What is looked up at a scrape; the first four for each property."""

    inspections: tuple[int, ...]
    undecided: tuple[int, ...]
    gaps: tuple[int, ...]
    gap_open: tuple[bool, ...]
    sessions: int
    leases: int
    untold: int
    connections: int = 0
    repeats: int = 0


def readings(
    sidecar: Sidecar, state: SidecarState, *, connections: int = 0, repeats: int = 0
) -> Readings:
    """Those of a state. `repeats`: inquiries that were sent again, all in all."""
    raise NotImplementedError


class Figures:
    """`read` is called once a scrape. `now`: monotonic seconds, the clock of `Ticked.at`."""

    def __init__(
        self,
        process: str,
        tables: Sequence[SplitTable],
        *,
        read: Callable[[], Readings],
        now: Callable[[], float],
        version: str = "",
    ) -> None:
        raise NotImplementedError

    # An observer of a node.

    def happened(self, output: Ticked | Decided | Dropped | Answered) -> None:
        raise NotImplementedError

    def sent(self, kind: str, size: int) -> None:
        raise NotImplementedError

    def committed(self, seconds: float) -> None:
        raise NotImplementedError

    def failing(self, why: str | None) -> None:
        raise NotImplementedError

    # What nobody else tells.

    def lost(self, events: int) -> None:
        """A service said that so many events will never be told."""
        raise NotImplementedError

    def refused(self, reason: str, detail: str = "") -> None:
        """Something was refused before it came to the driver."""
        raise NotImplementedError

    # What is made of it.

    @property
    def words(self) -> Mapping[str, int]:
        """Told since the start: by verdict, provisional ones as `provisional`."""
        raise NotImplementedError

    @property
    def refusals(self) -> Mapping[str, int]:
        """What was refused since the start, by reason."""
        raise NotImplementedError

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """The metrics in the form that a scraper accepts, and its content type."""
        raise NotImplementedError
