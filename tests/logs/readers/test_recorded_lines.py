"""Our own events, lines of JSON and detectEr's events, broken ones among them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.documents.read import load_document
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.trace import trace_line
from simulator.run import simulation
from tests.logs.readers.logs_for_tests import (
    ALL,
    DETECTER,
    LINES,
    OWN,
    events,
    own_line,
    read,
    strange,
)
from tests.scenarios.console_blocks import ROOT


def test_own_events_are_read_with_their_clocks() -> None:
    found = events(OWN)
    assert found[0] == RecordedEvent(
        "a", "handle", "go", Place("log", 1), peer="env", clock={"a": 1}, time="0.0"
    )
    assert found[2] == RecordedEvent(
        "b", "handle", "m", Place("log", 3), peer="a", clock={"a": 2, "b": 1}, time="1.0"
    )


def test_every_event_of_a_simulated_run_is_read() -> None:
    document = load_document(ROOT / "scenarios" / "payment-saga-violating.yaml")
    run = simulation(document).run(3, keep_events=True)
    log = "\n".join(trace_line(event, run.processes) for event in run.kept_events)
    found = events(log)
    assert len(found) == len(run.kept_events) > 5
    for event, recorded in zip(run.kept_events, found, strict=True):
        own = (event.process, event.kind, event.message.name)
        assert (recorded.process, recorded.kind, recorded.name) == own
        assert recorded.clock is not None
        clock = tuple(recorded.clock.get(process, 0) for process in run.processes)
        assert clock == event.clock


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "it is not JSON"),
        ('{"index": 1}', "it has no field `event`"),
        (own_line(1, "send", "a", "m", "b", a=1).replace('"send"', '"sent"'), "its field event"),
        (own_line(1, "send", "a", "m", "b", a=1, b=-1), "a count below 0"),
        (own_line(1, "send", "a", "", "b", a=1), "its message.name should not be empty"),
        (own_line(1, "send", "env", "m", "b", env=1), "env has no events"),
        (own_line(1, "handle", "a", "m", "env", env=1), "env has no events"),
        (
            own_line(1, "send", "a", "m", "b", b=1).replace('"process": "a"', '"process": "b"'),
            "a send of this message happens at a, not b",
        ),
        (
            own_line(1, "send", "a", "m", "b", a=1).replace('"b"', '"b", "name": "x"'),
            "'name' twice",
        ),
    ],
)
def test_an_own_event_that_is_none_is_told_and_the_others_are_read(line: str, told: str) -> None:
    ((number, message),) = strange(f"{OWN}\n{line}\n{OWN}")
    assert number == 5
    assert told in message
    assert sum(isinstance(each, RecordedEvent) for each in read(f"{OWN}\n{line}\n{OWN}")) == 8


def test_json_lines_with_names_that_are_often_met_need_no_mapping() -> None:
    assert events(LINES) == [
        RecordedEvent("a", "send", "m", Place("log", 1), "b", "1", time="x"),
        RecordedEvent("b", "handle", "m", Place("log", 2), "a", "1", time="y"),
        RecordedEvent("b", "local", "work", Place("log", 3)),
    ]


def test_a_mapping_says_what_lines_of_json_mean() -> None:
    mapping = parse_mapping(
        """
