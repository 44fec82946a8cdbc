"""The benchmark of large systems: what it counts, what it works out, and what its page says."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.full_vectors import full
from benchmarks.scale.__main__ import STRATEGIES, main
from benchmarks.scale.estimate import estimated, fitted, full_clock
from benchmarks.scale.measuring import (
    DELAYS,
    Measured,
    Monitored,
    UncodedChannels,
    clocks_in,
    measured,
)
from benchmarks.scale.workloads import CALLS, GROUP, WORK, WORKLOADS, owners
from choreomon.actors.randomness import Streams
from choreomon.agent_files.wire import MAX_BYTES
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Notice, Push, Response
from choreomon.properties.tables import RulesName
from simulator.event_queue import MONITORING, EventQueue
from simulator.linked_channels import LinkedChannels
from simulator.network import Network
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

REFERENCE = Reference("q0", "P1", "q1")


def of(
    workload: str, processes: int, strategy: Monitored = "pull", rules: RulesName = "sound"
) -> Measured:
    assert (strategy, rules) in STRATEGIES
    make = partial(WORKLOADS[workload], processes, 0)
    return measured(workload, make, strategy, 0, rules)


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
def test_what_is_formed_is_declared_in_every_group(strategy: Monitored) -> None:
    found = of("groups", 10 * GROUP, strategy)
    assert found.formed > 5
    assert (found.missed, found.wrong) == (0, 0)


def test_precise_rules_ask_some_owners_a_second_time_and_miss_nothing() -> None:
    found, sound = (of("groups", 10 * GROUP, "pull", rules) for rules in ("precise", "sound"))
    assert (found.messages, sound.messages) == (5026, 5000)
    assert found.relevant == sound.relevant == 1000
    assert (found.formed, found.missed, found.wrong) == (sound.formed, 0, 0)


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
        more = len(full(longer)) - len(full(message))
        assert more == 4 * clocks_in(message, 4) > 0


def test_bytes_without_clocks_are_those_of_a_system_of_another_size() -> None:
    """But for the names of processes, which are longer in larger ones."""
    rests = [of("fixed", size).message_rest for size in (GROUP, 3 * GROUP, 10 * GROUP)]
    assert max(rests) - min(rests) < 3


def test_bytes_are_those_of_the_simulator_and_of_full_vectors() -> None:
    """The same of few processes, whose clocks are never coded; and what is left of a clock among
    more makes up the difference."""
    few, more = of("groups", GROUP), of("groups", 10 * GROUP)
    assert (few.bytes, few.sent_clock) == (few.full_bytes, full_clock(GROUP, 1))
    assert (more.bytes, more.full_bytes, more.clocks) == (572714, 1253161, 9395)
    saved = more.full_bytes - more.bytes
    assert full_clock(10 * GROUP, 1) - more.sent_clock == pytest.approx(saved / more.clocks)


def test_channels_without_coding_deliver_at_the_times_of_others() -> None:
    """So both runs of a workload are one and the same."""

    def arrivals(of_kind: type[LinkedChannels]) -> list[tuple[int, int]]:
        queue = EventQueue()
        network = Network(queue, MONITORING, DELAYS, Streams(0), name="monitoring")
        found: list[tuple[int, int]] = []
        ends = {
            name: of_kind(network, name, 30, lambda _, size, arrives: found.append((size, arrives)))
            for name in ("P1", "P2")
        }
        ends["P1"].connect("P2", ends["P2"], lambda _: None)
        for count in range(1, 9):
            ends["P1"].send(messages_with((count,) * 30)[0])  # type: ignore[arg-type]
        return found

    coded, uncoded = arrivals(LinkedChannels), arrivals(UncodedChannels)
    assert [time for _, time in coded] == [time for _, time in uncoded]
    assert min(size for size, _ in coded) > 0 == max(size for size, _ in uncoded)


def test_a_line_is_fitted_exactly_through_points_on_it() -> None:
    line = fitted([(1, 5.0), (3, 9.0), (10, 23.0)])
    assert line == pytest.approx((3, 2, 1))
    assert line.at(100) == pytest.approx(203)
    assert fitted([(1, 1.0), (2, 4.0), (3, 9.0), (4, 16.0)]).r_squared < 0.99


def test_an_estimate_is_what_was_measured_with_other_clocks() -> None:
    rows = [of("groups", size) for size in (GROUP, 3 * GROUP)]
    alone = [of("fixed", size, "none") for size in (GROUP, 3 * GROUP)]
    found = rows[1]
    estimate = estimated(rows, alone, 100_000, [60])
    assert [each.source for each in estimate.traffic] == ["given", "sent", "full", "full"]
    full = estimate.traffic[-1]
    assert found.message_rest + found.clocks / found.messages * full.clock == full.message
    same = estimated(rows, alone, 3 * GROUP, []).traffic[0]
    assert (same.source, same.clock) == ("sent", round(found.sent_clock))
    assert same.message == pytest.approx(found.bytes / found.messages, abs=1)
    assert same.event == pytest.approx(found.bytes / found.relevant, abs=5)
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
    assert len(figures["rows"]) == 19
    assert "| 20 | groups | pull, precise |" in page
    assert "| as sent, measured and continued |" in page
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
            monitors = row["strategy"] + (", precise" if row["rules"] == "precise" else "")
            start = f"| {row['processes']} | {row['workload']} | {monitors} |"
            assert f"{start} {row['relevant']} | {share:.2f} |" in page
            both = (row["bytes"] / row["messages"], row["full_bytes"] / row["messages"])
            assert f"| {both[0]:.0f} | {both[1]:.0f} |" in page
        assert (row["missed"], row["wrong"]) == (0, 0)


def test_the_documentation_says_what_the_results_say() -> None:
    figures = json.loads((ROOT / "benchmarks/results/scale.json").read_text(encoding="utf-8"))
    found = {
        (row["processes"], row["workload"], row["strategy"]): row
        for row in figures["rows"]
        if row["rules"] == "sound"
    }
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
    words = " ".join(page.split())
    both = (f"{pull[kind] / pull['messages']:,.0f}" for kind in ("bytes", "full_bytes"))
    assert "it has {} bytes as it is sent, and would have {} with full".format(*both) in words
    (precise,) = (
        row
        for row in figures["rows"]
        if (row["processes"], row["workload"], row["rules"]) == (1000, "groups", "precise")
    )
    assert f"takes {precise['messages'] / precise['relevant']:.2f} messages among 1,000" in words
    sound = found[1000, "groups", "pull"]
    sizes = (row["bytes"] / row["messages"] for row in (precise, sound))
    assert "a message {:,.0f} bytes instead of {:,.0f}".format(*sizes) in words
