"""A service that gives up, or is closed, at the moment at which its connection is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from choreomon.sdk.address import Address, Backoff
from choreomon.sdk.asynchronous import ConnectedProcess, _Stream
from choreomon.sdk.session import Session

SECONDS = 60.0
"""After which what hangs is given up."""


class Hasty(ConnectedProcess):
    """Calls `hurried` right when there is a stream, the given time."""

    hurried: Callable[[], object]
    left = 1

    def opened(self, stream: _Stream) -> None:
        super().opened(stream)
        self.left -= 1
        if not self.left:
            self.hurried()


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("time", [1, 2])
def test_who_is_cancelled_just_when_it_is_connected_ends(
    tmp_path: Path, loop: Callable[[], asyncio.AbstractEventLoop], time: int
) -> None:
    async def main() -> None:
        async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        server = await asyncio.start_unix_server(silent, tmp_path / "agent.sock")
        process = Hasty(
            Address(path=str(tmp_path / "agent.sock")),
            Session(policy="block", deadline=None, buffer=10),
            token_file=None,
            backoff=Backoff(0.001, 1.0, 0.001),
        )
        process.left = time
        beginning = asyncio.create_task(process.begin(None))
        process.hurried = beginning.cancel
        async with asyncio.timeout(SECONDS):
            await asyncio.wait([beginning])
        assert beginning.cancelled()
        server.close()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())
