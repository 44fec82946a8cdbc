"""Every event of every run, in families that have many events open at once
(`tests.laws.families`). `make laws` goes on with them for as long as there is time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from choreomon.monitor import evidence, precise, pull
from choreomon.monitor.gap_bounds import gap_ended
from tests.laws import families, planted
from tests.laws.families import FAMILIES, Family, played

NAMED = {family.name: family for family in FAMILIES}
FIRST = {"plain": 470, "overtaken": 930, "long": 440, "begin": 750, "late and long": 450}
"""Where not 0: seeds from here on show evidence that is cut."""


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_event_of_every_run_has_the_right_word(family: Family) -> None:
    """That the numbers are not small shows that the runs are about something."""
    first, runs = FIRST.get(family.name, 0), 15 if family.kind == "agents" else 40
    seen: Counter[str] = Counter()
    for seed in range(first, first + runs):
        run = played(family, seed)
        assert not run.wrong, seed
        seen.update(run._replace(wrong=0)._asdict())  # type: ignore[arg-type]
    assert seen["formed"] > runs
    assert seen["violated"] > runs / 8
    assert seen["possibly"] > runs / 8


@pytest.mark.parametrize(
    ("name", "seed", "fault"),
    [
        ("overtaken", 725, "nothing said"),
        ("overtaken", 953, "made up"),
        ("long", 452, "made up"),
        ("plain", 494, "avoidable"),
        ("begin", 773, "nothing said"),
        ("late and long", 477, "avoidable"),
    ],
)
def test_the_law_notices_evidence_that_is_cut(
    name: str, seed: int, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not played(NAMED[name], seed).wrong
    monkeypatch.setitem(families.RULES, "precise", planted.CutsEvidence())
    assert fault in {each.fault for each in played(NAMED[name], seed).wrong}


RULES: list[tuple[str, Any, str]] = [
    ("plain", planted.SendsNoEvidence(), "nothing said"),
    ("plain", planted.SendsNoEvidence(), "made up"),
    ("plain", planted.NeverAsksAgain(), "avoidable"),
    ("plain", planted.CallsAllUnsettled(), "unsettled in vain"),
    ("late", planted.NeverAsksAgain(), "avoidable"),
    ("sound", planted.TrustsWhatIsMissing(), "made up for now"),
    ("sound", planted.TrustsWhatIsMissing(), "silent at the deadline"),
    ("agents", planted.SendsNoEvidence(), "nothing said"),
    ("agents", planted.NeverAsksAgain(), "avoidable"),
]


@pytest.mark.parametrize(("name", "rules", "fault"), RULES)
def test_the_law_notices_broken_rules(
    name: str, rules: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(families.RULES, rules.name, rules)
    assert noticed(name, fault)


def silently(*given: Any) -> Any:
    """A gap ends, and nothing is said of it."""
    state, _ = gap_ended(*given)
    return state, []


FUNCTIONS: list[tuple[str, Any, str, Any, str]] = [
    ("plain", precise, "known_records", planted.open_as_not_fired, "nothing said"),
    ("queues", precise, "known_records", planted.open_as_fired, "made up"),
    ("several", evidence._Place, "before", planted.before_or_the_same, "nothing said"),
    ("queues", pull, "must_wait", lambda *given: bool(given[1]), "waits for ever"),
    ("gaps", precise, "gap_records", planted.no_gap_records, "nothing said"),
    ("gaps", precise, "gap_records", planted.no_gap_records, "made up"),
    ("amnesia", pull, "gap_ended", silently, "not covered"),
    ("everything", precise, "gap_records", planted.no_gap_records, "nothing said"),
    ("giving up", precise, "unanswered", lambda *given: [], "nothing said"),
    ("dead", precise, "unanswered", lambda *given: [], "made up"),
    ("agents, gaps", precise, "gap_records", planted.no_gap_records, "G1"),
    ("deadlines", precise, "unanswered", lambda *given: [], "silent at the deadline"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "function", "bug", "fault"), FUNCTIONS)
def test_the_law_notices_broken_functions(
    name: str, where: Any, function: str, bug: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, function, bug)
    assert noticed(name, fault)


def noticed(name: str, fault: str) -> bool:
    return any(
        each.fault == fault for seed in range(150) for each in played(NAMED[name], seed).wrong
    )
