"""Agents that crash at any moment judge each instance right, and keep values to themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from choreomon.core.binding import Binding
from choreomon.monitor.of_instances.forgetting import NOTHING_FORGOTTEN
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.precise import PRECISE
from choreomon.runtime import driver
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.instances.cold import Checkpoint, ColdInstances
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.values_of_events import ValuesOfEvents
from tests.laws.live_sweep import CALM, played, sweep
from tests.runtime.world.drawn import ANY, BATCHES, BUFFERS, GAPS, POWER, Flavor
from tests.runtime.world.playing import Playing

FLAVORS = {"any": ANY, "batches": BATCHES, "gaps": GAPS, "buffers": BUFFERS, "power": POWER}


def broken(flavor: Flavor, seeds: range) -> Counter[str]:
    """By law how often it was broken."""
    found: Counter[str] = Counter()
    for seed in seeds:
        found.update(
            each.law for each in played(seed, None, of_instances(flavor), rules=PRECISE)[1]
        )
    return found


def of_instances(flavor: Flavor) -> Flavor:
    return flavor._replace(instances=True)


@pytest.mark.parametrize("name", FLAVORS)
def test_no_law_is_broken_whatever_happens(name: str) -> None:
    assert not broken(FLAVORS[name], range(80))


def test_no_law_is_broken_at_any_crash_point() -> None:
    swept = sweep(range(16), of_instances(CALM), PRECISE)
    assert not swept.broken
    assert swept.crashes > 700
    assert swept.words > 400


FORGETS = {
    name: flavor._replace(forgets=True, instances=True)
    for name, flavor in (("any", ANY), ("gaps", GAPS), ("power", POWER))
}


def forgotten(playing: Playing) -> int:
    """How many instances the agents have forgotten that are there at the end."""
    drivers = [agent.driver for agent in playing.world.agents.values() if agent.driver is not None]
    monitors = [host.monitor for driver in drivers for host in driver.state.hosts]
    return sum(
        each.shared.forgotten.instances for each in monitors if isinstance(each, InstancesState)
    )


@pytest.mark.parametrize("name", FORGETS)
def test_no_law_is_broken_where_instances_are_forgotten(name: str) -> None:
    count = 0
    for seed in range(30):
        playing, found = played(seed, None, FORGETS[name], rules=PRECISE)
        assert not found
        count += forgotten(playing)
    assert count > 10


def test_no_law_is_broken_at_any_crash_point_where_instances_are_forgotten() -> None:
    swept = sweep(range(5), CALM._replace(instances=True, forgets=True), PRECISE)
    assert not swept.broken
    assert swept.crashes > 200


def kept_without_what_was_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state is written, with rows removed, that does not say that they were."""
    encode = driver.encode_snapshot

    def without(state: SidecarState, sidecar: Sidecar) -> bytes:
        for place, host in enumerate(state.hosts):
            if isinstance(host.monitor, InstancesState):
                shared = host.monitor.shared._replace(forgotten=NOTHING_FORGOTTEN)
                monitor = host.monitor._replace(shared=shared)
                state = state.with_host(place, host._replace(monitor=monitor))
        return encode(state, sidecar)

    monkeypatch.setattr(driver, "encode_snapshot", without)


def test_to_forget_without_saying_so_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept_without_what_was_forgotten(monkeypatch)
    assert any(broken(FORGETS["gaps"], range(seed, seed + 1))["G1"] for seed in range(100))


def clear_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value is a digest that everybody can read."""

    def digested(self: ValuesOfEvents, place: int, said: Binding) -> Binding:
        return tuple((name, value.encode()[:16].ljust(16).hex()) for name, value in said)

    monkeypatch.setattr(ValuesOfEvents, "digested", digested)


def rows_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory no more is not put into the store."""
    init = Checkpoint.__init__

    def without(self: Checkpoint, *given: object) -> None:
        init(self, *given)  # type: ignore[arg-type]
        self.rows = ()
        self.written = lambda: None  # type: ignore[method-assign]

    monkeypatch.setattr(Checkpoint, "__init__", without)


def rows_kept_as_they_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before is not read again after another checkpoint."""
    monkeypatch.setattr(ColdInstances, "written", lambda self, binding, instance: None)


def values_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of different values are the same."""
    monkeypatch.setattr(
        ValuesOfEvents,
        "digested",
        lambda self, place, said: tuple((name, "0" * 32) for name, _ in said),
    )


@pytest.mark.parametrize(
    ("plant", "law"),
    [
        (clear_values, "secret"),
        (rows_left_out, "G1"),
        (rows_kept_as_they_were_read, "G1"),
        (values_of_others, "G2"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_planted_bugs_are_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert any(broken(GAPS, range(seed, seed + 1))[law] for seed in range(80))
