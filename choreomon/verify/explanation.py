"""Explanations of verdicts: a witness, or how far the multi-trace can be explained.

The search that decides yields both: its path is the witness (`choreomon.verify.witness`), the
places where it ended are the furthest ones (`choreomon.verify.furthest`). The witness of Pass is
accepted as it stands. That of WeakPass is the unobserved and observed actions up to the last
observed one, and then unobserved ones until the interaction may stop: so every witness replays to a
term that may.

What cannot be explained is cut: `position` actions of every component are explained together, and
no component can be explained by one more. For `accept`, `prefix` and `test` a cut is a projected
prefix; for `multiprefix`, and for `slice` and `simulate`, one of those. Where there are several
ways to do that, `choreomon.verify.readings` chooses; the other readings it met are reported, too.

One of the unexplained actions is named first (`rank` 1): not one whose message was sent by another
unexplained action, since it follows from that; not one before which others have to act; and of the
rest, one at which a log is wrong by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.core.suggestion import closest
from choreomon.interaction.lifelines import known_mask, names
from choreomon.interaction.term import Interaction, subterms
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.budget import CheckBudget, Exhausted, ShouldStop, checking
from choreomon.verify.exact import ExactDecider
from choreomon.verify.furthest import Furthest
from choreomon.verify.readings import sent_unexplained
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.witness import WitnessStep, witness

UNKNOWN: Final = ("lifeline", "action")
"""Obstacles that are about names."""

Obstacle: TypeAlias = Literal["lifeline", "action", "others"]
"""The obstacle to an action: the interaction lacks its lifeline; or the action itself; or
everything it has there comes after actions of other lifelines, which are not explained."""


class Reached(NamedTuple):
    """The place that the explanation of a component reaches: `position` actions are explained,
    `next_action` is not (None at the end). `allowed` are the actions that would have been possible
    there, sorted; at the end, those that may or have to follow.

    `obstacle` says why `next_action` is not explained, where the reason is plain, and `meant` is
    the name in the interaction that is most like an unknown one, if any is.

    `rank` is 1 for the place to look at first, 2 for the next, and so on; 0 where the component is
    explained to the end. `sent` is an emission of the message that `next_action` receives, which is
    not explained either.
    """

    component: Component
    position: int
    next_action: Action | None
    allowed: tuple[Action, ...]
    obstacle: Obstacle | None = None
    meant: str = ""
    rank: int = 0
    sent: Action | None = None


class OtherReading(NamedTuple):
    """Another way to explain as much as possible: the numbers of `logs` and `actions` that it
    leaves unexplained, and the place to look at first, the action behind the first `position`
    actions of a component."""

    component: Component
    position: int
    next_action: Action
    logs: int
    actions: int


class Explanation(NamedTuple):
    """The explanation of a multi-trace in a mode: either `witness` or `failure`, the other is None.
    Both are None where a limit was reached before either was found; `reason` then says which.
    `others` are further readings of a failure, the better ones first, each with something else to
    look at first; there may be more."""

    verdict: Verdict
    witness: tuple[WitnessStep, ...] | None
    failure: tuple[Reached, ...] | None
    reason: str = ""
    others: tuple[OtherReading, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The explanation as objects, arrays, texts and numbers."""
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
                    "rank": one.rank or None,
                    "sent": None if one.sent is None else str(one.sent),
                }
                for one in self.failure
            ]
        others = [
            {
                "lifelines": list(one.component.lifelines),
                "position": one.position,
                "next": str(one.next_action),
                "logs": one.logs,
                "actions": one.actions,
            }
            for one in self.others
        ]
        return {"witness": witness, "failure": failure, "others": others}


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
    should_stop: ShouldStop | None = None,
) -> Explanation:
    """The explanation of the truth behind a mode: `test` is explained as `prefix`, `simulate` as
    `slice`, and an inconclusive verdict of theirs as what it would be if all were known."""
    decider = ExactDecider(interaction, EXPLAINED_AS[mode])
    check_budget = checking(should_stop)
    verdict = Verdict.INCONC
    try:
        decision = decider.decision(multitrace, check_budget)
        verdict = decision.verdict
        if verdict.passes:
            parts = decider.observed(multitrace)
            assert parts is not None
            return Explanation(verdict, witness(decider, decision, parts, check_budget), None)
        failure, others = _failure(decider, multitrace, check_budget)
        return Explanation(verdict, None, failure, others=others)
    except Exhausted as cut:
        return Explanation(verdict, None, None, str(cut))


