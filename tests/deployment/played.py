"""What a test awaits, on the loop of deployments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

from choreomon.deployment.precise_loop import precise_loop


def played(main: Callable[[ExitStack], Awaitable[None]]) -> None:
    """Runs `main` to its end; what it opens is closed then. One that waits in vain ends, too."""

    async def bounded() -> None:
        with ExitStack() as opened:
            async with asyncio.timeout(300):
                await main(opened)

    with asyncio.Runner(loop_factory=precise_loop) as runner:
        runner.run(bounded())