format: jsonl
process: {match: '^(?<value>[^@]+)', of: app.id}
kind: {table: {out: send, in: handle, beat: ignored}, of: dir, otherwise: local}
name: {join: [what, {constant: "."}, app.version]}
message_id: ids[1]
number: n
session: order
clock: vc
time: at
fields: {level: level}
""",
        "m.yaml",
    )
    app = {"id": "shop@host", "version": 2}
    log = [
        {"app": app, "dir": "out", "what": "m", "ids": ["x", "i"], "n": 3, "order": 7, "at": 1.5},
        {"app": app, "dir": "beat"},
        {"app": app, "what": "w", "vc": '{"shop": 4}', "level": True},
    ]
    assert events("\n".join(map(json.dumps, log)), mapping=mapping) == [
        RecordedEvent(
            *("shop", "send", "m.2", Place("log", 1), None, "i", None, 3, "7", "1.5", {})
        ),
        RecordedEvent(
            "shop", "local", "w.2", Place("log", 3), clock={"shop": 4}, fields={"level": "true"}
        ),
    ]
    assert events(json.dumps(log[0]), mapping=mapping, session_key="dir")[0].session == "out"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"name": "m"}', "it has no process: expected it at process or host or service"),
        ('{"process": "", "name": "m"}', "it has no process"),
        ('{"process": "a"}', "it has no name: expected it at message.name or message or name"),
        ('{"process": "a", "name": {}}', "it has no name"),
        ('{"process": "a", "name": "m", "clock": 3}', "its clock is 3: expected an object such"),
        ('{"process": "a", "name": "m", "clock": {"a": -1}}', "its clock has -1 for a"),
        ('{"process": "a", "name": "m", "clock": {"b": 1}}', "no entry of 'a'"),
        ('{"process": "a", "name": "m", "seq": "x"}', "its number is 'x': expected a whole"),
        ('{"process": "a", "name": "m", "seq": 0}', "its number is '0'"),
        ('{"process": "a", "name": "m", "process": "b"}', "it has the key 'process' twice"),
        ('{"process": "a", "name": "m", "x": {"y": 1, "y": 2}}', "it has the key 'y' twice"),
        ("[1]", "it should be a mapping, not a list"),
        ('{"process": "a", "name": "m"', "it is not JSON"),
        ("[" * 5000, "it"),
    ],
)
def test_a_line_of_json_that_is_no_event_is_told(line: str, told: str) -> None:
    ((number, message),) = strange(f"{LINES}\n\n{line}\n{LINES}")
    assert number == 5
    assert message.startswith(told) or told in message


def test_a_kind_that_is_none_is_told() -> None:
    mapping = parse_mapping("process: p\nkind: k\nname: n", "m.yaml")
    ((_, message),) = strange(
        '{"p": "a", "k": "sent", "n": "m"}\n{"p": "a", "k": "send", "n": "m"}', mapping=mapping
    )
    assert message.startswith("its kind is 'sent': expected send, handle, local or ignored")


def test_detecters_events_are_read() -> None:
    found = events(DETECTER)
    assert [(event.process, event.kind, event.name, event.peer) for event in found] == [
        ("<0.1.0>", "send", "fork", "<0.2.0>"),
        ("<0.2.0>", "handle", "fork", "<0.1.0>"),
        ("<0.1.0>", "send", "order", "<0.2.0>"),
        ("<0.2.0>", "handle", "order", None),
        ("<0.2.0>", "local", "exit", None),
    ]
    assert [event.message_id for event in found[:3]] == ["fork <0.2.0>", "fork <0.2.0>", None]
    assert found[2].fields == {"message": '{order, "a, b)", 7}'}


@pytest.mark.parametrize("line", ["send(a, b)", "recv(a, m", "exit()", "fork(a)", "recv(a, m) x"])
def test_a_part_of_an_event_of_detecter_is_told(line: str) -> None:
    ((number, message),) = strange(f"{DETECTER}{line}\n")
    assert number == 6
    assert f"expected {line.partition('(')[0]}(" in message
    ((_, message),) = strange(f"{DETECTER}spawn(a, b)\n")
    assert message.startswith("it is no event: expected fork(P1, P2, {Mod, Fun, Args}), init(")


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_quote_that_detecter_does_not_close_is_looked_for_once(quote: str) -> None:
    event = events(f"{DETECTER}recv(a, it{quote}s (b, c))\n")[-1]
    assert event.fields == {"message": f"it{quote}s (b, c)"}
    many = f"\\{quote}" * 200_000  # to look for the end of each would take hours
    event = events(f"{DETECTER}recv(a, {quote}{many})\n")[-1]
    assert event.fields == {"message": f"{quote}{many}"}


@pytest.mark.parametrize("name", ALL)
def test_the_format_is_found_by_looking(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(ALL[name])
    assert [each._replace(place=Place("", 0)) for each in read_recorded(path)] == [
        each._replace(place=Place("", 0)) for each in read(b"\xef\xbb\xbf" + ALL[name].encode())
    ]
    assert events(ALL[name])


def test_a_pipe_is_read_as_a_file_is() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, content: bytes) -> None:
            self.content = content

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            piece, self.content = self.content[:7], self.content[7:]
            return piece

    for log in ALL.values():
        assert [*read_recorded(Pipe(log.encode()), file="log")] == read(log)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALL)
def test_a_line_that_is_too_long_is_refused(name: str) -> None:
    log = ALL[name] + "\n" + "x" * 600_000
    bound = 400_000
    with pytest.raises(
        DocumentError, match=r"is longer than .* bytes, the most that is read of a line"
    ):
        read(log, max_line=bound)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_log_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentError, match="log: is empty: expected events"):
        read(content)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="there is no such file"):
        list(read_recorded(tmp_path / "nothing"))
    with pytest.raises(DocumentError, match="is a directory"):
        list(read_recorded(tmp_path))
    with pytest.raises(DocumentError, match="open it as bytes"):
        list(read_recorded(io.StringIO(OWN)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"format": "events", "parser": "x"}, "is read as events, which has no use for a parser"),
        ({"format": "events", "session_key": "x"}, "has no use for a session key"),
        ({"format": "jsonl", "delimiter": "x"}, "has no use for a delimiter"),
        ({"format": "csv"}, "'csv' is no format: there are events, shiviz"),
    ],
)
def test_what_does_nothing_is_refused(options: dict[str, str], told: str) -> None:
    with pytest.raises(DocumentError, match=told):
        read(OWN, **options)
    mapping = parse_mapping("format: jsonl\nprocess: p\nname: n", "m.yaml")
    with pytest.raises(DocumentError, match=r"m\.yaml: format: is a mapping of jsonl"):
        read(LINES, "otlp", mapping)
    with pytest.raises(DocumentError, match="has no use for a mapping"):
        read(OWN, "events", mapping)


def test_what_a_live_monitor_did_not_count_has_no_clock() -> None:
    lines = [
        own_line(0, "send", "a", "m", "b", a=1),
        own_line(1, "send", "a", "unmentioned", "b", a=1),
        own_line(2, "send", "c", "x", "b"),
        own_line(3, "send", "a", "m", "b", a=2),
    ]
    clocks = [event.clock for event in events("\n".join(lines).encode())]
    assert clocks == [{"a": 1}, None, None, {"a": 2}]
