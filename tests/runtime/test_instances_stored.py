"""Instances in the store of an agent: rows, what is read of them, and all of a state again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from choreomon.core.errors import InternalError
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import NOTHING, Instance, InstancesState
from choreomon.monitor.state import Evidence
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.instances.cold import Checkpoint, many_changed, with_cold_instances
from choreomon.runtime.instances.rows import InstanceRow, decode_row, encode_row, row_key
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot, without_drained
from choreomon.runtime.stores.sqlite import SqliteStore
from tests.laws.of_instances import Flavor, Run
from tests.runtime.world.disk import Disk

SYSTEM = bytes(range(16))
OTHER = bytes(range(16, 32))
R, S = Reference("q0", "A", "q1"), Reference("q1", "A", "q2")
IDLE = Instance(
    (
        (Record(R, (1, 0), FRM), Record(R, (3, 2), FRM_P, (2, 0))),
        (),
    ),
    evidence=(Evidence(3, (Record(S, (0, 1), FRM_P),)),),
)
BUSY = Flavor(gaps=0.05, gives_up=0.02, in_slices=True, slow=True, events=(20, 60))


def hexed(binding: Any) -> Any:
    """With values as agents know them."""
    return tuple((name, f"{int(value):032x}") for name, value in binding)


class Cut(Run):
    """A run that is looked at while much goes on."""

    def sidecars(self) -> list[tuple[Sidecar, SidecarState]]:
        found = []
        for name, host, state in zip(self.names, self.hosts, self.states, strict=True):
            sidecar = Sidecar(name, (SYSTEM,), (host,))
            found.append((sidecar, sidecar.initial()._replace(hosts=(state,))))
        return found


def cut(seed: int) -> list[tuple[Sidecar, SidecarState]]:
    """The sidecars of a run after some of its steps, of which some go on."""
    run = Cut(Random(seed), BUSY)
    steps, step = Random(seed).randint(5, 60), run._step

    class Enough(Exception):
        pass

    def stepping(p: int, name: str, *given: Any, **named: Any) -> None:
        nonlocal steps
        steps -= 1
        if not steps:
            raise Enough
        step(p, name, *given, **named)

    run._step = stepping  # type: ignore[method-assign]
    with contextlib.suppress(Enough):
        run.play()
    return run.sidecars()


def test_a_row_is_read_as_it_was_written() -> None:
    assert decode_row(encode_row(IDLE), (R, S)) == IDLE
    assert decode_row(encode_row(NOTHING), (R, S)) == NOTHING
    assert decode_row(encode_row(Instance(((), ()))), (R, S)) == Instance(((), ()))
    of_one_record = Instance(((Record(R, (7, 0, 0), FRM),),))
    assert len(encode_row(of_one_record)) < 16


def test_what_goes_on_is_no_row() -> None:
    inquiry: Any = None
    with pytest.raises(InternalError, match="something goes on"):
        encode_row(IDLE._replace(postponed=(inquiry,)))


def test_a_key_says_which_parameters_are_bound() -> None:
    value = "0f" * 16
    assert row_key((("order", value),), ("order", "tenant")) == b"\1" + bytes.fromhex(value)
    assert row_key((("tenant", value),), ("order", "tenant")) == b"\2" + bytes.fromhex(value)
    assert row_key((), ("order", "tenant")) == b"\0"


def test_a_snapshot_has_all_that_goes_on() -> None:
    going_on = 0
    for seed in range(60):
        for sidecar, state in cut(seed):
            assert decode_snapshot(encode_snapshot(state, sidecar), sidecar) == state
            (host,) = state.hosts
            assert isinstance(host.monitor, InstancesState)
            shared = host.monitor.shared
            going_on += bool(shared.open) and bool(shared.waiting or shared.postponed)
    assert going_on > 20


def test_a_property_that_is_closed_is_left_out_only_when_nothing_of_its_instances_goes_on() -> None:
    kept = left = 0
    for seed in range(40):
        for sidecar, state in cut(seed):
            (host,) = state.hosts
            own = sidecar.hosts[0].monitor.own
            closed = state._replace(closed=(host.clock[own],))
            found = without_drained(encode_snapshot(closed, sidecar), {SYSTEM})
            assert (found is None) == bool(host.monitor.decisions)
            kept, left = kept + (found is None), left + (found is not None)
    assert min(kept, left) > 5


def test_what_is_put_into_a_store_is_found_there_and_in_memory_no_more(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store", "process", "boot")
    found = 0
    for seed in range(20):
        for sidecar, state in cut(seed):
            (host,) = state.hosts
            (monitor,) = [each.monitor for each in sidecar.hosts]
            assert isinstance(monitor, InstanceMonitor)
            assert isinstance(host.monitor, InstancesState)
            instances = {hexed(b): each for b, each in host.monitor.instances.items()}
            shared = host.monitor.shared._replace(open=())
            as_hex = InstancesState(shared, type(host.monitor.instances)(instances))
            state = state._replace(hosts=(HostState(host.clock, as_hex),))
            sidecar, cold = with_cold_instances(sidecar, store)
            checkpoint = Checkpoint(state, cold)
            # Rows of systems that are not named are gone.
            store.exchange(b"state", (SYSTEM,), [])
            store.snapshot(b"state", checkpoint.rows)
            again, (anew,) = with_cold_instances(sidecar, store)
            assert anew is not None
            assert isinstance(again.hosts[0].monitor, InstanceMonitor)
            left = checkpoint.state.hosts[0].monitor
            assert isinstance(left, InstancesState)
            for binding, instance in instances.items():
                if instance.is_idle:
                    assert binding not in left.instances
                    assert anew.find(binding) == (None if instance == NOTHING else instance)
                    found += 1
                else:
                    assert left.instances[binding] == instance
    assert found > 50
    store.close()


def test_a_store_without_instances_has_no_table_of_them(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store", "process", "boot")
    store.snapshot(b"state")
    assert store.instance(SYSTEM, b"key") is None
    (tables,) = store._database.execute(
        "SELECT count(*) FROM sqlite_master WHERE name LIKE 'instance%'"
    ).fetchone()
    assert tables == 0
    store.close()


def test_instances_outlast_the_store_that_put_them_and_go_with_their_system(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store", "process", "boot")
    rows = [InstanceRow(SYSTEM, b"a", b"1"), InstanceRow(OTHER, b"a", b"2")]
    store.snapshot(b"state", rows)
    store.close()
    store = SqliteStore(tmp_path / "store", "process", "boot")
    assert (store.instance(SYSTEM, b"a"), store.instance(OTHER, b"a")) == (b"1", b"2")
    store.snapshot(b"state", [InstanceRow(SYSTEM, b"a", b"3"), InstanceRow(OTHER, b"a", None)])
    assert (store.instance(SYSTEM, b"a"), store.instance(OTHER, b"a")) == (b"3", None)
    store.exchange(b"state", (OTHER,))
    assert store.instance(SYSTEM, b"a") is None
    store.close()


def test_it_is_time_for_a_checkpoint_when_many_have_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sidecar, state = max(cut(3), key=lambda each: len(each[1].hosts[0].monitor.instances))  # type: ignore[union-attr]
    _, cold = with_cold_instances(sidecar, Disk(lambda moment: None))
    assert not many_changed(state, cold)
    monkeypatch.setattr("choreomon.runtime.instances.cold.MOST_CHANGED", 0)
    assert many_changed(state, cold)
    assert not many_changed(state, (None,))
    assert isinstance(sidecar.hosts[0], Host)
