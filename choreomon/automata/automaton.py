"""Nondeterministic finite automata over actions, and sets of states as bits.

The automata paper, Definition 2, with letters that say where they happen: a letter is an action,
and its lifeline is the location that observes it. States, letters and edges are numbered from 0; an
edge's number is its place in `Automaton.edges`. A set of states is an int, of which bit `n` is set
where state `n` is in it.

An interaction gives one automaton (`choreomon.verify.synthesis`), files give others
(`choreomon.interaction_files.automaton_file`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import Action

States: TypeAlias = int
"""A set of states, one bit each."""

MOST_STATES: Final = 100_000
"""The most states of automata from files and synthesis. Tables hold sets of states with a bit for
each state, so larger automata would need gigabytes."""


class Edge(NamedTuple):
    """`letter` (its number) leads from `source` to `target`."""

    source: int
    letter: int
    target: int


@dataclass(frozen=True)
class Automaton:
    """An automaton, validated when made; `automaton` builds one from less orderly parts.

    - `letters`: sorted, no two equal. A letter need not be on an edge.
    - `states`: how many there are.
    - `edges`: sorted, no two equal.
    - `initial`, `final`: sets of states, either may be empty.
    - `lifelines`: sorted; those of the letters, and those on which nothing happens.

    Equal values are equal automata with equal numbers, not merely of equal languages. Raises
    ValueError where any of this does not hold.
    """

    letters: tuple[Action, ...]
    states: int
    edges: tuple[Edge, ...]
    initial: States
    final: States
    lifelines: tuple[str, ...]

    def __post_init__(self) -> None:
        if any(one >= other for one, other in pairwise(self.letters)):
            raise ValueError("letters are to be sorted, and no two equal")
        if any(one >= other for one, other in pairwise(self.lifelines)):
            raise ValueError("lifelines are to be sorted, and no two equal")
        missing = {letter.lifeline for letter in self.letters} - set(self.lifelines)
        if missing:
            raise ValueError(f"letters are on {sorted(missing)}, which are no lifelines of it")
        if self.states < 0:
            raise ValueError(f"{self.states} states: there is no such number of them")
        for name, states in (("initial", self.initial), ("final", self.final)):
            if states < 0 or states >> self.states:
                raise ValueError(f"{name} states are numbered from 0 to {self.states - 1}")
        letters, states = len(self.letters), self.states
        for edge in self.edges:
            source, letter, target = edge
            if not (0 <= source < states and 0 <= target < states and 0 <= letter < letters):
                raise ValueError(f"{edge}: there are {states} states and {letters} letters")
        if any(one >= other for one, other in pairwise(self.edges)):
            raise ValueError("edges are to be sorted, and no two equal")

    @cached_property
    def successors(self) -> tuple[Mapping[int, States], ...]:
        """Targets by letter, then by source. States without such an edge are left out."""
        table: list[dict[int, States]] = [{} for _ in self.letters]
        for source, letter, target in self.edges:
            table[letter][source] = table[letter].get(source, 0) | 1 << target
        return tuple(table)

    @cached_property
    def predecessors(self) -> tuple[Mapping[int, States], ...]:
        """Sources by letter, then by target, like `successors`."""
        table: list[dict[int, States]] = [{} for _ in self.letters]
        for source, letter, target in self.edges:
            table[letter][target] = table[letter].get(target, 0) | 1 << source
        return tuple(table)

    @cached_property
    def sources(self) -> tuple[States, ...]:
        """States from which a letter leads anywhere, by letter."""
        return tuple(state_set(by_source) for by_source in self.successors)

    @cached_property
    def targets(self) -> tuple[States, ...]:
        """States to which a letter leads from anywhere, by letter."""
        return tuple(state_set(by_target) for by_target in self.predecessors)

    @cached_property
    def outgoing(self) -> tuple[range, ...]:
        """Numbers of the edges from each state."""
        starts = [0] * (self.states + 1)
        for edge in self.edges:
            starts[edge.source + 1] += 1
        for state in range(self.states):
            starts[state + 1] += starts[state]
        return tuple(range(start, end) for start, end in pairwise(starts))

    @cached_property
    def incoming(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the edges to each state, ascending."""
        found: list[list[int]] = [[] for _ in range(self.states)]
        for number, edge in enumerate(self.edges):
            found[edge.target].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def letter_numbers(self) -> Mapping[Action, int]:
        """The number of each letter."""
        return {letter: number for number, letter in enumerate(self.letters)}

    @cached_property
    def letters_of(self) -> Mapping[str, tuple[int, ...]]:
        """Numbers of the letters of each of `lifelines`, ascending."""
        found: dict[str, list[int]] = {name: [] for name in self.lifelines}
        for number, letter in enumerate(self.letters):
            found[letter.lifeline].append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

    @cached_property
    def is_deterministic(self) -> bool:
        """True if there is at most one initial state, and from each state at most one edge of each
        letter. (A letter may lead nowhere.)"""
        return self.initial.bit_count() <= 1 and all(
            one[:2] != other[:2] for one, other in pairwise(self.edges)
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hexadecimal of all that the automaton is, numbers included: equal for equal
        values, in every process and version of Python."""
        import json  # deciding needs none

        parts = (
            self.letters,
            self.lifelines,
            self.states,
            self.edges,
            tuple(members(self.initial)),
            tuple(members(self.final)),
        )
        text = json.dumps(parts, separators=(",", ":"))  # with surrogates escaped, too
        return sha256(text.encode()).hexdigest()

    def after(self, states: States, letter: int) -> States:
        """The states to which a letter leads from any of these states."""
        found = 0
        by_source = self.successors[letter]
        for state in members(states & self.sources[letter]):
            found |= by_source[state]
        return found

    def before(self, states: States, letter: int) -> States:
        """The states from which a letter leads to any of these states."""
        found = 0
        by_target = self.predecessors[letter]
        for state in members(states & self.targets[letter]):
            found |= by_target[state]
        return found

    @cached_property
    def reverse(self) -> Automaton:
        """The automaton that accepts the same words backwards, with the same numbers of states."""
        return Automaton(
            letters=self.letters,
            states=self.states,
            edges=tuple(sorted(Edge(target, by, source) for source, by, target in self.edges)),
            initial=self.final,
            final=self.initial,
            lifelines=self.lifelines,
        )

    def accepts(self, word: Iterable[Action]) -> bool:
        """Tell whether a path from an initial to a final state reads these actions. Actions that
        are no letters are on no path."""
        states = self.initial
        for action in word:
            number = self.letter_numbers.get(action)
            states = 0 if number is None else self.after(states, number)
            if not states:
                return False
        return bool(states & self.final)


def automaton(
    edges: Iterable[tuple[int, Action, int]],
    *,
    initial: Iterable[int],
    final: Iterable[int],
    states: int = 0,
    letters: Iterable[Action] = (),
    lifelines: Iterable[str] = (),
) -> Automaton:
    """The automaton with these edges (source, action, target) in any order, repeated or not.

    It has as many states as the highest number needs, and `states` at least; `letters` and
    `lifelines` add those that no edge and no letter has. Raises ValueError for negative numbers.
    """
    given = list(edges)
    starts, ends = list(initial), list(final)
    alphabet = sorted({action for _, action, _ in given} | set(letters))
    numbers = {letter: number for number, letter in enumerate(alphabet)}
    mentioned = (
        *starts,
        *ends,
        *(source for source, _, _ in given),
        *(target for _, _, target in given),
    )
    if any(state < 0 for state in mentioned):
        raise ValueError("states are numbered from 0")
    return Automaton(
        letters=tuple(alphabet),
        states=max((states, *(state + 1 for state in mentioned))),
        edges=tuple(sorted({Edge(source, numbers[by], target) for source, by, target in given})),
        initial=state_set(starts),
        final=state_set(ends),
        lifelines=tuple(sorted({letter.lifeline for letter in alphabet} | set(lifelines))),
    )


def state_set(numbers: Iterable[int]) -> States:
    """The set of these states."""
    whole = 0
    for number in numbers:
        whole |= 1 << number
    return whole


def members(states: States) -> Iterator[int]:
    """The numbers of a set of states, ascending."""
    while states:
        lowest = states & -states
        yield lowest.bit_length() - 1
        states ^= lowest
