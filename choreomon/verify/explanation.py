"""Why a verdict is what it is: a witness, or how far the multi-trace can be explained.

Made from the original interaction, on request. A path that a decider found after weakening an
interaction or removing lifelines is no trace of the specification, so none is taken from there:
the deciders only say which steps are worth a try.

The witness of Pass is accepted as it stands. That of WeakPass is the unobserved and observed
actions up to the last observed one, and then unobserved ones until the interaction may stop: so
every witness replays to a term that may.

What cannot be explained is cut: `position` actions of every component are explained together,
and of no component can one more be. Several such cuts may exist; the one that is shown is found
by cutting all components to the longest equal length first. For `accept`, `prefix` and `test`
a cut is a projected prefix; for `multiprefix`, and for `slice` and `simulate`, one of those.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.core.suggestion import closest
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.lifelines import NONE, Mask, mask, names
from choreomon.interaction.term import Interaction, Operator, subterms
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.exact import ExactDecider, observed_parts
from choreomon.verify.exact_search import (
    TOO_MANY_VERTICES,
    ExactMode,
    Exhausted,
    Limits,
    Search,
)
from choreomon.verify.verdict import Mode, Verdict

DEFAULT_VERTICES: Final = 20_000
"""Vertices that a search for a witness or for a cut may visit where no limit is passed in."""


class WitnessStep(NamedTuple):
    """An action of a global trace, and whether the multi-trace has it."""

    action: Action
    observed: bool


Obstacle: TypeAlias = Literal["lifeline", "action", "others"]
"""What is in the way of an action: the interaction does not have its lifeline, or not the action
itself; or all that it has there comes after actions of other lifelines, which are not explained."""


class Reached(NamedTuple):
    """Of a component, `position` actions are explained, `next_action` is not (None at the end);
    `allowed` are the actions that would have been possible there, sorted. At the end they are
    what may or has to follow.

    `obstacle` is why `next_action` is not, where that is plain, and `meant` the name of the
    interaction that is most like an unknown one, where one is.
    """

    component: Component
    position: int
    next_action: Action | None
    allowed: tuple[Action, ...]
    obstacle: Obstacle | None = None
    meant: str = ""


class Explanation(NamedTuple):
    """Of a multi-trace in a mode: `witness` or `failure`, the other one is None. Both are where a
    limit was reached before either was found; `reason` then says which."""

    verdict: Verdict
    witness: tuple[WitnessStep, ...] | None
    failure: tuple[Reached, ...] | None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Objects, arrays, texts and numbers only."""
        witness = failure = None
        if self.witness is not None:
            witness = [{"action": str(a), "observed": seen} for a, seen in self.witness]
        if self.failure is not None:
            failure = [
                {
                    "lifelines": list(one.component.lifelines),
                    "position": one.position,
                    "next": None if one.next_action is None else str(one.next_action),
                    "allowed": [str(action) for action in one.allowed],
                }
                for one in self.failure
            ]
        return {"witness": witness, "failure": failure}


EXPLAINED_AS: Final[dict[Mode, ExactMode]] = {
    "accept": "accept",
    "test": "prefix",
    "prefix": "prefix",
    "multiprefix": "multiprefix",
    "simulate": "slice",
    "slice": "slice",
}


def explain(
    interaction: Interaction,
    multitrace: MultiTrace,
    mode: Mode,
    *,
    should_stop: Callable[[], bool] | None = None,
    vertices: int = DEFAULT_VERTICES,
) -> Explanation:
    """The explanation of the truth behind a mode: `test` is explained as `prefix`, `simulate` as
    `slice`, and an inconclusive verdict of theirs as what it would be if all were known."""
    limits = Limits(vertices, should_stop)
    question = EXPLAINED_AS[mode]
    decider = ExactDecider(interaction, question)
    verdict, reason, _ = decider.decide(multitrace, limits)
    if verdict.inconclusive:
        return Explanation(verdict, None, None, reason)
    try:
        if verdict.passes:
            search: ExactMode = "accept" if verdict is Verdict.PASS else question
            return Explanation(verdict, _witness(decider, multitrace, search, limits), None)
        return Explanation(verdict, None, _failure(decider, multitrace, limits))
    except Exhausted as cut:
        return Explanation(verdict, None, None, str(cut))


# --- witnesses ----------------------------------------------------------------------------------


def _witness(
    decider: ExactDecider, multitrace: MultiTrace, mode: ExactMode, limits: Limits
) -> tuple[WitnessStep, ...]:
    """A global trace of the original interaction. There is one."""
    parts = observed_parts(decider.interaction, multitrace)
    assert parts is not None
    search = Search(decider.views, parts, mode, limits)
    *_, (end, found) = search.explored(search.start(decider.interaction))
    assert found, "a decider and the search disagree"
    steps: list[WitnessStep] = []
    vertex = end
    while (link := search.came[vertex]) is not None:
        vertex, move = link
        steps.append(WitnessStep(move.action, move.observed))
    completion = (WitnessStep(action, False) for action in shortest_completion(end[0]))
    return (*reversed(steps), *completion)  # ends of searches have no open iterations


# --- failures -----------------------------------------------------------------------------------


def _failure(decider: ExactDecider, multitrace: MultiTrace, limits: Limits) -> tuple[Reached, ...]:
    if decider.mode in ("accept", "prefix"):
        return _farthest(decider, multitrace, limits)
    return _longest(decider, multitrace, limits)


