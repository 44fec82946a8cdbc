"""What monitors cost by how many replicas a service has."""

from __future__ import annotations

import json
from pathlib import Path

from choreomon.experiments.monitoring.labelled_runs import LabelledRun
from choreomon.experiments.monitoring.replicas import cost, curve, in_words
from tests.cli.command_line import choreomon


def test_messages_grow_with_the_replicas_and_events_do_not() -> None:
    few, many = curve({number: [cost(number, seed) for seed in range(3)] for number in (2, 8)})
    assert (few.replicas, many.replicas) == (2, 8)
    assert few.events == many.events
    assert 2 * few.messages < many.messages < 5 * few.messages
    assert many.latency < 2 * few.latency
    assert (few.wrong, many.wrong) == (0, 0)


def test_a_curve_is_of_all_runs_with_as_many_replicas() -> None:
    costs = {
        9: [LabelledRun(4, 8, 100, 2.0, 0), LabelledRun(6, 2, 40, 4.0, 1)],
        1: [LabelledRun(2, 2, 20, 1.0, 0)],
    }
    first, last = curve(costs)
    assert first == (1, 2, 1.0, 10.0, 1.0, 0)
    assert last == (9, 10, 1.0, 14.0, 3.0, 1)
    assert in_words([first, last]) == (
        "From 1 to 9 replicas: 1.00 and 1.00 messages an event, 10 and 14 bytes, "
        "a last verdict after 1.0 and 3.0 ms."
    )


def test_the_command_prints_a_table_or_json_and_draws(tmp_path: Path) -> None:
    answer = choreomon(
        *("experiment", "replicas", "--quick", "--seed", 1, "--json", "-o", tmp_path / "c.svg")
    )
    assert answer.code == 0
    points = json.loads(answer.out)["points"]
    assert [point["replicas"] for point in points] == [1, 2, 5, 10]
    assert all(point["wrong"] == 0 for point in points)
    assert "latency, ms" in tmp_path.joinpath("c.svg").read_text("utf-8")
