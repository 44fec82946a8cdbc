"""Logs that an expression parses: the five of ShiViz, GoVector's, TSViz' and strange ones."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.mappings.user_patterns import Hopeless, UserPattern
from choreomon.logs.readers import shiviz
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.writers.shiviz import recorded_shiviz_log
from tests.logs.readers.logs_for_tests import (
    COMBINED,
    GOVECTOR,
    PARSERS,
    SHIVIZ,
    TSVIZ,
    events,
    read,
    strange,
)


def read_file(name: str) -> list[RecordedEvent | Diagnostic]:
    parser, delimiter = PARSERS[name]
    return list(read_recorded(SHIVIZ / f"{name}.log", parser=parser, delimiter=delimiter))


def counted_otherwise(name: str) -> tuple[dict[str, int], int, int]:
    """Events of each host, and the number and the sum of all entries of clocks: counted from the
    braces of the text, without any of the parsers. A host stands before a clock, or a line has
    nothing but one bracket with an address."""
    hosts: Counter[str] = Counter()
    entries = total = 0
    text = (SHIVIZ / f"{name}.log").read_text(encoding="utf-8")
    for line in text.splitlines():
        before, brace, rest = line.partition("{")
        if not brace or "}" not in rest:
            continue
        try:
            clock = json.loads("{" + rest[: rest.index("}") + 1])
        except ValueError:
            continue
        hosts[re.split(r"[ /]", before.strip(" ]"))[-1]] += 1
        entries += len(clock)
        total += sum(clock.values())
    return dict(hosts), entries, total


PINNED = {
    "simpledb": (
        {"24464": 53, "24468": 114, "24469": 114, "24470": 114, "24471": 114},
        *(2275, 112_858),
    ),
    "facebook": ({"alice": 11, "loadBalancer": 10, "eastDC": 16, "westDC": 10}, 164, 1060),
    "facebook-multiple": ({"alice": 20, "loadBalancer": 18, "eastDC": 30, "westDC": 20}, 304, 1859),
    "reliable-broadcast": ({"node0": 42, "node1": 1, "node2": 35, "node3": 38}, 293, 4742),
    "simple-reliable-broadcast": ({"node0": 15, "node1": 12, "node2": 12}, 95, 585),
}


@pytest.mark.parametrize("name", PARSERS)
def test_every_event_and_every_clock_of_shiviz_logs_is_read(name: str) -> None:
    found = [each for each in read_file(name) if isinstance(each, RecordedEvent)]
    hosts = dict(Counter(event.process for event in found))
    clocks = [event.clock or {} for event in found]
    numbers = hosts, sum(map(len, clocks)), sum(sum(clock.values()) for clock in clocks)
    assert numbers == counted_otherwise(name) == PINNED[name]


def test_what_no_parser_matches_is_told_with_its_line() -> None:
    strange = {
        name: [each.place.line for each in read_file(name) if isinstance(each, Diagnostic)]
        for name in PARSERS
    }
    assert strange == {name: [8] if name == "reliable-broadcast" else [] for name in PARSERS}


def test_other_groups_are_fields_and_the_delimiter_names_sessions() -> None:
    found = [each for each in read_file("facebook-multiple") if isinstance(each, RecordedEvent)]
    assert Counter(event.session for event in found) == {"Execution #1": 47, "Execution #2": 41}
    assert found[0].name == "/timeline uid=alice location=kansas"
    assert found[0].fields == {
        "ip": "24.22.130.14",
        "date": "5/27/2013 10:53:39 AM",
        "action": "GET",
    }
    assert found[0].place.line == 2
    assert found[47].place.line == 102


def test_govector_and_tsviz_have_their_own_orders() -> None:
    assert events(GOVECTOR) == [
        RecordedEvent("a", "local", "Initialization Complete", Place("log", 1), clock={"a": 1}),
        RecordedEvent("b", "local", "got it", Place("log", 3), clock={"a": 1, "b": 1}),
    ]
    assert [event.time for event in events(TSVIZ)] == ["1000", "2000"]
    assert [event.process for event in events(TSVIZ, "tsviz")] == ["a", "b"]


def test_a_combined_file_says_its_parser_itself() -> None:
    found = events(COMBINED)
    assert [(event.process, event.place.line) for event in found] == [("a", 3), ("b", 5), ("a", 7)]


def test_a_combined_file_may_say_its_delimiter_too() -> None:
    log = "(?<host>\\w+) (?<clock>{.*}) (?<event>.*)\n^-- (?<trace>\\w+)$\n\n-- x\n"
    log += 'a {"a":1} one\n-- y\na {"a":1} two\n'
    assert [(event.session, event.name) for event in events(log)] == [("x", "one"), ("y", "two")]


def test_clocks_may_jump_and_know_other_processes() -> None:
    log = 'one\na {"a":1}\ntwo\na {"a":7, "z":3}\n'
    assert [event.clock for event in events(log)] == [{"a": 1}, {"a": 7, "z": 3}]


def test_quotes_of_clocks_may_be_escaped_and_lines_may_end_as_in_windows() -> None:
    log = 'one\r\na {\\"a\\":1, \\"b\\": 2}\r\ntwo\r\na {"a":2}\r\n'
    assert [(event.name, event.clock) for event in events(log)] == [
        ("one", {"a": 1, "b": 2}),
        ("two", {"a": 2}),
    ]


def test_names_in_clocks_may_have_quotes() -> None:
    (event,) = events('one\na"b {"a\\"b": 1, "c\\\\": 2}\n')
    assert (event.process, event.clock) == ('a"b', {'a"b': 1, "c\\": 2})


@pytest.mark.parametrize(
    ("clock", "told"),
    [
        ('{"A": 1}', "no entry of 'a', whose event it is, only of A: expected one of 'a'"),
        ('{"b": 1}', "no entry of 'a', whose event it is, only of b: expected one of 'a', at"),
        ('{"a": 0}', "no entry of 'a'"),
        ('{"a": "1"}', 'expected an object of counts, such as {"a": 1, "b": 2}'),
        ('{"a": 1, "b": -1}', "has the count -1"),
        ('{"a": 1, "a": 2}', "has 'a' twice"),
        ('{"a": 1', "expected an object of counts"),
        ('{"a": 99999999999999999999}', "has the count 99999999999999999999"),
    ],
)
def test_a_wrong_clock_says_what_was_expected(clock: str, told: str) -> None:
    parser = "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*)"
    ((line, message),) = strange(f'fine\nb {{"b":1}}\nwrong\na {clock}\n', parser=parser)
    assert line == 3
    assert told in message


def test_a_wrong_host_everywhere_is_an_error_and_no_empty_picture() -> None:
    with pytest.raises(DocumentError, match=r"log:1: nothing in it was understood.*'x'.*only of a"):
        read('one\nx {"a":1}\ntwo\nx {"a":2}\n')


@pytest.mark.parametrize(
    ("parser", "told"),
    [
        ("(?<host>a)(?<clock>b)", "no group 'event' (it has host, clock)"),
        ("(?<hst>a)(?<clock>b)(?<event>c)", "did you mean 'hst'?"),
        ("(", "is no regular expression: missing )"),
        ("a" * 10_001, "is longer than 10,000 characters"),
        ("(?<host>a)(?<clock>b)(?<event>c)(?<host", "is no regular expression"),
    ],
)
def test_a_wrong_parser_is_told(parser: str, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(GOVECTOR, parser=parser)
    assert told in str(caught.value)
    assert caught.value.problems[0].field == "the parser"


def test_a_parser_that_backtracks_without_end_is_stopped() -> None:
    parser = r"(?<event>(?:x+x+)+y)(?<host>\w) (?<clock>{.*})"
    with pytest.raises(DocumentError, match=r"log:1: from here on the expression .* was stopped"):
        read("x" * 3000 + '\na {"a":1}', parser=parser)


def test_a_parser_that_is_slow_at_every_line_is_stopped() -> None:
    seconds = itertools.count()
    pattern = UserPattern("x", clock=lambda: next(seconds) / 2)
    assert all(pattern.found("x") is not None for _ in range(40))
    with pytest.raises(Hopeless, match=r"the expression x was stopped after 20.5 s"):
        pattern.found("x")
    quick = itertools.count()
    pattern = UserPattern("x", clock=lambda: next(quick) / 30)
    assert all(pattern.found("x") is not None and pattern.matches("x") for _ in range(1000))


def test_runs_of_one_name_get_numbers() -> None:
    log = '=== x ===\none\na {"a":1}\n=== x ===\ntwo\na {"a":1}\n===  ===\na\na {"a":1}\n'
    log += '===  ===\nb\na {"a":1}\n'
    found = read(log)
    assert [one.session for one in found if isinstance(one, RecordedEvent)] == [
        "x",
        "x (2)",
        "",
        "4",
    ]
    assert strange(log) == [
        (4, "a run begins, and its name 'x' is that of the run at line 1: it is called x (2)"),
        (10, "a run begins, and it has no name, as the one at line 7: it is called 4"),
    ]


def test_runs_without_names_are_numbered() -> None:
    log = 'State 1: <Init>\none\na {"a":1}\nState 1: <Init>\ntwo\na {"a":1}\nthree\na {"a":2}\n'
    found = read(log, delimiter="^State 1:")
    events = [one for one in found if isinstance(one, RecordedEvent)]
    assert [(one.session, one.place.line) for one in events] == [("1", 2), ("2", 5), ("2", 7)]


def test_a_log_without_clocks_asks_for_a_parser() -> None:
    with pytest.raises(DocumentError, match="--parser, with the group event, and host and clock"):
        read("one\ntwo\n", "shiviz")
    with pytest.raises(DocumentError, match=r"is like no log that is known.*--format events\|"):
        read("one\ntwo\n")


def test_a_session_key_is_a_group() -> None:
    parser = r"(?<run>\w) (?<host>\w) (?<clock>{.*}) (?<event>.*)"
    found = events('x a {"a":1} one\ny a {"a":1} two\n', parser=parser, session_key="run")
    assert [event.session for event in found] == ["x", "y"]
    with pytest.raises(DocumentError, match="is 'nun', which is no group of the parser"):
        read('x a {"a":1} one\n', parser=parser, session_key="nun")


def test_a_mapping_says_which_events_are_sends_and_handles() -> None:
    mapping = parse_mapping(
        r"""
