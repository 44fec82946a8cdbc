"""Explanations of offline verdicts in plain sentences, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from choreomon.core.action import Action
from choreomon.pictures.interactions.failure_diagram import ComponentReached
from choreomon.sentences.wording import counted

MAX_ACTIONS: Final = 200
"""The most actions listed of a witness; longer ones also show the number of the others."""
MAX_ALLOWED: Final = 12
MAX_OTHERS: Final = 3


def witness_sentences(witness: Sequence[tuple[Action, bool]]) -> list[str]:
    """Sentences on a global trace that explains a multi-trace, each action with whether it was
    observed: a heading, the actions on one line of any length, and how many more there are."""
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
    """Sentences on how far each component is explained, what comes next, and what would have been
    allowed there; components not explained to their end come first, by rank."""
    every = tuple(reached)
    stuck = sorted((one for one in every if one.next_action is not None), key=lambda one: one.rank)
    others = [one for one in every if one.next_action is None]
    return [*map(_stuck, stuck), *map(_explained, others)]


def other_readings_sentence(others: Sequence[tuple[Action, int, int]]) -> str:
    """A sentence on what else might be the error: actions, each with how many logs and actions are
    unexplained then."""
    shown = [
        f"{action} ({counted(actions, 'action')} of {counted(logs, 'log')} unexplained)"
        for action, logs, actions in others[:MAX_OTHERS]
    ]
    if len(others) > MAX_OTHERS:
        shown.append(f"one of {len(others) - MAX_OTHERS:,} others")
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
    return f"Or else the error is {listed}."


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
        return f"{one.name}: its first action is {one.next_action}, but {_first_instead(one)}."
    if one.position == 1:
        so_far = f"the first of {length:,} actions is explained"
    else:
        so_far = f"the first {one.position:,} of {length:,} actions are explained"
    return f"{one.name}: {so_far}; then comes {one.next_action}, but {_instead(one)}."


def _first_instead(one: ComponentReached) -> str:
    """The words of `_instead` for a first action."""
    if one.obstacle in ("lifeline", "others", "action") or one.sent is not None or not one.allowed:
        return _instead(one)
    return f"only {_allowed(one)} may come first"


def _allowed(one: ComponentReached) -> str:
    """The actions that the interaction allows, the first by name."""
    texts = sorted(map(str, one.allowed))
    shown = texts[:MAX_ALLOWED]
    if len(texts) > MAX_ALLOWED:
        shown.append(f"{len(texts) - MAX_ALLOWED} others")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _instead(one: ComponentReached) -> str:
    """Words on what the interaction has instead of the next action."""
    assert one.next_action is not None
    meant = f"; perhaps {one.meant} was meant" if one.meant else ""
    if one.obstacle == "lifeline":
        return f"the interaction has no lifeline {one.next_action.lifeline}{meant}"
    if one.sent is not None:
        return f"{one.sent} is not explained"
    if one.obstacle == "others":
        return "before it others have to act"
    instead = f"allows {_allowed(one)} there" if one.allowed else "allows no action there"
    if one.obstacle == "action":
        return f"the interaction never has it{meant}; it {instead}"
    return f"the interaction {instead}"
