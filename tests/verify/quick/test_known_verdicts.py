"""Multi-traces of the removal paper's benchmark whose verdicts are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from choreomon.formats.hibou.model import read_interaction
from choreomon.formats.hibou.multitrace import read_multi_trace
from choreomon.interaction.lifelines import names
from choreomon.verify.quick.decider import Quick, QuickDecider
from choreomon.verify.verifier import Verifier

SAMPLE = Path(__file__).parents[2] / "data" / "offline" / "multiprefix-sample.jsonl"
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
    situations = visited = branched = cases = most = 0
    for entry in ENTRIES:
        interaction = read_interaction(entry["hif"])
        quick = Quick(interaction, "multiprefix")
        decider: QuickDecider | None = None
        for case in entry["cases"]:
            seen = read_multi_trace(case["htf"], names(interaction.lifelines))
            decider = quick.decider(seen)
            assert decider is not None
            most = max(most, decider.decide(seen).vertices)
            cases += 1
        assert decider is not None
        situations += len(decider.asked) + len(decider.accepted)
        visited += decider.asked.visited + decider.accepted.visited
        branched += decider.asked.branched + decider.accepted.branched
    assert visited < 10 * cases
    assert branched < cases
    assert situations < 7 * cases
    assert most < 120
