"""Random properties and executions for the laws, drawn from one source of randomness.

Small on purpose: few labels on few processes, so that labels are shared by transitions,
transitions share references, and cancellations really happen.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from choreomon.core.errors import PropertyError
from choreomon.core.message import BEGIN, HANDLE, SEND, EventKind, Label, Message
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


FIRST: Final = Label(SEND, Message("first", "first", "first"))
"""The first event of a run, of a process of its own, of which all know before they do anything:
`BEGIN` as an event."""


class Dense(NamedTuple):
    """Automata of few labels on many transitions, in which steps share labels with each other and
    with cancellations. Pairs of numbers are the least and the most. `following`, `farther`: how
    likely each label leads from a state to the next one, or to one behind it. `initial`, `final`:
    how many more such states there may be. `begin`: `FIRST` or `BEGIN`, by which alone anything
    starts, and something ends what it began."""

    states: tuple[int, int] = (3, 5)
    labels: tuple[int, int] = (2, 3)
    following: float = 0.55
    farther: float = 0.2
    backward: tuple[int, int] = (1, 4)
    handled: float = 0.1
    initial: int = 0
    final: int = 0
    begin: Label | None = None


def draw_dense_automaton(random: Random, names: tuple[str, ...], dense: Dense) -> SequenceAutomaton:
    """The processes are `names`, and `FIRST`'s."""
    while True:
        size = random.randint(*dense.states)
        labels = [
            draw_label(random, names, number, dense.handled)
            for number in range(random.randint(*dense.labels))
        ]
        pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
        stated = [
            StatedTransition(f"q{i}", label, f"q{j}")
            for i, j in pairs
            for label in labels
            if random.random() < (dense.following if j == i + 1 else dense.farther)
        ]
        least, most = dense.backward
        for i, j in random.sample(pairs, min(len(pairs), random.randint(least, most))):
            stated += [
                StatedTransition(f"q{j}", label, f"q{i}")
                for label in random.sample(labels, random.choice((1, 1, 2)))
            ]
        initial = {
            0,
            *(random.randrange(size - 1) for _ in range(random.randint(0, dense.initial))),
        }
        final = {
            size - 1,
            *(random.randrange(1, size) for _ in range(random.randint(0, dense.final))),
        }
        starts = [f"q{i}" for i in sorted(initial)]
        if dense.begin is not None:
            stated += [StatedTransition("begin", dense.begin, start) for start in starts]
            stated.append(StatedTransition(starts[0], random.choice(labels), "begin"))
            starts = ["begin"]
        try:
            return sequence_automaton(
                initial=starts, final=[f"q{i}" for i in sorted(final)], transitions=stated
            )
        except PropertyError:
            continue


def draw_begun(random: Random, names: tuple[str, ...]) -> SequenceAutomaton:
    """An automaton with `BEGIN` before some of its starts, or all of them; often with something
    that takes it back, and perhaps with something that gives it again."""
    while True:
        automaton = draw_automaton(random, names)
        starts = [q for q in automaton.initial if random.random() < 0.8] or [*automaton.initial]
        stated = [StatedTransition(*t) for t in (*automaton.forward, *automaton.backward)]
        for start in starts:
            stated.append(StatedTransition("begin", BEGIN, start))
            if random.random() < 0.7:
                stated.append(StatedTransition(start, random.choice(automaton.labels), "begin"))
            if random.random() < 0.2:
                stated.append(StatedTransition("begin", random.choice(automaton.labels), start))
        others = [q for q in automaton.initial if q not in starts]
        try:
            return sequence_automaton(
                initial=["begin", *others], final=[*automaton.final], transitions=stated
            )
        except PropertyError:
            continue


def with_first(automaton: SequenceAutomaton) -> SequenceAutomaton:
    """The automaton with `FIRST` instead of `BEGIN`, so that it is an event."""
    return sequence_automaton(
        initial=automaton.initial,
        final=automaton.final,
        transitions=[
            StatedTransition(t.source, FIRST if t.label == BEGIN else t.label, t.target)
            for t in (*automaton.forward, *automaton.backward)
        ],
    )


def draw_changed(
    random: Random, automaton: SequenceAutomaton, names: tuple[str, ...]
) -> SequenceAutomaton:
    """The next version of a property: with a transition more, or less, one at another label, or one
    behind its end."""
    stated = [
        StatedTransition(each.source, each.label, each.target)
        for each in (*automaton.forward, *automaton.backward)
    ]
    for _ in range(100):
        others, place = [*stated], random.randrange(len(stated))
        source, label, target = others[place][:3]
        kind = random.choice(("label", "less", "more", "longer"))
        if kind == "label":
            others[place] = StatedTransition(source, draw_label(random, names, 7, 0.1), target)
        elif kind == "less" and len(others) > 2:
            del others[place]
        elif kind == "more":
            one, other = random.sample(sorted(automaton.states), 2)
            others.append(StatedTransition(one, label, other))
        else:
            last = draw_label(random, names, 8, 0.1)
            others.append(StatedTransition(random.choice(sorted(automaton.final)), last, "extra"))
        try:
            return sequence_automaton(
                initial=list(automaton.initial), final=list(automaton.final), transitions=others
            )
        except PropertyError:
            continue
    return automaton


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
