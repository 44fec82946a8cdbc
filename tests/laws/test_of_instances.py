"""G1, G2 and G3 hold for each binding, and bugs that one can make with instances are noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from choreomon.core.binding import Binding
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER
from choreomon.monitor import inspection, precise
from choreomon.monitor.effects import Send
from choreomon.monitor.messages import Waiting
from choreomon.monitor.of_instances import monitor as of_instances
from choreomon.monitor.of_instances import view
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.monitor import InstanceMonitor, Turn, checkpoint
from choreomon.monitor.of_instances.state import InstanceEvent, InstancesState
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.properties import tables
from choreomon.properties.instances import Parameters
from tests.laws.drawn import draw_automaton, processes
from tests.laws.of_instances import FLAVORS, Flavor, Run, System


def wrong(flavor: Flavor, seeds: range, kind: Callable[..., Any] = InstanceMonitor) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        try:
            found += Run(Random(seed), flavor, kind).play().wrong()
        except AssertionError as told:
            found[str(told)] += 1
    return found


@pytest.mark.parametrize("name", FLAVORS)
def test_what_is_said_of_each_binding_is_what_its_slice_says(name: str) -> None:
    assert not wrong(FLAVORS[name], range(60))


@pytest.fixture
def dropping_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories without anything that can be dropped: what is dropped too early is seen sooner."""
    monkeypatch.setattr(inspection, "SMALL", 1)
    monkeypatch.setattr("choreomon.monitor.pull.SMALL", 1)
    monkeypatch.setattr(precise, "KEPT_DOMINATED", 0)


def test_long_histories_lose_nothing(dropping_at_once: None) -> None:
    found = wrong(FLAVORS["long"], range(60))
    # With nothing kept for who still holds it as open some are possible that need not be.
    del found["avoidable"]
    assert not found


def promise_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise looks at the instance at hand, but counts for all."""
    addressed = Turn.addressed

    def promising(self: Turn, message: Any, binding: Binding) -> InstanceMessage:
        told = addressed(self, message, binding)
        return told if type(message) is Waiting else told._replace(message=message)

    monkeypatch.setattr(Turn, "addressed", promising)


def promise_of_oneself_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same towards oneself."""
    viewed = view.viewed

    def seen(shared: Any, parts: Any, chains: int, own: int, *others: Any) -> Any:
        state = viewed(shared, parts, chains, own, *others)
        opened = [each.event[own] for each in state.inspections]
        return state._replace(settled=(*state.settled[:-1], min(opened, default=NEVER) - 1))

    monkeypatch.setattr(of_instances, "viewed", seen)


def no_waking(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided above does not let go on what waits below."""
    monkeypatch.setattr(Turn, "wake", lambda self: self._to_wake.clear())


def all_at_one_binding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instances are mixed."""
    step = Turn.step_at

    def mixing(self: Turn, binding: Binding, *others: Any) -> None:
        step(self, tuple((name, "0") for name, _ in binding), *others)

    monkeypatch.setattr(Turn, "step_at", mixing)


def all_cancellations_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cancellation counts as fired when it is seen."""
    monkeypatch.setattr(
        tables,
        "certain_cancellations",
        lambda automaton: frozenset(each.reference for each in automaton.backward),
    )


def nothing_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """What carries fewer parameters is forgotten by those who carry more."""
    path = view.Homes.path
    monkeypatch.setattr(view.Homes, "path", lambda self, binding: path(self, binding)[-1:])


def gaps_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "note_gaps", lambda self, state: None)


def stored_without_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a state has no more is not put into the store."""

    def without(state: InstancesState) -> tuple[InstancesState, dict[Binding, Any]]:
        return checkpoint(state)[0], {}

    monkeypatch.setattr("tests.laws.of_instances.checkpoint", without)


PLANTED: list[tuple[Callable[[pytest.MonkeyPatch], None], str, set[str]]] = [
    (promise_for_one, "slow", {"missed"}),
    (promise_of_oneself_for_one, "slow", {"missed"}),
    (no_waking, "in order", {"unfinished"}),
    (all_at_one_binding, "plain", set()),
    (all_cancellations_certain, "plain", {"missed"}),
    (nothing_above, "plain", {"missed"}),
    (gaps_not_noted, "gaps", {"missed"}),
    (stored_without_what_changed, "in a store", {"missed"}),
]


@pytest.mark.parametrize(
    ("plant", "flavor", "kinds"), PLANTED, ids=[plant.__name__ for plant, _, _ in PLANTED]
)
def test_planted_bugs_are_noticed(
    plant: Callable[[pytest.MonkeyPatch], None],
    flavor: str,
    kinds: set[str],
    monkeypatch: pytest.MonkeyPatch,
    dropping_at_once: None,
) -> None:
    plant(monkeypatch)
    found: Counter[str] = Counter()
    for seed in range(400):
        try:
            found += wrong(FLAVORS[flavor], range(seed, seed + 1))
        except KeyError:
            found["nonsense"] += 1  # what no monitor of one instance says
        if found and found.keys() >= kinds:
            break
    assert found
    assert found.keys() >= kinds


@pytest.mark.parametrize("most", [0, 1])
def test_inquiries_that_wait_are_bounded_over_all_instances(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waiting() -> int:
        runs = [Run(Random(seed), FLAVORS["one open"]).play() for seed in range(40)]
        assert not any(run.wrong() for run in runs)
        return max(run.most_waiting for run in runs)

    assert waiting() > most
    monkeypatch.setattr(of_instances, "WAITING_PER_OPEN", most)
    assert waiting() == most


def test_without_parameters_monitors_say_what_those_of_one_instance_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Whether a promise of oneself has grown is looked at before a step, and not after it.
    monkeypatch.setattr(precise.Precise, "keep", lambda self, chain, own, settled: chain)
    inputs = 0
    for seed in range(150):
        random = Random(seed)
        names = processes(random.randint(2, 5))
        system = System(draw_automaton(random, names), Parameters((), {}), names)
        run = Run(random, Flavor(events=(6, 40)), Beside, system)
        run.play()
        assert not run.wrong()
        inputs += sum(host.monitor.compared for host in run.hosts)  # type: ignore[union-attr]
    assert inputs > 2_000


class Beside(InstanceMonitor):
    """Beside a monitor of one instance, which is given the same."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "compared", 0)
        plain = Monitor(self.table, self.processes, PRECISE)
        object.__setattr__(self, "plain", plain)
        object.__setattr__(self, "plain_state", plain.initial())

    def step(self, state: Any, clock: VectorClock, input_: Any) -> Any:
        given = input_[0] if type(input_) in (InstanceEvent, InstanceMessage) else input_
        plain: Any = self.plain  # type: ignore[attr-defined]
        plain_state, plain_clock, expected = plain.step(self.plain_state, clock, given)  # type: ignore[attr-defined]
        object.__setattr__(self, "plain_state", plain_state)
        after, merged, effects = super().step(state, clock, input_)
        assert merged == plain_clock
        assert [*map(said, effects)] == [*map(said, expected)]
        object.__setattr__(self, "compared", self.compared + 1)  # type: ignore[attr-defined]
        return after, merged, effects


def said(effect: Any) -> Any:
    """Without a promise, which may be less here, and the binding, which is that of all."""
    if type(effect) is not Send:
        return effect
    message = effect.message.message if type(effect.message) is InstanceMessage else effect.message
    return message if type(message) is Waiting else message._replace(settled=0)
