"""Logs without a common clock, and what they may lack: the input of every procedure here.

An automaton explains logs if some accepted word consists, on the lifelines of each log, of what the
log says and what it may lack, with nothing on lifelines without a log (the automata paper, section
2.4; `choreomon.automata.reference` is this definition).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, States
from choreomon.core.action import Action

Log: TypeAlias = tuple[Sequence[str], Sequence[Action]]
"""The lifelines that share a clock, and their recorded actions, in order: a component of a
multi-trace. Logs of one multi-trace have no lifeline in common."""


class Missing(NamedTuple):
    """The letters that logs may lack: those of their lifelines `before` their first action, `after`
    their last one. Neither: the logs are whole (mode `accept`); `after`: `multiprefix`; both:
    `slice`. A log without actions may lack all of them if it may lack any."""

    before: bool = False
    after: bool = False


WHOLE = Missing()


class Decided(NamedTuple):
    """A decision whether an automaton explains logs, with the number of states or cuts visited for
    it."""

    explained: bool
    visited: int


def coded(automaton: Automaton, actions: Sequence[Action]) -> list[int] | None:
    """The numbers of the letters of a log; None where one is no letter, which nothing explains."""
    numbers = automaton.letter_numbers
    try:
        return [numbers[action] for action in actions]
    except KeyError:
        return None


def letters_on(automaton: Automaton, lifelines: Iterable[str]) -> tuple[int, ...]:
    """The automaton's letters of these lifelines."""
    return tuple(n for name in lifelines for n in automaton.letters_of.get(name, ()))


def unobserved_letters(
    cut: tuple[int, ...],
    ends: tuple[int, ...],
    own: Sequence[tuple[int, ...]],
    missing: Missing,
) -> list[int]:
    """The letters that may be read at a cut without a step in any log."""
    return [
        letter
        for log, place in enumerate(cut)
        if (missing.after and place == ends[log]) or (missing.before and place == 0)
        for letter in own[log]
    ]


def closed(automaton: Automaton, states: States, letters: Sequence[int]) -> States:
    """Add to these states all to which these letters lead from them."""
    fresh = states
    while fresh:
        found = 0
        for letter in letters:
            found |= automaton.after(fresh, letter)
        fresh = found & ~states
        states |= fresh
    return states
