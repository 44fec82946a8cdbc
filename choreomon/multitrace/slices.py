"""Slices and prefixes: what partial observation leaves of a multi-trace.

Observation of a component may cease too early: *multi-prefixes*, the removal paper, Definition 9.
It may also begin too late: *slices*, the slices paper, Definition 2. Components are cut
independently of each other, since nothing synchronises their observers; so a multi-prefix is more
than the projection of a prefix of a global trace (the removal paper, Property 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil
from typing import TYPE_CHECKING

from choreomon.core.action import Action
from choreomon.multitrace.multitrace import Component, MultiTrace

if TYPE_CHECKING:
    from fractions import Fraction
    from random import Random


def multi_prefixes(multitrace: MultiTrace) -> Iterator[MultiTrace]:
    """Yields every multi-prefix, once each: shorter prefixes of the first component before longer
    ones, and for each of these those of the second, and so on.

    The first is empty, the last is the multi-trace itself. There are as many as the product of
    the components' lengths, each plus one.
    """
    return _cut(multitrace, [_prefix_windows(part.actions) for part in multitrace.components])


def slices(multitrace: MultiTrace) -> Iterator[MultiTrace]:
    """Yields every slice, once each: of the first component shorter slices before longer ones,
    earlier before later ones, and for each of these those of the second, and so on. Equal slices at
    two places of a component count as one. The first is empty, the last is the multi-trace itself.

    Finding repetitions takes memory for all slices of each component, the cube of its length.
    """
    return _cut(multitrace, [_slice_windows(part.actions) for part in multitrace.components])


def _prefix_windows(actions: Sequence[Action]) -> list[tuple[int, int]]:
    return [(0, stop) for stop in range(len(actions) + 1)]


def _slice_windows(actions: Sequence[Action]) -> list[tuple[int, int]]:
    windows = [(0, 0)]
    for length in range(1, len(actions) + 1):
        seen: set[tuple[Action, ...]] = set()
        for start in range(len(actions) - length + 1):
            part = tuple(actions[start : start + length])
            if part not in seen:
                seen.add(part)
                windows.append((start, start + length))
    return windows


def _cut(multitrace: MultiTrace, windows: Sequence[list[tuple[int, int]]]) -> Iterator[MultiTrace]:
    """The multi-traces within every combination of one window of each component."""
    for chosen in product(*windows):
        yield MultiTrace(
            tuple(
                Component(part.lifelines, tuple(part.actions[start:stop]))
                for part, (start, stop) in zip(multitrace.components, chosen, strict=True)
            )
        )


def is_multi_prefix(candidate: MultiTrace, whole: MultiTrace) -> bool:
    """Return whether every component of `candidate` is a prefix of that of `whole`.

    Raises ValueError where they are not over the same partition (in whichever order).
    """
    return all(
        len(seen) <= len(done) and tuple(done[: len(seen)]) == tuple(seen)
        for seen, done in _paired(candidate, whole)
    )


def is_slice(candidate: MultiTrace, whole: MultiTrace) -> bool:
    """Return whether every component of `candidate` occurs in that of `whole`, without gaps.

    Raises ValueError where they are not over the same partition (in whichever order).
    """
    for seen, done in _paired(candidate, whole):
        part = tuple(seen)
        starts = range(len(done) - len(part) + 1)
        if not any(tuple(done[start : start + len(part)]) == part for start in starts):
            return False
    return True


def _paired(
    candidate: MultiTrace, whole: MultiTrace
) -> list[tuple[Sequence[Action], Sequence[Action]]]:
    """The components of both over the same lifelines, together."""
    known = {part.lifelines: part.actions for part in whole.components}
    if known.keys() != {part.lifelines for part in candidate.components}:
        raise ValueError("the multi-traces are over different partitions")
    return [(part.actions, known[part.lifelines]) for part in candidate.components]


def random_slice(rng: Random, multitrace: MultiTrace, *, wide: Fraction | float = 0) -> MultiTrace:
    """A slice: of every component, any length that is at least the share `wide` of its length
    is as likely as any other, and any start as any other.

    The wide slices of the slices paper, section 5.5, have `wide` of a third. Raises ValueError
    where `wide` is not between 0 and 1.
    """
    parts: list[Component] = []
    for part in multitrace.components:
        length = rng.randint(_shortest(part, wide), len(part.actions))
        start = rng.randint(0, len(part.actions) - length)
        parts.append(Component(part.lifelines, tuple(part.actions[start : start + length])))
    return MultiTrace(tuple(parts))


def random_multi_prefix(
    rng: Random, multitrace: MultiTrace, *, wide: Fraction | float = 0
) -> MultiTrace:
    """A multi-prefix: of every component, any length that is at least the share `wide` of its
    length is as likely as any other. Raises ValueError where `wide` is not between 0 and 1."""
    parts: list[Component] = []
    for part in multitrace.components:
        length = rng.randint(_shortest(part, wide), len(part.actions))
        parts.append(Component(part.lifelines, tuple(part.actions[:length])))
    return MultiTrace(tuple(parts))


def _shortest(part: Component, wide: Fraction | float) -> int:
    if not 0 <= wide <= 1:
        raise ValueError(f"a share of the length lies between 0 and 1, {wide} does not")
    return ceil(wide * len(part.actions))
