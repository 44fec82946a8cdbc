"""One run of an experiment: what is measured of it, by hand and pinned."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from choreomon.core.verdict import FRM, Reference
from choreomon.experiments.monitoring.cells import Cell, measured
from choreomon.experiments.monitoring.grids import VARIANTS
from choreomon.experiments.monitoring.overhead import Overhead, remembered
from choreomon.experiments.monitoring.packing import packed_bytes
from choreomon.experiments.monitoring.records import COLUMNS, HEADER, line, row_of, values
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.plan import Plan
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.properties.tables import Inspected

CELL = Cell(
    experiment="rq4", complexity="C4", sequences=3, length=6, branching=0.5, delay=10, seed=3
)

PINNED = {
    "pull, sound": "rq4,C4,3,6,0.3,0.5,pull,sound,10,3,4,4,37,14,40,2587,20,6,2,27.957235,"
    "39.189,270.0,1,0,2,0,0,0,0,0,possible",
    "pull, paper": "rq4,C4,3,6,0.3,0.5,pull,paper,10,3,4,4,37,14,40,2629,20,6,2,27.957235,"
    "39.189,275.75,1,0,2,0,0,0,0,0,possible",
    "push, sound": "rq4,C4,3,6,0.3,0.5,push,sound,10,3,4,4,37,14,13,704,0,0,0,,14.7095,"
    "505.25,1,0,2,0,0,0,0,0,possible",
    "central, sound": "rq4,C4,3,6,0.3,0.5,central,sound,10,3,4,1,37,14,14,652,0,0,0,"
    ",15.0075,1349.0,1,0,2,0,0,0,0,0,possible",
}


def of(variant: str) -> Cell:
    strategy, rules = variant.split(", ")
    return replace(CELL, strategy=strategy, rules=rules)  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", PINNED)
def test_known_rows(variant: str) -> None:
    assert line(measured(of(variant))) == PINNED[variant]


def test_rows_do_not_depend_on_the_process_that_measures_them() -> None:
    """Sets of Python have another order in each process."""
    code = (
        "from tests.experiments.test_cells import *\n"
        "print(*(line(measured(of(str(variant)))) for variant in VARIANTS), sep='\\n')"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {"".join(f"{line(measured(of(str(each))))}\n" for each in VARIANTS)}


@pytest.mark.parametrize("variant", PINNED)
def test_rows_are_read_as_they_were_written(variant: str) -> None:
    row = measured(of(variant))
    assert row_of(line(row)) == row
    assert len(values(row)) == len(COLUMNS) == HEADER.count(",") + 1


@pytest.mark.parametrize("text", ["", "fig7,C3", ",".join(["x"] * len(COLUMNS))])
def test_what_is_no_row_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        row_of(text)


def test_delays_change_times_and_not_what_there_is() -> None:
    """Without branches the application sends the same messages."""
    rows = [measured(replace(CELL, branching=0.0, delay=delay)).measured for delay in (0, 10, 100)]
    assert len({row.events for row in rows}) == len({row.labelled for row in rows}) == 1
    assert rows[0].latency < rows[1].latency < rows[2].latency  # type: ignore[operator]
    assert rows[2].latency > 10 * rows[0].latency  # type: ignore[operator]


def test_observing_changes_nothing() -> None:
    """What is counted of messages is what the run itself counts."""
    for variant in VARIANTS:
        found = measured(of(str(variant))).measured
        if variant in (("pull", "sound"), ("pull", "paper")):
            assert 2 * found.inquiries == found.messages
        elif variant.strategy == "pull":
            assert 0 < found.inquiries < found.messages
        else:
            assert (found.inquiries, found.waiting) == (0, None)
        assert found.joined + found.empty <= found.inquiries


# What monitors ask in vain, by hand: P asks Q and R about its events.

S, T = Reference("s0", "P", "s1"), Reference("t0", "P", "t1")
Q1 = Reference("q0", "Q", "q1")


def asked(receiver: str, inspected: Reference, count: int) -> Inquiry:
    clock = (count, 0, 0)
    return Inquiry("P", receiver, inspected, clock, (Q1,), clock, 0)


def answered(sender: str, inspected: Reference, count: int, records: int) -> Response:
    record = Record(Q1, (0, 1, 0), FRM)
    return Response(sender, "P", inspected, count, (record,) * records, (count, 1, 1), 0)


def test_inquiries_that_could_have_been_saved() -> None:
    overhead = Overhead(("P", "Q", "R"))
    for message in (
        asked("Q", S, 1),
        asked("Q", T, 1),  # one more about the same event: could have been the same
        asked("R", S, 1),  # answered without a record: need not have been
        asked("Q", S, 2),
        asked("R", S, 2),
        asked("R", T, 2),  # both answered without a record: neither need have been
        answered("Q", S, 1, 0),
        answered("Q", T, 1, 2),
        answered("R", S, 1, 0),
        answered("Q", S, 2, 1),
        answered("R", S, 2, 0),
        answered("R", T, 2, 0),
    ):
        overhead.sent(message, 0)
    assert overhead.inquiries() == (6, 2, 2)


def plan_of(inspected: Inspected) -> Plan:
    return Plan((inspected,), (0,), (), (), False)


def state(*waiting: tuple[int, Reference]) -> MonitorState:
    inspections = tuple(
        Inspection((count, 0, 0), plan_of(Inspected(reference, True, False, (), ())), ("Q",))
        for count, reference in waiting
    )
    return MonitorState((), (), inspections, (), (), ())


def test_waiting_is_from_the_inquiries_to_the_decision() -> None:
    overhead = Overhead(("P", "Q", "R"))
    overhead.stepped("P", state(), 5)
    overhead.stepped("P", state((1, S), (1, T)), 10)
    overhead.stepped("Q", state((1, S)), 11)
    overhead.stepped("P", state((1, T)), 17)
    overhead.stepped("P", state((1, T), (2, T)), 20)
    assert overhead.waited == [7]
    overhead.stepped("P", state(), 40)
    assert sorted(overhead.waited) == [7, 20, 30]
    overhead.stepped("Q", state(), 11)
    assert sorted(overhead.waited) == [0, 7, 20, 30]


def test_memory_is_the_most_that_a_monitor_held_on_average() -> None:
    overhead = Overhead(("P", "Q", "R"))
    small, large = state(), state((1, S), (1, T))
    for given in (small, large, small):
        overhead.stepped("P", given, 0)
    overhead.stepped("Q", small, 0)
    most = packed_bytes(remembered(large)) + packed_bytes(remembered(small))
    assert overhead.memory(3) == most / 3  # R made no step


def test_a_table_is_no_state() -> None:
    """Of what a monitor inspects only the name is counted, however large its row."""
    large = state((1, S))
    (inspection,) = large.inspections
    (inspected,) = inspection.plan.inspected
    plan = plan_of(inspected._replace(asks=(("Q", (Q1,) * 100),)))
    larger = large._replace(inspections=(inspection._replace(plan=plan),))
    assert remembered(larger) == remembered(large)


def test_packed_bytes_are_those_of_messagepack() -> None:
    assert packed_bytes(()) == 1
    assert packed_bytes((1, "ab", None)) == 1 + 1 + 3 + 1
    with pytest.raises(TypeError):
        packed_bytes(object())
