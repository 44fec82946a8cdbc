"""Random automata and random executions, for the laws.

`automata()` draws validated sequence automata: branching, shared and parallel labels,
sends and handles, forward cycles, transitions back, several initial and final states,
initial states with incoming transitions. `executions()` draws what processes may do with
the messages of such an automaton, and carries a happened-before relation that was made
without clocks, to hold clocks against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st

from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock, merge, tick, zero
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)

PROCESSES = ("P1", "P2", "P3", "P4")


@st.composite
def labels(draw: st.DrawFn, processes: Sequence[str], count: int) -> list[Label]:
    """`count` different labels over messages `m0`, `m1`, ...; sometimes the sending and
    the handling of one message are two of them."""
    found: list[Label] = []
    while len(found) < count:
        sender = draw(st.sampled_from(processes))
        receiver = draw(st.sampled_from([p for p in processes if p != sender]))
        message = Message(sender, f"m{len(found)}", receiver)
        kinds = draw(st.sampled_from([(SEND,), (SEND,), (HANDLE,), (SEND, HANDLE)]))
        found += [Label(kind, message) for kind in kinds]
    return found[:count]


@st.composite
def automata(
    draw: st.DrawFn,
    *,
    processes: Sequence[str] = PROCESSES[:3],
    states: tuple[int, int] = (3, 6),
    back: tuple[int, int] = (0, 4),
    label_count: tuple[int, int] = (2, 5),
) -> SequenceAutomaton:
    """An automaton over states `q0`, `q1`, ...: `back` of its pairs of states lead from a
    later to an earlier one, which makes them backward, or forward where Definition 4 says
    so; at most 2 labels lie between two states."""
    size = draw(st.integers(*states))
    pool = draw(labels(processes, draw(st.integers(*label_count))))
    some = st.lists(st.sampled_from(pool), min_size=1, max_size=2, unique=True)
    last = size - 1
    pairs = {(draw(st.integers(0, target - 1)), target) for target in range(1, size)}
    final = {last} | draw(st.sets(st.integers(1, last), max_size=1))
    for source in range(1, last):
        if source not in final and not any(s == source for s, _ in pairs):
            pairs.add((source, draw(st.integers(source + 1, last))))
    ahead = st.tuples(st.integers(0, last), st.integers(0, last)).filter(lambda p: p[0] < p[1])
    pairs |= draw(st.sets(ahead, max_size=2))
    reaches = {(state, state) for state in range(size)}
    for source, target in sorted(pairs, reverse=True):
        reaches |= {(source, end) for start, end in reaches if start == target}
    ways_back = sorted((v, u) for u, v in reaches if u != v)
    pairs |= draw(st.sets(st.sampled_from(ways_back), min_size=back[0], max_size=back[1]))
    initial = {0} | draw(st.sets(st.integers(0, last), max_size=1))
    return sequence_automaton(
        initial=[f"q{state}" for state in sorted(initial)],
        final=[f"q{state}" for state in sorted(final)],
        transitions=[
            StatedTransition(f"q{source}", label, f"q{target}")
            for source, target in sorted(pairs)
            for label in draw(some)
        ],
    )


@dataclass(frozen=True)
class Execution:
    """What processes did, in the order in which it really happened.

    `events` have their clocks, with one entry for each of `processes`. `arrows` leave out
    clocks: of every event the earlier events (by number) that reached its process directly,
    by a message of the application, by one between monitors, or as the event before it.
    """

    processes: tuple[str, ...]
    events: tuple[Event, ...]
    arrows: tuple[frozenset[int], ...]

    def labelled(self, automaton: SequenceAutomaton) -> list[Event]:
        """The events that the automaton mentions."""
        return [event for event in self.events if event.label in automaton.labels]

    @cached_property
    def past(self) -> tuple[frozenset[int], ...]:
        """Of every event all events that happened before it, by following arrows."""
        past: list[frozenset[int]] = []
        for direct in self.arrows:
            past.append(direct.union(*(past[number] for number in direct)))
        return tuple(past)


@st.composite
def executions(
    draw: st.DrawFn,
    automaton: SequenceAutomaton,
    *,
    processes: Sequence[str] = PROCESSES[:3],
    max_labelled: int = 7,
    max_steps: int = 24,
) -> Execution:
    """An execution with at most `max_labelled` events that the automaton mentions.

    Messages between two processes arrive in order and at any time after they were sent, or
    never; some are not labelled. Monitors send each other the clocks of their processes,
    which merges clocks without any event. `automaton` must mention no other processes.
    """
    index_of = {process: index for index, process in enumerate(processes)}
    messages = sorted({label.message for label in automaton.labels})
    clocks = [zero(len(processes)) for _ in processes]
    heard: list[frozenset[int]] = [frozenset() for _ in processes]  # by events or monitors
    in_flight: dict[tuple[str, str], list[tuple[Message, VectorClock, frozenset[int]]]] = {}
    telling: list[tuple[int, VectorClock, frozenset[int]]] = []
    events: list[Event] = []
    arrows: list[frozenset[int]] = []
    left = max_labelled

    def happen(label: Label, process: int) -> None:
        clocks[process] = tick(clocks[process], process)
        arrows.append(heard[process])
        heard[process] = frozenset({len(events)})
        events.append(Event(label, clocks[process]))

    for _ in range(draw(st.integers(0, max_steps))):
        what = draw(st.sampled_from(["send", "send", "send", "handle", "handle", "tell", "hear"]))
        if what == "send":
            message = draw(st.sampled_from(messages))
            if draw(st.integers(0, 4)) == 0:
                message = message._replace(name="other")
            label = Label(SEND, message)
            if message.sender != ENVIRONMENT and (left or label not in automaton.labels):
                left -= label in automaton.labels
                sender = index_of[message.sender]
                happen(label, sender)
                channel = in_flight.setdefault((message.sender, message.receiver), [])
                channel.append((message, clocks[sender], heard[sender]))
        elif what == "handle" and any(in_flight.values()):
            channel = draw(st.sampled_from([queue for queue in in_flight.values() if queue]))
            message, clock, known = channel[0]
            label = Label(HANDLE, message)
            if left or label not in automaton.labels:
                left -= label in automaton.labels
                del channel[0]
                receiver = index_of[message.receiver]
                clocks[receiver] = merge(clocks[receiver], clock)
                heard[receiver] |= known
                happen(label, receiver)
        elif what == "tell":
            process = draw(st.integers(0, len(processes) - 1))
            telling.append((process, clocks[process], heard[process]))
        elif what == "hear" and telling:
            teller, clock, known = telling.pop(draw(st.integers(0, len(telling) - 1)))
            others = [other for other in range(len(processes)) if other != teller]
            process = draw(st.sampled_from(others))
            clocks[process] = merge(clocks[process], clock)
            heard[process] |= known
    return Execution(tuple(processes), tuple(events), tuple(arrows))
