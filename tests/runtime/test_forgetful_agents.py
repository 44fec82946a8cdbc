"""Agents that forget: at checkpoints, some rows at each, by the clock on the wall, and over
restarts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.digests import KEY_BYTES
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import FORGOTTEN, NEVER
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.forgetting import NOTED_EACH
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.precise import PRECISE
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import Forgetting, Parameters
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import RETRY, Driver
from choreomon.runtime.inputs import HappenedWithValues
from choreomon.runtime.instances import forgetting
from choreomon.runtime.instances.forgetting import PAUSE
from choreomon.runtime.ports import Store
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot, without_drained
from choreomon.runtime.stores.sqlite import SqliteStore
from tests.runtime.driven import Clock, Ports
from tests.runtime.world.disk import Disk

SYSTEM = bytes(range(16))
OTHER = bytes(range(16, 32))
HOUR = 3600.0
AFTER = NOTED_EACH * HOUR
SUSPEND = Label(SEND, Message("billing", "suspend", "bank"))
REFUND = Label(SEND, Message("billing", "refund", "bank"))
OPEN = Label(SEND, Message("shop", "open", "bank"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))


def sidecar(after: float | None = AFTER) -> Sidecar:
    """That of billing, which refunds orders and suspends tenants."""
    both = ("order", "tenant")
    parameters = Parameters(
        both,
        {
            SUSPEND.message: ("tenant",),
            **dict.fromkeys((REFUND.message, OPEN.message, SHIP.message), both),
        },
        None if after is None else Forgetting(after, frozenset({both})),
    )
    automaton = sequences_automaton(
        [MessageSequence((REFUND, SHIP)), MessageSequence((SUSPEND, SHIP))]
    )
    automaton = begun_anew(automaton, parameters, [(("fresh", 0), OPEN)])
    names = ("billing", "shop")
    table = transition_tables(automaton, names, "precise", parameters)["billing"]
    host = Host(InstanceMonitor(table, names, PRECISE, has_deadline=True, in_slices=True))
    keys = {SYSTEM: bytes(KEY_BYTES)}
    return Sidecar("billing", (SYSTEM,), (host,), value_keys=keys)


class Billing:
    """Its agent, through its lives. `time` is that on the wall; an agent that starts does not know
    how long nobody did."""

    def __init__(self, store: Store, after: float | None = AFTER) -> None:
        self.store = store
        self.clock, self.wall = Clock(), Clock()
        self.after = after
        self.start()

    def start(self) -> None:
        ports: Any = Ports(Disk(lambda moment: None))
        self.driver = Driver(sidecar(self.after), self.store, ports, self.clock, wall=self.wall)
        self.driver.recover(forgetful=False)
        self.driver.flush()

    def refunds(self, *orders: int, tenant: str = "t") -> None:
        for order in orders:
            self._happens("refund", (("order", f"{order}"), ("tenant", tenant)))

    def suspends(self, tenant: str) -> None:
        self._happens("suspend", (("tenant", tenant),))

    def _happens(self, name: str, values: tuple[tuple[str, str], ...]) -> None:
        self.driver.take(HappenedWithValues("send", "bank", name, [], 0, dict(values)))
        self.driver.flush()

    def passes(self, seconds: float) -> None:
        """Time, in which the agent does what is due, and nothing happens."""
        until = self.clock.time + seconds
        while (due := self.driver.due()) is not None and due <= until:
            self.wall.time += max(0.0, due - self.clock.time)
            self.clock.time = max(due, self.clock.time)
            self.driver.tick()
        self.wall.time += until - self.clock.time
        self.clock.time = until

    @property
    def monitor(self) -> InstancesState:
        monitor = self.driver.state.hosts[0].monitor
        assert isinstance(monitor, InstancesState)
        return monitor

    @property
    def forgotten(self) -> int:
        return self.monitor.shared.forgotten.instances

    @property
    def rows(self) -> int:
        return len(self.store.instances(SYSTEM, b"", 1000))


@pytest.fixture(params=["memory", "sqlite"])
def billing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Billing]:
    if request.param == "memory":
        yield Billing(Disk(lambda moment: None))
        return
    store = SqliteStore(tmp_path / "store", "process", "boot")
    yield Billing(store)
    store.close()


def test_what_was_idle_for_so_long_is_forgotten_though_nothing_happens(billing: Billing) -> None:
    billing.refunds(1, 2, 3)
    billing.suspends("t")
    billing.passes(HOUR)
    billing.refunds(4)
    billing.passes(AFTER - HOUR - 1)
    assert (billing.forgotten, billing.rows) == (0, 5)
    billing.passes(2.0)
    assert (billing.forgotten, billing.rows) == (3, 2)
    billing.passes(2 * HOUR)
    assert (billing.forgotten, billing.rows) == (4, 1)  # the tenant is left
    records = billing.monitor.shared.records
    assert records == 1


def test_nothing_is_forgotten_where_the_property_does_not_say_so() -> None:
    billing = Billing(Disk(lambda moment: None), after=None)
    billing.refunds(1)
    assert billing.driver.due() is None
    billing.driver.snapshot()
    assert (billing.forgotten, billing.rows) == (0, 1)


def test_agents_that_restart_each_hour_forget_as_well(billing: Billing) -> None:
    billing.refunds(1, 2, 3)
    for _ in range(NOTED_EACH + 1):
        billing.passes(60.0)
        billing.wall.time += HOUR
        billing.start()
    billing.passes(60.0)
    assert (billing.forgotten, billing.rows) == (3, 0)
    billing.start()
    assert billing.forgotten == 3
    assert billing.monitor.shared.forgotten.until == (3, 0)


def test_what_changed_since_its_row_was_put_is_not_forgotten(billing: Billing) -> None:
    billing.refunds(1, 2)
    billing.driver.snapshot()
    billing.passes(1.0)
    billing.driver.tick()
    billing.wall.time += AFTER
    billing.refunds(2)
    billing.driver.snapshot()
    assert (billing.forgotten, billing.rows) == (1, 1)
    again = billing.driver.state
    billing.start()
    assert billing.driver.state == again


def test_what_begins_again_keeps_what_it_may_have_been(billing: Billing) -> None:
    billing.refunds(1)
    billing.passes(AFTER + HOUR)
    assert (billing.forgotten, billing.rows) == (1, 0)
    billing.refunds(9)
    billing.suspends("t")
    billing.driver.snapshot()
    billing.start()
    billing.refunds(9)
    billing.suspends("t")
    found = {
        tuple(name for name, _ in binding): [
            record.result for chain in instance.chains for record in chain
        ]
        for binding, instance in billing.monitor.instances.items()
    }
    assert found == {("order", "tenant"): [FORGOTTEN, "Frm", "Frm"], ("tenant",): ["Frm", "Frm"]}
    (row,) = [key for key, _ in billing.store.instances(SYSTEM, b"", 9) if key[0] == 3]
    billing.passes(AFTER + HOUR)
    assert billing.forgotten == 2
    assert row not in dict(billing.store.instances(SYSTEM, b"", 9))


def test_rows_are_looked_at_some_at_a_time(
    billing: Billing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "MOST_LOOKED_AT", 4)
    billing.refunds(*range(10))
    billing.passes(2.0)
    assert billing.rows == 10
    left = []
    billing.wall.time += AFTER
    billing.clock.time += HOUR
    for _ in range(4):
        billing.driver.tick()
        left.append(billing.rows)
        billing.clock.time += PAUSE
    assert left == [6, 2, 0, 0]
    assert billing.driver.due() == billing.clock.time - 2 * PAUSE + HOUR


def test_what_happens_in_between_goes_on_where_it_was(
    billing: Billing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that were looked at before are looked at again when more is old enough."""
    monkeypatch.setattr(forgetting, "MOST_LOOKED_AT", 4)
    for order in range(10):
        billing.refunds(order)
        billing.passes(HOUR)
    billing.passes(AFTER + HOUR)
    assert (billing.forgotten, billing.rows) == (10, 0)


