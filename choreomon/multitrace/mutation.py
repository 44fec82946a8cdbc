"""Multi-traces made from others, mostly such as a specification does not accept any more.

The mutants of the removal paper, section 6.1 (NOIS: an action is inserted, SACT: actions change
places, SCMP: components change places) and of the slices paper, section 5.5, and the removal of
actions.

Nothing here knows a specification: a mutant may well be accepted. What comes back is always
different from what was given; None says that nothing can be changed. Every choice comes from the
`random.Random` that is passed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from choreomon.core.action import Action, emission, reception
from choreomon.multitrace.multitrace import Component, MultiTrace

if TYPE_CHECKING:
    from random import Random


def alphabet(lifelines: Iterable[str], messages: Iterable[str]) -> tuple[Action, ...]:
    """Return every action over a signature, sorted."""
    names = sorted(set(messages))
    return tuple(
        kind(lifeline, message)
        for lifeline in sorted(set(lifelines))
        for kind in (emission, reception)
        for message in names
    )


def insert_action(
    rng: Random, multitrace: MultiTrace, actions: Sequence[Action]
) -> MultiTrace | None:
    """The multi-trace with one of `actions` at a random place of the component it is on.

    None where none of `actions` is on a lifeline of the multi-trace. Every action is as likely
    as any other, and every place within its component.
    """
    owner = {
        name: number for number, part in enumerate(multitrace.components) for name in part.lifelines
    }
    possible = [action for action in actions if action.lifeline in owner]
    if not possible:
        return None
    action = rng.choice(possible)
    number = owner[action.lifeline]
    local = list(multitrace.components[number].actions)
    local.insert(rng.randint(0, len(local)), action)
    return _replaced(multitrace, number, local)


def swap_actions(rng: Random, multitrace: MultiTrace) -> MultiTrace | None:
    """The multi-trace with two different actions of one component in each other's place.

    None where no component has two different actions.
    """
    possible = [
        number for number, part in enumerate(multitrace.components) if len(set(part.actions)) > 1
    ]
    if not possible:
        return None
    number = rng.choice(possible)
    local = list(multitrace.components[number].actions)
    one = rng.randrange(len(local))
    other = rng.choice([place for place, action in enumerate(local) if action != local[one]])
    local[one], local[other] = local[other], local[one]
    return _replaced(multitrace, number, local)


def swap_components(
    rng: Random, first: MultiTrace, second: MultiTrace
) -> tuple[MultiTrace, MultiTrace] | None:
    """Exchange what two multi-traces recorded on one set of lifelines. None if they differ on fewer
    than two sets of lifelines: exchanging all differences gives the same two. Raises ValueError if
    they are not over the same partition.
    """
    theirs = {part.lifelines: number for number, part in enumerate(second.components)}
    if theirs.keys() != {part.lifelines for part in first.components}:
        raise ValueError("the multi-traces are over different partitions")
    possible = [
        (number, theirs[part.lifelines])
        for number, part in enumerate(first.components)
        if tuple(part.actions) != tuple(second.components[theirs[part.lifelines]].actions)
    ]
    if len(possible) < 2:
        return None
    here, there = rng.choice(possible)
    return (
        _replaced(first, here, second.components[there].actions),
        _replaced(second, there, first.components[here].actions),
    )


def remove_actions(rng: Random, multitrace: MultiTrace, count: int = 1) -> MultiTrace | None:
    """The multi-trace without `count` (at least 1) of its actions, wherever they are.

    None where it has fewer. Every choice of actions is as likely as any other. Raises ValueError
    where `count` is less than 1.
    """
    if count < 1:
        raise ValueError("removing actions takes at least one")
    places = [
        (number, place)
        for number, part in enumerate(multitrace.components)
        for place in range(len(part.actions))
    ]
    if len(places) < count:
        return None
    gone = set(rng.sample(places, count))
    return MultiTrace(
        tuple(
            Component(
                part.lifelines,
                tuple(a for place, a in enumerate(part.actions) if (number, place) not in gone),
            )
            for number, part in enumerate(multitrace.components)
        )
    )


def _replaced(multitrace: MultiTrace, number: int, actions: Sequence[Action]) -> MultiTrace:
    """The multi-trace with other actions in one component."""
    parts = list(multitrace.components)
    parts[number] = Component(parts[number].lifelines, tuple(actions))
    return MultiTrace(tuple(parts))
