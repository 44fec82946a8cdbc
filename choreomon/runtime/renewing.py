"""Renewing the lease of a store while its agent runs. Whoever has nothing to commit learns
only here that somebody else took its slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.agent_store import AgentStore


class Renewing:
    """Renews from `begin` to `end`, on the loop's thread; `fenced` is told when the lease is over.
    Does nothing for a store that has none."""

    def __init__(
        self,
        store: AgentStore,
        loop: asyncio.AbstractEventLoop,
        fenced: Callable[[Fenced], None],
    ) -> None:
        self._store = store
        self._loop = loop
        self._fenced = fenced
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Renew from time to time."""
        if self._store.renewal is not None:
            self._timer = self._loop.call_later(self._store.renewal, self._renew)

    def end(self) -> None:
        """Renew no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _renew(self) -> None:
        try:
            self._store.renew()
        except CommitFailed:
            pass  # commits fail, too, and say so; the next one tries again
        except Fenced as fenced:
            self._fenced(fenced)
            return
        self.begin()
