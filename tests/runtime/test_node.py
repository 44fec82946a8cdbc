"""What a configuration says of times and bounds is what its agent goes by, and what it logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.agent_files.agent_config import Limits
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.message import Message
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.configured_sidecar import make_sidecar
from choreomon.runtime.driver import Timeouts
from choreomon.runtime.network.peer_limits import Limits as PeerLimits
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.outputs import Dropped
from tests.properties.stated import automaton_of
from tests.runtime.conftest import Run
from tests.runtime.real_agents import NAMES, agent_of, config_of, tables_of


async def test_times_and_bounds_are_those_of_the_configuration(run: Run, tmp_path: Path) -> None:
    agent = agent_of(
        config_of(
            tmp_path,
            deadline=0.5,
            give_up=7.0,
            most_open=11,
            lease=3.0,
            limits=Limits(frame_bytes=2048, frames_per_second=13, sessions=17, window=19),
        )
    )
    await agent.start()
    try:
        driver, peers = agent.node.driver, agent.node.peers
        assert peers is not None
        assert driver._timeouts == Timeouts(deadline=0.5, give_up=7.0)
        sidecar = driver.sidecar
        assert (sidecar.lease, sidecar.window, sidecar.most_sessions) == (3.0, 19, 17)
        assert [host.monitor.most_open for host in sidecar.hosts] == [11]
        assert peers._limits == PeerLimits(
            frame_bytes=2048, rate=13.0, bearable=sidecar.bearable_frame
        )
        assert len(agent.last_verdicts) == 0
        assert agent.last_verdicts.maxlen == 50  # more would grow with what happened
    finally:
        await agent.stop()


def test_what_is_refused_is_logged_once_a_minute_for_each_reason(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        seconds = [0.0]
        log = Log(now=lambda: seconds[0])
        agent = Agent(config_of(tmp_path), [tables_of()["B"]], log=log)
        await agent.start()
        try:
            for second in range(121):
                seconds[0] = float(second)
                agent.happened(Dropped("rate", "A", "too fast"))
                agent.happened(Dropped("sender", "A", "is not A"))
        finally:
            await agent.stop()

    run(main)
    assert [record.message for record in caplog.records].count("refused") == 2 * 3


def test_a_property_for_each_instance_may_have_eight_times_as_much_open(tmp_path: Path) -> None:
    first, last = Message("A", "a", "B"), Message("B", "b", "A")
    parameters = Parameters(("order",), {first: ("order",), last: ("order",)})
    automaton = automaton_of("q0", "q2", ("q0", first, "q1"), ("q1", last, "q2"))
    tables = transition_tables(automaton, NAMES, "precise", parameters)
    one = SplitTable("1" * 32, "each", "precise", NAMES, tables["B"], key=bytes(range(16)))
    sidecar = make_sidecar(config_of(tmp_path, most_open=11), [tables_of()["B"], one])
    assert [host.monitor.most_open for host in sidecar.hosts] == [11, 88]
