"""Agents that take any slot of their role, as processes of their own, with a real PostgreSQL."""

from __future__ import annotations

import json
import re
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.cli.online.keygen import command as keygen
from choreomon.core.errors import DocumentError
from choreomon.runtime.leases.ends import Fenced, Taken
from choreomon.runtime.stores.agent_store import Owner
from choreomon.runtime.stores.postgresql.held import HeldStore, open_held
from choreomon.runtime.stores.postgresql.leases import PostgresLeases
from choreomon.runtime.stores.postgresql.server import Address
from tests.runtime.postgresql.test_moving_agents import AgentProcess, agent
from tests.runtime.postgresql.test_slot_journal import ROLES, ask, leases

ROLE: dict[str, Any] = {"process": "shop", "peers": {}}


def slot_of(running: AgentProcess) -> str:
    assert running.ready, running.first + running.rest()
    return str(json.loads(running.first)["process"])


def held_at(address: Address, name: str = "shop") -> HeldStore:
    store = PostgresqlStore(address.url, address.schema, address.timeout)
    return open_held(store, Owner(name, ()), ROLES, local="a", listen="tcp://127.0.0.1:1")


def taken_anew(stack: ExitStack, folder: Path, address: Address) -> AgentProcess:
    """An agent of the role that is started until there is a slot for it."""
    while True:
        other = stack.enter_context(agent(folder, address, **ROLE))
        if other.ready:
            return other
        assert "none of the 3 slots of shop is free" in other.first + other.rest()


