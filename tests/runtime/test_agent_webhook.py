"""An agent whose webhook refuses a verdict for good: it counts, it is told, and it is delivered."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from choreomon.agent_files.delivered.sinks import WebhookSink
from choreomon.runtime.inputs import Gap, Hello
from choreomon.runtime.operations.exposition import Exposition
from tests.runtime.conftest import Run
from tests.runtime.real_agents import agent_of, config_of
from tests.runtime.test_webhook import answer_of, receiving


@pytest.mark.parametrize("durability", ["process", "off"])
def test_a_refused_verdict_is_counted_told_and_not_kept(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture, durability: str
) -> None:
    caplog.set_level(logging.WARNING, logger="choreomon")

    async def main() -> None:
        caplog.clear()
        async with receiving(answer_of(410)) as receiver:
            url = f"http://127.0.0.1:{receiver.port}/hidden"
            store = tmp_path / "B.db" if durability != "off" else None
            config = config_of(
                tmp_path, verdicts=(WebhookSink(url),), store=store, durability=durability
            )
            agent = agent_of(config)
            await agent.start()
            driver = agent.node.driver
            driver.take(Hello(1, "block", "", "session", 0))
            driver.take(Gap(1, "session", 1, 0, 1))
            agent.node.flush()
            while not agent.metrics.dead_letters or driver.state.undelivered:
                await asyncio.sleep(0)
            (why,) = agent.sinks.failing.values()
            assert why.startswith("it answers 410")
            assert "choreomon_dead_letters_total 1.0" in metrics_of(agent)
            await agent.stop()
        letters = tmp_path / "B.db.dead-letters.jsonl"
        assert letters.exists() is (durability != "off")
        if letters.exists():
            (line,) = letters.read_text().splitlines()
            assert json.loads(line)["verdict"]["verdict"] == "possibly-violated"
            letters.unlink()
            (tmp_path / "B.db").unlink()
        told = [each for each in caplog.records if "refuses a verdict for good" in each.message]
        assert len(told) == 1
        assert "hidden" not in str(vars(told[0]))

    def metrics_of(agent: object) -> str:
        exposition = Exposition(agent.metrics, read=agent._readings, beside=agent._beside)  # type: ignore[attr-defined]
        return exposition.text()[0].decode()

    run(main)
