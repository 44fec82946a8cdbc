"""Partitions of lifelines, and multi-traces as fewer common clocks would have recorded them.

The slices paper, section 2.1: a partition refines another one when each of its co-localizations
lies within one of the other's, and what is recorded over a partition can be projected onto every
refinement of it. Global traces are the multi-traces over the trivial partition, so the removal
paper's projection (Definition 6) is the one onto the discrete partition.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from choreomon.core.action import Action
from choreomon.multitrace.multitrace import Component, MultiTrace

Partition: TypeAlias = tuple[tuple[str, ...], ...]
"""Pairwise disjoint co-localizations, none of them empty, each sorted by name, in the order in
which a multi-trace is to have its components."""


def partition(blocks: Iterable[Iterable[str]]) -> Partition:
    """The partition with these co-localizations, in this order.

    Raises ValueError where one is empty, or where two share a lifeline.
    """
    made = tuple(tuple(sorted(set(block))) for block in blocks)
    known: set[str] = set()
    for block in made:
        if not block:
            raise ValueError("a co-localization needs at least one lifeline")
        for name in block:
            if name in known:
                raise ValueError(f"{name} is in two co-localizations; a lifeline has one clock")
            known.add(name)
    return made


def discrete(lifelines: Iterable[str]) -> Partition:
    """A clock for every lifeline; sorted by name."""
    return tuple((name,) for name in sorted(set(lifelines)))


def trivial(lifelines: Iterable[str]) -> Partition:
    """A partition with one clock for all lifelines; no co-localization at all where there is no
    lifeline."""
    names = tuple(sorted(set(lifelines)))
    return (names,) if names else ()


def partition_of(multitrace: MultiTrace) -> Partition:
    """The co-localizations of a multi-trace, in the order of its components."""
    return tuple(part.lifelines for part in multitrace.components)


def is_finer(finer: Partition, coarser: Partition) -> bool:
    """Return whether the first partition is a refinement of the second: of the same lifelines, and
    every co-localization of the first lies within one of the second. Every partition is finer than
    itself."""
    owner = {name: number for number, block in enumerate(coarser) for name in block}
    if owner.keys() != {name for block in finer for name in block}:
        return False
    return all(len({owner[name] for name in block}) == 1 for block in finer)


def project_trace(trace: Iterable[Action], onto: Partition) -> MultiTrace:
    """Project a global trace to the clocks of a partition, in the partition's order.

    Raises ValueError where an action is on a lifeline that the partition does not have.
    """
    owner = {name: number for number, block in enumerate(onto) for name in block}
    parts: list[list[Action]] = [[] for _ in onto]
    for action in trace:
        number = owner.get(action.lifeline)
        if number is None:
            raise ValueError(f"{action} is on {action.lifeline}, which is in no co-localization")
        parts[number].append(action)
    return MultiTrace(
        tuple(Component(block, tuple(part)) for block, part in zip(onto, parts, strict=True))
    )


def project(multitrace: MultiTrace, onto: Partition) -> MultiTrace:
    """The multi-trace over a finer partition, in that partition's order.

    Raises ValueError where the partition is not a refinement of the multi-trace's own.
    """
    own = partition_of(multitrace)
    if not is_finer(onto, own):
        raise ValueError(f"{_text(onto)} is no refinement of {_text(own)}")
    # Components are disjoint, so one after the other is an order that all of them agree with.
    return project_trace(
        (action for part in multitrace.components for action in part.actions), onto
    )


def _text(blocks: Partition) -> str:
    return "{" + ", ".join(f"[{','.join(block)}]" for block in blocks) + "}"
