"""Multi-traces of the removal paper's benchmark whose verdicts are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.interaction.lifelines import names
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verifier import Verifier

SAMPLE = Path(__file__).parents[1] / "data" / "offline" / "multiprefix-sample.jsonl"
ENTRIES = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_every_known_verdict_is_found(entry: dict[str, Any]) -> None:
    interaction = read_interaction(entry["hif"])
    multiprefix = Verifier(interaction, "multiprefix")
    accept = Verifier(interaction, "accept")
    for case in entry["cases"]:
        seen = read_multi_trace(case["htf"], names(interaction.lifelines))
        accepted, prefix = case["accept"], case["prefix"]
        expected = "Pass" if accepted else "WeakPass" if prefix else "Fail"
        assert multiprefix.decide(seen).verdict.value == expected, case
        assert accept.decide(seen).verdict.value == ("Pass" if accepted else "Fail"), case


def test_they_are_decided_with_little_work() -> None:
    """At most two vertices for each action."""
    visited = actions = 0
    for entry in ENTRIES:
        verifier = Verifier(read_interaction(entry["hif"]), "multiprefix")
        for case in entry["cases"]:
            seen = read_multi_trace(case["htf"], names(verifier.interaction.lifelines))
            visited += verifier.decide(seen).vertices
            actions += seen.length
    assert visited < 2 * actions


@pytest.mark.usefixtures("by_search")
def test_they_are_searched_with_little_work() -> None:
    """As many vertices as there are actions, and few residuals for each of them."""
    visited = actions = remembered = 0
    for entry in ENTRIES:
        decider = ExactDecider(read_interaction(entry["hif"]), "multiprefix")
        for case in entry["cases"]:
            seen = read_multi_trace(case["htf"], names(decider.interaction.lifelines))
            visited += decider.decide(seen).vertices
            actions += seen.length
        remembered += decider.automaton.remembered
    assert visited < actions
    assert remembered < 20 * actions
