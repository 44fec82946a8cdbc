"""Why logs are explained by an automaton, or how far they can be.

The centralized procedure (`choreomon.automata.centralized`) once more, breadth first, with the way
back: so the first word that explains the logs has the fewest actions. Only states from which an
accepted word can end are looked at. Slower, and with more memory, than to decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, States, members, state_set
from choreomon.automata.emptiness import ending
from choreomon.automata.logs import WHOLE, Log, Missing, closed, letters_on, unobserved_letters
from choreomon.core.action import Action


class Place(NamedTuple):
    """Of a log `position` actions are explained; `allowed` are the actions of its lifelines that
    could follow there, sorted. `waits`: there are none, but some after actions of others."""

    position: int
    allowed: tuple[Action, ...]
    waits: bool


class Reached(NamedTuple):
    """Of logs that are explained the `word`, each action with whether a log has it; of others None,
    and `places` says how far each log is explained: as many actions of all logs together as
    possible."""

    word: tuple[tuple[Action, bool], ...] | None
    places: tuple[Place, ...]


_Node: TypeAlias = tuple[tuple[int, ...], int]
_Link: TypeAlias = tuple[_Node, int, bool] | None


def reached(
    automaton: Automaton,
    logs: Sequence[Log],
    missing: Missing = WHOLE,
    check_budget: Callable[[], None] | None = None,
) -> Reached:
    """A word that explains the logs with what they may lack, or how far they can be explained.

    Where several furthest cuts exist, the one whose first logs go furthest is taken. `check_budget`
    is called now and then; it may raise, to stop.
    """
    coded = [[automaton.letter_numbers.get(one, -1) for one in actions] for _, actions in logs]
    own = [letters_on(automaton, lifelines) for lifelines, _ in logs]
    ends = tuple(map(len, coded))
    useful = ending(automaton)
    start = (0,) * len(logs)
    links: dict[_Node, _Link] = {
        (start, state): None for state in members(automaton.initial & useful)
    }
    pending = deque(links)
    while pending:
        if check_budget is not None:
            check_budget()
        node = pending.popleft()
        cut, state = node
        if cut == ends and automaton.final >> state & 1:
            return Reached(_word(automaton, links, node), ())
        unobserved = unobserved_letters(cut, ends, own, missing)
        steps = [(letter, cut, False) for letter in unobserved]
        for log, place in enumerate(cut):
            if place < ends[log] and coded[log][place] >= 0:
                there = (*cut[:log], place + 1, *cut[log + 1 :])
                steps.append((coded[log][place], there, True))
        for letter, there, observed in steps:
            for target in members(automaton.successors[letter].get(state, 0) & useful):
                if (there, target) not in links:
                    links[there, target] = (node, letter, observed)
                    pending.append((there, target))
    furthest = max((cut for cut, _ in links), key=_progress, default=start)
    states = state_set(state for cut, state in links if cut == furthest)
    places = (
        _place(automaton, position, states, letters, useful)
        for position, letters in zip(furthest, own, strict=True)
    )
    return Reached(None, tuple(places))


def _place(
    automaton: Automaton, position: int, states: States, own: Sequence[int], useful: States
) -> Place:
    """That of a log with these letters, where the furthest cut leads to these states."""

    def allowed(states: States) -> tuple[Action, ...]:
        follow = (letter for letter in sorted(own) if automaton.after(states, letter) & useful)
        return tuple(automaton.letters[letter] for letter in follow)

    here = allowed(states)
    others = [letter for letter in range(len(automaton.letters)) if letter not in own]
    return Place(position, here, not here and bool(allowed(closed(automaton, states, others))))


def _progress(cut: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return sum(cut), cut


def _word(
    automaton: Automaton, links: dict[_Node, _Link], node: _Node
) -> tuple[tuple[Action, bool], ...]:
    """The way to a node, from its beginning."""
    word: list[tuple[Action, bool]] = []
    while (link := links[node]) is not None:
        node, letter, observed = link
        word.append((automaton.letters[letter], observed))
    return tuple(reversed(word))
