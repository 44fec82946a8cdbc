"""The properties and mappings of `examples/shiviz`, and what the five logs say about them: beside a
slow computation that reads the logs by hand and walks all orders that their clocks allow."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from choreomon.core.recorded import RecordedEvent
from choreomon.logs.mappings.mapping_document import load_mapping
from choreomon.logs.readers.reading import read_recorded
from tests.cli.command_line import choreomon
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

LOGS = ROOT / "tests" / "data" / "shiviz"
EXAMPLES = ROOT / "examples" / "shiviz"
DELIMITER = "^=== (?<trace>.*) ===$"

ADDRESSES = {
    "24.22.130.14": "alice",
    "216.239.51.99": "loadBalancer",
    "69.63.191.255": "eastDC",
    "204.15.23.252": "westDC",
}
PINNED = {
    "simpledb": ("simpledb", {"send": 112, "handle": 112, "local": 285}),
    "facebook": ("facebook", {"send": 24, "handle": 23}),
    "facebook-multiple": ("facebook", {"send": 45, "handle": 43}),
    "reliable-broadcast": ("broadcast", {"send": 58, "handle": 54, "local": 4}),
    "simple-reliable-broadcast": ("broadcast", {"send": 19, "handle": 17, "local": 3}),
}
"""The mapping of each log, and how many of its events are what; local ones have no message."""

VIOLATED = {
    ("simpledb", "no-tuples-after-the-result"): {325: "violated"},
    ("facebook", "read-your-writes"): {92: "violated"},
    ("facebook-multiple", "one-status"): {37: "violated"},
    ("facebook-multiple", "read-your-writes"): {93: "violated", 181: "violated"},
    ("reliable-broadcast", "acknowledged-once-delivered"): dict.fromkeys(
        (22, 23, 24, 34, 37, 52), "violated"
    ),
    ("simple-reliable-broadcast", "sender-delivers-first"): {23: "violated"},
}
"""Lines at which a property is violated."""

KEPT = [
    ("simpledb", "no-tuples-after-shutdown"),
    ("facebook", "one-sync-at-a-time"),
    ("facebook-multiple", "one-sync-at-a-time"),
    ("facebook-multiple", "nothing-after-an-error"),
    ("reliable-broadcast", "nothing-for-suspects"),
    ("simple-reliable-broadcast", "delivered-once"),
]


def options(log: str) -> list[str]:
    mapping = EXAMPLES / f"{PINNED[log][0]}-mapping.yaml"
    delimiter = ["--delimiter", DELIMITER] if log == "facebook-multiple" else []
    return ["--mapping", str(mapping), *delimiter]


def audited(log: str, property_name: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what `--json` prints."""
    files = [EXAMPLES / f"{property_name}.yaml", LOGS / f"{log}.log"]
    answer = choreomon("audit", *files, *options(log), "--json")
    return answer.code, json.loads(answer.out)


def audited_run_by_run(log: str, property_name: str, folder: Path) -> dict[int, str]:
    """The verdicts about events, by their lines; each run in a file of its own, where all others
    are empty lines."""
    lines = (LOGS / f"{log}.log").read_text(encoding="utf-8").split("\n")
    begins = [number for number, line in enumerate(lines) if line.startswith("=== ")]
    verdicts: dict[int, str] = {}
    for first, end in pairwise([*(begins or [-1]), len(lines)]):
        path = folder / "run.log"
        path.write_text("\n" * (first + 1) + "\n".join(lines[first + 1 : end]), encoding="utf-8")
        mapping = EXAMPLES / f"{PINNED[log][0]}-mapping.yaml"
        property_file = EXAMPLES / f"{property_name}.yaml"
        answer = choreomon("audit", property_file, path, "--mapping", mapping, "--json")
        found = json.loads(answer.out)
        assert found["gaps"] == []
        verdicts |= {one["place"]["line"]: one["verdict"] for one in found["verdicts"]}
    return verdicts


# ---------------------------------------------------------------- by hand


