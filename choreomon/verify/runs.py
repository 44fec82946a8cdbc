"""Which neighbours in a component's log may be taken together, as one.

Where an action never has to wait for one that somebody else sees, every accepted trace stays one
when the action is moved forward, past actions of others. Where nobody else ever has to wait for it,
it may be moved backward. Only strict-like operators make actions wait for those of other lifelines:
an action of the right operand of `strict` waits for all of the left one, one of an iteration of
`loopS` for all of the earlier ones. Of other neighbours on different lifelines in an accepted
trace either may be the first: they come from one operand or iteration, of which the same can be
said, or from two, which are ordered on each lifeline only.

So in a log, take any actions for which nobody else waits, then any one action, then any that wait
for nobody else, next to each other: a *run*. In a global trace that explains the log, move those in
front of the one in the middle backward to it, and those behind it forward. They pass actions of
other components only, observed or not, since a component does nothing unobserved between actions
that it recorded. So the trace stays accepted and explains the same logs, and nothing happens within
the run but the run. The same is done with all runs of all components: moving the actions of one
run moves nothing into another one. It is enough to look for global traces like this.

Of message passing, receptions and the emissions behind them are a run, mostly. In a term without
strict-like operators every log is one. Not from a paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.term import Interaction, Operator, subterms

Inside: TypeAlias = Sequence[bool]
"""For each place between 0 and the length of a log, whether it lies within a run, so that the next
action follows at once."""


class Waiting(NamedTuple):
    """For each action of a term, on which lifelines there may be actions that it has to wait for
    (`before`), and such that have to wait for it (`behind`), because of a strict-like operator.
    Both may have too many lifelines, never too few."""

    before: dict[Action, Mask]
    behind: dict[Action, Mask]


def waiting(term: Interaction) -> Waiting:
    """Who may have to wait for whom in a term."""
    masks: dict[Interaction, tuple[Mask, Mask]] = {term: (NONE, NONE)}

    def below(part: Interaction, before: Mask, behind: Mask) -> None:
        known = masks.get(part, (NONE, NONE))
        masks[part] = known[0] | before, known[1] | behind

    found = Waiting({}, {})
    for part in reversed(subterms(term)):
        before, behind = masks[part]
        left, right = part.left, part.right
        if part.action is not None:
            found.before[part.action] = before
            found.behind[part.action] = behind
        elif left is None:
            continue
        elif part.operator is Operator.STRICT:
            assert right is not None
            below(left, before, behind | right.lifelines)
            below(right, before | left.lifelines, behind)
        elif part.operator in (Operator.LOOP_S, Operator.LOOP_H):
            below(left, before | left.lifelines, behind | left.lifelines)
        else:
            below(left, before, behind)
            if right is not None:
                below(right, before, behind)
    return found


def within_runs(actions: Sequence[Action], lifelines: Mask, waits: Waiting) -> Inside:
    """Where runs are in the log of the component with these lifelines, each as long as can be."""
    inside = [False] * (len(actions) + 1)
    others = ~lifelines
    in_front = True
    for place in range(1, len(actions)):
        if in_front and waits.behind.get(actions[place - 1], ALL) & others:
            in_front = False
        if in_front or not waits.before.get(actions[place], ALL) & others:
            inside[place] = True
        else:
            in_front = True
    return inside


def boundaries(inside: Sequence[Inside]) -> int:
    """How many places there are in several logs that do not lie within runs, all combinations."""
    found = 1
    for places in inside:
        found *= len(places) - sum(places)
    return found
