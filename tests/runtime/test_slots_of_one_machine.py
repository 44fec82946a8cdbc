"""Agents that take any slot of their role in a folder, as processes of their own."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from choreomon.runtime.stores.postgresql.server import Address
from tests.runtime.postgresql.test_any_slot import last_verdict, shipped_after, slot_of
from tests.runtime.postgresql.test_moving_agents import AgentProcess, agent

NOWHERE = Address("", "", 0.0)


def fields(folder: Path) -> dict[str, Any]:
    """The configuration of all agents of the role, with a port for each slot."""
    folder.joinpath("slots").mkdir()
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        ports = [each.getsockname()[1] for each in held]
    return {
        "process": "shop",
        "store": str(folder / "slots"),
        "peers": {f"shop/{slot}": f"tcp://127.0.0.1:{port}" for slot, port in enumerate(ports)},
    }


def test_the_slot_of_a_killed_agent_is_free_at_once_and_a_verdict_that_needs_it_is_certain(
    tmp_path: Path,
) -> None:
    role = fields(tmp_path)
    with ExitStack() as stack:
        running = [AgentProcess(tmp_path / name, NOWHERE, **role) for name in "abc"]
        for each in running:
            stack.callback(each.close)
        assert sorted(map(slot_of, running)) == ["shop/0", "shop/1", "shop/2"]
        late = stack.enter_context(agent(tmp_path / "late", NOWHERE, **role))
        assert late.process.wait() == 2
        assert "none of the 3 slots of shop is free: other agents use" in late.first + late.rest()
        one, two, lost = running
        slot = slot_of(lost)
        refund = lost.connect().sending("carrier", "refund")
        lost.process.kill()
        lost.process.wait()
        two.connect().handling(shipped_after(refund))
        heir = stack.enter_context(agent(tmp_path / "heir", NOWHERE, **role))
        assert slot_of(heir) == slot
        verdict = last_verdict(two)
        assert (verdict["verdict"], verdict["process"]) == ("violated", slot_of(two))
        assert one.ready


def test_an_agent_that_is_started_again_gets_the_slot_that_it_had(tmp_path: Path) -> None:
    role = fields(tmp_path)
    with ExitStack() as stack:
        with agent(tmp_path / "a", NOWHERE, **role) as first:
            second = stack.enter_context(agent(tmp_path / "b", NOWHERE, **role))
            slots = [slot_of(first), slot_of(second)]
        second.process.terminate()
        assert second.process.wait() == 0
        again = stack.enter_context(agent(tmp_path / "b", NOWHERE, **role))
        assert slot_of(again) == slots[1] == "shop/1"