class Event(NamedTuple):
    """An event as the text has it; `line` is its first."""

    line: int
    run: str
    host: str
    clock: dict[str, int]
    text: str

    def known_to(self, other: Event) -> bool:
        """Whether it happened before the other."""
        return self != other and other.clock.get(self.host, 0) >= self.clock[self.host]


def by_hand(log: str) -> list[Event]:
    """Every event, found by the braces of its clock."""
    lines = (LOGS / f"{log}.log").read_text(encoding="utf-8").split("\n")
    found = []
    run = ""
    for number, line in enumerate(lines, start=1):
        if line.startswith("=== "):
            run = line.strip("= ")
        before, brace, rest = line.partition("{")
        if not brace:
            continue
        clock, _, after = rest.partition("}")
        host = re.split(r"[ /]", before.strip(" ]"))[-1]
        read = json.loads("{" + clock + "}")
        if log.endswith("broadcast"):
            found.append(Event(number, run, host, read, after.strip()))
        else:
            found.append(Event(number - 1, run, host, read, lines[number - 2].strip()))
    return found


def broadcast_label(event: Event) -> str | None:
    words = event.text.split(" ")
    message = re.sub(r"DataMessage\((\d+),Message\d+\)", r"\1", event.text)
    name = message.split(" ")[1].replace("(", ".").replace(")", "") if len(words) > 1 else ""
    host = event.host
    if event.text.startswith("Sending "):
        return f"{host} -> {words[-1]} : {name}"
    if event.text.startswith("Received "):
        return f"handle {words[-1]} -> {host} : {name}"
    if event.text.startswith("Initiating "):
        return f"handle application -> {host} : broadcast.{message.split('(')[1].strip(')')}"
    if event.text.startswith("RBDeliver "):
        return f"{host} -> application : deliver.{message.split(' ')[3]}"
    if event.text.startswith("Suspected "):
        return f"handle detector -> {host} : crash.{words[-1]}"
    return None


def facebook_label(event: Event) -> str | None:
    _address, _date, _time, _half, action, *words = event.text.split(" ")
    host = event.host
    other = ADDRESSES[words[-1].split("=")[-1]] if "=" in words[-1] and host != "alice" else ""
    if host == "alice" and action != "INFO":
        what = "timeline" if action == "GET" else words[0].split("=")[0]
        return f"alice -> loadBalancer : {what}"
    if host == "alice":
        what = "page" if words[0] == "Timeline" else "confirmed"
        return f"handle {ADDRESSES[words[-1].removeprefix('src=')]} -> alice : {what}"
    if host == "loadBalancer" and action != "INFO":
        return f"{host} -> {other} : {'timeline' if action == 'GET' else 'status'}"
    asked = {"Request": "timeline", "New": "status"}.get(words[0])
    if asked:
        sender = "alice" if host == "loadBalancer" else "loadBalancer"
        return f"handle {sender} -> {host} : {asked}"
    begins = " ".join(words[:2])
    sent = {
        "Initiating sync": "sync",
        "Sending confirmation": "synced",
        "Sending page": "page",
        "Send confirmation": "confirmed",
    }
    if begins in sent:
        return f"{host} -> {other} : {sent[begins]}"
    return f"handle {other} -> {host} : {'sync' if begins == 'Received sync' else 'synced'}"


def simpledb_label(event: Event) -> str | None:
    host = event.host
    port = event.text.split("localhost")[-1].split(":")[-1].split(" ")[0]
    begins = " ".join(event.text.split(" ")[:2])
    named = {
        "Query received": "handle 24464 -> {host} : plan",
        "Ack query": "{host} -> 24464 : planned",
        "Broadcasting message": "{host} -> ? : start",
        "Start received": "handle 24464 -> {host} : start",
        "In shuffle": "{host} -> {port} : tuples",
        "TupleBag received": "handle {source} -> {host} : tuples",
        "In CollectProducer,": "{host} -> {port} : result",
        "Shuting down": "{host} -> {port} : shutdown",
        "Shut down": "handle 24464 -> {host} : shutdown",
    }
    source = event.text.partition("localhost:")[2][:5]
    if event.text.startswith("Query received by worker"):
        return f"handle ? -> {host} : planned"
    return named[begins].format(host=host, port=port, source=source) if begins in named else None


