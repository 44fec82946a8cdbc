"""The two interactions of the slices paper, section 5.5, as published with its experiment."""

from __future__ import annotations

from choreomon.core.action import emission, reception
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_w,
    seq,
    strict,
)

LIFELINES = ("l1", "l2", "l3")

MESSAGES = tuple(f"m{number}" for number in range(1, 10))
"""Messages, more than occur in the interactions: mutants may insert any of them."""


def _passing(sender: str, message: str, *receivers: str) -> Interaction:
    """A message that is sent, then received by everybody in turn."""
    received = [act(reception(receiver, message)) for receiver in receivers]
    whole = received[-1]
    for before in reversed(received[:-1]):
        whole = seq(before, whole)
    return strict(act(emission(sender, message)), whole)


def sequential_model() -> Interaction:
    """i1: an exchange, with a loop of answers in a co-region within, again and again."""
    answers = coreg(mask(["l3"]), _passing("l2", "m2", "l3"), _passing("l2", "m3", "l3"))
    return loop_w(
        seq(
            _passing("l1", "m1", "l2"),
            seq(loop_w(seq(answers, _passing("l3", "m4", "l2"))), _passing("l2", "m5", "l1")),
        )
    )


def concurrent_model() -> Interaction:
    """i2: a broadcast or nothing, beside a loop of alternatives; then a loop of exchanges."""
    return seq(
        coreg(
            mask(["l2"]),
            alt(_passing("l1", "m1", "l2", "l3"), EMPTY),
            loop_w(alt(_passing("l1", "m2", "l2"), _passing("l2", "m3", "l3"))),
        ),
        loop_w(seq(_passing("l3", "m4", "l2"), _passing("l2", "m5", "l3"))),
    )
