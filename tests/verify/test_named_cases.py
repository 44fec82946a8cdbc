"""Verdicts by name are those of brute force, whatever the order of the components."""

from __future__ import annotations

import pytest

from choreomon.interaction.denotation import traces
from choreomon.verify.exact import ExactDecider, decide_exact
from tests.verify.exact_cases import EXACT_MODES
from tests.verify.named_cases import CASES, GAPS, WORDS, wrong_by_name
from tests.verify.oracle import Oracle, sufficient_length
from tests.verify.papers.questions import logs


@pytest.mark.parametrize("name", CASES)
def test_verdicts_are_known_by_name(name: str) -> None:
    interaction, text, expected = CASES[name]
    for mode, letter in zip(EXACT_MODES, expected, strict=True):
        assert decide_exact(interaction, logs(text), mode).verdict is WORDS[letter], mode


@pytest.mark.parametrize("name", CASES)
def test_components_may_come_in_any_order(name: str) -> None:
    interaction, text, expected = CASES[name]
    turned = ";".join(reversed(text.split(";")))
    for mode, letter in zip(EXACT_MODES, expected, strict=True):
        assert ExactDecider(interaction, mode).decide(logs(turned)).verdict is WORDS[letter], mode


def test_what_brute_force_can_tell_of_them_it_tells_too() -> None:
    told = 0
    for interaction, text, expected in CASES.values():
        seen = logs(text)
        length = sufficient_length(interaction, seen.length)
        if length > 8 or len(traces(interaction, length)) > 10_000:
            continue
        oracle = Oracle(interaction, length)
        told += 1
        for mode, letter in zip(EXACT_MODES, expected, strict=True):
            assert oracle.judge(seen, mode) is WORDS[letter], (text, mode)
    assert told > 25


def test_what_happened_unobserved_happened_in_some_order() -> None:
    assert not wrong_by_name()
    for interaction, seen, fits in GAPS:
        length = sufficient_length(interaction, seen.length)
        if length <= 9:
            assert Oracle(interaction, length).judge(seen, "slice").passes is fits