LABEL: dict[str, Callable[[Event], str | None]] = {
    "broadcast": broadcast_label,
    "facebook": facebook_label,
    "simpledb": simpledb_label,
}


class Forbidden(NamedTuple):
    """A forbidden sequence, and where a message takes it back to the beginning."""

    steps: tuple[str, ...]
    cancels: frozenset[str]

    def after(self, done: int, label: str) -> tuple[int, bool]:
        """How many steps are done after a label, and whether it forms the sequence; the last step
        is never done, so that it may form it again."""
        if label in self.cancels and done:
            return 0, False
        if label != self.steps[done]:
            return done, False
        return (done, True) if done == len(self.steps) - 1 else (done + 1, False)


def sequences_of(property_name: str) -> list[Forbidden]:
    """The sequences of two steps that the rules stand for, written out."""
    text = (EXAMPLES / f"{property_name}.yaml").read_text(encoding="utf-8")
    found = []
    for rule in yaml.load(text, yaml.BaseLoader)["rules"]:
        [(variable, values)] = rule.get("where", {"": [""]}).items()
        for value in values:
            one = {key: rule[key] for key in ("never", "after", "before", "until") if key in rule}
            one |= dict(zip(("after", "never"), rule.get("steps", ()), strict=False))
            labels = {
                key: written_out(each.replace(f"${variable}", value)) for key, each in one.items()
            }
            first, last = ("never", "before") if "before" in labels else ("after", "never")
            cancels = frozenset(labels.get("until", ()))
            found += [Forbidden(each, cancels) for each in product(labels[first], labels[last])]
    return found


def written_out(pattern: str) -> list[str]:
    """The labels of a pattern with one set at most."""
    before, opened, rest = pattern.partition("{")
    inside, _, behind = rest.partition("}")
    return (
        [f"{before}{each.strip()}{behind}" for each in inside.split(",")] if opened else [pattern]
    )


def outcomes(
    events: Sequence[tuple[Event, str]], sequences: Sequence[Forbidden]
) -> dict[int, set[bool]]:
    """For each event that is the last step of these sequences whether it forms one of them, in all
    orders that the clocks allow: event by event, from every place that can be reached."""
    last = {sequence.steps[-1] for sequence in sequences}
    found: dict[int, set[bool]] = {event.line: set() for event, label in events if label in last}
    before = {
        place: {other for other, (one, _) in enumerate(events) if one.known_to(event)}
        for place, (event, _) in enumerate(events)
    }
    start = (frozenset[int](), (0,) * len(sequences))
    todo, seen = [start], {start}
    while todo:
        happened, progress = todo.pop()
        for place, (event, label) in enumerate(events):
            if place in happened or not before[place] <= happened:
                continue
            steps = [
                sequence.after(done, label)
                for sequence, done in zip(sequences, progress, strict=True)
            ]
            if event.line in found:
                found[event.line].add(any(formed for _, formed in steps))
            following = (happened | {place}, tuple(done for done, _ in steps))
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return found


def verdicts_by_hand(log: str, property_name: str) -> tuple[dict[int, str], int]:
    """The lines at which something is formed, and in how many runs something is, in every order."""
    label = LABEL[PINNED[log][0]]
    verdicts: dict[int, str] = {}
    violated = set()
    for run, group in groupby(by_hand(log), key=lambda event: event.run):
        events = [(event, text) for event in group if (text := label(event))]
        sequences = sequences_of(property_name)
        for last in {sequence.steps[-1] for sequence in sequences}:
            own = [sequence for sequence in sequences if sequence.steps[-1] == last]
            matter = {each for one in own for each in (*one.steps, *one.cancels)}
            found = outcomes([one for one in events if one[1] in matter], own)
            for line, formed in found.items():
                if formed == {True}:
                    verdicts[line] = "violated"
                    violated.add(run)
                elif True in formed:
                    verdicts[line] = "possibly-violated"
    return verdicts, len(violated)


