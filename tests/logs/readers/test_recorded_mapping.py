"""Mapping documents: what is in them, what is wrong with them, and what they make."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from choreomon.cli.documents.schemas import mapping_schema
from choreomon.core.errors import DocumentError
from choreomon.core.names import is_plain
from choreomon.core.recorded import Place
from choreomon.files.source_positions import read_positioned
from choreomon.logs.mappings.expressions import plain
from choreomon.logs.mappings.field_path import getter, parse_path
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.mappings.user_patterns import Hopeless, UserPattern
from tests.logs.readers.logs_for_tests import events, read

RECORD: dict[str, Any] = {
    "resource": {"service.name": "shop", "service": {"x": 1}},
    "attributes": {"a.b": {"c": 3}, "a": {"d": None}},
    "links": [{"spanId": "s"}],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("resource.service.name", "shop"),
        ("resource.service.x", 1),
        ('resource["service.name"]', "shop"),
        ("resource['service.name']", "shop"),
        ("attributes.a.b.c", 3),
        ("attributes.a.d", None),
        ("links[0].spanId", "s"),
        ("links[1].spanId", None),
        ("links.spanId", None),
        ("resource[0]", None),
        ("nothing.at.all", None),
    ],
)
def test_a_path_finds_what_is_there(path: str, found: object) -> None:
    assert getter(parse_path(path))(RECORD) == found


@pytest.mark.parametrize("path", ["", ".", "a..b", ".a", "a.", "a[", "a[x]", 'a["]', "a b", "a]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"is (no path|empty)"):
        parse_path(path)


@pytest.mark.parametrize(
    ("text", "line", "field", "told"),
    [
        ("x: 1", 1, "x", "is no key of this mapping"),
        ("name: a\nproces: b", 2, "proces", "did you mean 'process'?"),
        ("process: 3", 1, "process", "should be the path of a field, {constant: value}"),
        ("\nname: []", 2, "name", "should not be empty"),
        ("name: [a, [b]]", 1, "name[1]", "should be the path of a field"),
        ("name: {foo: x}", 1, "name", "not a mapping of 'foo'"),
        ("name: {match: '(', of: x}", 1, "name.match", "is no regular expression: missing )"),
        ("name: {match: '(?<v>a)', of: x}", 1, "name.group", "is 'value', which is no group"),
        ("name: {table: {}, of: x}", 1, "name.table", "should not be empty"),
        ("name: {table: {a: b}}", 1, "name.of", "is missing: give what is looked up in it"),
        ("kind: {constant: sent}", 1, "kind.constant", "should be send, handle, local or ignored"),
        ("kind: {table: {a: b}, of: x}", 1, "kind.table.a", "not 'b'"),
        ("kind: {table: {a: send}, of: x, otherwise: b}", 1, "kind.otherwise", "not 'b'"),
        ("kind: send", 1, "kind", "for the kind, write {constant: send}"),
        ("clock: [a, b]", 1, "clock", "should be the path of a field, not a list of 2"),
        ("format: csv", 1, "format", "should be 'shiviz', "),
        (
            "format: otlp\nprocess: p\nname: n\nparser: '(?<host>)(?<clock>)(?<event>)'",
            4,
            "parser",
            "is of shiviz and tsviz, and the format is otlp",
        ),
        ("parser: '(?<host>a)(?<clock>b)'", 1, "parser", "has no group 'event'"),
        ("format: jsonl\nprocess: p\nname: n\ninstance: i", 4, "instance", "is of otlp"),
        ("format: jsonl\nname: n", 1, "process", "is missing: say what gives it, as in process:"),
        ("kind: k\nevents:\n- name: n", 3, "events[0]", "asks for nothing"),
        ("events:\n- where: {a: b}", 2, "events[0].kind", "is missing: say what the record is"),
        ("events:\n- where: {a..b: 1}", 2, "events[0].where", "is no path of a field at '..b'"),
        ("events:\n- where: {a: []}", 2, "events[0].where.a", "should not be empty"),
        ("events:\n- match: {a: '['}\n  kind: k", 2, "events[0].match.a", "is no regular expr"),
        ("", 0, "", "is empty: write what gives process, name and kind of an event"),
        ("- a", 1, "", "process:, name: and kind:"),
    ],
)
def test_what_is_wrong_with_a_mapping_has_its_line(
    text: str, line: int, field: str, told: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_mapping(text, "m.yaml")
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("m.yaml", line)
    assert problem.field.startswith(field)
    assert told in problem.message


def test_the_schema_accepts_what_the_reader_does() -> None:
    validator = Draft202012Validator(mapping_schema())
    Draft202012Validator.check_schema(mapping_schema())
    for name in ("json-lines", "opentelemetry"):
        source = files("choreomon.logs.mappings").joinpath(f"{name}.yaml").read_bytes()
        assert validator.is_valid(read_positioned(source, "m.yaml", as_json=False).value), name
    assert validator.is_valid({"name": ["a", {"join": ["b", {"constant": 3}]}]})
    for bad in ({"nam": "a"}, {"name": 3}, {"name": {"foo": 1}}, {"format": "csv"}):
        assert not validator.is_valid(bad)


def test_json_is_read_too() -> None:
    text = '{"format": "jsonl", "process": "p", "name": "n"}'
    assert parse_mapping(text, "m.json").document == parse_mapping(text, "m.yaml").document
    assert read_positioned(text, "m.json", as_json=True).lines[("name",)] == 1


def test_rules_ask_and_each_that_fits_makes_an_event() -> None:
    mapping = parse_mapping(
        """
