"""Verifiers for machines that know nothing else: the same areas as beside the automaton."""

from __future__ import annotations

from itertools import chain

import pytest

from choreomon.automata import local_verifier as module
from choreomon.automata.automaton import automaton
from choreomon.automata.local_verifier import Checked, End, Start, Step, check, local_verifier
from choreomon.automata.local_view import LocalView
from choreomon.automata.logs import WHOLE, Missing
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.core.action import emission
from choreomon.core.errors import BudgetExceeded
from tests.automata.asked import PREFIXES, QUESTIONS, SLICES, cases, longer_cases


def disagreements(number: int) -> tuple[int, int, int]:
    """Areas that are not those beside the automaton; how many there were, and LocalErrors."""
    wrong = right = errors = 0
    for one, logs in chain(cases(number), longer_cases(number)):
        verifiers = LocalVerifiers(one)
        own = [local_verifier(one, lifelines) for lifelines, _ in logs]
        for missing in QUESTIONS:
            areas = verifiers.areas(logs, missing)[: len(logs)]
            for verifier, (_, actions), area in zip(own, logs, areas, strict=True):
                found = check(verifier, actions, missing)
                wrong += found.area != area
                right += area is not None
                errors += area is None
                wrong += area is not None and found.right < len(actions)
    return wrong, right, errors


def test_areas_are_those_beside_the_automaton() -> None:
    wrong, right, errors = disagreements(150)
    assert wrong == 0
    assert min(right, errors) > 1_000


class _Forgetful(LocalView):
    """Finds only what whole logs lead to, and takes an end for any end."""

    def released(self, subset: int) -> int:
        return subset


def test_wrong_verifiers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LocalView", _Forgetful)
    assert disagreements(30)[0] > 0


X, Y, Z = emission("a", "x"), emission("a", "y"), emission("b", "z")
SMALL = automaton([(0, X, 1), (1, Z, 2), (2, Y, 0)], initial=[0], final=[2])


def test_a_verifier_by_hand() -> None:
    verifier = local_verifier(SMALL, ["a"])
    # Edges: 0 x, 1 z, 2 y. Logs of a: x, x y x, and so on.
    assert (verifier.lifelines, verifier.edges, verifier.digest) == (("a",), 3, SMALL.digest)
    assert verifier.whole == Start(0, 0)
    assert verifier.late == Start(1, 0b111)
    assert verifier.ends[0] == End(False, True, 0b111)
    assert verifier.steps[0] == {X: Step(2, 0b011)}
    assert check(verifier, [X], WHOLE) == Checked(0b011, 1)
    assert check(verifier, [X, Y], WHOLE) == Checked(None, 2)
    assert check(verifier, [X, Y], PREFIXES) == Checked(0b111, 2)
    assert check(verifier, [X, Z], PREFIXES) == Checked(None, 1)
    assert check(verifier, [Y], PREFIXES) == Checked(None, 0)
    assert check(verifier, [Y], SLICES) == Checked(0b111, 1)
    assert check(verifier, [], Missing(before=True)) == Checked(0b111, 0)


def test_nothing_is_accepted_by_an_automaton_without_initial_states() -> None:
    verifier = local_verifier(automaton([(0, X, 1)], initial=[], final=[1]), ["a"])
    assert verifier.whole is None
    assert check(verifier, [], SLICES) == Checked(None, 0)


def test_verifiers_have_a_limit() -> None:
    with pytest.raises(BudgetExceeded, match="a local verifier has more than 2 states"):
        local_verifier(SMALL, ["a"], limit=2)