# ---------------------------------------------------------------- both


@pytest.mark.parametrize("log", PINNED)
def test_the_mapping_says_of_every_line_what_reading_by_hand_says(log: str) -> None:
    mapping = load_mapping(EXAMPLES / f"{PINNED[log][0]}-mapping.yaml")
    delimiter = DELIMITER if log == "facebook-multiple" else None
    found = read_recorded(LOGS / f"{log}.log", mapping=mapping, delimiter=delimiter)
    mapped = [event for event in found if isinstance(event, RecordedEvent)]
    hands = by_hand(log)
    label = LABEL[PINNED[log][0]]
    said = []
    for event in mapped:
        process, peer = event.process, event.peer or "?"
        texts = {
            "send": f"{process} -> {peer} : {event.name}",
            "handle": f"handle {peer} -> {process} : {event.name}",
            "local": None,
        }
        said.append(texts[event.kind])
    assert said == [label(event) for event in hands]
    assert [event.clock for event in mapped] == [event.clock for event in hands]
    assert {event.number for event in mapped} == {event.message_id for event in mapped} == {None}
    assert Counter(event.kind for event in mapped) == PINNED[log][1]


@pytest.mark.parametrize(("log", "property_name"), VIOLATED)
def test_a_log_violates_a_property_where_every_order_does(
    log: str, property_name: str, tmp_path: Path
) -> None:
    verdicts = audited_run_by_run(log, property_name, tmp_path)
    by_all_orders, runs = verdicts_by_hand(log, property_name)
    assert verdicts == by_all_orders == VIOLATED[log, property_name]
    code, found = audited(log, property_name)
    assert (code, found["overall"]["verdict"], found["gaps"]) == (1, "violated", [])
    if log == "facebook-multiple":
        assert found["sessions"]["verdicts"]["violated"] == runs
        assert sum(kind["verdicts"] for kind in found["kinds"]) == len(verdicts)
    else:
        assert len(found["verdicts"]) == len(verdicts)


@pytest.mark.parametrize(("log", "property_name"), KEPT)
def test_a_log_keeps_a_property_where_no_order_forms_it(
    log: str, property_name: str, tmp_path: Path
) -> None:
    assert verdicts_by_hand(log, property_name) == ({}, 0)
    assert audited_run_by_run(log, property_name, tmp_path) == {}
    code, found = audited(log, property_name)
    assert (code, found["overall"]["verdict"], found["gaps"]) == (0, None, [])
    assert found["labelled"] > 0


def test_runs_are_not_taken_for_one() -> None:
    files = [EXAMPLES / "nothing-after-an-error.yaml", LOGS / "facebook-multiple.log"]
    answer = choreomon("audit", *files, "--mapping", EXAMPLES / "facebook-mapping.yaml")
    assert answer.code == 2
    assert "facebook-multiple.log:102" in answer.err
    assert "is number 1 of alice, after number 11" in answer.err


def test_every_file_of_the_examples_is_tried() -> None:
    names = {name for _, name in [*VIOLATED, *KEPT]} | {f"{one}-mapping" for one in LABEL}
    names.add("exported-mapping")  # in tests/cli/test_export_log.py
    assert {Path(path).stem for path in EXAMPLES.glob("*.yaml")} == names


def test_the_page_says_which_log_violates_what() -> None:
    page = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
    found = []
    for log, mapping, violates, keeps in table_under(page, "Real systems, with properties"):
        name = log.split("`")[1]
        assert mapping == f"`{PINNED[name][0]}-mapping`"
        found += [(name, each, True) for each in re.findall(r"`(.+?)`", violates)]
        found += [(name, each, False) for each in re.findall(r"`(.+?)`", keeps)]
    tried = [(*each, True) for each in VIOLATED] + [(*each, False) for each in KEPT]
    assert sorted(found) == sorted(tried)
