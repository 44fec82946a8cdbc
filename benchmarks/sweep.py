"""The exhaustive sweep: every interleaving of events and monitoring messages of small systems.

    python -m benchmarks.sweep [--budget SECONDS] [--seed N]

An *instance* is an automaton and what every process sends. All its worlds (see
`tests.laws.interleaving`) are visited, each once, so that commuting moves are explored once;
the real order of the events is part of the world. At every word that is declared G1 and G2
are checked, and that in every last world everything was answered and declared.

4 states, the chain q0 -> q1 -> q2 -> q3 (in the wide scope also with one forward transition
more), every pair of backward transitions out of q1 and q2, every way of giving the
transitions to 3 processes (in the wide scope also with a label that two transitions share),
and 5 events of which some order forms the property. Up to symmetry: processes that are
renamed, and executions whose processes send the same, are one instance. An instance with
more than `MAX_WORLDS` worlds is left there, sampled by random walks, and counted as sampled.
Instances are taken in a shuffled order, those of the wide scope drawn, until the budget is
used up.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import combinations, product
from math import inf
from random import Random
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.effects import Declared, Effect
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.reference import formations
from tests.laws.interleaving import Script, System, World, play, weighted

PROCESSES: Final = ("P1", "P2", "P3")
CHAIN: Final = ((0, 1), (1, 2), (2, 3))
EXTRAS: Final = ((), ((0, 2),), ((1, 3),))
BACKWARD: Final = ((1, 0), (2, 0), (2, 1))
MAX_WORLDS: Final = 30_000
WALKS: Final = 300

Shape: TypeAlias = tuple[tuple[int, int], ...]


class Scope(NamedTuple):
    """Which instances there are. `shared`: transitions may share a label. `once`: only
    executions in which no label occurs twice."""

    shapes: tuple[Shape, ...]
    backward: int
    events: int
    shared: bool = False
    once: bool = False


ONCE: Final = Scope((CHAIN,), 2, 5, once=True)
WIDE: Final = Scope(tuple(CHAIN + extra for extra in EXTRAS), 2, 5, shared=True)


class Instance(NamedTuple):
    automaton: SequenceAutomaton
    scripts: tuple[Script, ...]


@dataclass
class Counts:
    """What was seen. `worlds` and `ends`, the worlds in which nothing is left to do, are
    different ones within an instance. Words are counted at every way from one world to the
    next that gives one, and `formations` are the words that ought to be given there."""

    automata: int = 0
    instances: int = 0
    sampled: int = 0
    worlds: int = 0
    ends: int = 0
    formations: int = 0
    violated: int = 0
    possibly: int = 0
    missed: int = 0
    false: int = 0
    unfinished: int = 0


def automata(scope: Scope) -> Iterator[SequenceAutomaton]:
    """Every automaton of the scope, up to renaming processes. Labels are all different, or,
    where the scope shares them, the first backward transition may have the label of a
    forward one of its process."""
    for shape in scope.shapes:
        for backward in combinations(BACKWARD, scope.backward):
            pairs = shape + backward
            for owners in _owners(len(pairs)):
                names = [f"m{number}" for number in range(len(pairs))]
                yield _automaton(pairs, owners, names)
                if not scope.shared:
                    continue
                first = len(shape)
                for number in range(first):
                    if owners[number] == owners[first]:
                        shared = [*names]
                        shared[first] = names[number]
                        yield _automaton(pairs, owners, shared)


def _owners(count: int) -> Iterator[tuple[int, ...]]:
    """Assignments to processes; of those that differ in the processes' names only, the one
    that names them in the order of their first transition."""
    for owners in product(range(len(PROCESSES)), repeat=count):
        seen = list(dict.fromkeys(owners))
        if seen == sorted(seen) and seen[-1] == len(seen) - 1:
            yield owners


def _automaton(pairs: Shape, owners: tuple[int, ...], names: list[str]) -> SequenceAutomaton:
    return sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition(
                f"q{source}",
                Label(
                    SEND, Message(PROCESSES[owner], name, PROCESSES[(owner + 1) % len(PROCESSES)])
                ),
                f"q{target}",
            )
            for (source, target), owner, name in zip(pairs, owners, names, strict=True)
        ],
    )


def instances(scope: Scope) -> Iterator[Instance]:
    """Every automaton with every way for its processes to send `scope.events` labelled
    messages of which some order forms the property."""
    for automaton in automata(scope):
        for scripts in _scripts(automaton, scope.events):
            if scope.once and len({m for script in scripts for m in script}) < scope.events:
                continue
            if _can_form(automaton, scripts):
                yield Instance(automaton, scripts)


def _scripts(automaton: SequenceAutomaton, events: int) -> Iterator[tuple[Script, ...]]:
    own = {
        name: [label.message for label in automaton.labels if label.process == name]
        for name in PROCESSES
    }
    for lengths in product(range(events + 1), repeat=len(PROCESSES)):
        if sum(lengths) != events:
            continue
        choices = [
            product(own[name], repeat=length)
            for name, length in zip(PROCESSES, lengths, strict=True)
        ]
        yield from product(*choices)


def _can_form(automaton: SequenceAutomaton, scripts: tuple[Script, ...]) -> bool:
    """Whether some order of the messages forms the property."""

    def orders(left: tuple[Script, ...], order: tuple[Label, ...]) -> Iterator[tuple[Label, ...]]:
        if not any(left):
            yield order
        for place, script in enumerate(left):
            if script:
                rest = (*left[:place], script[1:], *left[place + 1 :])
                yield from orders(rest, (*order, Label(SEND, script[0])))

    return any(formations(automaton, order) for order in orders(scripts, ()))


class Explorer:
    """All worlds of one instance, and what its words came to. `queued`: events wait in the
    queue of their monitor, so that inquiries may overtake them."""

    def __init__(self, instance: Instance, rules: Rules, counts: Counts, *, queued: bool) -> None:
        self.scripts = instance.scripts
        self.system = System(instance.automaton, PROCESSES, rules, queued=queued, handles=False)
        self.counts = counts
        self._formed: dict[tuple[Label, ...], set[int]] = {}

    def explore(self) -> bool:
        """Visit the worlds, all of them or the first `MAX_WORLDS`: then it is `False`."""
        start = self.system.start(self.scripts)
        seen, waiting = {start}, [start]
        while waiting and len(seen) <= MAX_WORLDS:
            world = waiting.pop()
            moves = self.system.moves(world)
            if not moves:
                self._last(world)
            for move in moves:
                following, effects = self.system.perform(world, move)
                self._words(following, effects)
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        self.counts.worlds += len(seen)
        return not waiting

    def walk(self, random: Random) -> None:
        """`WALKS` random ways through an instance that is too large."""
        for _ in range(WALKS):
            run = play(self.system, self.scripts, weighted(random))
            for (_, _, effects), world in zip(run.steps, run.worlds[1:], strict=True):
                self._words(world, effects)
            self._last(run.worlds[-1])
        self.counts.sampled += 1

    def _words(self, world: World, effects: list[Effect]) -> None:
        counts = self.counts
        for effect in effects:
            if not isinstance(effect, Declared):
                continue
            formed = self._is_formed(world, effect)
            word = effect.verdict.kind if effect.verdict else None
            counts.formations += formed
            counts.violated += word == VIOLATED
            counts.possibly += word == POSSIBLY_VIOLATED
            counts.missed += formed and word is None
            counts.false += not formed and word == VIOLATED

    def _is_formed(self, world: World, said: Declared) -> bool:
        """Whether the property was formed at the event, in the real order."""
        index = next(i for i, event in enumerate(world.events) if event.clock == said.event)
        order = tuple(event.label for event in world.events)
        formed = self._formed.get(order)
        if formed is None:
            formed = {f.index for f in formations(self.system.automaton, order)}
            self._formed[order] = formed
        return index in formed

    def _last(self, world: World) -> None:
        """Every word was given, since no inspection and no decision is left over."""
        self.counts.ends += 1
        self.counts.unfinished += any(
            state.unprocessed or state.inspections or state.decisions or state.postponed
            for state in world.states
        )


def drawn(scope: Scope, random: Random) -> Iterator[Instance]:
    """Instances of a scope that is too wide to be listed, for ever, some more than once."""
    every = list(automata(scope))
    while True:
        automaton = random.choice(every)
        messages = random.choices([label.message for label in automaton.labels], k=scope.events)
        scripts = tuple(tuple(m for m in messages if m.sender == name) for name in PROCESSES)
        if _can_form(automaton, scripts):
            yield Instance(automaton, scripts)


def sweep(
    chosen: Iterable[Instance],
    random: Random,
    *,
    queued: bool = False,
    rules: Rules = SOUND,
    budget: float = inf,
) -> Counts:
    """The counts over instances, as far as they are begun within `budget` seconds."""
    counts = Counts()
    automata_seen = set()
    end = time.monotonic() + budget
    for instance in chosen:
        if time.monotonic() > end:
            break
        counts.instances += 1
        automata_seen.add((instance.automaton.forward, instance.automaton.backward))
        explorer = Explorer(instance, rules, counts, queued=queued)
        if not explorer.explore():
            explorer.walk(random)
    counts.automata = len(automata_seen)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description="The exhaustive sweep over small systems.")
    parser.add_argument("--budget", type=float, default=900, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    random = Random(options.seed)
    every = list(instances(ONCE))
    random.shuffle(every)
    counts = sweep(every, random, budget=0.8 * options.budget)
    show(f"every label once; {counts.instances} of all {len(every)} instances", counts)
    for queued, how in ((False, "processed at once"), (True, "queued first")):
        counts = sweep(drawn(WIDE, random), random, queued=queued, budget=0.1 * options.budget)
        show(f"the wide scope, events {how}; {counts.instances} instances drawn", counts)


def show(title: str, counts: Counts) -> None:
    print(title)
    for counted in fields(Counts):
        print(f"    {counted.name:12}{getattr(counts, counted.name):>12,}", flush=True)


if __name__ == "__main__":
    main()
