"""An agent that starts on a full disk does what one does whose disk is full: it holds everything
back, reads nothing more, is not ready, and goes on when there is room."""

from __future__ import annotations

import asyncio
from pathlib import Path

from choreomon.agent_files import local
from choreomon.agent_files.addresses import Address
from choreomon.runtime.delivery.http_client import request
from tests.runtime.conftest import Run
from tests.runtime.real_agents import agent_of, config_of
from tests.runtime.test_agent_ends import connection_to, filled
from tests.runtime.test_store import full_disk


async def test_it_waits_for_room_and_goes_on(run: Run, tmp_path: Path) -> None:
    config = config_of(tmp_path, http=Address("127.0.0.1", 0))
    await filled(config)
    with full_disk():
        agent = agent_of(config)
        await agent.start()
        try:
            url = f"http://{agent.http_address}"
            ready = await request(f"{url}/readyz", timeout=60)
            assert ready.status == 503
            assert b"the store takes nothing" in ready.body
            assert (await request(f"{url}/healthz", timeout=60)).status == 200
            reader, writer = await connection_to(config)
            writer.write(local.encode(local.Hello("block")))
            answer = asyncio.ensure_future(reader.read(65536))
            for _ in range(20):
                await asyncio.sleep(0)
            assert not answer.done()  # nothing is read
        except BaseException:
            await agent.stop()
            raise
    try:
        assert await answer != b""
        assert (await request(f"{url}/readyz", timeout=60)).status == 200
        assert agent.not_ready() == []
        writer.close()
    finally:
        await agent.stop()
