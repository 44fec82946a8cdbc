"""Mistakes that people make in their first hour: each gets an answer in one line that leads on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

LINES = [
    {"process": "shop", "kind": "send", "name": "pay", "peer": "bank", "message_id": "1"},
    {"process": "bank", "kind": "handle", "name": "pay", "peer": "shop", "message_id": "1"},
    {"process": "shop", "kind": "send", "name": "parcel", "peer": "depot", "message_id": "2"},
]
LOG = "".join(f"{json.dumps(line)}\n" for line in LINES)
RULE = 'property:\n  sequences:\n    - steps: ["shop -> bank : pay", "shop -> depot : parcel"]\n'
MAPPING = "format: jsonl\nprocess: svc\nkind: kind\nname: name\n"

FILES = {
    "rule.yaml": RULE,
    "log.jsonl": LOG,
    "odd.jsonl": LOG.replace('"process"', '"svc"'),
    "note.txt": "hello\nworld\n",
    "i.hif": "seq(shop -- order -> bank, bank -- paid -> shop)\n",
}

MISTAKES: list[tuple[str, dict[str, str], str, int, str]] = [
    (
        "a letter of a message",
        {"rule.yaml": RULE.replace("pay", "pya")},
        "audit rule.yaml log.jsonl",
        0,
        "shop -> bank : pya occurs nowhere in these logs; did you mean shop -> bank : pay",
    ),
    (
        "a letter of a receiver",
        {"rule.yaml": RULE.replace("bank", "bnak")},
        "audit rule.yaml log.jsonl",
        0,
        "did you mean shop -> bank : pay, which occurs once?",
    ),
    (
        "the same, in a nightly build",
        {"rule.yaml": RULE.replace("bank", "bnak")},
        "audit rule.yaml log.jsonl --strict",
        2,
        "did you mean shop -> bank : pay, which occurs once?",
    ),
    (
        "the ends the other way round",
        {"rule.yaml": RULE.replace("shop -> bank", "bank -> shop")},
        "audit rule.yaml log.jsonl",
        0,
        "bank -> shop : pay occurs nowhere in these logs; did you mean shop -> bank : pay",
    ),
    ("a file", {}, "audit rule.yaml lgo.jsonl", 2, "no such file; did you mean 'log.jsonl'?"),
    ("a property", {}, "audit ruel.yaml log.jsonl", 2, "no such file; did you mean 'rule.yaml'?"),
    (
        "the order",
        {},
        "audit log.jsonl rule.yaml",
        2,
        "is a log: the property comes first",
    ),
    ("no log", {}, "audit rule.yaml", 2, "Missing argument 'LOG...'"),
    (
        "an empty log",
        {"log.jsonl": ""},
        "audit rule.yaml log.jsonl",
        2,
        "is empty: expected events",
    ),
    (
        "a blank log",
        {"log.jsonl": "\n"},
        "audit rule.yaml log.jsonl",
        2,
        "is empty: expected events",
    ),
    (
        "half a line at the end",
        {"log.jsonl": LOG + '{"process": "sh'},
        "audit rule.yaml log.jsonl",
        1,
        "log.jsonl:4: it is not JSON: it ends too early",
    ),
    ("no log at all", {}, "audit rule.yaml note.txt", 2, "how its lines are read by --parser"),
    (
        "a folder without logs",
        {"f/a.txt": "x"},
        "audit rule.yaml f",
        2,
        "has no log in it: name",
    ),
    (
        "other names of fields",
        {},
        "audit rule.yaml odd.jsonl",
        2,
        "choreomon look odd.jsonl -o mapping.yaml drafts one",
    ),
    (
        "a key of a mapping",
        {"m.yaml": MAPPING.replace("process", "proces")},
        "audit rule.yaml odd.jsonl --mapping m.yaml",
        2,
        "m.yaml:2: proces: is no key of this mapping; did you mean 'process'?",
    ),
    (
        "a field in a mapping",
        {"m.yaml": MAPPING.replace("svc", "service")},
        "audit rule.yaml odd.jsonl --mapping m.yaml",
        2,
        "it has no process: expected it at service",
    ),
    (
        "an expression in a mapping",
        {"m.yaml": MAPPING + "events:\n  - match: {name: '('}\n    kind: {constant: send}\n"},
        "audit rule.yaml odd.jsonl --mapping m.yaml",
        2,
        "m.yaml:6: events[0].match.name: is no regular expression: missing )",
    ),
    (
        "a kind in a mapping",
        {"m.yaml": MAPPING.replace("kind: kind", "kind: {constant: sned}")},
        "audit rule.yaml odd.jsonl --mapping m.yaml",
        2,
        "should be send, handle, local or ignored, not 'sned'",
    ),
    (
        "no mapping",
        {},
        "look odd.jsonl --mapping m.yaml",
        2,
        "m.yaml: cannot be read: there is no such",
    ),
    (
        "a format",
        {},
        "audit rule.yaml log.jsonl --format shivizz",
        2,
        "is not one of 'events', 'shiviz'",
    ),
    (
        "the wrong format",
        {},
        "audit rule.yaml log.jsonl --format otlp",
        2,
        "nothing in it was understood as otlp; at first: it is no span",
    ),
    (
        "an option",
        {},
        "audit rule.yaml log.jsonl --formta jsonl",
        2,
        "'--format'",
    ),
    ("a command", {}, "adit rule.yaml log.jsonl", 2, "No such command 'adit'. Did you mean audit?"),
    (
        "a process",
        {},
        "audit rule.yaml log.jsonl --incomplete shpo",
        2,
        "no label of a process 'shpo'; did you mean 'shop'?",
    ),
    (
        "a field of sessions",
        {},
        "audit rule.yaml log.jsonl --session-key ordr",
        1,
        "no event has the field 'ordr' (--session-key): all are judged as one session",
    ),
    (
        "two runs in one log",
        {"two.log": 'one\na {"a":1}\ntwo\na {"a":1}\n'},
        "audit rule.yaml two.log",
        2,
        "of several runs in one log say what tells them apart (--session-key, --delimiter)",
    ),
    (
        "a message twice",
        {"log.jsonl": LOG + json.dumps(LINES[0]) + "\n"},
        "audit rule.yaml log.jsonl",
        1,
        "the message 2 was received by nobody, and 1 more",
    ),
    (
        "a key of a property",
        {"rule.yaml": RULE.replace("steps", "step")},
        "audit rule.yaml log.jsonl",
        2,
        "step: is no key of this mapping; did you mean 'steps'?",
    ),
    (
        "a label",
        {"rule.yaml": RULE.replace("shop -> bank :", "shop bank :")},
        "audit rule.yaml log.jsonl",
        2,
        'should be a label "[handle] SENDER -> RECEIVER : NAME", not',
    ),
    (
        "an indent",
        {"rule.yaml": RULE + "   - x\n"},
        "audit rule.yaml log.jsonl",
        2,
        "rule.yaml:4: is not YAML",
    ),
    (
        "no property",
        {"rule.yaml": ""},
        "audit rule.yaml log.jsonl",
        2,
        "is empty: write a",
    ),
    (
        "nothing forbidden",
        {"rule.yaml": "application: {processes: [{id: A}]}\n"},
        "audit rule.yaml log.jsonl",
        2,
        "has no property: nothing is forbidden",
    ),
    (
        "a page in place of a log",
        {},
        "audit rule.yaml log.jsonl --report log.jsonl",
        2,
        "log.jsonl: is read, too: write another file",
    ),
    (
        "an arrow of a diagram",
        {
            "i.hif": "seq(shop -- order -> bank, bank -- paid > shop)\n",
            "t.htf": "[shop] shop!order",
        },
        "verify -i i.hif t.htf",
        2,
        "i.hif:1: expected `->` after `bank -- paid`, found '>'",
    ),
    (
        "a name in a multi-trace",
        {"t.htf": "[shop] shop!prder;\n[bank] bank?order"},
        "verify -i i.hif t.htf",
        1,
        "shop!prder should never happen, and does in 1 multi-trace; did you mean shop!order?",
    ),
    (
        "only a property",
        {},
        "simulate rule.yaml",
        2,
        "application: is missing: there is nothing to sim",
    ),
]


@pytest.mark.parametrize(
    ("files", "typed", "code", "told"),
    [each[1:] for each in MISTAKES],
    ids=[each[0] for each in MISTAKES],
)
def test_a_mistake_gets_an_answer_that_leads_on(
    files: dict[str, str], typed: str, code: int, told: str
) -> None:
    for name, text in {**FILES, **files}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    answer = choreomon(*typed.split())
    assert answer.code == code
    assert told in " ".join((answer.out + answer.err).split())
    assert "Traceback" not in answer.err


def test_there_are_thirty_of_them() -> None:
    assert len({each[0] for each in MISTAKES}) == len(MISTAKES) >= 30
