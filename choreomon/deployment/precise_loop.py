"""An event loop whose timers are as fine as the clock.

Loops wait with `epoll`, whose timeouts Python rounds up to whole milliseconds; uvloop counts
milliseconds itself. Delays of a document are often shorter than that, above all if a run is faster
than the document.
"""

from __future__ import annotations

import asyncio
import select
import selectors
import sys

if sys.platform == "linux":

    class _PreciseSelector(selectors.EpollSelector):
        """Waits with `select`, which knows microseconds, until `epoll` has something. It waits for
        one descriptor, however many are watched."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is None or timeout > 0:
                try:
                    select.select([self.fileno()], [], [], timeout)
                except InterruptedError:
                    return []
            return super().select(0)

    def precise_loop() -> asyncio.AbstractEventLoop:
        return asyncio.SelectorEventLoop(_PreciseSelector())

else:

    def precise_loop() -> asyncio.AbstractEventLoop:
        """The loop; on systems without `epoll`, with timers as fine as the system's."""
        return asyncio.SelectorEventLoop()
