"""Drafts of mappings read what they were drafted from."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.message import HANDLE, SEND
from choreomon.core.recorded import RecordedEvent
from choreomon.core.templates import Templates
from choreomon.logs.drafts.drafting import drafted, fields_seen
from choreomon.logs.drafts.fields_seen import FieldsSeen, flat
from choreomon.logs.drafts.mapping_draft import expression_of
from choreomon.logs.drafts.roles import roles_of, telling_apart
from choreomon.logs.mappings.field_path import getter, parse_path
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.mappings.user_patterns import UserPattern
from choreomon.logs.readers.reading import read_recorded

SHIVIZ = Path(__file__).parents[1] / "data" / "shiviz"

NAMES = {
    "process": ["process", "svc", "service_name", "node", "actor", "Host"],
    "name": ["message_name", "what", "msg_type", "topic", "command"],
    "id": ["message_id", "msgId", "mid", "uuid"],
    "clock": ["clock", "vc", "vector clock", "meta"],
    "number": ["seq", "seq_no", "sequence.number"],
    "time": ["ts", "timestamp", "@timestamp"],
}
PEERS = [("peer", "peer"), ("to", "from"), ("dst", "src"), ("receiver", "sender")]
KINDS = [
    *[("send", "handle", "local"), ("out", "in", "note"), ("SENT", "RECEIVED", "tick")],
    *[("publish", "consume", "log"), ("!", "?", ".")],
]


def records(random: Random) -> tuple[list[dict[str, object]], list[tuple[object, ...]]]:
    """Lines of some program, and what they mean."""
    key = {what: random.choice(names) for what, names in NAMES.items()}
    kind_key = random.choice(["kind", "direction", "op"])
    kinds = dict(zip((SEND, HANDLE, "local"), random.choice(KINDS), strict=True))
    to, frm = random.choice(PEERS)
    both = to != frm and random.random() < 0.5
    has = {what: random.random() < 0.5 for what in ("id", "clock", "number", "time")}
    clocks: dict[str, dict[str, int]] = {name: {} for name in ("shop", "bank", "depot")}
    lines: list[dict[str, object]] = []
    meant: list[tuple[object, ...]] = []

    def put(kind: str, process: str, peer: str | None, name: str, message: str | None) -> None:
        clock = clocks[process]
        clock[process] = clock.get(process, 0) + 1
        line: dict[str, object] = {key["process"]: process, kind_key: kinds[kind]}
        line[key["name"]] = name
        if both:
            own, other = (to, frm)[kind == SEND], (frm, to)[kind == SEND]
            line |= {own: process, other: peer or process}
        elif peer is not None:
            line[to if kind == SEND else frm] = peer
        if has["id"] and message is not None:
            line[key["id"]] = message
        if has["clock"]:
            line[key["clock"]] = dict(clock) if process != "bank" else json.dumps(clock)
        if has["number"]:
            line[key["number"]] = clock[process]
        if has["time"]:
            line[key["time"]] = f"12:00:{len(lines):02}"
        lines.append(line)
        meant.append(
            (
                *(process, kind, name, None if kind == "local" else peer),
                message if has["id"] else None,
                dict(clock) if has["clock"] else None,
            )
        )

    for number in range(random.randint(8, 20)):
        sender, receiver = random.sample(sorted(clocks), 2)
        name = random.choice(["order", "paid", "parcel"])
        put(SEND, sender, receiver, name, f"m{number}")
        for process, count in clocks[sender].items():
            clocks[receiver][process] = max(count, clocks[receiver].get(process, 0))
        put(HANDLE, receiver, sender, name, f"m{number}")
        if random.random() < 0.2:
            put("local", receiver, None, "cash", None)
    return lines, meant


@pytest.mark.parametrize("seed", range(150))
def test_a_draft_reads_what_it_was_drafted_from(seed: int, tmp_path: Path) -> None:
    lines, meant = records(Random(seed))
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    text = drafted([str(log)])
    read = [*read_recorded(log, mapping=parse_mapping(text, "draft.yaml"))]
    assert all(isinstance(each, RecordedEvent) for each in read), (text, read)
    found = [
        (
            *(each.process, each.kind, each.name, None if each.kind == "local" else each.peer),
            each.message_id,
            None if each.clock is None else dict(each.clock),
        )
        for each in read
        if isinstance(each, RecordedEvent)
    ]
    assert found == meant, text


TALK = """shop {"shop": 1}
Sending order to bank
bank {"shop": 1, "bank": 1}
received order from shop
bank {"shop": 1, "bank": 2}
Counted 17 coins
bank {"shop": 1, "bank": 3}
Counted 4 coins
"""


def test_texts_of_messages_become_rules_and_others_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "talk.log"
    log.write_text(TALK, encoding="utf-8")
    text = drafted([str(log)])
    read = [*read_recorded(log, mapping=parse_mapping(text, "draft.yaml"))]
    assert [
        (each.kind, each.name, each.peer) for each in read if isinstance(each, RecordedEvent)
    ] == [
        ("send", "order", "bank"),
        ("handle", "order", "shop"),
        ("local", "Counted 17 coins", None),
        ("local", "Counted 4 coins", None),
    ]
    assert r"#   - match: {event: '^Counted\s+\S+\s+coins'}" in text
    shown = text.replace("#   -", "  -").replace("#     ", "    ")  # as somebody would who wants it
    more = [*read_recorded(log, mapping=parse_mapping(shown, "draft.yaml"))]
    assert [each.kind for each in more if isinstance(each, RecordedEvent)][2:] == ["send", "send"]


@pytest.mark.parametrize("name", ["simpledb.log", "facebook.log"])
def test_drafts_of_logs_of_others_are_mappings(name: str) -> None:
    text = drafted([str(SHIVIZ / name)])
    read = [*read_recorded(SHIVIZ / name, mapping=parse_mapping(text, "draft.yaml"))]
    assert len(read) == len([*read_recorded(SHIVIZ / name)])


def test_an_expression_takes_the_texts_of_its_template() -> None:
    templates = Templates(100)
    texts = ["sent (x+y) to a9!", "sent (x+y) to b7!", "sent (x+z) to b7!", "what's 'this'? 1"]
    for text in texts:
        templates.add(text)
    for template in templates.all:
        pattern = UserPattern(expression_of(str(template)))
        own = [text for text in texts if pattern.found(text) is not None]
        assert len(own) == template.texts
    peers = UserPattern(expression_of("sent it to <*>")).found("sent it to bank")
    assert peers == {"peer": "bank"}


def test_fields_that_tell_instances_apart_are_named(tmp_path: Path) -> None:
    both = {"kind": "send", "name": "x", "one": 1}
    lines = [{**both, "svc": "ab"[n % 2], "order": n // 4, "note": f"n {n}"} for n in range(40)]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    seen = fields_seen([str(log)])
    assert [each.path for each in telling_apart(seen, roles_of(seen))] == ["order"]
    text = drafted([str(log)])
    assert "# session: order  # 10 values, such as 0, 1, 2, 3" in text
    shown = text.replace("# parameters:", "parameters:")
    mapping = parse_mapping(shown, "draft.yaml")
    read = [*read_recorded(log, mapping=mapping)]
    values = {each.values["order"] for each in read if isinstance(each, RecordedEvent)}
    assert values == {str(n) for n in range(10)}


def test_paths_of_fields_find_them() -> None:
    record = {
        "a": {"b c": {"d": "1"}},
        "e.f": 2,
        "g'h": 3,
        "clock": {"p": 1},
        "list": [1],
        "no": None,
    }
    found = dict(flat(record))
    assert found == {
        'a["b c"].d': "1",
        '["e.f"]': 2,
        '["g\'h"]': 3,
        "clock": {"p": 1},
        "list": [1],
    }
    for path, value in found.items():
        assert getter(parse_path(path))(record) == value


def test_what_needs_no_draft_is_said(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    message = {"sender": "a", "name": "x", "receiver": "b"}
    own.write_text(json.dumps({"event": "send", "process": "a", "message": message}), "utf-8")
    with pytest.raises(DocumentError, match="is events, which says what its lines mean"):
        drafted([str(own)])
    other = tmp_path / "talk.log"
    other.write_text(TALK, encoding="utf-8")
    with pytest.raises(DocumentError, match=r"is shiviz, and .* is events"):
        drafted([str(own), str(other)])
    spans = tmp_path / "spans.json"
    spans.write_text('{"resourceSpans": []}', encoding="utf-8")
    assert parse_mapping(drafted([str(spans)]), "draft.yaml").format == "otlp"


@pytest.mark.parametrize("key", ["what", "zzz"])
def test_names_may_be_sentences_of_local_events_and_may_be_called_anything(
    key: str, tmp_path: Path
) -> None:
    lines = [
        {"svc": "a", "dir": "out", key: "order"},
        {"svc": "b", "dir": "in", key: "order"},
        {"svc": "a", "dir": "note", key: "read 7 rows"},
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    read = [*read_recorded(log, mapping=parse_mapping(drafted([str(log)]), "draft.yaml"))]
    assert [(each.kind, each.name) for each in read if isinstance(each, RecordedEvent)] == [
        ("send", "order"),
        ("handle", "order"),
        ("local", "read 7 rows"),
    ]


def test_a_field_of_four_records_in_five_is_usual_and_one_of_fewer_is_not() -> None:
    seen = FieldsSeen()
    for number in range(10):
        seen.add({"always": 1, **({"mostly": 1} if number < 8 else {}), "rarely": number or None})
        seen.add({"always": 1, **({"mostly": 1} if number < 8 else {})})
    assert [each.path for each in seen.usual()] == ["always", "mostly"]
    seen.add({"always": 1})
    assert [each.path for each in seen.usual()] == ["always"]
