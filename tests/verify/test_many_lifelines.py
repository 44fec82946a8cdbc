"""Interactions with hundreds of lifelines of which most recorded nothing: the answers of brute
force, without looking at the silent ones one by one."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.interaction import order
from choreomon.interaction.generation import ALL_OPERATORS
from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import alt, coreg, loop_s, par, seq, strict
from choreomon.interaction.weakening import is_exact_by_removal, revealing
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify import exact, views
from choreomon.verify.exact import ExactDecider, decide_exact
from choreomon.verify.exact_search import ExactMode, Observed
from choreomon.verify.quick import commuting, situations
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import EXACT_MODES, questions
from tests.verify.papers.questions import a, random_term
from tests.verify.steps import counted

OF_MANY = [a(f"l{number}!m") for number in range(300)]
SHAPES = {
    "strict": strict(*OF_MANY),
    "seq": seq(*OF_MANY),
    "par": par(*OF_MANY),
    "coreg": coreg(mask(["l1"]), *OF_MANY),
    "alt": alt(*OF_MANY),
    "loopS": loop_s(strict(*OF_MANY)),
}
FITS: dict[str, dict[ExactMode, bool]] = {
    name: {
        "accept": False,
        "prefix": name in ("seq", "par", "coreg"),
        "multiprefix": name != "alt",
        "slice": name != "alt",
    }
    for name in SHAPES
}
"""Whether `l7!m` and `l9!m`, each with a clock of its own, are what is asked for."""


@pytest.mark.parametrize("mode", EXACT_MODES)
@pytest.mark.parametrize("name", SHAPES)
def test_silent_lifelines_are_not_looked_at_one_by_one(
    name: str, mode: ExactMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    projections = [
        counted(monkeypatch, module, "project") for module in (commuting, situations, views)
    ]
    action = [leaf.action for leaf in OF_MANY]
    for all_told in (False, True):
        parts = [component([f"l{number}"], (action[number],)) for number in (7, 9)]  # type: ignore[arg-type]
        names = [f"l{number}" for number in range(300)] if all_told else []
        seen = multi_trace(parts, names)
        verdict = Verifier(SHAPES[name], mode).decide(seen).verdict
        assert verdict.passes is FITS[name][mode], all_told
        decider = ExactDecider(SHAPES[name], mode)
        answer = decider.decide(seen)
        assert answer.verdict is verdict
        # Each component has a clock of its own, but for the silent ones: no choice takes a search.
        assert mode == "prefix" or answer.vertices <= 2 * seen.length
        assert len(decider.views) < 30
    assert sum(projected.calls for projected in projections) < 60


def wrong(seeds: range, modes: tuple[ExactMode, ...] = EXACT_MODES) -> bool:
    for seed in seeds:
        for one in questions(seed, modes):
            exactly = decide_exact(one.interaction, one.multitrace, one.mode)
            quickly = Verifier(one.interaction, one.mode).decide(one.multitrace)
            if exactly.verdict is not one.verdict or quickly.verdict is not one.verdict:
                return True
    return False


def test_silent_components_taken_together_give_the_answers_of_brute_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "MANY", 0)
    monkeypatch.setattr(commuting, "MANY", 0)
    assert not wrong(range(120))


def test_silent_components_that_are_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted bug: whoever recorded nothing does nothing, and nobody asks whether that may be."""
    monkeypatch.setattr(exact, "MANY", 0)
    monkeypatch.setattr(commuting, "MANY", 0)
    whole = Observed
    monkeypatch.setattr(
        exact, "Observed", lambda own, actions: whole(own if len(actions) else 0, actions)
    )
    assert wrong(range(120))


def test_whether_orders_show_is_not_asked_where_it_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = Random(1)
    terms = [normal(random_term(rng, ALL_OPERATORS, sizes=(4, 20))) for _ in range(400)]
    closely = [is_exact_to_weaken(term) for term in terms]
    monkeypatch.setattr(order, "MOST", 0)
    roughly = [is_exact_to_weaken(term) for term in terms]
    assert roughly == [is_exact_by_removal(term) for term in terms]
    assert all(one or not other for one, other in zip(closely, roughly, strict=True))
    assert sum(closely) > sum(roughly) > 200
    assert not wrong(range(40))


def test_orders_are_asked_of_what_may_reveal_them_only() -> None:
    hidden = strict(a("l1!m"), a("l2!m"))
    crossed = par(hidden, strict(a("l2!n"), a("l1!n")))
    assert revealing(seq(crossed, hidden)) == [crossed]
    assert not is_exact_to_weaken(seq(crossed, hidden))
    assert is_exact_to_weaken(seq(hidden, hidden))


@pytest.mark.parametrize("mode", ["test", "simulate"])
def test_modes_that_search_take_many_lifelines(mode: Mode) -> None:
    seen = multi_trace([component(["l0"], (OF_MANY[0].action,))])  # type: ignore[arg-type]
    assert Verifier(SHAPES["strict"], mode).decide(seen).verdict is Verdict.WEAK_PASS
