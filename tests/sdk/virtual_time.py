"""Real streams, and time that goes by at once: where nothing can be read or written, the next
deadline has come."""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Awaitable, Callable, Mapping
from typing import Any


class _Jumping(selectors.DefaultSelector):
    """Never waits. Both ends of all streams are in this process, so that what is under way is
    there already."""

    elapsed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        assert timeout is not None, "nothing will ever happen"
        self.elapsed += timeout
        return []

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return super().get_map()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Begins at 1000 seconds."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1000.0 + self._jumping.elapsed


def in_virtual_time(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a test on such a loop, and sees that it leaves no task behind."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def whole() -> None:
            await test(*args, **kwargs)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, left

        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(whole())

    return run
