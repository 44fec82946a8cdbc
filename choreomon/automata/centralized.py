"""The centralized procedure: Algorithm 1 of the automata paper, to the letter.

It builds the automaton of Definition 4 from its initial state on: a state is a state of the
protocol, with what is left of each log (here: how much of it was read). It stops when it builds a
final state. If there is none it builds all states, so their number is limited.

Deviations: there may be several initial states. Where logs may lack letters
(`choreomon.automata.logs.Missing`), reading one of those leaves all logs as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from choreomon.automata.automaton import Automaton, members
from choreomon.automata.local_view import Edges
from choreomon.automata.logs import (
    WHOLE,
    Decided,
    Log,
    Missing,
    coded,
    letters_on,
    unobserved_letters,
)
from choreomon.core.errors import BudgetExceeded

MAX_STATES: Final = 1_000_000
"""The default limit on states, a few hundred bytes each."""


def centralized(
    automaton: Automaton,
    logs: Sequence[Log],
    missing: Missing = WHOLE,
    *,
    limit: int = MAX_STATES,
    within: Edges = -1,
    check_budget: Callable[[], None] | None = None,
) -> Decided:
    """Decide whether the automaton explains the logs; also the number of states built.

    `within` are the edges that may be taken: a sub-automaton (Definition 3); -1: all.
    `check_budget` is called at every state; it may raise, to stop. Raises BudgetExceeded if more
    than `limit` states would be built.
    """
    read = [coded(automaton, actions) for _, actions in logs]
    words = [word for word in read if word is not None]
    if len(words) < len(logs):
        return Decided(False, 0)
    own = [letters_on(automaton, lifelines) for lifelines, _ in logs]
    ends = tuple(map(len, words))
    start = (0,) * len(logs)
    pending: list[tuple[tuple[int, ...], int]] = []
    seen: set[tuple[tuple[int, ...], int]] = set()

    def built(places: tuple[int, ...], state: int) -> bool:
        """Builds a state if it is new; returns whether it is a final one."""
        if (places, state) in seen:
            return False
        if len(seen) == limit:
            raise BudgetExceeded(f"more than {limit:,} states")
        seen.add((places, state))
        pending.append((places, state))
        return places == ends and bool(automaton.final >> state & 1)

    for state in members(automaton.initial):
        if built(start, state):
            return Decided(True, len(seen))
    while pending:
        if check_budget is not None:
            check_budget()
        places, state = pending.pop()
        steps = {letter: [places] for letter in unobserved_letters(places, ends, own, missing)}
        for log, place in enumerate(places):
            if place < ends[log]:
                there = (*places[:log], place + 1, *places[log + 1 :])
                letter = words[log][place]
                steps[letter] = [*steps.get(letter, ()), there]
        for edge in automaton.outgoing[state]:
            if not within >> edge & 1:
                continue
            _, letter, target = automaton.edges[edge]
            for there in steps.get(letter, ()):
                if built(there, target):
                    return Decided(True, len(seen))
    return Decided(False, len(seen))
