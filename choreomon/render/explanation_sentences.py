"""Explanations of offline verdicts in plain sentences, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from choreomon.core.action import Action
from choreomon.render.failure_diagram import ComponentReached
from choreomon.render.wording import counted

MAX_ACTIONS: Final = 200
"""Of longer witnesses the first actions are listed, with the number of the others."""
MAX_ALLOWED: Final = 12


def witness_sentences(witness: Sequence[tuple[Action, bool]]) -> list[str]:
    """The global trace that explains a multi-trace, each action with whether it was observed: what
    it is, the actions on one line of any length, and how many more there are."""
    if not witness:
        return ["The interaction may stop at once, and nothing was observed."]
    missing = sum(not observed for _, observed in witness)
    if missing:
        head = (
            f"Explained by this trace of {counted(len(witness), 'action')}; the {missing:,} in "
            "parentheses were not observed:"
            if missing > 1
            else f"Explained by this trace of {counted(len(witness), 'action')}; the one in "
            "parentheses was not observed:"
        )
    else:
        head = f"Explained by this trace of {counted(len(witness), 'action')}, all observed:"
    shown = [str(action) if seen else f"({action})" for action, seen in witness[:MAX_ACTIONS]]
    lines = [f"  {' '.join(shown)}"]
    if len(witness) > MAX_ACTIONS:
        lines.append(f"  and {counted(len(witness) - MAX_ACTIONS, 'further action')}")
    return [head, *lines]


def failure_sentences(reached: Iterable[ComponentReached]) -> list[str]:
    """For each component, how far it is explained, what comes next, and what would have been
    allowed there; those that are not explained to their end first, and of these those that wait
    for others last."""
    every = tuple(reached)
    # Whoever waits for others is not the cause.
    stuck = sorted(
        (one for one in every if one.next_action is not None),
        key=lambda one: one.obstacle == "others",
    )
    others = [one for one in every if one.next_action is None]
    return [*map(_stuck, stuck), *map(_explained, others)]


def _explained(one: ComponentReached) -> str:
    length = len(one.component.actions)
    if not length:
        return f"{one.name}: nothing was observed."
    if length == 1:
        return f"{one.name}: its only action is explained."
    return f"{one.name}: all {length:,} actions are explained."


def _stuck(one: ComponentReached) -> str:
    length = len(one.component.actions)
    if one.position == 0:
        so_far = "not even its first action is explained"
    elif one.position == 1:
        so_far = f"the first of {length:,} actions is explained"
    else:
        so_far = f"the first {one.position:,} of {length:,} actions are explained"
    return f"{one.name}: {so_far}; then comes {one.next_action}, but {_instead(one)}."


def _instead(one: ComponentReached) -> str:
    """What the interaction has instead of the next action."""
    assert one.next_action is not None
    meant = f"; perhaps {one.meant} was meant" if one.meant else ""
    if one.obstacle == "lifeline":
        return f"the interaction has no lifeline {one.next_action.lifeline}{meant}"
    if one.obstacle == "others":
        return "the interaction allows nothing there before others do more than is explained"
    if one.allowed:
        texts = sorted(map(str, one.allowed))
        shown = texts[:MAX_ALLOWED]
        if len(texts) > MAX_ALLOWED:
            shown.append(f"{len(texts) - MAX_ALLOWED} others")
        listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
        instead = f"allows {listed} there"
    else:
        instead = "allows no action there"
    if one.obstacle == "action":
        return f"the interaction never has it{meant}; it {instead}"
    return f"the interaction {instead}"
