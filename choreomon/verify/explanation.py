"""Why a verdict is what it is: a witness, or how far the multi-trace can be explained.

The search that decides leaves both: the way that it took is the witness
(`choreomon.verify.witness`), the places where it ended are the furthest ones
(`choreomon.verify.furthest`). The witness of Pass is accepted as it stands. That of WeakPass is the
unobserved and observed actions up to the last observed one, and then unobserved ones until the
interaction may stop: so every witness replays to a term that may.

What cannot be explained is cut: `position` actions of every component are explained together,
and of no component can one more be. For `accept`, `prefix` and `test` a cut is a projected prefix;
for `multiprefix`, and for `slice` and `simulate`, one of those.
"""

from __future__ import annotations

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
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.witness import WitnessStep, witness

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
        return Explanation(verdict, None, _failure(decider, multitrace, check_budget))
    except Exhausted as cut:
        return Explanation(verdict, None, None, str(cut))


def _failure(
    decider: ExactDecider, multitrace: MultiTrace, check_budget: CheckBudget | None
) -> tuple[Reached, ...]:
    interaction = decider.interaction
    own = [known_mask(part.lifelines) & interaction.lifelines for part in multitrace.components]
    known = [part for part, theirs in zip(multitrace.components, own, strict=True) if theirs]
    parts = decider.observed(MultiTrace(tuple(known)))
    assert parts is not None
    mode: ExactMode = "prefix" if decider.mode == "accept" else decider.mode
    furthest = Furthest(decider, parts, mode, check_budget)
    alphabet = _alphabet(interaction)
    reached: list[Reached] = []
    number = 0
    for part, theirs in zip(multitrace.components, own, strict=True):
        if not theirs:
            reached.append(_reached(interaction, alphabet, part, 0, [], waits=False))
            continue
        actions = [action for action in alphabet if action.lifeline in part.lifelines]
        allowed = furthest.allowed(number, actions)
        waits = not allowed and furthest.waits_for_others(number, actions)
        end = furthest.places[number]
        reached.append(_reached(interaction, alphabet, part, end, allowed, waits=waits))
        number += 1
    return tuple(reached)


def _alphabet(interaction: Interaction) -> list[Action]:
    """Every action of the interaction, sorted."""
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
