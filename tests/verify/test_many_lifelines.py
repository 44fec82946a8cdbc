"""Interactions with hundreds of lifelines of which most recorded nothing: the answers of brute
force, without looking at the silent ones one by one."""

from __future__ import annotations

import pytest

from choreomon.interaction.term import alt, coreg, loop_s, par, seq, strict
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify import lazy_automaton
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import EXACT_MODES
from tests.verify.papers.questions import a, mask_of
from tests.verify.steps import counted

OF_MANY = [a(f"l{number}!m") for number in range(300)]
SHAPES = {
    "strict": strict(*OF_MANY),
    "seq": seq(*OF_MANY),
    "par": par(*OF_MANY),
    "coreg": coreg(mask_of("l1"), *OF_MANY),
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
    projected = counted(monkeypatch, lazy_automaton, "project")
    action = [leaf.action for leaf in OF_MANY]
    for all_told in (False, True):
        parts = [component([f"l{number}"], (action[number],)) for number in (7, 9)]  # type: ignore[arg-type]
        names = [f"l{number}" for number in range(300)] if all_told else []
        seen = multi_trace(parts, names)
        decider = ExactDecider(SHAPES[name], mode)
        answer = decider.decide(seen)
        assert answer.verdict.passes is FITS[name][mode], all_told
        assert answer.vertices <= 2 * seen.length
        assert decider.automaton.remembered < 150
    assert projected.calls < 20


@pytest.mark.parametrize("mode", ["test", "simulate"])
def test_modes_that_search_take_many_lifelines(mode: Mode) -> None:
    seen = multi_trace([component(["l0"], (OF_MANY[0].action,))])  # type: ignore[arg-type]
    assert Verifier(SHAPES["strict"], mode).decide(seen).verdict is Verdict.WEAK_PASS
