"""Every event of every run, in families that have many events open at once
(`tests.laws.families`). `make laws` goes on with them for as long as there is time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, Judgement
from choreomon.monitor import precise, pull, what_matters
from choreomon.monitor.gap_bounds import gap_ended
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.record_by_record import SOUND, Sound
from choreomon.properties.tables import Inspected
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


def test_what_a_host_forgot_to_have_left_unsettled_is_not_held_against_its_new_word() -> None:
    run = played(NAMED["everything"], 1560)
    assert (run.unsettled, run.wrong) == (1, ())


@pytest.mark.parametrize(
    ("name", "seed", "forgetful", "fault"),
    [
        # P1 knew the first event of P2 at one of its own, which it lost: nobody knows it.
        ("amnesia", 715, False, "avoidable"),
        # P1 had answered P2 before its gap, and lost that: P2 knows it.
        ("everything", 1048, True, "nothing said"),
    ],
)
def test_what_a_process_knew_and_lost_with_its_disk_is_asked_of_nobody(
    name: str, seed: int, forgetful: bool, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not played(NAMED[name], seed).wrong
    right = families.with_hidden
    monkeypatch.setattr(
        families, "with_hidden", lambda *given, **_: right(*given, forgetful=forgetful)
    )
    assert {each.fault for each in played(NAMED[name], seed).wrong} == {fault}


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


def doubting_nothing(
    inspected: Inspected, event: VectorClock, own: int, records: Sequence[Record], *more: Any
) -> Judgement:
    """Where not all orders can be looked at, all that may have fired did."""
    fired = [each._replace(result=FRM) for each in records]
    return Sound().judge(inspected, event, own, fired, *more)


FUNCTIONS: list[tuple[str, Any, str, Any, str]] = [
    ("plain", precise, "known_records", planted.open_as_not_fired, "nothing said"),
    ("queues", precise, "known_records", planted.open_as_fired, "made up"),
    ("several", what_matters, "settled", planted.settles_itself, "nothing said"),
    ("queues", pull, "must_wait", lambda *given: bool(given[1]), "waits for ever"),
    ("gaps", precise, "gap_records", planted.no_gap_records, "nothing said"),
    ("gaps", precise, "gap_records", planted.no_gap_records, "made up"),
    ("amnesia", pull, "gap_ended", silently, "not covered"),
    ("everything", precise, "gap_records", planted.no_gap_records, "nothing said"),
    ("giving up", precise, "unanswered", lambda *given: [], "nothing said"),
    ("dead", precise, "unanswered", lambda *given: [], "made up"),
    ("agents, gaps", precise, "gap_records", planted.no_gap_records, "G1"),
    ("deadlines", precise, "unanswered", lambda *given: [], "silent at the deadline"),
    ("hurried", SOUND, "judge", doubting_nothing, "made up"),
    ("overwhelmed", SOUND, "judge", doubting_nothing, "made up"),
    ("in slices", Host, "go_on", lambda host, state: (state, []), "waits for ever"),
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
