"""What areas alone decide is right, and what they need is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, combinations
from random import Random

import pytest

from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.local_verifier import check, local_verifier
from choreomon.automata.logs import Log
from choreomon.automata.reference import explains
from choreomon.core.action import emission
from choreomon.verify import central_check as module
from choreomon.verify.automaton_verifier import AUTOMATON_MODES, MISSING, AutomatonMode
from choreomon.verify.central_check import Area, CentralCheck, central_check
from choreomon.verify.fault import Fault
from choreomon.verify.verdict import Verdict
from tests.automata.asked import cases, longer_cases, wide_cases

Check = Callable[[Automaton, Sequence[Area]], CentralCheck]


def areas_of(one: Automaton, logs: Sequence[Log], mode: AutomatonMode) -> list[Area]:
    """Of all locations of the automaton, with their traces."""
    logs = [(own, actions) for own, actions in logs if {*own} <= {*one.lifelines}]
    told = {name for own, _ in logs for name in own}
    every = [*logs, *(((name,), ()) for name in one.lifelines if name not in told)]
    found = []
    for lifelines, actions in every:
        verifier = local_verifier(one, lifelines)
        area = check(verifier, actions, MISSING[mode]).area
        found.append(Area(one.digest, mode, verifier.lifelines, area, tuple(actions)))
    return found


def is_failing(one: Automaton, areas: Sequence[Area]) -> bool:
    """Whether nothing explains the logs of these, whatever happened elsewhere."""
    told = {name for area in areas for name in area.lifelines}
    free = [name for name in one.lifelines if name not in told]
    logs = [(area.lifelines, area.trace or ()) for area in areas]
    return not explains(one, logs, MISSING[areas[0].mode], free)


def mistakes(number: int, decide: Check = central_check) -> tuple[int, Counter[str]]:
    rng = Random(number)
    wrong = 0
    met: Counter[str] = Counter()
    for one, logs in chain(cases(number), longer_cases(number), wide_cases(number)):
        for mode in AUTOMATON_MODES:
            every = areas_of(one, logs, mode)
            if not every:
                continue
            fits = not is_failing(one, every)
            sent = [
                area if rng.random() < 0.5 else replace(area, trace=None)
                for area in every
                if rng.random() < 0.9
            ]
            found = decide(one, sent)
            if found.verdict is not None:
                wrong += found.verdict.passes is not fits
                met[found.fault.kind if found.fault else "fits"] += 1
            else:
                met["needs"] += 1
                needed = {name for location in found.traces for name in location}
                needed |= {*found.lifelines}
                came = {area.lifelines: area for area in sent}
                asked = [
                    area if needed & {*area.lifelines} else came[area.lifelines] for area in every
                ]
                whole = decide(one, asked)
                wrong += whole.verdict is None or whole.verdict.passes is not fits
            if found.fault is not None and found.fault.kind != "LocalError":
                named = [area for area in every if area.lifelines in found.fault.locations]
                wrong += not is_failing(one, named)
                if found.fault.kind == "CentralError":
                    fewer = combinations(named, len(named) - 1)
                    wrong += any(is_failing(one, less) for less in fewer)
    return wrong, met


def test_what_is_decided_is_right_and_what_is_needed_is_enough() -> None:
    wrong, met = mistakes(120)
    assert wrong == 0
    kinds = ("fits", "LocalError", "InterError", "CentralError", "needs")
    assert min(met[kind] for kind in kinds) > 10, met


def passes_without_the_logs(one: Automaton, areas: Sequence[Area]) -> CentralCheck:
    found = central_check(one, areas)
    return CentralCheck(Verdict.PASS) if found.verdict is None else found


def asks_for_too_little(one: Automaton, areas: Sequence[Area]) -> CentralCheck:
    found = central_check(one, areas)
    return found._replace(traces=found.traces[1:])


@pytest.mark.parametrize("planted", [passes_without_the_logs, asks_for_too_little])
def test_wrong_checks_are_noticed(planted: Check) -> None:
    assert mistakes(40, planted)[0] > 0


def test_paths_that_are_overlooked_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "has_path", lambda one, edges: bool(edges))
    assert mistakes(40)[0] > 0


X, Y, ONE, TWO = (emission(*at) for at in (("a", "x"), ("a", "y"), ("b", "1"), ("b", "2")))
CHOICE = automaton(
    [(0, X, 1), (1, ONE, 3), (0, Y, 2), (2, TWO, 3)], initial=[0], final=[3], lifelines=["c"]
)


def test_answers_by_hand() -> None:
    right = areas_of(CHOICE, [(("a",), (X,)), (("b",), (ONE,))], "accept")
    apart = areas_of(CHOICE, [(("a",), (X,)), (("b",), (TWO,))], "accept")
    wrong = areas_of(CHOICE, [(("a",), (X, X)), (("b",), (TWO,))], "accept")
    both = (("a",), ("b",))
    assert central_check(CHOICE, right) == CentralCheck(Verdict.PASS)
    assert central_check(CHOICE, right[:2]) == CentralCheck(None, None, ("c",))
    without_letters = replace(right[2], trace=None)
    assert central_check(CHOICE, [*right[:2], without_letters]).verdict is Verdict.PASS
    assert central_check(CHOICE, wrong).fault == Fault("LocalError", (("a",),))
    silent = [replace(area, trace=None) for area in apart]
    assert central_check(CHOICE, silent).fault == Fault("InterError", both, (both,))
    unknown = CentralCheck(None, None, ("b", "c"), (("a",),))
    assert central_check(CHOICE, silent[:1]) == unknown
