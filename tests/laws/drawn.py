"""Random properties and executions for the laws, drawn from one source of randomness.

Small on purpose: few labels on few processes, so that labels are shared by transitions,
transitions share references, and cancellations really happen.
"""

from __future__ import annotations

from random import Random

from choreomon.core.errors import PropertyError
from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from tests.laws.interleaving import Script

NOISE = "noise"


def processes(count: int) -> tuple[str, ...]:
    return tuple(f"P{number + 1}" for number in range(count))


def draw_label(random: Random, names: tuple[str, ...], number: int, handled: float) -> Label:
    sender, receiver = random.sample(names, 2)
    kind: EventKind = HANDLE if random.random() < handled else SEND
    return Label(kind, Message(sender, f"secret-{number}", receiver))


def draw_automaton(
    random: Random, names: tuple[str, ...], *, handled: float = 0.15
) -> SequenceAutomaton:
    """3 to 6 states, branching, 0 to 4 backward transitions, 2 to 7 labels, one to three
    initial states (with incoming transitions, where not the first), one or two final."""
    while True:
        size = random.randint(3, 6)
        labels = [
            draw_label(random, names, number, handled) for number in range(random.randint(2, 7))
        ]
        pairs = [(i, i + 1) for i in range(size - 1) if random.random() < 0.85]
        pairs += [(i, j) for i in range(size) for j in range(i + 1, size) if random.random() < 0.15]
        backward = [(j, i) for i in range(size) for j in range(i + 1, size)]
        pairs += random.sample(backward, random.randint(0, min(4, len(backward))))
        initial = {0} | {random.randrange(size - 1) for _ in range(random.choice((0, 0, 0, 1, 2)))}
        final = {size - 1} | {random.randrange(2, size) for _ in range(random.choice((0, 0, 1)))}
        transitions = [
            StatedTransition(f"q{i}", random.choice(labels), f"q{j}")
            for i, j in pairs
            for _ in range(random.choice((1, 1, 1, 2)))
        ]
        try:
            return sequence_automaton(
                initial=[f"q{i}" for i in sorted(initial)],
                final=[f"q{i}" for i in sorted(final)],
                transitions=transitions,
            )
        except PropertyError:
            continue


def draw_scripts(
    random: Random,
    automaton: SequenceAutomaton,
    names: tuple[str, ...],
    *,
    events: tuple[int, int] = (4, 14),
    noise: float = 0.2,
) -> tuple[Script, ...]:
    """What every process sends: labelled messages of its own, and some that no property
    speaks of and that carry clocks around."""
    mentioned = list(dict.fromkeys(label.message for label in automaton.labels))
    scripts: dict[str, list[Message]] = {name: [] for name in names}
    for _ in range(random.randint(*events)):
        if random.random() < noise:
            message = Message(random.choice(names), NOISE, random.choice(names))
        else:
            message = random.choice(mentioned)
        scripts[message.sender].append(message)
    return tuple(tuple(scripts[name]) for name in names)
