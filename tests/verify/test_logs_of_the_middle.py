"""The corpora of `benchmarks.middle` are what they say, and what they say is decided."""

from __future__ import annotations

import pytest

from benchmarks.middle import Cut, answer, questions
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.verdict import Mode

LENGTHS = (12, 24)
HOLDS: dict[Cut, tuple[Mode, ...]] = {
    "complete": ("accept", "prefix", "multiprefix", "slice"),
    "early": ("multiprefix", "slice"),
    "late": ("slice",),
    "wrong": (),
}


@pytest.mark.parametrize("name", ["orders", "abp", "rover", "i15"])
def test_what_was_recorded_of_an_accepted_trace_fits(name: str) -> None:
    fits = 0
    for question, length, interaction, multitrace in questions(LENGTHS, name, seed=1):
        assert question.interaction == name
        assert multitrace.length >= length // 2
        if question.mode in HOLDS[question.cut]:
            assert answer(interaction, multitrace, question.mode, budget=60.0).passes
            fits += 1
    assert fits >= 28


def test_logs_are_wrong_by_two_neighbours_in_another_order() -> None:
    whole: dict[str, MultiTrace] = {}
    for question, _, _, multitrace in questions((24,), "orders", seed=2):
        if question.cut == "complete":
            whole[question.clocks] = multitrace
        elif question.cut == "wrong":
            before, after = whole[question.clocks].components, multitrace.components
            changed = [
                (one.actions, other.actions)
                for one, other in zip(before, after, strict=True)
                if one != other
            ]
            ((one_log, other_log),) = changed
            places = [at for at, action in enumerate(one_log) if action != other_log[at]]
            first, second = places
            assert second == first + 1
            assert (one_log[first], one_log[second]) == (other_log[second], other_log[first])