def _failure(
    decider: ExactDecider, multitrace: MultiTrace, check_budget: CheckBudget | None
) -> tuple[tuple[Reached, ...], tuple[OtherReading, ...]]:
    interaction = decider.interaction
    own = [known_mask(part.lifelines) & interaction.lifelines for part in multitrace.components]
    known = [part for part, theirs in zip(multitrace.components, own, strict=True) if theirs]
    parts = decider.observed(MultiTrace(tuple(known)))
    assert parts is not None
    mode: ExactMode = "prefix" if decider.mode == "accept" else decider.mode
    furthest = Furthest(decider, parts, mode, check_budget)
    alphabet = _alphabet(interaction)
    numbers = iter(range(len(known)))
    part_of = [next(numbers) if theirs else None for theirs in own]
    reached: list[Reached] = []
    for part, number in zip(multitrace.components, part_of, strict=True):
        if number is None:
            reached.append(_reached(interaction, alphabet, part, 0, [], waits=False))
            continue
        actions = [action for action in alphabet if action.lifeline in part.lifelines]
        allowed = furthest.allowed(number, actions)
        waits = not allowed and furthest.waits_for_others(number, actions)
        end = furthest.places[number]
        reached.append(_reached(interaction, alphabet, part, end, allowed, waits=waits))
    failure = ranked(reached, _wrong_alone(furthest.most, part_of, furthest.places))
    others: dict[tuple[tuple[str, ...], int], OtherReading] = {}
    first = min(failure, key=lambda one: one.rank or len(failure) + 1)
    for places in furthest.others:
        cut = [
            _reached(
                *(interaction, alphabet, part, 0 if number is None else places[number], []),
                waits=False,
            )
            for part, number in zip(multitrace.components, part_of, strict=True)
        ]
        other = _other(ranked(cut, _wrong_alone(furthest.most, part_of, places)))
        others.setdefault((other.component.lifelines, other.position), other)
    others.pop((first.component.lifelines, first.position), None)
    return failure, tuple(others.values())


def _wrong_alone(
    most: Sequence[int], part_of: Sequence[int | None], places: Sequence[int]
) -> list[bool]:
    """Tell for each component whether its log alone gets no further than these places: then its
    next action is wrong, whatever happened elsewhere."""
    return [part is None or most[part] == places[part] for part in part_of]


def _other(failure: Sequence[Reached]) -> OtherReading:
    stuck = [one for one in failure if one.rank]
    first = min(stuck, key=lambda one: one.rank)
    assert first.next_action is not None
    left = sum(len(one.component.actions) - one.position for one in stuck)
    return OtherReading(first.component, first.position, first.next_action, len(stuck), left)


def ranked(reached: Sequence[Reached], wrong_alone: Sequence[bool]) -> tuple[Reached, ...]:
    """Add `rank` and `sent` to all components; `wrong_alone` tells for each whether its log is
    wrong there by itself."""
    logs = [one.component.actions for one in reached]
    sent = sent_unexplained(logs, [one.position for one in reached])
    told = [
        one if one.obstacle in UNKNOWN else one._replace(sent=emission)
        for one, emission in zip(reached, sent, strict=True)
    ]
    stuck = sorted(
        [n for n, one in enumerate(told) if one.next_action is not None],
        key=lambda n: (told[n].sent is not None, told[n].obstacle == "others", not wrong_alone[n]),
    )
    for rank, number in enumerate(stuck, start=1):
        told[number] = told[number]._replace(rank=rank)
    return tuple(told)


def _alphabet(interaction: Interaction) -> list[Action]:
    """Return every action of the interaction, sorted."""
    return sorted({part.action for part in subterms(interaction) if part.action is not None})


def _reached(
    interaction: Interaction,
    alphabet: list[Action],
    part: Component,
    end: int,
    allowed: list[Action],
    *,
    waits: bool,
) -> Reached:
    if end == len(part.actions):
        return Reached(part, end, None, tuple(allowed))
    following = part.actions[end]
    obstacle: Obstacle | None = None
    meant = ""
    own = known_mask([following.lifeline])
    if not own & interaction.lifelines:
        obstacle, meant = "lifeline", closest(following.lifeline, names(interaction.lifelines))
    elif following not in alphabet:
        there = [str(action) for action in alphabet if action.lifeline == following.lifeline]
        obstacle, meant = "action", closest(str(following), there)
    elif waits:
        obstacle = "others"
    return Reached(part, end, following, tuple(allowed), obstacle, meant)