events:
  - match: {event: 'Sending (?<name>\w+)\(.* to (?<peer>\w+)$'}
    kind: {constant: send}
  - match: {event: 'Received (?<name>\w+)\(.* from (?<peer>\w+)$'}
    kind: {constant: handle}
""",
        "m.yaml",
    )
    parser, _ = PARSERS["simple-reliable-broadcast"]
    path = SHIVIZ / "simple-reliable-broadcast.log"
    found = [*read_recorded(path, mapping=mapping, parser=parser)]
    made = [each for each in found if isinstance(each, RecordedEvent)]
    assert Counter((event.kind, event.name) for event in made if event.kind != "local") == {
        ("send", "SLDeliver"): 8,
        ("handle", "SLDeliver"): 8,
        ("send", "ACK"): 8,
        ("handle", "ACK"): 8,
    }
    assert made[1].peer == "node1"
    assert sum(event.kind == "local" for event in made) == 39 - 32


@pytest.mark.parametrize("seed", range(5))
def test_pieces_of_a_long_log_are_as_the_whole(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    randomness = random.Random(seed)
    log = ""
    for number in range(1, 120):
        what = randomness.choice(["", "x" * randomness.randrange(1, 60), "garbage\n\nmore", "\n"])
        log += f'{what}\nevent {number}\n{randomness.choice("ab")} {{"a":{number}, "b":{number}}}\n'
    log = f"=== 1 ===\n{log}=== 2 ===\n{log}"
    whole = read(log)
    assert sum(isinstance(each, RecordedEvent) for each in whole) == 238
    monkeypatch.setattr(shiviz, "REACH", randomness.choice([150, 200, 400]))
    monkeypatch.setattr(shiviz, "PIECE", randomness.choice([64, 201, 1000]))
    assert read(log) == whole


@pytest.mark.parametrize("name", PARSERS)
def test_shiviz_logs_that_are_exported_again_are_read_back_equal(name: str) -> None:
    found = [each for each in read_file(name) if isinstance(each, RecordedEvent)]
    text = recorded_shiviz_log(found)
    again = read_recorded(BytesIO(text.encode()), file="again")  # which says its parser itself
    assert [elsewhere(each) for each in again] == [elsewhere(each) for each in found]


def elsewhere(each: RecordedEvent | Diagnostic) -> RecordedEvent:
    """The same at no place."""
    assert isinstance(each, RecordedEvent)
    return each._replace(place=Place("", 0), fields=dict(each.fields))


def test_texts_without_clocks_are_of_the_host_or_of_the_process_of_their_file(
    tmp_path: Path,
) -> None:
    log = "12:01 shop INFO one\n12:02 bank INFO two\n"
    found = events(log, parser=r"^(?<timestamp>\S+) (?<host>\S+) \w+ (?<event>.*)$")
    assert [(one.process, one.name, one.time, one.clock) for one in found] == [
        ("shop", "one", "12:01", None),
        ("bank", "two", "12:02", None),
    ]
    path = tmp_path / "shop.2026.log"
    path.write_text("12:01 INFO sent it to bank\n", encoding="utf-8")
    mapping = parse_mapping(
        "parser: '^\\S+ INFO (?<event>.*)$'\n"
        "events:\n  - match: {event: '^sent (?<name>\\w+) to (?<peer>\\w+)'}\n"
        "    kind: {constant: send}\n",
        "m.yaml",
    )
    for given in ({"parser": r"^\S+ INFO (?<event>.*)$"}, {"mapping": mapping}):
        (one,) = read_recorded(path, "shiviz", **given)  # type: ignore[arg-type]
        assert isinstance(one, RecordedEvent)
        assert one.process == "shop"
