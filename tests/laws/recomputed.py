"""A run read from its two files alone, as somebody would who has nothing else.

Own reading, own arithmetic: nothing of what wrote or measured it is used here. Clocks are
dictionaries without zero entries, times whole microseconds.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Line = dict[str, Any]
Clock = dict[str, int]
CENTRE = "(central)"


class Contradiction(AssertionError):
    """The two files cannot be of one run."""


def lines(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


def microseconds(given: float) -> int:
    return round(given * 1000)


def demand(holds: bool, line: Line, why: str) -> None:
    if not holds:
        raise Contradiction(f"{why}: {line}")


@dataclass(frozen=True)
class Files:
    """`run-<seed>.jsonl` and `monitors-<seed>.jsonl`."""

    events: list[Line]
    monitors: list[Line]

    def those(self, what: str) -> list[Line]:
        return [line for line in self.monitors if line["what"] == what]


def latencies(files: Files) -> list[int]:
    """From each event about which something was said to what was said of it last."""
    last: dict[int, int] = {}
    for line in files.those("declared"):
        last[line["event_index"]] = microseconds(line["time"])
    return [at - microseconds(files.events[index]["time"]) for index, at in last.items()]


def summary(values: list[int]) -> dict[str, Fraction | None]:
    """The smallest value that so many do not exceed, found by counting."""
    if not values:
        return dict.fromkeys(("mean", "p50", "p99", "max"))

    def percentile(percent: int) -> Fraction:
        enough = (v for v in sorted(values) if sum(w <= v for w in values) * 100 >= percent * count)
        return Fraction(next(enough))

    count = len(values)
    return {
        "mean": Fraction(sum(values), count),
        "p50": percentile(50),
        "p99": percentile(99),
        "max": Fraction(max(values)),
    }


def last_verdicts(files: Files) -> dict[tuple[int, str], str]:
    """By event and rule (as JSON, `null` of a property without rules), where the last word is a
    verdict."""
    last = {
        (line["event_index"], json.dumps(line.get("rule"))): line["verdict"]
        for line in files.those("declared")
    }
    return {about: verdict for about, verdict in last.items() if verdict is not None}


@dataclass
class Knowledge:
    """The greatest clock that each process can have by now."""

    clocks: defaultdict[str, Clock] = field(default_factory=lambda: defaultdict(dict))
    channels: defaultdict[tuple[str, str], deque[Line]] = field(
        default_factory=lambda: defaultdict(deque)
    )

    def hear(self, process: str, clock: Clock) -> None:
        own = self.clocks[process]
        for name, entry in clock.items():
            own[name] = max(own.get(name, 0), entry)

    def happen(self, event: Line) -> Clock:
        """An event of the application: what its process can know right after it."""
        process, message = event["process"], event["message"]
        channel = self.channels[message["sender"], message["receiver"]]
        if event["event"] == "handle" and message["sender"] != "env":
            demand(bool(channel), event, "handled before it was sent")
            sent = channel.popleft()
            demand(sent["message"] == message, event, "handled out of order")
            self.hear(process, sent["clock"])
        self.clocks[process][process] = self.clocks[process].get(process, 0) + 1
        if event["event"] == "send":
            channel.append(event)
        return self.clocks[process]


def check_clocks(files: Files) -> int:
    """Every clock in either file is what its process can know, no more and no less, when messages
    are merged where the files say that they are taken. How many clocks were checked.

    Raises `Contradiction`.
    """
    knowledge, under_way, happened = Knowledge(), dict[int, Line](), 0

    def until(count: int) -> None:
        nonlocal happened
        for event in files.events[happened:count]:
            demand(event["clock"] == knowledge.happen(event), event, "not what it can know")
        happened = count

    before = 0
    for line in files.monitors:
        position, at = line["events"], microseconds(line["time"])
        demand(happened <= position <= len(files.events), line, "out of the order of events")
        until(position)
        demand(at >= before, line, "before the line above")
        demand(at >= microseconds(files.events[position - 1]["time"]), line, "before its event")
        if position < len(files.events):
            after = microseconds(files.events[position]["time"])
            demand(at <= after, line, "after an event that is not counted")
        before = at
        if line["what"] == "sent":
            known = knowledge.clocks[line["sender"]]
            demand(line["clock"] == known, line, "sent with what its sender cannot know")
            demand(microseconds(line["arrives"]) >= at, line, "there before it was sent")
            demand(line["number"] not in under_way, line, "a number that comes twice")
            under_way[line["number"]] = line
        elif line["what"] == "taken":
            message = under_way.pop(line["number"])
            demand(at >= microseconds(message["arrives"]), line, "taken before it was there")
            if message["receiver"] != CENTRE:
                knowledge.hear(message["receiver"], message["clock"])
    demand(not under_way, {"numbers": [*under_way]}, "never taken")
    until(len(files.events))
    return len(files.events) + len(files.those("sent"))


def check_ceilings(files: Files, *, at_once: bool) -> None:
    """No clock in either file knows more than what had reached its process, by times alone: of the
    lines of monitors only messages are looked at, and of these times of arrival. At one time events
    come first, in their order, then arrivals, then what is sent. `at_once`: nobody is ever busy,
    so an event knows all that had arrived.

    Raises `Contradiction`.
    """
    walk: list[tuple[int, int, int, Line]] = []
    for index, event in enumerate(files.events):
        walk.append((microseconds(event["time"]), 0, index, event))
    for line in files.those("sent"):
        if line["receiver"] != CENTRE:
            walk.append((microseconds(line["arrives"]), 1, line["number"], line))
        walk.append((microseconds(line["time"]), 2, line["number"], line))
    knowledge = Knowledge()
    for _, kind, _, line in sorted(walk, key=lambda each: each[:3]):
        if kind == 0:
            known = knowledge.happen(line)
            demand(not at_once or line["clock"] == known, line, "less than what arrived")
        elif kind == 1:
            knowledge.hear(line["receiver"], line["clock"])
            continue
        else:
            known = knowledge.clocks[line["sender"]]
        demand(
            all(entry <= known.get(name, 0) for name, entry in line["clock"].items()),
            line,
            "more than what arrived",
        )
