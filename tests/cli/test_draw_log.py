"""Pictures of what logs recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon
from tests.logs.readers.logs_for_tests import (
    BROADCAST,
    LINES,
    OTLP,
    OWN,
    SHIVIZ,
    events,
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("suffix", ["svg", "mmd"])
@pytest.mark.parametrize(
    ("name", "log"), [("run-1.jsonl", OWN), ("spans.json", OTLP), ("lines.log", LINES)]
)
def test_draw_draws_logs_without_times(name: str, log: str, suffix: str) -> None:
    Path(name).write_text(log)
    answer = choreomon("draw", name, "--run", "-o", f"x.{suffix}", "--json")
    assert answer.code == 0, answer.err
    structure = json.loads(answer.out)
    sends = [event for event in events(log) if event.kind == "send"]
    assert sum(event["kind"] == "send" for event in structure["events"]) == len(sends)
    assert len(structure["messages"]) >= len(sends)
    picture = Path(f"x.{suffix}").read_text()
    if suffix == "svg":
        assert "in an order that fits the logs" in picture
        assert "time, ms" not in picture


def test_draw_takes_a_parser_and_a_mapping() -> None:
    Path("m.yaml").write_text(
        "events:\n"
        r"- match: {event: '^Sending (?<name>\w+).* to (?<peer>\w+)$'}"
        "\n  kind: {constant: send}\n"
        r"- match: {event: '^Received (?<name>\w+).* from (?<peer>\w+)$'}"
        "\n  kind: {constant: handle}\n"
    )
    log = str(SHIVIZ / "simple-reliable-broadcast.log")
    options = ("--parser", BROADCAST, "--mapping", "m.yaml")
    answer = choreomon("draw", log, "--run", "-o", "x.svg", *options, "--json")
    assert answer.code == 0, answer.err
    structure = json.loads(answer.out)
    assert structure["processes"] == ["node0", "node1", "node2"]
    assert {message["status"] for message in structure["messages"]} == {"delivered", "cut"}


def test_one_session_is_drawn_and_what_was_not_understood_is_told() -> None:
    lines = [{"process": "a", "kind": "send", "name": "m", "session": session} for session in "xxy"]
    Path("t.log").write_text("\n".join([*map(json.dumps, lines), "{"]))
    answer = choreomon("draw", "t.log", "--run", "-o", "x.svg", "--json")
    assert len(json.loads(answer.out)["events"]) == 2
    assert "t.log: has 2 sessions; drawn is x" in answer.err
    assert "t.log:4: not understood" in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("t.log", "--run", "--seed", "3"), "--seed can only be used with other files than logs"),
        (("t.log", "--run", "--parser", "("), "is no regular expression"),
        (("local.log", "--run"), "no sends and no handles"),
        (("d.yaml", "--mapping", "m"), "--mapping can only be used with --run, and with logs"),
    ],
)
def test_what_does_not_go_together_is_told(arguments: tuple[str, ...], told: str) -> None:
    Path("t.log").write_text(LINES)
    Path("local.log").write_text('{"process": "a", "name": "m"}')
    Path("d.yaml").write_text("name: x\n")
    answer = choreomon("draw", *arguments, "-o", "x.svg")
    assert answer.code == 2
    assert told in answer.err