def test_agents_of_a_role_that_start_at_once_take_a_slot_each_and_one_too_many_is_told_who_has_them(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        running = [AgentProcess(tmp_path / name, address, **ROLE) for name in ("one", "two", "six")]
        for each in running:
            stack.callback(each.close)
        assert sorted(map(slot_of, running)) == ["shop/0", "shop/1", "shop/2"]
        late = stack.enter_context(agent(tmp_path / "late", address, **ROLE))
        assert late.process.wait() == 2
        told = late.first + late.rest()
        assert "agent.yaml:1: store: " in told
        assert "none of the 3 slots of shop is free: shop/0 is held by " in told
        for each in running:
            held = rf"{slot_of(each)} is held by {each.folder.name}, whose agent is at tcp://127"
            assert re.search(held, told)
        assert "or split again with more slots of shop" in told


def test_a_killed_ones_slot_is_taken_by_the_next_agent_of_the_role_with_its_history(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(agent(tmp_path / "one", address, **ROLE))
        clock = one.connect().sending("carrier", "refund").clock
        slot = slot_of(one)
        for name in ("two", "three"):
            stack.enter_context(agent(tmp_path / name, address, "1h", **ROLE))
        one.process.kill()
        heir = taken_anew(stack, tmp_path / "heir", address)
        assert slot_of(heir) == slot
        assert heir.connect().sending("carrier", "refund").clock != clock
        assert ask(address, "SELECT number::text FROM lease WHERE holder = 'heir'") == [(b"2",)]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_pod_whose_agent_is_started_again_gets_the_slot_that_it_had(
    tmp_path: Path, address: Address, end: signal.Signals
) -> None:
    with agent(tmp_path / "other", address, **ROLE) as other:
        with agent(tmp_path / "pod", address, "1h", **ROLE) as pod:
            slot = slot_of(pod)
            assert slot != slot_of(other)
            other.process.send_signal(signal.SIGTERM)
            assert other.process.wait() == 0
            pod.process.send_signal(end)
            pod.process.wait()
        with agent(tmp_path / "pod", address, "1h", **ROLE) as again:
            assert slot_of(again) == slot


@pytest.mark.parametrize("fields", [ROLE, {}], ids=["role", "slot"])
def test_an_agent_that_is_started_twice_takes_nothing_from_the_first_one(
    tmp_path: Path, address: Address, fields: dict[str, Any]
) -> None:
    with (
        agent(tmp_path / "one", address, "1h", **fields) as first,
        agent(tmp_path / "one", address, "1h", **fields) as second,
    ):
        assert first.ready
        assert second.process.wait() == 2
        assert "local.path: " in second.first
        assert "another agent listens there: each needs a path of its own" in second.first
        assert ask(address, "SELECT number::text FROM lease") == [(b"1",)]
        assert first.connect().sending("carrier", "refund").clock


def test_it_reads_its_configuration_anew_at_its_slot(tmp_path: Path, address: Address) -> None:
    with agent(tmp_path / "one", address, "1h", **ROLE) as one:
        assert one.ready
        one.process.send_signal(signal.SIGHUP)
        assert one.process.stderr is not None
        said = [one.process.stderr.readline() for _ in range(2)]
        assert '"keys were read anew"' in said[0]
        assert '"tables were read anew"' in said[1]


def test_who_loses_the_race_for_a_slot_takes_the_next_one(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival = leases(address, "rival")
    take = PostgresLeases.take
    tried: list[str] = []

    def late(self: PostgresLeases, slot: str, *, used: bool) -> Taken | None:
        if not tried:
            assert take(rival, slot, used=True)
        tried.append(slot)
        return take(self, slot, used=used)

    monkeypatch.setattr(PostgresLeases, "take", late)
    held = held_at(address)
    assert tried == ["shop/0", held.process]
    assert held.process == "shop/1"
    held.close()
    with pytest.raises(DocumentError, match="shop/0 is held by rival"):
        held_at(address, "shop/0")


def last_verdict(running: AgentProcess) -> dict[str, Any]:
    """The next verdict that is not provisional."""
    assert running.process.stdout is not None
    while True:
        verdict: dict[str, Any] = json.loads(running.process.stdout.readline())
        if not verdict["provisional"]:
            return verdict


def shipped_after(refund: Carried) -> Carried:
    """The message of a carrier that heard of a refund."""
    return Carried("carrier", "ship", refund.clock)


def test_a_verdict_that_needs_the_slot_of_a_killed_one_is_certain_when_it_is_taken(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        one, two, lost = (
            stack.enter_context(agent(tmp_path / name, address, **ROLE)) for name in "abc"
        )
        slot = slot_of(lost)
        refund = lost.connect().sending("carrier", "refund")
        lost.process.kill()
        two.connect().handling(shipped_after(refund))
        heir = taken_anew(stack, tmp_path / "heir", address)
        assert slot_of(heir) == slot
        verdict = last_verdict(two)
        assert (verdict["verdict"], verdict["process"]) == ("violated", slot_of(two))
        assert one.ready


def test_with_the_keys_of_all_slots_they_find_each_other_at_any_address(
    tmp_path: Path, address: Address
) -> None:
    for slot in ROLES.slots_of("shop"):
        keygen.main([slot, "-o", str(tmp_path / "keys")], standalone_mode=False)
    keys = {"secret": str(tmp_path / "keys"), "peers": str(tmp_path / "keys")}
    fields = {**ROLE, "insecure": False, "keys": keys, "listen": "tcp://*:0"}
    with ExitStack() as stack:
        one, two, _ = (
            stack.enter_context(agent(tmp_path / name, address, **fields)) for name in "abc"
        )
        two.connect().handling(shipped_after(one.connect().sending("carrier", "refund")))
        verdict = last_verdict(two)
        assert (verdict["verdict"], verdict["process"]) == ("violated", slot_of(two))
        found = ask(address, "SELECT address FROM lease WHERE holder = 'a'")
        assert re.fullmatch(rb"tcp://127\.0\.0\.1:[1-9][0-9]+", found[0][0])


def test_where_it_is_reached_may_be_said(tmp_path: Path, address: Address) -> None:
    with agent(tmp_path / "a", address, "1h", advertise="tcp://localhost:7600", **ROLE) as one:
        assert one.ready
        found = ask(address, "SELECT address FROM lease")
        assert found == [(b"tcp://localhost:7600",)]


def test_who_listens_where_the_server_does_not_see_it_has_to_say_where_it_is_reached(
    address: Address,
) -> None:
    with pytest.raises(DocumentError, match=r"say where others reach this agent, as in advertise"):
        held_at(address).announce("tcp://[::]:7600")


def test_who_announces_itself_at_a_slot_that_was_taken_is_refused(address: Address) -> None:
    held = held_at(address)
    ask(address, "UPDATE lease SET number = number + 1, holder = 'two' RETURNING ''")
    with pytest.raises(Fenced, match="that of two"):
        held.announce("tcp://127.0.0.1:7")
