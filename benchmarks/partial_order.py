"""How long the exact evaluation over a partial order takes at its stated bound.

40 labelled events on 5 processes that never communicate, against an automaton of 4 states
with 2 cancellations: 9**5 consistent cuts, every one of which must be looked at. The
bound is 2 seconds. Prints a line for each assignment of labels to processes.

    python -m benchmarks.partial_order
"""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.partial_order import Formed, evaluate

PROCESSES = ("P1", "P2", "P3", "P4", "P5")
EVENTS_EACH = 8
TRIPLES = [
    ("q0", "a", "q1"),
    ("q1", "b", "q2"),
    ("q2", "c", "q3"),
    ("q1", "v", "q0"),
    ("q2", "w", "q1"),
]
EVERY_PROCESS = {
    "one label each": {process: [name] for process, name in zip(PROCESSES, "abcvw", strict=True)},
    "all labels everywhere": {process: [*"abcvw"] for process in PROCESSES},
}


def evaluated(labels: Mapping[str, list[str]]) -> tuple[float, list[Formed]]:
    """The time it takes, in seconds, and the answers; `labels` are sent in turns."""
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition(source, label(process, name), target)
            for source, name, target in TRIPLES
            for process, names in labels.items()
            if name in names
        ],
    )
    events = [
        Event(
            label(process, names[(count + own) % len(names)]),
            tuple(count + 1 if other == own else 0 for other in range(len(PROCESSES))),
        )
        for own, (process, names) in enumerate(labels.items())
        for count in range(EVENTS_EACH)
    ]
    started = time.perf_counter()
    answers = evaluate(automaton, PROCESSES, events)
    return time.perf_counter() - started, answers


def label(process: str, name: str) -> Label:
    return Label(SEND, Message(process, name, "P0"))


def main() -> None:
    print(f"Python {platform.python_version()}, {platform.machine()}")
    for title, labels in EVERY_PROCESS.items():
        runs = [evaluated(labels) for _ in range(3)]
        best = min(taken for taken, _ in runs)
        doubtful = runs[0][1].count(Formed.SOMETIMES)
        print(
            f"{title}: {len(runs[0][1])} events, {(EVENTS_EACH + 1) ** len(PROCESSES)} cuts, "
            f"{doubtful} in doubt: {best:.2f} s (best of {len(runs)})"
        )


if __name__ == "__main__":
    main()