def _alphabet(interaction: Interaction) -> list[Action]:
    """Every action of the interaction, sorted."""
    return sorted({part.action for part in subterms(interaction) if part.action is not None})


def _longest(decider: ExactDecider, multitrace: MultiTrace, limits: Limits) -> tuple[Reached, ...]:
    """Of the modes whose cuts stay explained when they are cut further."""

    def explained(components: list[Component]) -> bool:
        verdict, reason, _ = decider.decide(MultiTrace(tuple(components)), limits)
        if verdict.inconclusive:
            raise Exhausted(reason)
        return verdict.passes

    parts = multitrace.components

    def cut(ends: list[int]) -> list[Component]:
        return [
            Component(part.lifelines, tuple(part.actions[:end]))
            for part, end in zip(parts, ends, strict=True)
        ]

    def equal(length: int) -> list[int]:
        return [min(length, len(part.actions)) for part in parts]

    ends = equal(
        _last(max((len(p.actions) for p in parts), default=0), lambda n: explained(cut(equal(n))))
    )
    for number, part in enumerate(parts):

        def longer(more: int, number: int = number) -> bool:
            return explained(cut([*ends[:number], ends[number] + more, *ends[number + 1 :]]))

        ends[number] += _last(len(part.actions) - ends[number], longer)
    alphabet = _alphabet(decider.interaction)
    reached: list[Reached] = []
    whole = cut(ends)
    for number, part in enumerate(parts):
        allowed = [
            action
            for action in alphabet
            if action.lifeline in part.lifelines
            and explained(
                [
                    *whole[:number],
                    Component(part.lifelines, (*whole[number].actions, action)),
                    *whole[number + 1 :],
                ]
            )
        ]
        reached.append(_reached(decider.interaction, part, ends[number], allowed))
    return tuple(reached)


def _last(most: int, holds: Callable[[int], bool]) -> int:
    """The last number up to `most` for which it holds; it holds for 0, and once not, no more."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _reached(
    interaction: Interaction,
    part: Component,
    end: int,
    allowed: list[Action],
    later: Mask = NONE,
) -> Reached:
    """`later` are the lifelines on which there is more to come, allowed there or not."""
    if end == len(part.actions):
        return Reached(part, end, None, tuple(allowed))
    following = part.actions[end]
    obstacle: Obstacle | None = None
    meant = ""
    own = mask([following.lifeline])
    if not own & interaction.lifelines:
        obstacle, meant = "lifeline", closest(following.lifeline, names(interaction.lifelines))
    elif following not in (alphabet := _alphabet(interaction)):
        there = [str(action) for action in alphabet if action.lifeline == following.lifeline]
        obstacle, meant = "action", closest(str(following), there)
    elif not allowed and own & later:
        obstacle = "others"
    return Reached(part, end, following, tuple(allowed), obstacle, meant)


def _farthest(decider: ExactDecider, multitrace: MultiTrace, limits: Limits) -> tuple[Reached, ...]:
    """Of projected prefixes: where a search that only consumes gets farthest, as far as the limit
    on vertices lets it get."""
    lifelines = decider.interaction.lifelines
    known = [
        number
        for number, part in enumerate(multitrace.components)
        if mask(part.lifelines) & lifelines
    ]
    parts = observed_parts(
        decider.interaction, MultiTrace(tuple(multitrace.components[number] for number in known))
    )
    assert parts is not None
    search = Search(decider.views, parts, "prefix", limits)
    start = search.start(decider.interaction)
    visited = {start}
    waiting = [(0, 0, start)]
    farthest, terms = start[1], {start[0]}
    try:
        while waiting:
            _, _, vertex = heappop(waiting)
            search.visit()
            if sum(vertex[1]) > sum(farthest):
                farthest, terms = vertex[1], {vertex[0]}
            elif vertex[1] == farthest:
                terms.add(vertex[0])
            for move in search.moves(vertex):
                if move.vertex not in visited:
                    visited.add(move.vertex)
                    heappush(waiting, (-sum(move.vertex[1]), len(visited), move.vertex))
    except Exhausted as cut:
        if str(cut) != TOO_MANY_VERTICES:
            raise
    possible = {action for term in terms for action in _first(term, limits)}
    later = reduce(or_, (term.lifelines for term in terms), NONE)
    reached: list[Reached] = []
    for number, part in enumerate(multitrace.components):
        end = farthest[known.index(number)] if number in known else 0
        allowed = sorted(action for action in possible if action.lifeline in part.lifelines)
        reached.append(_reached(decider.interaction, part, end, allowed, later))
    return tuple(reached)


def _first(term: Interaction, limits: Limits) -> set[Action]:
    """The actions of `frontier`, without what remains after them: that alone is quadratic in the
    depth of a term."""
    found: set[Action] = set()
    pending: list[tuple[Interaction, Mask]] = [(term, NONE)]
    seen = {*pending}
    while pending:
        top, blocked = pending.pop()
        limits.ask()
        if top.action is not None:
            found.add(top.action)
        below = [] if top.left is None else [(top.left, blocked)]
        if top.left is not None and top.right is not None:
            if top.operator is Operator.COREG:
                below.append((top.right, blocked | (top.left.unavoidable & ~top.region)))
            elif top.operator is Operator.ALT or top.left.terminates:
                below.append((top.right, blocked))
        for one in below:
            if one[0].lifelines & ~one[1] and one not in seen:
                seen.add(one)
                pending.append(one)
    return found
