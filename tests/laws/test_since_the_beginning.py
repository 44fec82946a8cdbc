"""Monitors of properties with `BEGIN`: each answers for it by itself, and is right as of any other
property. Dense runs of them, with gaps, restarts, instances and agents, are families of
`tests.laws.families`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from choreomon.core.message import BEGINNING, SEND, Label, Message
from choreomon.core.vector_clock import tick
from choreomon.core.verdict import GAP, POSSIBLY_VIOLATED, Reference
from choreomon.monitor import precise
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Response
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rights import Refused
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import Parameters
from choreomon.properties.sequences import sequences_automaton
from choreomon.properties.tables import transition_tables
from tests.laws.drawn import draw_begun, draw_scripts, processes
from tests.laws.families import FAMILIES, played
from tests.laws.interleaving import System, play, weighted
from tests.laws.of_instances import Run
from tests.laws.of_instances import System as InstanceSystem
from tests.laws.test_precise_rules import unsettled, wrong
from tests.properties.test_begin import PAID, SHIP, UNPAID

NAMED = {family.name: family for family in FAMILIES}
BEGIN_FAMILIES = ("since the beginning", "since the beginning, gaps")


def runs_wrong(seeds: range) -> Counter[str]:
    """What is wrong of runs of monitors, and how much there was to be right about."""
    found: Counter[str] = Counter()
    for seed in seeds:
        random = Random(f"begin of monitors {seed}")
        names = processes(random.randint(2, 5))
        automaton = draw_begun(random, names)
        scripts = draw_scripts(random, automaton, names)
        system = System(automaton, names, PRECISE, in_order=random.random() < 0.5)
        run = play(system, scripts, weighted(random))
        found["wrong"] += len(wrong(run))
        found["formed"] += len(run.formed)
        found["possibly"] += len(run.possibly())
        found["unsettled"] += len(unsettled(run))
    return found


def test_nothing_is_missed_or_made_up_or_left_open_that_could_be_told() -> None:
    found = runs_wrong(range(500))
    assert not found["wrong"]
    assert not found["unsettled"]
    assert found["formed"] > 800
    assert found["possibly"] > 200


Known = Callable[[MonitorSetup, MonitorState, Inspection], list[Record]]
_KNOWN: Known = precise.known_records


def without_an_answer(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    """Nobody answers for the beginning."""
    found = _KNOWN(monitor, state, inspection)
    return [each for each in found if each.reference.process != BEGINNING]


def concurrent_with_others(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    """The beginning is an own event of which nobody else has heard."""
    own = monitor.own
    return [
        each._replace(clock=tick(each.clock, own)) if each.reference.process == BEGINNING else each
        for each in _KNOWN(monitor, state, inspection)
    ]


def hidden_by_gaps(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    """Where something is lost, nobody knows any more that there was a beginning."""
    found = _KNOWN(monitor, state, inspection)
    if not any(each.result == GAP for each in found):
        return found
    return [each for each in found if each.reference.process != BEGINNING]


@pytest.mark.parametrize(
    ("planted", "name", "fault"),
    [
        (without_an_answer, BEGIN_FAMILIES[0], "nothing said"),
        (concurrent_with_others, BEGIN_FAMILIES[0], "avoidable"),
        (hidden_by_gaps, BEGIN_FAMILIES[1], "nothing said"),
    ],
)
def test_the_law_notices_a_beginning_that_is_not_one(
    planted: Known, name: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precise, "known_records", planted)
    assert any(
        fault in {each.fault for each in played(NAMED[name], seed).wrong} for seed in range(200)
    )


def test_the_law_notices_a_beginning_that_nothing_takes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = precise.possible_outcomes

    def planted(*given: Any, **named: Any) -> Any:
        bits, *others, records = given
        begun = {each.reference for each in records if each.reference.process == BEGINNING}
        left = [each for each in records if begun.isdisjoint(bits.cancels.get(each.reference, ()))]
        return right(bits, *others, left, **named)

    monkeypatch.setattr(precise, "possible_outcomes", planted)
    assert any(
        "made up" in {each.fault for each in played(NAMED[BEGIN_FAMILIES[0]], seed).wrong}
        for seed in range(200)
    )


# What one of them says.

SHOP, BANK, CARRIER = "shop", "bank", "carrier"
PROCESSES = (SHOP, BANK, CARRIER)


def hosts() -> dict[str, Host]:
    tables = transition_tables(sequences_automaton([UNPAID]), PROCESSES, "precise")
    return {name: Host(Monitor(tables[name], PROCESSES, PRECISE)) for name in PROCESSES}


def test_who_tells_of_the_beginning_is_refused() -> None:
    host = hosts()[SHOP]
    state, *_ = host.report(host.initial(), SHIP)
    begun = Record(Reference("q0", BEGINNING, "q1"), (0, 0, 0), "Frm")
    told = Response(BANK, SHOP, Reference("q1", SHOP, "q2"), 1, (), (0, 0, 0), 0, (begun,))
    _, (refused,) = host.receive(state, told)
    assert isinstance(refused, Refused)
    assert refused.reason == "answer"


# For each instance.

OPEN = Label(SEND, Message("customer", "open", "shop"))
ORDERS = (SHOP, BANK, "customer")


def shipped(*, fresh: bool, gap: bool = False) -> Counter[str | None]:
    """What is said of orders that are shipped: of one that nobody paid, of one that was paid, and
    of that again after its number was given once more."""
    messages = (SHIP.message, PAID.message, OPEN.message)
    parameters = Parameters(("order",), dict.fromkeys(messages, ("order",)))
    automaton = sequences_automaton([UNPAID])
    if fresh:
        automaton = begun_anew(automaton, parameters, [(("fresh", 0), OPEN)])
    run = Run(Random(0), system=InstanceSystem(automaton, parameters, ORDERS))

    def happens(process: int, label: Label, order: str) -> None:
        run._step(process, "heard", tuple(map(max, *[state.clock for state in run.states])))
        run._happens(process, label, {"order": order})
        while waiting := [pair for pair, channel in run._channels.items() if channel]:
            run._delivered(*waiting[0], 0)

    if gap:
        run._step(1, "gap_opens")
        run._step(1, "gap_ends", lost=True)
    happens(0, SHIP, "unpaid")
    happens(1, PAID, "paid")
    happens(0, SHIP, "paid")
    happens(2, OPEN, "paid")
    happens(0, SHIP, "paid")
    return Counter(run.said.values())


def test_an_order_of_which_nobody_has_heard_has_its_beginning() -> None:
    assert shipped(fresh=False) == {"violated": 1, None: 2}


def test_after_a_fresh_label_an_instance_begins_again() -> None:
    assert shipped(fresh=True) == {"violated": 2, None: 1}


def test_where_what_may_have_taken_it_back_was_lost_that_is_said() -> None:
    """Until the order is opened again: nothing before that matters any more."""
    assert shipped(fresh=True, gap=True) == {POSSIBLY_VIOLATED: 1, None: 1, "violated": 1}
