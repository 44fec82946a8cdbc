"""What is shown of a log before anybody judges it."""

from __future__ import annotations

import io
import json

from rich.console import Console

from choreomon.terminal.mapping_table import (
    explained_mapping,
    mapping_as_json,
    mapping_sentences,
    mapping_table,
)
from tests.logs.readers.logs_for_tests import GOVECTOR, LINES, read


def printed(log: str, shown: int = 20) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(mapping_table(explained_mapping(read(log), shown)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_table_has_columns_for_what_events_have() -> None:
    text = printed(LINES)
    assert "message id" in text
    assert "clock" not in text
    assert "session" not in text
    assert next(line.split("│")[1:6] for line in text.splitlines() if line.startswith("│")) == [
        *(" 1    ", " a       ", " send   ", " m    ", " b    ")
    ]
    assert "a 1" in printed(GOVECTOR)
    assert "2 more events are not shown" in printed(LINES, shown=1)


def test_everything_is_counted_and_what_was_not_understood_has_its_place() -> None:
    explained = explained_mapping(read("\n".join([LINES, "{", *["[]"] * 20])))
    told = mapping_sentences(explained)
    assert told[0] == (
        "3 events of 2 processes: 1 send, 1 handle, 1 local event; 0 with a clock, 2 with a "
        "message id; 1 session"
    )
    assert told[1:3] == [
        "not understood: 21",
        "  log:4: it is not JSON: it ends too early",
    ]
    assert len(told) == 12


def test_a_log_of_local_events_asks_for_a_mapping() -> None:
    told = mapping_sentences(explained_mapping(read(GOVECTOR)))
    assert told[1] == "no event is a send or a handle: say which are by --mapping FILE"


def test_machines_are_told_the_same() -> None:
    told = json.loads(json.dumps(mapping_as_json(explained_mapping(read(f"{LINES}\n[]")))))
    assert (told["events"], told["not_understood"], told["sessions"]) == (3, 1, 1)
    assert told["kinds"] == {"send": 1, "handle": 1, "local": 1}
    assert told["processes"] == {"a": 1, "b": 2}
    assert told["strange"][0]["line"] == 4
    assert told["first"][0]["message_id"] == "1"
