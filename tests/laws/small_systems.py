"""All small systems, modulo renaming: automata, and what each process sends.

An automaton has states 0 (initial) to the last (final), and each label belongs to a process. Of
those that differ only in the names of the states between, of labels of one process, or of
processes, one is taken: that whose transitions come first. Each process sends at least one message.
Scripts with which no order of the messages forms the property are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.errors import PropertyError
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.partial_order import live_stepper
from tests.laws.interleaving import Script

NAMES: Final = ("A", "B", "C")

Edge: TypeAlias = tuple[int, int, int]
"""From a state, by a label, to another state."""


class Scope(NamedTuple):
    """`owners`: the process of each label, as in "AAB"; as many states, transitions and events."""

    owners: str
    states: int
    transitions: int
    events: int

    @property
    def processes(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.owners)))

    @property
    def labels(self) -> tuple[Label, ...]:
        names = self.processes
        return tuple(
            Label(SEND, Message(owner, f"m{number}", names[names.index(owner) - 1]))
            for number, owner in enumerate(self.owners)
        )

    def __str__(self) -> str:
        return (
            f"{len(self.processes)} processes, {len(self.owners)} labels ({self.owners}), "
            f"{self.states} states, {self.transitions} transitions, {self.events} events"
        )


class Small(NamedTuple):
    automaton: SequenceAutomaton
    processes: tuple[str, ...]
    scripts: tuple[Script, ...]


def automata(scope: Scope) -> Iterator[SequenceAutomaton]:
    """Every one of the scope, once."""
    labels = range(len(scope.owners))
    edges = [
        (i, label, j)
        for i, label, j in product(range(scope.states), labels, range(scope.states))
        if i != j
    ]
    renamings = [
        [edges.index((states[i], names[label], states[j])) for i, label, j in edges]
        for states in _renamed_states(scope.states)
        for names in _renamed_labels(scope.owners)
    ]
    for chosen in combinations(range(len(edges)), scope.transitions):
        if len({edges[each][1] for each in chosen}) < len(scope.owners):
            continue
        if any(sorted([new[each] for each in chosen]) < [*chosen] for new in renamings):
            continue
        automaton = _automaton(scope, [edges[each] for each in chosen])
        if automaton is not None:
            yield automaton


def _renamed_states(count: int) -> Iterator[tuple[int, ...]]:
    for between in permutations(range(1, count - 1)):
        yield (0, *between, count - 1)


def _renamed_labels(owners: str) -> Iterator[tuple[int, ...]]:
    """Labels go to labels so that those of one process stay together, whichever it is then."""
    for names in permutations(range(len(owners))):
        pairs = {(owners[old], owners[new]) for old, new in enumerate(names)}
        if len(pairs) == len(set(owners)) == len({new for _, new in pairs}):
            yield names


def _automaton(scope: Scope, edges: Sequence[Edge]) -> SequenceAutomaton | None:
    labels = scope.labels
    if {state for i, _, j in edges for state in (i, j)} != {*range(scope.states)}:
        return None
    try:
        return sequence_automaton(
            initial=["q0"],
            final=[f"q{scope.states - 1}"],
            transitions=[StatedTransition(f"q{i}", labels[name], f"q{j}") for i, name, j in edges],
        )
    except PropertyError:
        return None


def systems(scope: Scope) -> Iterator[Small]:
    """Every automaton with everything that its processes may send."""
    for automaton in automata(scope):
        for scripts in _scripts(scope):
            if can_form(automaton, scripts):
                yield Small(automaton, scope.processes, scripts)


def _scripts(scope: Scope) -> Iterator[tuple[Script, ...]]:
    own = [
        [label.message for label in scope.labels if label.process == name]
        for name in scope.processes
    ]
    for lengths in product(range(1, scope.events), repeat=len(own)):
        if sum(lengths) == scope.events:
            yield from product(
                *(product(each, repeat=n) for each, n in zip(own, lengths, strict=True))
            )


def can_form(automaton: SequenceAutomaton, scripts: Sequence[Script]) -> bool:
    """Whether some order of the messages forms the property."""
    step = live_stepper(automaton)
    seen: set[tuple[tuple[int, ...], int]] = set()
    waiting = [((0,) * len(scripts), 0)]
    while waiting:
        done, live = waiting.pop()
        for process, script in enumerate(scripts):
            if done[process] == len(script):
                continue
            after, formed = step(Label(SEND, script[done[process]]), live)
            if formed:
                return True
            at = ((*done[:process], done[process] + 1, *done[process + 1 :]), after)
            if at not in seen:
                seen.add(at)
                waiting.append(at)
    return False
