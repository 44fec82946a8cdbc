"""Logs of 70 to 560 actions, of every kind that `benchmarks.middle` has: what was recorded of an
accepted trace fits, whoever is asked."""

from __future__ import annotations

import pytest

from benchmarks.middle.corpora import EXACT, HOLDS, WALKS, Walk, interactions, questions
from choreomon.hibou.model import read_interaction
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import witness
from choreomon.verify.beam_search import Search
from choreomon.verify.exact import ExactDecider
from choreomon.verify.explanation import explain
from choreomon.verify.verifier import Verifier
from choreomon.verify.witness import LinkedSearch
from tests.verify.exact_cases import searched

pytestmark = pytest.mark.usefixtures("by_search")

TEXTS = interactions()
LONGEST = {
    "orders": 280,
    "abp": 70,
    "hr": 70,
    "platoon2": 140,
    "platoon4": 280,
    "rover": 280,
    "sensor": 70,
    "slices_i1": 560,
    "slices_i2": 140,
    "i1": 70,
    "i4": 140,
    "i5": 70,
    "i10": 70,
    "i12": 140,
    "i13": 280,
    "i14": 280,
    "i15": 280,
    "i16": 70,
    "i20": 70,
}
"""How many actions of each are decided at once."""


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("name", LONGEST)
def test_what_was_recorded_of_an_accepted_trace_fits(name: str, walk: Walk) -> None:
    interaction = read_interaction(TEXTS[name])
    lengths = [length for length in (70, 140, 280, 560) if length <= LONGEST[name]]
    fits = set()
    for question, length, multitrace in questions(name, interaction, walk, lengths, seed=1):
        if question.mode in HOLDS[question.cut]:
            verdict = Verifier(interaction, question.mode).decide(multitrace).verdict
            assert question.allows(verdict), (question, length, verdict)
            fits.add((length, question.cut, question.mode))
    assert {mode for _, _, mode in fits} == {*EXACT}
    assert len(fits) == 7 * len(lengths)


LATE = [("orders", "pairs"), ("orders", "each"), ("i1", "each"), ("i11", "each")]
"""Interactions and clocks of slices of 280 actions that began late."""


def late(
    name: str, clocks: str, walk: Walk = "random", actions: int = 280
) -> tuple[Interaction, MultiTrace]:
    interaction = read_interaction(TEXTS[name])
    found = [
        multitrace
        for question, length, multitrace in questions(name, interaction, walk, [actions], seed=0)
        if (question.clocks, question.cut, question.mode) == (clocks, "late", "slice")
    ]
    return interaction, found[0]


@pytest.mark.parametrize(("name", "clocks"), LATE)
def test_the_witness_of_a_late_slice_has_no_more_unobserved_than_there_was(
    name: str, clocks: str
) -> None:
    interaction, seen = late(name, clocks)
    found = explain(interaction, seen, "slice").witness
    assert found is not None
    assert seen.length == sum(step.observed for step in found)
    assert 0 < sum(not step.observed for step in found) <= 280 - seen.length + interaction.size


@pytest.mark.parametrize(
    ("name", "clocks"), [("hr", "pairs"), ("i2", "each"), ("i18", "each"), ("orders", "each")]
)
def test_the_way_back_is_in_the_beam_that_decided(name: str, clocks: str) -> None:
    interaction, seen = late(name, clocks, "repeat", 70)
    decider = ExactDecider(interaction, "slice")
    decided = decider.decision(seen, None).search
    parts = decider.observed(seen)
    assert isinstance(decided, Search)
    assert parts is not None
    linked = decider.search(parts, decided.mode, None, LinkedSearch)
    assert linked.attempt(decided.beam)


def test_a_short_witness_is_given_up_for_any_where_it_is_too_much_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interaction, seen = late("orders", "each")
    short = explain(interaction, seen, "slice").witness
    monkeypatch.setattr(witness, "ALLOWANCE", 0)
    monkeypatch.setattr(witness, "TIMES", 0)
    any_one = explain(interaction, seen, "slice").witness
    assert short is not None
    assert any_one is not None
    assert len(short) < len(any_one)


@pytest.mark.parametrize("name", ["i1", "i11"])
def test_logs_that_are_begun_early_are_explained_by_the_smallest_residuals(name: str) -> None:
    interaction, seen = late(name, "each")
    search = searched(interaction, seen, "slice", 1, eager=True)
    assert search.answer
    assert search.visited == seen.length
