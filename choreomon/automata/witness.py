"""Explanations by an automaton: a word that explains logs, or how far they can be explained.

This is the centralized procedure (`choreomon.automata.centralized`) once more, breadth first, with
the way back: so the first word that explains the logs has the fewest actions. Only states that lead
to a final one are visited. It takes more time and memory than a decision.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, members, state_set
from choreomon.automata.emptiness import ending
from choreomon.automata.logs import WHOLE, Log, Missing, closed, letters_on, unobserved_letters
from choreomon.core.action import Action


class Place(NamedTuple):
    """The place that the explanation of a log reaches: `position` actions are explained; `allowed`
    are the actions of its lifelines that could follow there, sorted: with one of them, all logs
    would still be explained as far as they are now. `waits`: there are none, but some after actions
    of others."""

    position: int
    allowed: tuple[Action, ...]
    waits: bool


class Reached(NamedTuple):
    """The `word` that explains logs, each action with whether a log has it; or None, and `places`
    says how far each log is explained: as many actions of all logs together as possible."""

    word: tuple[tuple[Action, bool], ...] | None
    places: tuple[Place, ...]


def path_through(
    automaton: Automaton,
    logs: Sequence[Log],
    missing: Missing,
    cuts: Container[tuple[int, ...]],
    check_budget: Callable[[], None] | None = None,
) -> tuple[tuple[Action, bool], ...] | None:
    """A word that explains the logs on a way through these cuts only, with the fewest actions, as
    `Reached.word`; None where there is none. `check_budget` as in `reached`."""
    coded = [[automaton.letter_numbers.get(one, -1) for one in actions] for _, actions in logs]
    own = [letters_on(automaton, lifelines) for lifelines, _ in logs]
    links, end = _Search(automaton, own, missing, check_budget, cuts).links(coded)
    return None if end is None else _word(automaton, links, end)


class _Node(NamedTuple):
    """A node of the search: the number of actions read of each log; `ceased` are the logs, as bits,
    on whose lifelines more happened than they say."""

    cut: tuple[int, ...]
    ceased: int
    state: int


_Links: TypeAlias = dict[_Node, tuple[_Node, int] | None]
"""The node before each node, with the letter in between."""


def reached(
    automaton: Automaton,
    logs: Sequence[Log],
    missing: Missing = WHOLE,
    check_budget: Callable[[], None] | None = None,
) -> Reached:
    """A word that explains the logs with what they may lack, or how far they can be explained.

    Logs are explained up to a cut if the logs cut off there are; whole logs, if they are the
    beginning of an accepted word. If there are several furthest cuts, the one whose first logs go
    furthest is taken. `check_budget` is called now and then; it may raise, to stop. To find the cut
    takes up to 2^n times as long as to decide about n logs, as each may cease at any place; to find
    what could follow, once more for each letter.
    """
    coded = [[automaton.letter_numbers.get(one, -1) for one in actions] for _, actions in logs]
    own = [letters_on(automaton, lifelines) for lifelines, _ in logs]
    search = _Search(automaton, own, missing, check_budget)
    links, end = search.links(coded)
    if end is not None:
        return Reached(_word(automaton, links, end), ())
    if missing.after:
        links, _ = search.links(coded, may_cease=True)
    explained = [node for node in links if search.may_end(node.state)]
    furthest = max((node.cut for node in explained), key=_progress, default=(0,) * len(logs))
    states = state_set(node.state for node in explained if node.cut == furthest)
    before = [actions[:position] for actions, position in zip(coded, furthest, strict=True)]
    places = []
    for log, letters in enumerate(own):
        others = [letter for letter in range(len(automaton.letters)) if letter not in letters]
        further = closed(automaton, states, others)
        allowed = tuple(
            automaton.letters[letter]
            for letter in sorted(letters)
            if search.explains([*before[:log], [*before[log], letter], *before[log + 1 :]])
        )
        waits = not allowed and any(
            automaton.after(further, letter) & search.useful for letter in letters
        )
        places.append(Place(furthest[log], allowed, waits))
    return Reached(None, tuple(places))


class _Search:
    """A search of logs through an automaton; `own`: the letters of each log's lifelines; `within`:
    the cuts to visit, None for all."""

    def __init__(
        self,
        automaton: Automaton,
        own: Sequence[tuple[int, ...]],
        missing: Missing,
        check_budget: Callable[[], None] | None,
        within: Container[tuple[int, ...]] | None = None,
    ) -> None:
        self.useful = ending(automaton)
        self._within = within
        self._automaton = automaton
        self._own = own
        self._missing = missing
        self._check_budget = check_budget

    def may_end(self, state: int) -> bool:
        """Tell whether logs that are cut off may lead to this state. Whole logs go on from there,
        so for these any useful state will do."""
        return bool((self._automaton.final if self._missing.after else self.useful) >> state & 1)

    def explains(self, coded: Sequence[Sequence[int]]) -> bool:
        """Tell whether these logs, which are cut off, are explained."""
        ends = tuple(map(len, coded))
        links, end = self.links(coded)
        return end is not None or any(
            node.cut == ends and self.may_end(node.state) for node in links
        )

    def links(
        self, coded: Sequence[Sequence[int]], *, may_cease: bool = False
    ) -> tuple[_Links, _Node | None]:
        """The links of all nodes up to the first one that explains the logs, and that node, if
        there is one. `may_cease`: logs that may lack letters at their end may lack them at any
        place."""
        automaton, own, missing = self._automaton, self._own, self._missing
        ends = tuple(map(len, coded))
        start = (0,) * len(coded)
        links: _Links = {
            _Node(start, 0, state): None for state in members(automaton.initial & self.useful)
        }
        pending = deque(links)
        while pending:
            if self._check_budget is not None:
                self._check_budget()
            node = pending.popleft()
            cut, ceased, state = node
            if cut == ends and automaton.final >> state & 1:
                return links, node
            unobserved = unobserved_letters(cut, ends, own, missing)
            steps = [(letter, cut, ceased) for letter in unobserved]
            for log, place in enumerate(cut):
                if place == ends[log]:
                    continue
                letter = coded[log][place]
                there = (*cut[:log], place + 1, *cut[log + 1 :])
                may_go = self._within is None or there in self._within
                if may_go and letter >= 0 and not ceased >> log & 1:
                    steps.append((letter, there, ceased))
                if may_cease:
                    steps += [(each, cut, ceased | 1 << log) for each in own[log]]
            for letter, there, now_ceased in steps:
                for target in members(automaton.successors[letter].get(state, 0) & self.useful):
                    following = _Node(there, now_ceased, target)
                    if following not in links:
                        links[following] = (node, letter)
                        pending.append(following)
        return links, None


def _progress(cut: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return sum(cut), cut


def _word(automaton: Automaton, links: _Links, node: _Node) -> tuple[tuple[Action, bool], ...]:
    """The word on the way to a node. An action is in a log if the cut advances by it."""
    word: list[tuple[Action, bool]] = []
    while (link := links[node]) is not None:
        before, letter = link
        word.append((automaton.letters[letter], before.cut != node.cut))
        node = before
    return tuple(reversed(word))
