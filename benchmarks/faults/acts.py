"""What a service did, as it wrote it down: one line a step, before or after which it may die.

    began    it is about to send or handle a message that the property mentions, with these values
    number   its report has this number in this session, and may reach the agent from now on
    left     it went on: the message leaves, or was taken. `how`: `told`, the agent has answered;
             `kept`, it is to be told later; `lost`, it never will be
    failed   it did not go on: the message does not leave

Lines are written by one system call each, so that they are whole, and there after `kill -9`.
Times are monotonic, in microseconds.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic_ns
from typing import Final, Literal, TypeAlias

from choreomon.core.binding import Values
from choreomon.core.message import SEND, EventKind, Label, Message

How: TypeAlias = Literal["told", "kept", "lost"]

TAIL: Final = 2000
"""Bytes at the end of what was written, in which the events of the last moment are."""


def now() -> int:
    """Monotonic microseconds; the same clock as that of the agents on this machine."""
    return monotonic_ns() // 1000


class ActLog:
    """The writing side."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def write(self, *fields: object) -> None:
        os.write(self._file, f"{json.dumps([*fields, now()])}\n".encode("ascii"))


@dataclass(slots=True)
class Act:
    """`life`: in which life of the service, from 0. `session` and `number`: of its report, where
    one was made. `left` is `None` where it did not happen as far as the service knows."""

    process: str
    life: int
    label: Label
    began: int
    session: str = ""
    number: int = 0
    left: int | None = None
    how: How | None = None
    clock: str = ""
    failed: bool = False
    values: Values = field(default_factory=dict)
    ended: int | None = None
    """When the service went on or gave up."""
    place: int = 0
    """Among all lines of the service; the order in which it went on."""


@dataclass(slots=True)
class Acts:
    """Of one service, through all its lives, in the order in which they began. `begun`: how many
    messages of the script were begun. `lives`: how often it was started. `finished`: in its last
    life it came to the end of its script."""

    acts: list[Act]
    begun: int
    lives: int
    finished: bool


def read_acts(path: Path, process: str) -> Acts:
    """All that was written."""
    found = Acts([], 0, 0, False)
    now: dict[int, Act] = {}
    text = path.read_text(encoding="ascii") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]  # the service may be writing now
    for place, line in enumerate(whole.splitlines()):
        what, *rest, at = json.loads(line)
        match what:
            case "started":
                found.lives += 1
                found.finished = False
                now = {}
            case "message":
                found.begun += 1
            case "finished":
                found.finished = True
            case "began":
                which, kind, peer, name, values = rest
                label = label_of(process, kind, peer, name)
                now[which] = act = Act(process, found.lives - 1, label, at, values=values)
                found.acts.append(act)
            case "number":
                which, session, number = rest
                now[which].session, now[which].number = session, number
            case "left":
                which, how, clock = rest
                act = now[which]
                act.left, act.how, act.clock, act.ended, act.place = at, how, clock, at, place
            case "failed":
                act = now[rest[0]]
                act.failed, act.ended = True, at
    return found


def is_waiting(path: Path) -> bool:
    """Whether one of the last events of a service waits for its answer now."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        lines = file.read().split(b"\n")[1:-1]
    waiting = set[int]()
    for what, *rest in map(json.loads, lines):
        if what == "began":
            waiting.add(rest[0])
        elif what in ("left", "failed"):
            waiting.discard(rest[0])
    return bool(waiting)


def label_of(process: str, kind: EventKind, peer: str, name: str) -> Label:
    if kind == SEND:
        return Label(SEND, Message(process, name, peer))
    return Label(kind, Message(peer, name, process))