def test_a_disk_that_takes_nothing_keeps_what_was_to_be_forgotten() -> None:
    disk = Disk(lambda moment: None)
    billing = Billing(disk)
    billing.refunds(1)
    billing.passes(AFTER - 1)
    disk.full = True
    billing.passes(HOUR + 2)
    assert (billing.forgotten, billing.rows) == (0, 1)
    disk.full = False
    billing.passes(RETRY)
    assert (billing.forgotten, billing.rows) == (1, 0)


def test_a_state_says_what_was_forgotten_only_where_something_may_be(billing: Billing) -> None:
    billing.refunds(1)
    plain = encode_snapshot(billing.driver.state, billing.driver.sidecar)
    assert plain[1] == 5
    billing.passes(AFTER + HOUR)
    state, made = billing.driver.state, billing.driver.sidecar
    data = encode_snapshot(state, made)
    assert data[1] == 6
    assert decode_snapshot(data, made) == state


def test_what_was_forgotten_of_a_property_stays_when_another_one_is_left_out(
    billing: Billing,
) -> None:
    billing.refunds(1)
    billing.passes(AFTER + HOUR)
    (host,), (state,) = billing.driver.sidecar.hosts, billing.driver.state.hosts
    both = Sidecar("billing", (OTHER, SYSTEM), (host, host))
    drained = both.initial()._replace(hosts=(both.initial().hosts[0], state), closed=(0, NEVER))
    found = without_drained(encode_snapshot(drained, both), {OTHER})
    assert found is not None
    data, systems = found
    assert systems == (SYSTEM,)
    one = Sidecar("billing", systems, (host,))
    assert decode_snapshot(data, one).hosts == (state,)
