"""Whether logs without a common clock are explained by an automaton: layer by layer.

A layer has, for each way to have read so many actions of the logs together (a *cut*: how many of
each log), the set of states that the automaton may be in then. That is the automaton of the
automata paper, Definition 4, with the states of one cut kept together. Where logs may begin late or
stop early, what happens there unobserved is read, too, without a step in any log.

Simple and right, and as slow as there are cuts. Every quicker procedure is compared with it, and it
with `choreomon.automata.reference`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, States
from choreomon.core.action import Action

Log: TypeAlias = tuple[Sequence[str], Sequence[Action]]
"""The lifelines that share a clock, and what it recorded of them, in order: a component of a
multi-trace. Logs of one multi-trace have no lifeline in common."""


class Missing(NamedTuple):
    """What logs may lack: letters of their lifelines `before` their first action, `after` their
    last one. Neither: the logs are whole (mode `accept`); `after`: `multiprefix`; both: `slice`.
    Of a log without actions all may be missing if anything may."""

    before: bool = False
    after: bool = False


WHOLE = Missing()


class Membership(NamedTuple):
    """Whether an accepted word explains the logs, and at how many cuts the search was to find
    out."""

    explained: bool
    cuts: int


def membership(
    automaton: Automaton,
    logs: Sequence[Log],
    missing: Missing = WHOLE,
    check_budget: Callable[[], None] | None = None,
) -> Membership:
    """Whether some accepted word is, lifeline for lifeline, what the logs say, and what they may
    lack.

    On lifelines without a log nothing happened. An action that is no letter explains nothing.
    `check_budget` is called at every cut; it may raise, to stop.
    """
    coded: list[list[int]] = []
    for _, actions in logs:
        numbers = [automaton.letter_numbers.get(action, -1) for action in actions]
        if -1 in numbers:
            return Membership(False, 0)
        coded.append(numbers)
    own = [letters_on(automaton, lifelines) for lifelines, _ in logs]
    ends = tuple(map(len, coded))
    start = (0,) * len(logs)
    layer: dict[tuple[int, ...], States] = {start: automaton.initial} if automaton.initial else {}
    cuts = 0
    while layer:
        following: dict[tuple[int, ...], States] = {}
        for cut, begun in layer.items():
            if check_budget is not None:
                check_budget()
            cuts += 1
            states = closed(automaton, begun, unobserved_letters(cut, ends, own, missing))
            if cut == ends and states & automaton.final:
                return Membership(True, cuts)
            for log, place in enumerate(cut):
                if place == ends[log]:
                    continue
                after = automaton.after(states, coded[log][place])
                if after:
                    there = (*cut[:log], place + 1, *cut[log + 1 :])
                    following[there] = following.get(there, 0) | after
        layer = following
    return Membership(False, cuts)


def letters_on(automaton: Automaton, lifelines: Iterable[str]) -> tuple[int, ...]:
    """The letters of these lifelines, those that the automaton has."""
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
    """These states and all that these letters lead to from them."""
    fresh = states if letters else 0
    while fresh:
        found = 0
        for letter in letters:
            found |= automaton.after(fresh, letter)
        fresh = found & ~states
        states |= fresh
    return states
