"""The benchmark of large systems: what it counts, what it works out, and what its page says."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.scale.__main__ import STRATEGIES, main
from benchmarks.scale.estimate import estimated, fitted, full_clock, message_rest
from benchmarks.scale.measuring import Measured, clocks_in, measured
from benchmarks.scale.workloads import CALLS, GROUP, WORK, WORKLOADS, owners
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.formats.wire import MAX_BYTES, encode
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Notice, Push, Response
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

REFERENCE = Reference("q0", "P1", "q1")


def of(workload: str, processes: int, strategy: str = "pull") -> Measured:
    assert strategy in STRATEGIES
    return measured(workload, partial(WORKLOADS[workload], processes, 0), strategy, 0)  # type: ignore[arg-type]


def test_messages_are_two_for_each_owner_whatever_the_size() -> None:
    """The tables of the one group do not depend on the system around it."""
    small, large = of("fixed", GROUP), of("fixed", 5 * GROUP)
    assert small.events == (3 * WORK + 3 * CALLS) * GROUP
    assert large.events == 5 * small.events
    assert small.relevant == large.relevant == WORK * GROUP
    assert small.messages == large.messages == 2 * small.owners > 0
    every = of("groups", 5 * GROUP)
    assert every.watching == 5 * GROUP
    assert (every.relevant, every.messages) == (5 * small.relevant, 5 * small.messages)


@pytest.mark.parametrize("strategy", ["pull", "push", "central"])
def test_what_is_formed_is_declared_in_every_group(strategy: str) -> None:
    found = of("groups", 10 * GROUP, strategy)
    assert found.formed > 5
    assert (found.missed, found.wrong) == (0, 0)


def test_an_unmonitored_run_is_the_same_and_sends_nothing() -> None:
    alone = of("groups", GROUP, "none")
    assert alone.events == of("groups", GROUP).events
    assert (alone.messages, alone.relevant, alone.missed) == (0, 0, 0)


@pytest.mark.parametrize("asked", [1, 3, 7])
def test_owners_are_asked_at_the_second_step(asked: int) -> None:
    found = measured("owners", partial(owners, asked, GROUP, 0), "pull", 0)
    assert found.messages == 2 * asked * WORK


def messages_with(clock: VectorClock) -> list[MonitoringMessage]:
    """One of each kind, and an answer with records, all of whose clocks are this one."""
    records = (Record(REFERENCE, clock, "Frm"), Record(REFERENCE, clock, "Frm_p", clock))
    return [
        Inquiry("P1", "P2", REFERENCE, clock, (REFERENCE,) * len(clock), clock, 0),
        Response("P2", "P1", REFERENCE, 3, (), clock, 0),
        Response("P2", "P1", REFERENCE, 3, records, clock, 0),
        Push("P1", "P2", REFERENCE, clock, "Frm", 0, clock),
        Notice("P1", Label(SEND, Message("P1", "m", "P2")), clock),
    ]


def test_clocks_in_a_message_are_counted_where_records_hold_them_too() -> None:
    """Where every entry takes one byte more, a message takes one byte more for each entry."""
    short, long = messages_with((1, 2, 3, 4)), messages_with((201, 202, 203, 204))
    for message, longer in zip(short, long, strict=True):
        more = len(encode(longer)) - len(encode(message))
        assert more == 4 * clocks_in(message, 4) > 0


def test_bytes_without_clocks_are_those_of_a_system_of_another_size() -> None:
    """But for the names of processes, which are longer in larger ones."""
    rests = [message_rest(of("fixed", size)) for size in (GROUP, 3 * GROUP, 10 * GROUP)]
    assert max(rests) - min(rests) < 3


def test_a_line_is_fitted_exactly_through_points_on_it() -> None:
    line = fitted([(1, 5.0), (3, 9.0), (10, 23.0)])
    assert line == pytest.approx((3, 2, 1))
    assert line.at(100) == pytest.approx(203)
    assert fitted([(1, 1.0), (2, 4.0), (3, 9.0), (4, 16.0)]).r_squared < 0.99


def test_an_estimate_is_what_was_measured_with_other_clocks() -> None:
    rows = [of("groups", size) for size in (GROUP, 3 * GROUP)]
    alone = [of("fixed", size, "none") for size in (GROUP, 3 * GROUP)]
    measured_clock = full_clock(3 * GROUP, 1)
    estimate = estimated(rows, alone, 100_000, [measured_clock, full_clock(100_000, 5)])
    same, full = estimate.traffic
    assert same.message == pytest.approx(rows[1].bytes / rows[1].messages)
    assert same.event == pytest.approx(rows[1].bytes / rows[1].relevant)
    assert not same.refused
    assert full.clock == 500_005
    assert full.largest > MAX_BYTES
    assert full.refused
    assert estimate.messages == rows[1].messages / rows[1].relevant


def test_the_command_writes_a_page_a_picture_and_figures(tmp_path: Path) -> None:
    options = ["--processes", "10,20", "--owners", "2", "--clock-bytes", "60", "-o", str(tmp_path)]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    page = tmp_path.joinpath("scale.md").read_text(encoding="utf-8")
    assert "| 20 | groups | pull |" in page
    assert "| 60 | given, not measured |" in page
    assert tmp_path.joinpath("scale.svg").read_text(encoding="utf-8").startswith("<?xml")
    figures = json.loads(tmp_path.joinpath("scale.json").read_text(encoding="utf-8"))
    assert len(figures["rows"]) == 15
    assert all(row["missed"] == row["wrong"] == 0 for row in figures["rows"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--processes", "10"], "needs two sizes at least"),
        (["--processes", "10,25"], "25 should be at least 10, a multiple of 10"),
        (["--owners", "some"], "'some' should be whole numbers with commas between them"),
        (["--clock-bytes", "0"], "0 should be at least 1"),
    ],
)
def test_wrong_options_are_refused(options: list[str], said: str) -> None:
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert said in done.output


def test_the_page_of_results_shows_the_figures_beside_it() -> None:
    results = ROOT / "benchmarks/results"
    figures = json.loads((results / "scale.json").read_text(encoding="utf-8"))
    page = (results / "scale.md").read_text(encoding="utf-8")
    assert {row["processes"] for row in figures["rows"]} >= {10, 100, 1000, 5000}
    for row in figures["rows"]:
        if row["strategy"] != "none" and row["workload"] != "owners":
            share = row["messages"] / row["relevant"]
            start = f"| {row['processes']} | {row['workload']} | {row['strategy']} |"
            assert f"{start} {row['relevant']} | {share:.2f} |" in page
        assert (row["missed"], row["wrong"]) == (0, 0)


def test_the_documentation_says_what_the_results_say() -> None:
    figures = json.loads((ROOT / "benchmarks/results/scale.json").read_text(encoding="utf-8"))
    found = {(row["processes"], row["workload"], row["strategy"]): row for row in figures["rows"]}
    page = (ROOT / "docs/simulation.md").read_text(encoding="utf-8")
    monitored = {"none": ("fixed", "none"), "ten": ("fixed", "pull"), "all": ("groups", "pull")}
    shown = table_under(page, "Large systems")
    assert len(shown) == 5
    for processes, which, *told in shown:
        row = found[int(processes.replace(",", "")), *monitored[which]]
        assert told == [
            f"{row['events']:,}",
            f"{row['messages']:,}",
            f"{row['seconds']:.1f}",
            f"{row['megabytes']:.0f}",
        ]
    pull, central = (found[5000, "groups", strategy] for strategy in ("pull", "central"))
    assert (pull["busiest"], central["busiest"]) == (160, 50_000)
    assert pull["messages"] == 5 * pull["relevant"]
