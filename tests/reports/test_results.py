"""The JSON of runs, to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from choreomon.core.run import Run, RunFormation, RunReason, RunVerdict, Summary
from choreomon.reports.results import runs_json, runs_json_pieces

PRE = RunReason(9, ("q0", "q1"), "pre", "Frm", "before", True)
VIO = RunReason(12, ("q1", "q0"), "vio", "Frm_p", "concurrent", False, 9, ("q0", "q1"))
VERDICT = RunVerdict(
    "possibly-violated", "P1", 17, (("q1", "q2"),), "P1 -> P3 : turnOn", (PRE, VIO), 20_000
)
RUN = Run(
    seed=3,
    processes=("P1", "P3"),
    events=20,
    ended_at=21_000,
    reached_max_events=False,
    monitoring_messages=4,
    monitoring_bytes=123,
    latency=Summary(1500.0, 1000.0, 2500.0, 2500.0),
    history_records=Summary(1.5, 1.0, 3.0, 3.0),
    verdicts=(VERDICT,),
    formed=(RunFormation(4, (1, 4)), RunFormation(17)),
)
TEXT = (
    '{"seed":3,"events":20,"monitoring_messages":4,"monitoring_bytes":123,'
    '"latency_ms":{"mean":1.5,"p50":1.0,"p99":2.5},"history_records":{"mean":1.5,"max":3.0},'
    '"verdicts":[{"verdict":"possibly-violated","monitor":"P1","event_index":17,'
    '"transitions":[["q1","q2"]],"label":"P1 -> P3 : turnOn","because":['
    '{"event_index":9,"transition":["q0","q1"],"role":"pre","result":"Frm",'
    '"relation":"before","certain":true},'
    '{"event_index":12,"transition":["q1","q0"],"role":"vio","of":9,"of_transition":["q0","q1"],'
    '"result":"Frm_p","relation":"concurrent","certain":false}]}],"formed":[4,17]}'
)


def test_a_run_is_written_exactly_as_documented() -> None:
    assert runs_json([RUN]) == f'{{"runs":[{TEXT}]}}'


def test_several_runs_and_none_are_json() -> None:
    assert runs_json([RUN, RUN]) == f'{{"runs":[{TEXT},{TEXT}]}}'
    assert runs_json([]) == '{"runs":[]}'


def test_what_does_not_apply_is_null_or_left_out() -> None:
    run = replace(RUN, latency=Summary(), history_records=Summary(), verdicts=(), formed=None)
    written = json.loads(runs_json([run]))["runs"][0]
    assert written["latency_ms"] == {"mean": None, "p50": None, "p99": None}
    assert written["history_records"] == {"mean": None, "max": None}
    assert written["verdicts"] == []
    assert "max_events_reached" not in written
    assert "formed" not in written
    assert json.loads(runs_json([replace(run, formed=())]))["runs"][0]["formed"] == []


def test_silent_monitors_merged_records_and_a_stopped_run_are_said() -> None:
    reason = replace(PRE, since=4)
    verdict = replace(VERDICT, silent=("P2",), because=(reason,))
    run = replace(RUN, verdicts=(verdict,), reached_max_events=True)
    written = json.loads(runs_json([run]))["runs"][0]
    assert written["max_events_reached"] is True
    assert written["verdicts"][0]["silent"] == ["P2"]
    assert written["verdicts"][0]["because"][0]["since"] == 4


def test_an_index_of_zero_is_written() -> None:
    reasons = (replace(VIO, of=0, since=0),)
    run = replace(RUN, verdicts=(replace(VERDICT, because=reasons),))
    because = json.loads(runs_json([run]))["runs"][0]["verdicts"][0]["because"][0]
    assert (because["of"], because["since"]) == (0, 0)


def test_everything_is_ascii() -> None:
    run = replace(RUN, verdicts=(replace(VERDICT, label="\u00e4 -> \ud800 : \u2028"),))
    text = runs_json([run])
    assert text.isascii()
    assert json.loads(text)["runs"][0]["verdicts"][0]["label"] == "\u00e4 -> \ud800 : \u2028"


def test_a_run_is_written_before_the_next_one_is_made() -> None:
    made = []

    def runs() -> Iterator[Run]:
        for seed in range(3):
            made.append(seed)
            yield replace(RUN, seed=seed)

    pieces = runs_json_pieces(runs())
    next(pieces)
    assert '"seed":0' in next(pieces)
    assert made == [0]