process: p
name: n
kind: {constant: local}
events:
  - where: {k: [1, two]}
    present: [x]
    absent: [y]
    kind: {constant: send}
  - where: {k: two}
    each: peers
    present: [each.id]
    kind: {constant: handle}
    peer: each.id
  - match: {n: '^go (?<name>\\w+)(?: as (?<kind>\\w+))?$'}
    message_id: match.name
    kind: [match.kind, {constant: send}]
""",
        "m.yaml",
    )
    log = [
        {"p": "a", "n": "m", "k": 1, "x": 0},
        {"p": "a", "n": "m", "k": "two", "x": 0, "peers": [{"id": "b"}, {}, {"id": "c"}]},
        {"p": "a", "n": "m", "k": 1, "x": []},
        {"p": "a", "n": "m", "k": 1, "x": 1, "y": 1},
        {"p": "a", "n": "go there"},
        {"p": "a", "n": "go there as handle"},
    ]
    found = events("\n".join(map(json.dumps, log)), mapping=mapping)
    assert [(event.place.line, event.kind, event.name, event.peer) for event in found] == [
        (1, "send", "m", None),
        (2, "send", "m", None),
        (2, "handle", "m", "b"),
        (2, "handle", "m", "c"),
        (3, "local", "m", None),
        (4, "local", "m", None),
        (5, "send", "there", None),
        (6, "handle", "there", None),
    ]
    assert found[6].message_id == "there"


def test_plain_names_are_names_in_labels_and_of_clocks() -> None:
    mapping = parse_mapping(
        "process: p\nname: n\nclock: c\nkind: {constant: send}\nplain_names: true", "m.yaml"
    )
    (event,) = events('{"p": "a:1", "n": "GET /x/{id}.json", "c": {"a:1": 2}}', mapping=mapping)
    assert (event.process, event.name, event.clock) == ("a_1", "GET_x_id.json", {"a_1": 2})
    assert [plain(text) for text in ("a", "-a", "/", "é", "a" * 300)] == [
        *("a", "a", "/", "é", "a" * 200)
    ]
    assert is_plain(plain("POST /charge/{id}"))


def test_an_expression_of_a_mapping_that_does_not_end_is_stopped() -> None:
    mapping = parse_mapping("process: p\nname: {match: '^(?<value>(x|xx)+)z$', of: n}", "m.yaml")
    line = json.dumps({"p": "a", "n": "x" * 3000 + "yz"})
    with pytest.raises(DocumentError, match=r"m\.yaml: at log:1: the expression .* was stopped"):
        read(line, "jsonl", mapping)


def test_a_search_is_stopped_after_its_patience() -> None:
    pattern = UserPattern("(x+x+)+y", patience=0.01)
    for search in (pattern.found, pattern.matches):
        with pytest.raises(Hopeless, match=r"was stopped after 0\.01 s"):
            search("x" * 3000)


def test_a_place_of_a_diagnostic_is_that_of_the_line() -> None:
    (first, _) = read('{"name": "m"}\n{"process": "a", "name": "m"}')
    assert first.place == Place("log", 1)
