"""G1 and G2 hold where monitors forget idle instances, and ways to forget wrongly are noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from choreomon.core.binding import Binding
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FORGOTTEN, POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor import history, inspection, precise
from choreomon.monitor.of_instances import monitor as of_instances
from choreomon.monitor.of_instances.forgetting import unseen
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import NOTHING, Instance, InstancesState
from choreomon.monitor.of_instances.view import taken_back
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import Forgetting, Parameters
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from tests.laws.forgotten import FLAVORS, ForgettingRun
from tests.laws.of_instances import Flavor, Run, System


def wrong(
    name: str, seeds: range, run: Callable[[Random, Flavor], Run] = ForgettingRun
) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        try:
            found += run(Random(seed), FLAVORS[name]).play().wrong()
        except AssertionError as told:
            found[str(told)] += 1
        except KeyError:
            found["nonsense"] += 1
    return found


@pytest.mark.parametrize("name", FLAVORS)
def test_what_is_said_of_each_binding_is_what_its_slice_says(name: str) -> None:
    assert not wrong(name, range(60))


@pytest.fixture
def dropping_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "SMALL", 1)
    monkeypatch.setattr("choreomon.monitor.pull.SMALL", 1)
    monkeypatch.setattr(precise, "KEPT_DOMINATED", 0)


def test_long_histories_lose_nothing(dropping_at_once: None) -> None:
    assert not wrong("long", range(60))


def dominated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was forgotten is left out of an answer with what was before a step that is certain."""
    monkeypatch.setattr(precise, "NEVER_DOMINATED", frozenset({history.OPEN}))


def test_what_others_hold_as_evidence_is_in_all_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = 2006567  # one of 10,000
    assert not wrong("long", range(seed, seed + 1))
    dominated(monkeypatch)
    assert wrong("long", range(seed, seed + 1)) == Counter({"made up": 1})


def nothing_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was forgotten nothing is said, as of what never was."""
    monkeypatch.setattr(InstanceMonitor, "unseen", lambda self, shared, binding: NOTHING)


def not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """An instance that begins again has had no past."""

    def without(*given: Any) -> Instance:
        found = taken_back(*given)
        chains = [
            tuple(each for each in chain if each.result != FORGOTTEN) for chain in found.chains
        ]
        return found._replace(chains=tuple(chains) if any(chains) else ())

    monkeypatch.setattr(of_instances, "taken_back", without)


def too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was forgotten is taken to be older than it may be."""
    monkeypatch.setattr(
        of_instances,
        "unseen",
        lambda until, *given: unseen(tuple(entry // 2 for entry in until), *given),
    )


def count_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are removed, and the state that is kept with them knows nothing of it."""
    without = InstancesState.without

    def unsaid(self: InstancesState, until: VectorClock, *given: int) -> InstancesState:
        return without(self, self.shared.forgotten.until, *given)

    monkeypatch.setattr(InstancesState, "without", unsaid)


@pytest.mark.parametrize(
    ("plant", "kinds"),
    [
        (nothing_instead, {"missed", "made up"}),
        (not_kept, {"missed"}),
        (too_early, {"missed"}),
        (count_left_out, {"missed", "made up"}),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_planted_bugs_are_noticed(
    plant: Callable[[pytest.MonkeyPatch], None],
    kinds: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch)
    found: Counter[str] = Counter()
    for seed in range(400):
        found += wrong("in order", range(seed, seed + 1))
        if found.keys() >= kinds:
            break
    assert found.keys() >= kinds


class Hasty(ForgettingRun):
    """It forgets what waits, and what is under inspection, too."""

    def candidates(self, p: int, monitor: InstancesState) -> list[tuple[Binding, Instance]]:
        idle = {binding: Instance(each.chains) for binding, each in monitor.instances.items()}
        return [*{**self._cold[p], **idle}.items()]

    def without(
        self, p: int, monitor: InstancesState, until: Any, gone: list[tuple[Binding, Instance]]
    ) -> InstancesState:
        left = monitor.instances
        for binding, _ in gone:
            if binding in left:
                left = left.delete(binding)
        return super().without(p, monitor._replace(instances=left), until, gone)


def test_to_forget_what_is_open_or_waits_is_noticed() -> None:
    found: Counter[str] = Counter()
    for seed in range(200):
        found += wrong("slow", range(seed, seed + 1), Hasty)
        if found["unfinished"] or found["nonsense"]:
            break
    assert found["unfinished"] or found["nonsense"]


REFUND = Label(SEND, Message("billing", "refund", "bank"))
OPEN = Label(SEND, Message("shop", "open", "bank"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))
BILLING, SHOP = range(2)


class Orders:
    """Orders that may not be shipped once they are refunded, and that begin when they are opened.
    Billing forgets what is older than the events of one other order."""

    def __init__(self) -> None:
        parameters = Parameters(
            ("order",),
            dict.fromkeys((REFUND.message, OPEN.message, SHIP.message), ("order",)),
            Forgetting(1.0, frozenset({("order",)})),
        )
        automaton = sequences_automaton([MessageSequence((REFUND, SHIP))])
        automaton = begun_anew(automaton, parameters, [(("fresh", 0), OPEN)])
        flavor = Flavor(forgets=1.0)
        system = System(automaton, parameters, ("billing", "shop"))
        self.run = ForgettingRun(Random(0), flavor, system=system)

    def happens(self, process: int, label: Label, order: int) -> None:
        self.run._happens(process, label, {"order": f"{order}"})
        while waiting := [pair for pair, channel in self.run._channels.items() if channel]:
            self.run._delivered(*waiting[0], 0)

    def told(self) -> None:
        """The shop hears of billing."""
        self.run._step(SHOP, "heard", self.run.states[BILLING].clock)

    def forgets(self) -> list[Binding]:
        """What billing has forgotten when it was put away."""
        self.run._store(BILLING)
        return self.run.forgotten[BILLING]

    def said(self) -> Counter[str | None]:
        return Counter(self.run.said.values())


def forgetful() -> Orders:
    """Of which billing has refunded ten and forgotten all but the last."""
    orders = Orders()
    for order in range(10):
        orders.happens(BILLING, REFUND, order)
        orders.forgets()
    assert len(orders.forgets()) == 9
    return orders


def test_what_begins_anew_after_something_was_forgotten_is_judged_certainly() -> None:
    orders = forgetful()
    orders.told()
    for order in range(100, 200):
        orders.happens(SHOP, OPEN, order)
        orders.happens(SHOP, SHIP, order)
    assert orders.said() == Counter({None: 100})
    orders.happens(BILLING, REFUND, 100)
    orders.told()
    orders.happens(SHOP, SHIP, 100)
    assert orders.said() == Counter({None: 100, VIOLATED: 1})


def test_a_late_event_of_what_was_forgotten_is_possible() -> None:
    orders = forgetful()
    orders.happens(SHOP, SHIP, 0)
    assert orders.said() == Counter({POSSIBLY_VIOLATED: 1})
    orders.told()
    orders.happens(SHOP, SHIP, 9)
    assert orders.said() == Counter({POSSIBLY_VIOLATED: 1, VIOLATED: 1})


def test_who_has_not_heard_of_what_was_forgotten_begins_nothing_certainly() -> None:
    orders = forgetful()
    orders.happens(SHOP, OPEN, 100)
    orders.happens(SHOP, SHIP, 100)
    assert orders.said() == Counter({POSSIBLY_VIOLATED: 1})
    orders.happens(SHOP, OPEN, 101)  # billing has answered since
    orders.happens(SHOP, SHIP, 101)
    assert orders.said() == Counter({POSSIBLY_VIOLATED: 1, None: 1})
