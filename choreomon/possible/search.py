"""Search for what a property forbids among the runs that a protocol allows: breadth first, over the
states of the protocol together with the live transitions of the property. Forming happens at an
event, whatever follows; so beginnings of runs are enough, and since each of them goes on to an end
that the protocol accepts, they are beginnings of what it allows. `possible_slowly` is the
definition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, TypeVar

from choreomon.core.message import BEGIN, Label
from choreomon.possible.protocol import Events, Protocol, S
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import LiveSet, begun, live_stepper
from choreomon.properties.parts import restricted
from choreomon.properties.reference import formations
from choreomon.properties.sequences import chains

MAX_STATES: Final = 20_000

Answer: TypeAlias = Literal["impossible", "possible", "unknown"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Possibility:
    """An answer, after visiting `states`: each a state of the protocol with the transitions that
    are live in it.

    - "impossible": all of them were, and no event forms the property;
    - "possible": the last event of `run` forms it, and no run of fewer actions does;
    - "unknown": there are more, and of those visited none forms it at its next event.
    """

    answer: Answer
    states: int
    run: tuple[Label, ...] = ()


def each_sequence(automaton: SequenceAutomaton) -> list[SequenceAutomaton]:
    """The property of each rule or sequence by itself; of what was written as an automaton, the
    automaton alone."""
    if automaton.rules:
        return [restricted(automaton, states) for _, states in automaton.rules]
    if not automaton.sequences:
        return [automaton]
    return [restricted(automaton, states) for states in chains(automaton.sequences)]


def possibility(
    automaton: SequenceAutomaton, protocol: Protocol[S], *, max_states: int = MAX_STATES
) -> Possibility:
    """Answer whether a run of the protocol forms the property. At most `max_states` states of it
    are visited, each with all that may happen next, and at most as many of its loosened form: if
    that cannot form the property, the protocol cannot."""
    if not _has_way(automaton, protocol.labels):
        return Possibility("impossible", 0)
    looked_at = 0
    if (loose := protocol.loosened(automaton.labels)) is not None:
        found = _search(automaton, loose, max_states)
        if found.answer == "impossible":
            return found
        looked_at = found.states
    found = _search(automaton, protocol, max_states)
    return replace(found, states=looked_at + found.states)


def formed_by_every_run(
    automaton: SequenceAutomaton, protocol: Protocol[S], *, max_states: int = MAX_STATES
) -> bool:
    """Return whether each run of the protocol that comes to an end has formed the property by then,
    and there is such a run. False, too, if that is not known after `max_states` states, each a
    state of the protocol with the transitions that are live in it."""
    step = live_stepper(automaton)
    watched = frozenset(automaton.labels)
    nodes = dict.fromkeys((first, begun(automaton), False) for first in protocol.initial())
    pending = [*nodes]
    ended = False
    while pending:  # in depth, since most often some run does without, and comes to an end
        state, before, formed_before = pending.pop()
        if protocol.may_end(state):
            if not formed_before:
                return False
            ended = True
        for events, following in protocol.steps(state):
            live, formed = before, formed_before
            for label in events:
                if not formed and label in watched:
                    live, at_this_event = step(label, live)
                    formed = bool(at_this_event)
            reached = (following, begun(automaton) if formed else live, formed)
            if reached not in nodes:
                if len(nodes) == max_states:
                    return False
                nodes[reached] = None
                pending.append(reached)
    return ended


def _has_way(automaton: SequenceAutomaton, labels: Collection[Label]) -> bool:
    """Return whether steps with these labels lead from an initial state to a final one."""
    reached = {*automaton.initial}
    ends = False
    pending = [*automaton.initial]
    while pending:
        state = pending.pop()
        for t in automaton.forward:
            if t.source == state and (t.label in labels or t.label == BEGIN):
                ends = ends or t.target in automaton.final
                if t.target not in reached:
                    reached.add(t.target)
                    pending.append(t.target)
    return ends


def _search(automaton: SequenceAutomaton, protocol: Protocol[S], max_states: int) -> Possibility:
    step = live_stepper(automaton)
    watched = frozenset(automaton.labels)
    came: dict[tuple[S, LiveSet], tuple[tuple[S, LiveSet], Events] | None] = {}
    for first in protocol.initial():
        came[first, begun(automaton)] = None
    left_out = len(came) > max_states
    nodes = [*came][:max_states]
    for node in nodes:  # which grows meanwhile
        state, before = node
        for events, following in protocol.steps(state):
            live = before
            for number, label in enumerate(events, 1):
                if label not in watched:
                    continue
                live, formed = step(label, live)
                if formed:
                    run = (*_run(came, node), *events[:number])
                    return Possibility("possible", len(nodes), run)
            reached = (following, live)
            if reached in came:
                continue
            if len(nodes) == max_states:
                left_out = True
                continue
            came[reached] = (node, events)
            nodes.append(reached)
    return Possibility("unknown" if left_out else "impossible", len(nodes))


def _run(came: dict[T, tuple[T, Events] | None], node: T) -> tuple[Label, ...]:
    parts: list[Events] = []
    while (step := came[node]) is not None:
        node, events = step
        parts.append(events)
    return tuple(label for events in reversed(parts) for label in events)


def possible_slowly(
    automaton: SequenceAutomaton, protocol: Protocol[S], actions: int
) -> int | None:
    """The number of actions of a shortest run that forms the property, of those of at most this
    many actions: each run is evaluated by itself. Exponential; for tests."""
    found = [length for length, run in _runs(protocol, actions) if formations(automaton, run)]
    return min(found, default=None)


def _runs(protocol: Protocol[S], actions: int) -> Iterator[tuple[int, tuple[Label, ...]]]:
    pending: list[tuple[int, tuple[Label, ...], S]] = [(0, (), s) for s in protocol.initial()]
    while pending:
        length, run, state = pending.pop()
        yield length, run
        if length < actions:
            for events, following in protocol.steps(state):
                pending += [(length + 1, (*run, *events), following)]
