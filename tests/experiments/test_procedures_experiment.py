"""The automata paper's procedures, by kind of multi-trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from choreomon.automata.logs import Decided
from choreomon.automata.reduced import Reduced
from choreomon.documents.interactions import load_interaction
from choreomon.experiments.offline.procedure_traces import KINDS
from choreomon.experiments.offline.procedures import (
    PROCEDURES,
    SEARCH,
    Plan,
    Protocol,
    results,
    rows,
)
from choreomon.multitrace.projection import discrete
from choreomon.verify.synthesis import synthesize
from tests.cli.command_line import Answer, choreomon

DATA = Path(__file__).parents[1] / "data" / "offline"
NFA = str(DATA / "nfa" / "nfa3_15states.timbuk")
ABP = str(DATA / "models" / "abp.hif")


def no_time() -> float:
    return 0.0


def asked(*arguments: str) -> Answer:
    return choreomon("experiment", "procedures", *arguments)


def protocols(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
    result = asked("--json", *arguments)
    assert result.code == code, result.err
    found: list[dict[str, Any]] = json.loads(result.out)["protocols"]
    return found


def test_each_kind_is_drawn_and_all_procedures_agree() -> None:
    (found,) = protocols(NFA, "--number", "5", "--tries", "2000")
    assert (found["states"], found["edges"]) == (15, 23)
    assert [one["kind"] for one in found["samples"]] == [*KINDS]
    assert [one["number"] for one in found["samples"]] == [5, 5, 5, 5]
    assert all(one["tries"] >= 5 and one["unfinished"] == 0 for one in found["samples"])
    assert len(found["partition"]) == 3
    assert found["wrong"] == 0
    names = [name for name in PROCEDURES if name != SEARCH]
    assert [(row["kind"], row["procedure"]) for row in found["rows"]] == [
        (kind, name) for kind in (*KINDS, "AllTypes") for name in names
    ]
    by_row = {(row["kind"], row["procedure"]): row for row in found["rows"]}
    assert by_row["LocalError", "semi-centralized"]["visited"]["maximum"] == 0
    assert by_row["InterError", "semi-centralized"]["visited"]["maximum"] == 0
    reduced, literal = by_row["AllTypes", "reduced"], by_row["AllTypes", "centralized"]
    assert reduced["visited"]["mean"] < literal["visited"]["mean"]


def test_interactions_are_searched_too_and_their_lifelines_are_locations() -> None:
    (found,) = protocols(ABP, "--number", "3", "--tries", "300", "--length", "20", "40")
    assert found["wrong"] == 0
    assert found["partition"] == [["K"], ["L"], ["R"], ["S"]]
    assert {row["procedure"] for row in found["rows"]} == {*PROCEDURES}


def test_one_seed_is_one_result_with_any_number_of_processes() -> None:
    def drawn(*arguments: str) -> list[Any]:
        found = protocols(NFA, "--number", "3", "--tries", "500", *arguments)
        return [
            (
                one["letters"],
                one["samples"],
                [(row["kind"], row["procedure"], row["visited"]) for row in one["rows"]],
            )
            for one in found
        ]

    locations = ("--locations", "3", "--locations", "4")
    once = drawn(*locations)
    assert len(once) == 2
    assert drawn(*locations, "--jobs", "2") == once
    assert drawn(*locations, "--seed", "1") != once


def test_what_is_not_finished_within_the_states_is_told() -> None:
    (found,) = protocols(NFA, "--number", "3", "--tries", "200", "--max-states", "150")
    assert sum(one["unfinished"] for one in found["samples"]) > 0
    assert found["wrong"] == 0


def test_a_procedure_that_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(self: Reduced, logs: Sequence[object], *rest: object) -> Decided:
        return Decided(True, 1)

    monkeypatch.setattr(Reduced, "decide", always)
    (found,) = protocols(NFA, "--number", "3", "--tries", "500", code=1)
    assert found["wrong"] == 9  # three of each kind of error
    assert (
        "9 answers are not those of the paper's procedure"
        in asked(NFA, "--number", "3", "--tries", "500").out
    )


def test_tables_are_written(tmp_path: Path) -> None:
    result = asked(NFA, "--number", "2", "--tries", "300", "-o", str(tmp_path))
    assert result.code == 0
    assert (tmp_path / "procedures.md").read_text(encoding="utf-8") in result.out
    assert "All answers agree." in result.out
    assert "| Pass | 2 |" in result.out
    assert "| 1,000 |" in result.out  # that of the paper
    assert json.loads((tmp_path / "procedures.json").read_text(encoding="utf-8"))["protocols"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((NFA, "--length", "9", "8"), "9 is more than 8"),
        ((NFA, "--length", "0", "1"), "no accepted word has 0 to 1 actions; --length says how"),
        ((ABP, "--locations", "3"), "--locations is about .timbuk automata"),
        ((NFA, "--locations", "30"), "19 letters are too few for 30 locations"),
        ((str(DATA / "models" / "mqtt.hif"),), "mqtt.hif: has more than 10,000 states"),
        ((), "Missing argument"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], told: str) -> None:
    result = asked(*arguments)
    assert result.code == 2
    assert told in result.err


def test_all_kinds_together_are_the_last_rows() -> None:
    interaction = load_interaction(ABP)
    automaton = synthesize(interaction).automaton
    protocol = Protocol("abp", automaton, discrete(automaton.lifelines), interaction)
    plan = Plan(wanted=3, tries=200, shortest=20, longest=40)
    found = results(Random(0), protocol, plan, no_time)
    last = rows(found.measurements)[-len(PROCEDURES) :]
    whole = sum(len(one.multitraces) for one in found.samples)
    assert [(row.kind, row.procedure, row.number) for row in last] == [
        (None, name, whole) for name in PROCEDURES
    ]
