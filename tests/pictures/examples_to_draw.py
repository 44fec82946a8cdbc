"""Small automata and runs, and what a reader of a drawing sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import NamedTuple

from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.core.run import Run, RunEvent, RunFormation, RunReason, RunVerdict, Summary
from choreomon.pictures.shapes.drawing import Drawing, Group, Shape, Text, flattened, text_width
from choreomon.properties.automaton import (
    SelfLoop,
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.formula import Atom, Formula, Not


def label(text: str) -> Label:
    """`P1 -> P2 : m` or `handle P1 -> P2 : m`."""
    kind: EventKind = HANDLE if text.startswith("handle ") else SEND
    sender, rest = text.removeprefix("handle ").split(" -> ")
    receiver, name = rest.split(" : ")
    return Label(kind, Message(sender, name, receiver))


def automaton(
    initial: Sequence[str],
    final: Sequence[str],
    transitions: Iterable[tuple[str, str, str]],
    self_loops: Iterable[tuple[str, Formula]] = (),
) -> SequenceAutomaton:
    return sequence_automaton(
        initial=initial,
        final=final,
        transitions=[StatedTransition(u, label(on), v) for u, on, v in transitions],
        self_loops=[SelfLoop(state, formula) for state, formula in self_loops],
    )


SMART_HOME = automaton(
    ["q0"],
    ["q2"],
    [
        ("q0", "P1 -> P2 : turnOff", "q1"),
        ("q1", "P1 -> P3 : turnOn", "q2"),
        ("q1", "P2 -> P1 : resume", "q0"),
    ],
    [("q1", Not(Atom(label("P2 -> P1 : resume"))))],
)

FIGURE_4 = automaton(
    ["q0"],
    ["q4"],
    [
        ("q0", "P1 -> P3 : m1", "q1"),
        ("q1", "P2 -> P3 : m3", "q2"),
        ("q2", "P1 -> P3 : m7", "q4"),
        ("q0", "P3 -> P1 : m2", "q3"),
        ("q3", "P1 -> P3 : m4", "q4"),
        ("q2", "P2 -> P3 : m5", "q0"),
        ("q3", "P2 -> P3 : m5", "q0"),
        ("q2", "P3 -> P1 : m6", "q1"),
    ],
)

PROCESSES = ("P1", "P2", "P3")


def events(*script: str) -> tuple[RunEvent, ...]:
    """One event a word, 1 ms apart: `P1>P2:m` sends, `3!` handles what event 3 sent,
    `env>P1:m` is a message from the environment, handled."""
    made: list[RunEvent] = []
    for index, word in enumerate(script):
        if word.endswith("!"):
            sent = int(word[:-1])
            message = made[sent].message
            made.append(RunEvent(index, 1000 * index, HANDLE, message.receiver, message, (), sent))
            continue
        sender, rest = word.split(">", 1)
        receiver, name = rest.split(":", 1)
        message = Message(sender, name, receiver)
        kind: EventKind = HANDLE if sender == "env" else SEND
        process = receiver if sender == "env" else sender
        made.append(RunEvent(index, 1000 * index, kind, process, message, ()))
    return tuple(made)


EVENTS = events("env>P1:leave", "P1>P2:turnOff", "P1>P3:turnOn", "1!", "P2>P1:resume", "2!", "4!")

VIOLATED = RunVerdict(
    "violated",
    "P1",
    2,
    (("q1", "q2"),),
    "P1 -> P3 : turnOn",
    (RunReason(1, ("q0", "q1"), "pre", "Frm", "before", True),),
    2500,
)

POSSIBLY = RunVerdict(
    "possibly-violated",
    "P3",
    5,
    (("q1", "q2"),),
    "handle P1 -> P3 : turnOn",
    (
        RunReason(1, ("q0", "q1"), "pre", "Frm", "before", False),
        RunReason(4, ("q1", "q0"), "vio", "Frm", "concurrent", False, 1, ("q0", "q1")),
    ),
    9000,
)


def run(
    seed: int,
    *verdicts: RunVerdict,
    kept: tuple[RunEvent, ...] = EVENTS,
    formed: tuple[tuple[int, tuple[int, ...]], ...] | None = None,
    latency: float | None = 1500.0,
    messages: int = 4,
) -> Run:
    return Run(
        seed=seed,
        processes=PROCESSES,
        events=7,
        ended_at=6000,
        reached_max_events=False,
        monitoring_messages=messages,
        monitoring_bytes=10 * messages,
        latency=Summary(latency, latency, latency, latency),
        history_records=Summary(1.5, 1.0, 3.0, 3.0),
        verdicts=verdicts,
        kept_events=kept,
        formed=None if formed is None else tuple(starmap(RunFormation, formed)),
    )


class Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Area) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def texts(drawing: Drawing) -> list[Text]:
    return [shape for shape in flattened(drawing.shapes) if isinstance(shape, Text)]


def written(drawing: Drawing) -> list[str]:
    return [text.content for text in texts(drawing)]


def area_of(text: Text) -> Area:
    width = text_width(text.content, text.size, bold=text.bold)
    left = text.at.x - {"start": 0.0, "middle": width / 2, "end": width}[text.anchor]
    return Area(left, text.at.y - 0.75 * text.size, left + width, text.at.y + 0.2 * text.size)


def titled(drawing: Drawing, start: str) -> list[Group]:
    """The groups whose title starts so."""
    found: list[Group] = []

    def look(shapes: Iterable[Shape]) -> None:
        for shape in shapes:
            if isinstance(shape, Group):
                if shape.title.startswith(start):
                    found.append(shape)
                look(shape.shapes)

    look(drawing.shapes)
    return found
