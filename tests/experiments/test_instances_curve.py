"""What monitors cost by how many instances are alive."""

from __future__ import annotations

import json
from pathlib import Path

from choreomon.experiments.monitoring.instances import cost, curve, in_words
from choreomon.experiments.monitoring.labelled_runs import LabelledRun
from tests.cli.command_line import choreomon


def test_messages_of_an_event_do_not_grow_with_the_instances() -> None:
    few, many = curve({number: [cost(number, seed) for seed in range(2)] for number in (5, 50)})
    assert (few.instances, many.instances) == (5, 50)
    assert many.events == 10 * few.events
    assert many.messages < 1.1 * few.messages
    # Counts of clocks have up to three bytes instead of one.
    assert many.bytes_of_message < 1.3 * few.bytes_of_message
    assert (few.wrong, many.wrong) == (0, 0)


def test_a_curve_is_of_all_runs_with_as_many_instances() -> None:
    costs = {
        10: [LabelledRun(4, 8, 100, 0.0, 0), LabelledRun(6, 2, 40, 0.0, 1)],
        1: [LabelledRun(2, 2, 20, 0.0, 0)],
    }
    first, last = curve(costs)
    assert first == (1, 2, 1.0, 10.0, 10.0, 0)
    assert last == (10, 10, 1.0, 14.0, 14.0, 1)
    assert in_words([first, last]) == (
        "From 1 to 10 instances alive: 1.00 and 1.00 messages an event, 10 and 14 bytes."
    )


def test_the_command_prints_a_table_or_json_and_draws(tmp_path: Path) -> None:
    answer = choreomon(
        *("experiment", "instances", "--quick", "--seed", 1, "--json", "-o", tmp_path / "c.svg")
    )
    assert answer.code == 0
    points = json.loads(answer.out)["points"]
    assert [point["instances"] for point in points] == [1, 10, 100]
    assert all(point["wrong"] == 0 for point in points)
    assert "bytes an event" in tmp_path.joinpath("c.svg").read_text("utf-8")
