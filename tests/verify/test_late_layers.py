"""Layers of late terms against brute force; what they keep; and planted bugs."""

from __future__ import annotations

from collections import Counter

import pytest

from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import Interaction, loop_s, loop_w, par, seq, strict
from choreomon.multitrace.coded import LONG
from choreomon.verify import exact, late_layers
from choreomon.verify.exact import observed_parts
from choreomon.verify.late_layers import LateLayers
from choreomon.verify.layered_walk import Bounds
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import questions
from tests.verify.papers.questions import a, logs

WITHOUT_HEADS = ("strict", "seq", "par", "coreg", "alt", "loopS", "loopW", "loopP", "loopC")


def disagreements(seeds: range, met: Counter[tuple[str, bool]], kept: int = 10_000) -> int:
    """How many answers are not those of brute force."""
    found = 0
    for seed in seeds:
        walk = LateLayers(kept=kept)
        for question in questions(seed, ("multiprefix", "slice"), WITHOUT_HEADS):
            parts = observed_parts(normal(question.interaction), question.multitrace)
            if parts is None:
                continue
            expected = question.verdict.passes
            met[question.mode, expected] += 1
            for bounds in Bounds(1, 1), Bounds(3, None), Bounds(10_000, None):
                answer, _ = walk.holds(
                    normal(question.interaction), parts, bounds, before=question.mode == "slice"
                )
                if answer is not None:
                    break
            found += answer is not expected
    return found


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_layers_of_late_terms_answer_as_brute_force_does(first: int) -> None:
    met: Counter[tuple[str, bool]] = Counter()
    assert disagreements(range(first, first + 20), met) == 0
    assert min(met[mode, holds] for mode in ("multiprefix", "slice") for holds in (1, 0)) > 5


def test_whoever_forgets_what_was_found_out_answers_the_same() -> None:
    assert disagreements(range(15), Counter(), kept=3) == 0


def test_a_walk_that_takes_anybody_first_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_layers, "WAITS", None)
    assert disagreements(range(60), Counter())


def test_who_has_not_begun_is_not_taken_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """`l1` did `u` unobserved, after what `l2` did."""
    term = normal(seq(strict(a("l2!x"), a("l1!u")), a("l1!a")))
    parts = observed_parts(term, logs("l1: l1!a; l2: l2!x"))
    assert parts is not None
    assert LateLayers().holds(term, parts, Bounds(8, None), before=True)[0] is True
    moves = LateLayers.moves
    monkeypatch.setattr(LateLayers, "moves", lambda *args, begun: moves(*args, begun=True))
    assert LateLayers().holds(term, parts, Bounds(8, None), before=True)[0] is False


ORDERED = loop_w(strict(a("l1!m"), a("l2?m")))
TWICE = par(ORDERED, loop_w(strict(a("l2!n"), a("l1?n"))))
"""Nobody may weaken it: its operands order the same lifelines, one this way, one that way."""


@pytest.mark.parametrize("interaction", [TWICE, loop_s(ORDERED)])
def test_long_slices_that_begin_late_need_no_search(
    interaction: Interaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is kept does not grow with the logs."""
    monkeypatch.setattr(exact, "LateSearch", None)
    monkeypatch.setattr(exact, "Search", None)
    monkeypatch.setattr(exact.Discrete, "holds", None)
    verifier = Verifier(interaction, "slice")
    assert verifier._exact is not None
    for number in LONG // 2, LONG:
        seen = logs(f"l1: {'l1!m ' * (number - 3)}; l2: {'l2?m ' * (number + 3)}")
        answer = verifier.decide(seen)
        assert answer.verdict is Verdict.WEAK_PASS
        assert len(verifier._exact._late_layers._rests) < 100


def test_the_interaction_of_that_test_is_one_that_has_to_be_searched() -> None:
    assert not is_exact_to_weaken(TWICE)


@pytest.mark.parametrize(
    ("seen", "before", "expected"),
    [
        ("l1: l1?n; l2: l2?m l2!n", True, True),
        ("l1: l1?n; l2: l2?m l2!n", False, False),
        ("l1: l1?n; l2: l2!n l2?m", False, True),
        ("l1: l1?n l1!m; l2: l2?m l2!n", False, False),
        ("l1: l1?n l1!m; l2: l2?m l2!n", True, True),
        ("l1: l1!m; l2: l2?n", True, False),
    ],
)
def test_slices_and_multi_prefixes_are_told_apart(seen: str, before: bool, expected: bool) -> None:
    parts = observed_parts(normal(TWICE), logs(seen))
    assert parts is not None
    walk = LateLayers()
    assert walk.holds(normal(TWICE), parts, Bounds(8, None), before=before)[0] is expected
