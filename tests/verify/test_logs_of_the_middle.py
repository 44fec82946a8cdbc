"""Logs of 70 to 560 actions, of every kind that `benchmarks.middle` has: what was recorded of an
accepted trace fits, whoever is asked."""

from __future__ import annotations

import pytest

from benchmarks.middle.corpora import EXACT, HOLDS, WALKS, Walk, interactions, questions
from choreomon.formats.hibou import read_interaction
from choreomon.verify.verifier import Verifier

TEXTS = interactions()
LONGEST = {
    "orders": 560,
    "abp": 140,
    "hr": 560,
    "mqtt": 70,
    "platoon2": 560,
    "platoon4": 280,
    "rover": 560,
    "sensor": 140,
    "slices_i1": 560,
    "slices_i2": 560,
    "i1": 140,
    "i5": 280,
    "i15": 560,
    "i16": 280,
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
