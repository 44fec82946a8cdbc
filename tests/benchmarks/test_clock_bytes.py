"""`benchmarks.clock_bytes`: what it counts, in small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.clock_bytes import FORMS, TRAFFICS, Traffic, exchanges, main, measured
from benchmarks.full_vectors import full, plain
from choreomon.agent_files.wire import NO_SYSTEM
from choreomon.core.vector_clock import happened_before


@pytest.mark.parametrize("kind", TRAFFICS)
def test_bytes_exact(kind: str) -> None:
    """One seed gives one table."""
    found = {
        processes: [round(measured(kind, processes, 0)[form]) for form in FORMS]
        for processes in (10, 60)
    }
    assert found == EXACT[kind]


EXACT: dict[str, Any] = {
    "twenty": {10: [131, 131, 131, 131], 60: [314, 274, 176, 137]},
    "gossip": {10: [131, 131, 131, 131], 60: [356, 237, 172, 159]},
}
"""By form, in their order. Ten entries are too few to be coded."""


def test_fields_that_say_nothing_take_a_byte_each() -> None:
    """What the second inquiry of `precise` rules adds to the messages of all others: one byte to
    an inquiry (`named`), two to an answer (`evidence`, `named`): 1.5 to the means above."""
    _, _, exchange = next(exchanges(Traffic(40, 20, 1), 1))
    for message, fields in zip(exchange, (["named"], ["evidence", "named"]), strict=True):
        kept = message[: -len(fields)]
        assert list(message._fields[len(kept) :]) == fields
        assert message[len(kept) :] == ((),) * len(fields)
        assert len(full(message)) == len(plain((2, NO_SYSTEM, 0, kept))) + len(fields)


def test_events_are_told_of_by_who_knows_them() -> None:
    """Of each exchange: the inquiry's event happened before the answer, and so did its records."""
    seen = 0
    for _, (asker, asked), (inquiry, response) in exchanges(Traffic(40, 20, 1), 3):
        seen += 1
        assert (inquiry.sender, response.sender) == (f"P{asker}", f"P{asked}")
        assert inquiry.event == inquiry.clock
        assert inquiry.clock[asker] == response.event_count == max(inquiry.clock[asker], 1)
        assert happened_before(inquiry.clock, response.clock)
        last, earlier = response.records
        assert happened_before(earlier.clock, last.clock)
        assert happened_before(last.clock, response.clock)
        assert not any(inquiry.clock[20:])
    assert seen == 60


def test_the_command_draws_and_tells(tmp_path: Path) -> None:
    picture = tmp_path / "bytes.svg"
    ran = CliRunner().invoke(main, ["-n", "10", "-n", "30", "--json", "--svg", str(picture)])
    assert ran.exit_code == 0
    rows = json.loads(ran.stdout)
    assert [(row["traffic"], row["processes"]) for row in rows] == [
        (kind, processes) for kind in TRAFFICS for processes in (10, 30)
    ]
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    told = CliRunner().invoke(main, ["-n", "10"]).stdout
    assert told.count("\n| twenty | 10 |") == told.count("\n| gossip | 10 |") == 2
