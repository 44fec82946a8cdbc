"""Openings of properties in a running sidecar: at once or, if services must tell events that they
did not before, once they know that they must. Before that, nobody was told of these events. So a
property opens only then, and what came before is a past to it (docs/adr/030-systems-that-follow.md,
"What the service must know").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from choreomon.agent_files.table_file import SplitTable
from choreomon.runtime.driver import Driver
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.reloading import CannotReload, differ, why_not
from choreomon.runtime.sidecar import Sidecar

PATIENCE: Final = 60.0
"""Seconds in which services are to know what they have to tell from now on."""


class Informed(Protocol):
    """The side that the service is at."""

    def greet_again(self) -> None:
        """Let the service know that the events to tell have changed (`Hosted.foretold`)."""

    def uninformed(self) -> Sequence[str]:
        """The sessions whose services may not know it yet."""


class Opening(NamedTuple):
    """A planned opening: the new sidecar, and the time until which services may take to learn what
    to report."""

    tables: tuple[SplitTable, ...]
    sidecar: Sidecar
    until: float


class Openings:
    """The sidecars that follow each other in one life of an agent. `opened` is called when there
    is another one. `patience`: seconds for which services are waited for."""

    def __init__(
        self,
        driver: Driver,
        *,
        now: Callable[[], float],
        opened: Callable[[tuple[SplitTable, ...]], None],
        patience: float = PATIENCE,
    ) -> None:
        self.awaited: Opening | None = None
        self._driver = driver
        self._now = now
        self._opened = opened
        self._patience = patience

    def check(self, sidecar: Sidecar) -> None:
        """Raises `CannotReload` where what is there cannot go on as this one."""
        wrong = [*why_not(self._driver.sidecar, self._driver.state, sidecar)]
        if wrong:
            raise CannotReload("; ".join(wrong))

    def plan(self, sidecar: Sidecar, tables: tuple[SplitTable, ...], service: Informed) -> None:
        """Plan to go on with this sidecar, of these tables, as soon as possible (`open`). Raises
        `CannotReload`, and goes on as before then."""
        self.check(sidecar)
        driver = self._driver
        before, self.awaited = self.awaited, None
        if not differ(driver.sidecar, driver.state, sidecar):
            if driver.sidecar.foretold:
                driver.foretell(frozenset())
            return
        until = self._now()
        if not sidecar.values.labels <= driver.sidecar.values.labels:
            driver.foretell(driver.sidecar.foretold | sidecar.values.labels)
            service.greet_again()
            until += self._patience
        elif before is not None:
            until = before.until
        self.awaited = Opening(tables, sidecar, until)

    def open(self, service: Informed) -> None:
        """Go on with what is awaited, where nothing is waited for any more, and the driver has
        taken all that was due. Where the disk does not take it, it stays awaited."""
        awaited, driver = self.awaited, self._driver
        if awaited is None or driver.failing or driver.passing:
            return
        if self._now() < awaited.until and service.uninformed():
            return
        before = driver.sidecar.keys
        try:
            driver.change(awaited.sidecar)
        except CommitFailed:  # the next commit says so, too
            return
        self.awaited = None
        self._opened(awaited.tables)
        if not {*driver.sidecar.keys} <= {*before}:
            service.greet_again()  # services carry on the clocks that they were welcomed with

    def titles(self, there: Iterable[SplitTable]) -> list[str]:
        """The titles of the properties that are awaited and are not there yet."""
        known = {table.system_id for table in there}
        return [
            f"{table.title} ({table.system_id[:8]})"
            for table in (() if self.awaited is None else self.awaited.tables)
            if table.system_id not in known
        ]

    @property
    def due(self) -> float | None:
        """The time to call `open` next, whatever happens; `None`: nothing is awaited."""
        if self.awaited is None or self._driver.failing:
            return None
        return self.awaited.until
