"""The interactions that the papers' figures share."""

from __future__ import annotations

from typing import Final

from choreomon.interaction.lifelines import mask
from choreomon.interaction.step import frontier, position_text, subterm
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    alt,
    coreg,
    loop_h,
    loop_p,
    loop_w,
    par,
    seq,
    strict,
)
from tests.verify.papers.questions import a, passing

PUBLISH: Final = seq(
    seq(loop_w(passing("lp", "pub", "lb")), passing("ls", "sub", "lb")),
    loop_w(strict(passing("lp", "pub", "lb"), passing("lb", "pub", "ls"))),
)
"""The removal paper, Fig. 1. The text gives the behaviour of every lifeline and two positions; how
the operands of the two `seq` are grouped is inferred from these positions."""

BROADCAST: Final = seq(
    coreg(
        mask(["l2"]),
        alt(passing("l1", "m1", "l2", "l3"), EMPTY),
        loop_w(alt(passing("l1", "m2", "l2"), passing("l2", "m3", "l3"))),
    ),
    loop_p(seq(passing("l3", "m4", "l2"), passing("l2", "m5", "l3"))),
)
"""The slices paper, Fig. 2 (b) and Fig. 15, which are both text."""

SMALL: Final = seq(alt(passing("b", "m2", "c"), EMPTY), a("b!m3"))
"""The small-step paper, Fig. 2."""

EXAMPLE: Final = seq(
    loop_h(seq(passing("a", "m1", "b"), SMALL)), par(a("a!m1"), passing("c", "m4", "a"))
)
"""The small-step paper, Fig. 1. The positions and actions are in the text of Fig. 7 to 10. Which
loop it is, is not: `loop_seq` of Definition 9 is assumed, which is `loopH` here."""


def positions(term: Interaction) -> list[str]:
    """All of them, in Dewey notation, as in the small-step paper, Definition 3."""
    found = []
    pending = [("", term)]
    while pending:
        at, top = pending.pop()
        found.append(at)
        if top.right is not None:
            pending.append((at + "2", top.right))
        if top.left is not None:
            pending.append((at + "1", top.left))
    return found


def leaves(term: Interaction) -> dict[str, str]:
    """The actions by position."""
    return {
        at: str(leaf.action)
        for at in positions(term)
        if (leaf := subterm(term, at)).action is not None
    }


def executable(term: Interaction) -> dict[str, str]:
    """The frontier: the actions that may be executed now, by position."""
    return {position_text(step.position): str(step.action) for step in frontier(term)}


def follow_up(term: Interaction, position: str) -> Interaction:
    """What remains when the action at a position of the frontier is executed."""
    (rest,) = (s.follow_up for s in frontier(term) if position_text(s.position) == position)
    return rest
