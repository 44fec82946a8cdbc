"""`make truth` in small: nothing that choreomon says of a few drawn documents is wrong; and what is
wrong is found, and named so that it can be asked again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from benchmarks.truth import __main__ as command
from benchmarks.truth import asking, judging
from benchmarks.truth.__main__ import ALL_FAMILIES, Found, main, page
from benchmarks.truth.asking import for_real, simulated
from benchmarks.truth.audits import thinned
from benchmarks.truth.documents import document_of
from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import Outcome
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.deployment.fork_server import ForkServer
from choreomon.documents.read import parse_document
from choreomon.monitor import precise
from choreomon.monitor.record_by_record import Sound
from choreomon.monitor.rule_sets import RULES, WITHOUT_INQUIRIES
from choreomon.properties.partial_order import Formed
from simulator.measuring import Measures
from tests.deployment.conftest import fork_server as fork_server
from tests.laws import planted

NEVER, SOMETIMES, ALWAYS = Formed.NEVER, Formed.SOMETIMES, Formed.ALWAYS

EVIDENCE_MATTERS = (90, 149, 413, 1104)
"""Documents near the first one that was wrong, with runs in which cut evidence misleads."""


@pytest.mark.parametrize("family", ALL_FAMILIES)
def test_nothing_is_wrong_of_a_few_documents(family: str) -> None:
    found = Found()
    for number in range(3):
        found.add(family, number, simulated(family, number))
    assert found.wrong == []
    ways = {*found.ways}
    assert {each.name for each in asking.SIMULATED} <= ways
    assert {f"audit, {each}" for each in ("events", "jsonl", "otlp", "shiviz")} <= ways
    assert all(counts["questions"] for counts in found.ways.values())


@pytest.mark.parametrize("embedded", [False, True])
def test_nothing_is_wrong_of_a_real_run(fork_server: ForkServer, embedded: bool) -> None:
    found = Found()
    found.add("dense", 0, for_real(fork_server, "dense", 0, embedded=embedded))
    assert found.wrong == []
    way = "run --embedded" if embedded else "run"
    assert [*found.ways] == [way, "run, audit, events"]
    assert found.ways[way]["questions"] > 0


def test_evidence_that_is_cut_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "precise", planted.CutsEvidence())
    for number in EVIDENCE_MATTERS:
        found = Found()
        found.add("near", number, simulated("near", number))
        assert {each.way for each in found.wrong} == {"simulate"}
        assert any(each.what.startswith("violated, though") for each in found.wrong)


@pytest.mark.parametrize(
    "broken", [planted.TrustsUncertainRecords(), planted.ForgetsConcurrentRecords()]
)
def test_wrong_rules_are_noticed_whatever_the_strategy(
    broken: Sound, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sets in (RULES, WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", broken)  # type: ignore[arg-type]
    found = Found()
    for number in range(6):
        found.add("dense", number, simulated("dense", number))
    wrong = {each.way for each in found.wrong}
    assert "simulate --rules sound" in wrong
    assert "simulate" not in wrong
    if isinstance(broken, planted.TrustsUncertainRecords):
        assert {"simulate --strategy push", "simulate --strategy central"} <= wrong


def test_audits_that_leave_a_verdict_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = Auditor.finish

    def forgetful(auditor: Auditor, *given: frozenset[str]) -> Outcome:
        outcome = finish(auditor, *given)
        return outcome._replace(verdicts=outcome.verdicts[1:])

    monkeypatch.setattr(Auditor, "finish", forgetful)
    found = Found()
    for number in range(3):
        found.add("dense", number, simulated("dense", number))
    audits = {way for way in found.ways if way.startswith("audit")}
    assert {each.way for each in found.wrong} == audits
    assert len(audits) == 5


@pytest.mark.parametrize(
    ("word", "exact", "formed", "precise", "expected"),
    [
        (None, NEVER, False, True, []),
        (None, SOMETIMES, True, True, ["missed"]),
        (None, SOMETIMES, True, False, ["missed"]),
        (None, None, True, True, ["missed"]),
        (None, SOMETIMES, False, True, ["nothing said, though some order forms it"]),
        (None, SOMETIMES, False, False, []),
        (VIOLATED, ALWAYS, True, True, []),
        (VIOLATED, SOMETIMES, True, False, ["violated, though some order does not form it"]),
        (VIOLATED, SOMETIMES, False, False, ["false alarm"]),
        (POSSIBLY_VIOLATED, SOMETIMES, False, True, []),
        (POSSIBLY_VIOLATED, ALWAYS, True, True, ["possible, though all orders agree"]),
        (POSSIBLY_VIOLATED, NEVER, False, True, ["possible, though all orders agree"]),
        (POSSIBLY_VIOLATED, NEVER, False, False, []),
        (POSSIBLY_VIOLATED, None, False, True, []),
        (POSSIBLY_VIOLATED, NEVER, True, False, ["the oracles disagree"]),
        (POSSIBLY_VIOLATED, ALWAYS, False, False, ["the oracles disagree"]),
    ],
)
def test_what_is_wrong_with_a_word(
    word: str | None, exact: Formed | None, formed: bool, precise: bool, expected: list[str]
) -> None:
    found = judging.wrong_word(word, exact, formed=formed, precise=precise, unsettled=False)
    assert [*found] == expected


def test_what_is_unsettled_may_be_avoidable_and_nothing_else() -> None:
    def wrong(word: str | None) -> list[str]:
        exact = judging.wrong_word(word, ALWAYS, formed=True, precise=True, unsettled=True)
        return [*exact]

    assert wrong(POSSIBLY_VIOLATED) == []
    assert wrong(VIOLATED) == ["unsettled, though it is not possible"]


def test_clocks_here_and_there_leave_no_number_out_where_some_events_have_none() -> None:
    events = [
        RecordedEvent("P", "local", "x", Place("log", n), message_id=str(n), clock={"P": n})
        for n in range(1, 9)
    ]
    seen = set()
    for seed in range(40):
        made = [*thinned(events, Random(seed))]
        clocks = sum(each.clock is not None for each in made)
        if 0 < clocks < len(made):
            assert [each.number for each in made] == [*range(1, 9)]
        seen.add((clocks in (0, 8), made[0].number is None, made[0].message_id is None))
    assert len(seen) == 6


def test_a_document_is_drawn_by_its_number_and_can_be_read() -> None:
    for family in ALL_FAMILIES:
        assert document_of(family, 5) == document_of(family, 5) != document_of(family, 6)
    shown = CliRunner().invoke(main, ["--family", "many", "--seed", "5", "--show"])
    assert shown.exit_code == 0
    assert parse_document(shown.output, "shown").name == "many-5"


def test_the_command_writes_a_page_and_says_by_its_exit_code_whether_all_was_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "truth.md"
    asked = ["--family", "near", "--documents", "1", "--live", "0", "--write", str(file)]
    right = CliRunner().invoke(main, asked)
    assert right.exit_code == 0
    assert "wrong: none." in file.read_text()
    monkeypatch.setitem(RULES, "precise", planted.CutsEvidence())
    wrong = CliRunner().invoke(main, [*asked, "--seed", "90"])
    assert wrong.exit_code == 1
    text = file.read_text()
    assert "wrong: 1." in text
    assert "--family near --seed 90 --documents 1 --live 0`)" in text


def test_no_document_is_begun_when_the_time_is_over() -> None:
    asked = ["--family", "near", "--live", "0", "--seconds", "0"]
    assert "**0 questions; wrong: none.**" in CliRunner().invoke(main, asked).output


def test_what_was_seen_is_on_the_page_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(family: str, number: int) -> Iterator[tuple[str, judging.Asked]]:
        if number == 2:
            raise KeyboardInterrupt
        return simulated(family, number)

    monkeypatch.setattr(command, "SECONDS_BETWEEN_PAGES", -1)
    monkeypatch.setattr(command, "simulated", interrupted)
    file = tmp_path / "truth.md"
    asked = ["--family", "near", "--live", "0", "--write", str(file)]
    assert CliRunner().invoke(main, asked).exit_code == 1
    assert "The run was not finished: it came to document 1." in file.read_text()
    assert "| near | 2 |" in file.read_text()


def test_the_page_says_what_is_not_named_and_what_did_not_end() -> None:
    found = Found(not_finished=2)
    asked = judging.Asked(wrong=[(number, "missed") for number in range(102)])
    found.add("dense", 3, [("run", asked)])
    told = "\n".join(page("python", 0, found, 1.0))
    assert "not counted: 2" in told
    assert "- and 2 more" in told
    assert "run: event 0: missed (`python -m benchmarks.truth --family dense --seed 3" in told
    assert "--documents 1 --live 1`)" in told


def test_events_that_are_unsettled_are_those_that_the_bound_was_met_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without their names, what could have been avoided there would be wrong."""
    monkeypatch.setattr(precise, "MAX_STATES", 4)
    monkeypatch.setattr(asking, "SIMULATED", asking.SIMULATED[:1])
    monkeypatch.setattr(asking, "audits", lambda *_, **__: ())
    found = Found()
    for number in range(20):
        found.add("dense", number, simulated("dense", number))
    assert found.wrong == []
    assert found.ways["simulate"]["unsettled"] > 20
    measured = Measures.unsettled
    monkeypatch.setattr(
        Measures, "unsettled", lambda *given: measured(*given[:2], tuple(c + 1 for c in given[2]))
    )
    for number in range(20):
        found.add("dense", number, simulated("dense", number))
    assert found.wrong
