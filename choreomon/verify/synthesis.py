"""The automaton of an interaction: its states are what may remain of it.

As in the paper on synthesis that the automata paper rests on (its Theorem 2.1), a state is a
follow-up, an edge an action that may be executed there, and a state is final where the follow-up
accepts the empty trace. Follow-ups are in normal form (`choreomon.interaction.normal`), so that
most of those that mean the same are one state; not all: `choreomon.automata.minimization` merges
the others.

Deviation: that paper leaves out weak loops, which need not have a finite automaton, as one lifeline
may be any number of iterations ahead of another one. Here every interaction is tried, within
bounds, and `responsible` names the loop that exceeded them. `loopH` is what it is elsewhere, not
`loopW`.

No automaton is found for an interaction with infinitely many follow-ups in normal form, though its
language may be regular all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, automaton
from choreomon.core.action import Action
from choreomon.core.errors import BudgetExceeded
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.session import require_current
from choreomon.interaction.step import frontier
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    combined,
    subterms,
)

MAX_STATES: Final = 10_000
"""The default limit on states."""

LEAST_SYMBOLS: Final = 300
GROWTH: Final = 10
"""Default limits on a follow-up: this many symbols, or this many times those of the interaction."""

SMALL_STATES: Final = 200
SMALL_SYMBOLS: Final = 250
SMALL_GROWTH: Final = 4
"""The limits within which `small_automaton` tries."""

LONG: Final = 10_000
"""From this many actions of several logs together, they are searched even if there is an automaton:
automata take more memory for each action."""

PATIENCE: Final = 4
"""`responsible` makes at most this many times the states that an automaton may have."""

Bound: TypeAlias = Literal["states", "symbols"]


class TooLarge(BudgetExceeded):
    """Error where no automaton exists within the bounds: it would have more than `limit` states, or
    a follow-up with more than `limit` symbols."""

    def __init__(self, bound: Bound, limit: int) -> None:
        self.bound: Bound = bound
        self.limit = limit
        super().__init__(
            f"has more than {limit:,} states"
            if bound == "states"
            else f"has states of more than {limit:,} symbols"
        )


class Synthesis(NamedTuple):
    """The automaton of an interaction, and by state the follow-up that it stands for. State 0 is
    the interaction itself, the only initial state; the others follow breadth first. From each of
    them a final one can be reached."""

    automaton: Automaton
    follow_ups: tuple[Interaction, ...]


class Growth(NamedTuple):
    """The loop that makes an automaton too large. `alone`: it is too large by itself; otherwise the
    interaction is not too large without it."""

    loop: Interaction
    alone: bool


def synthesize(
    interaction: Interaction,
    *,
    max_states: int = MAX_STATES,
    max_symbols: int | None = None,
    on_state: Callable[[int], None] | None = None,
) -> Synthesis:
    """The automaton that accepts exactly the accepted global traces. It may be nondeterministic.

    `on_state` is called with the number of states that are done, before the next one; it may
    raise, to stop. Raises TooLarge where there are more than `max_states`
    states, or where one has more than `max_symbols` (None: as `default_symbols` says); ValueError
    for an interaction of another session.
    """
    require_current(interaction)
    start = normal(interaction)
    if max_symbols is None:
        max_symbols = default_symbols(interaction)
    numbers: dict[Interaction, int] = {}
    follow_ups: list[Interaction] = []

    def number(term: Interaction) -> int:
        known = numbers.get(term)
        if known is None:
            if term.size > max_symbols:
                raise TooLarge("symbols", max_symbols)
            if len(follow_ups) == max_states:
                raise TooLarge("states", max_states)
            known = numbers[term] = len(follow_ups)
            follow_ups.append(term)
        return known

    number(start)
    edges: set[tuple[int, Action, int]] = set()
    for source, term in enumerate(follow_ups):  # which grows meanwhile
        if on_state is not None:
            on_state(source)
        steps = [(step.action, step.follow_up) for step in frontier(term)]
        steps.sort(key=_by_action)
        edges |= {(source, action, number(normal(rest))) for action, rest in steps}
    made = automaton(
        edges,
        initial=[0],
        final=[state for state, term in enumerate(follow_ups) if term.terminates],
        states=len(follow_ups),
        letters=[part.action for part in subterms(interaction) if part.action is not None],
        lifelines=names(interaction.lifelines),
    )
    return Synthesis(made, tuple(follow_ups))


def _by_action(step: tuple[Action, Interaction]) -> Action:
    return step[0]


def small_automaton(interaction: Interaction, max_states: int | None = None) -> Automaton | None:
    """The automaton of an interaction, if it is found at next to no cost: it has at most
    `max_states` states (None: `SMALL_STATES`), the interaction at most `SMALL_SYMBOLS` symbols, and
    no follow-up `SMALL_GROWTH` times as many."""
    if interaction.size > SMALL_SYMBOLS:
        return None
    symbols = SMALL_GROWTH * interaction.size
    try:
        most = SMALL_STATES if max_states is None else max_states
        return synthesize(interaction, max_states=most, max_symbols=symbols).automaton
    except TooLarge:
        return None


def default_symbols(interaction: Interaction) -> int:
    """The default for the most symbols of a follow-up. Follow-ups of interactions with finite
    automata have at most two or three times as many as the interactions themselves."""
    return max(LEAST_SYMBOLS, GROWTH * interaction.size)


def responsible(
    interaction: Interaction,
    *,
    max_states: int = MAX_STATES,
    max_symbols: int | None = None,
    on_state: Callable[[int], None] | None = None,
) -> Growth | None:
    """The loop that makes the automaton of an interaction too large, where `synthesize` with the
    same bounds says that it is.

    Found by trying: the first loop, inner ones before outer ones, that is too large alone;
    otherwise the first one without which the interaction is small enough. None if there is neither:
    it takes several loops, or so much goes on side by side that it takes none, or the trials were
    stopped after `PATIENCE` times as many states as an automaton may have.
    """
    if max_symbols is None:
        max_symbols = default_symbols(interaction)
    tried = 0

    def count(states: int) -> None:
        nonlocal tried
        tried += 1
        if tried > PATIENCE * max_states:
            raise _OutOfPatience
        if on_state is not None:
            on_state(states)

    def fits(term: Interaction) -> bool:
        try:
            synthesize(term, max_states=max_states, max_symbols=max_symbols, on_state=count)
        except TooLarge:
            return False
        return True

    loops = [part for part in subterms(interaction) if part.operator in LOOPS]
    try:
        for loop in loops:
            if not fits(loop):
                return Growth(loop, alone=True)
        for loop in loops:
            if fits(_without(interaction, loop)):
                return Growth(loop, alone=False)
    except _OutOfPatience:
        pass
    return None


class _OutOfPatience(Exception):
    """Enough was tried."""


def _without(interaction: Interaction, loop: Interaction) -> Interaction:
    """Return the interaction in which the loop is never entered."""
    made: dict[Interaction, Interaction] = {}
    for part in subterms(interaction):
        if part is loop:
            made[part] = EMPTY
        elif part.left is None:
            made[part] = part
        else:
            right = None if part.right is None else made[part.right]
            made[part] = combined(part.operator, part.region, made[part.left], right)
    return made[interaction]
