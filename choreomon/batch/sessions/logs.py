"""The logs of sessions, put side by side.

A session without clocks has a log for each lifeline, or group of lifelines that is known to share a
clock. Where rows say clocks, lifelines with actions at one clock share it; one without actions has
a clock of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from choreomon.automata.automaton import Automaton
from choreomon.automata.many_logs import Numbers, Offsets
from choreomon.batch.sessions.chunk import Chunk
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import Partition
from choreomon.sessions.blocks import Clocks

Places = npt.NDArray[np.int64]


class Arranged(NamedTuple):
    """Sessions with the same groups of lifelines, one log for each group.

    `sessions` are their places in the chunk; `letters` and `ends` as `ManyLogs.decide` has them.
    """

    groups: Partition
    sessions: Places
    letters: Numbers
    ends: Offsets


def conflicts(chunk: Chunk) -> dict[int, str]:
    """Sessions in which a lifeline is at two clocks, and what is told of them."""
    found: dict[int, str] = {}
    if chunk.clocks is None or not len(chunk.actions):
        return found
    names = sorted({action.lifeline for action in chunk.alphabet})
    number = {name: place for place, name in enumerate(names)}
    lifeline = np.array([number[action.lifeline] for action in chunk.alphabet])[chunk.actions]
    session = np.repeat(np.arange(len(chunk.lengths)), chunk.lengths)
    pairs = np.stack((session * len(names) + lifeline, chunk.clocks), axis=1)
    different = np.unique(pairs, axis=0)[:, 0]
    for twice in np.unique(different[1:][different[1:] == different[:-1]]).tolist():
        place, name = divmod(twice, len(names))
        told = f"session {chunk.names[place]!r}: {names[name]} has actions at two clocks; "
        found.setdefault(place, f"{told}a lifeline has one")
    return found


def arranged(
    chunk: Chunk, automaton: Automaton, together: Partition, chosen: npt.NDArray[np.bool_]
) -> Iterator[Arranged]:
    """The chosen sessions, all of whose actions are letters; those of equal groups together."""
    lifelines = automaton.lifelines
    number = {name: place for place, name in enumerate(lifelines)}
    own = np.array([number.get(one.lifeline, 0) for one in chunk.alphabet], np.int64)
    numbers = automaton.letter_numbers
    letter = np.array([numbers.get(one, -1) for one in chunk.alphabet], np.int32)
    # The first lifeline of each group leads it, by session.
    leader = np.arange(len(lifelines))
    for group in together:
        known = [number[name] for name in group if name in number]
        leader[known] = min(known, default=0)
    sessions = np.flatnonzero(chosen)
    if not len(sessions):
        return
    kept = np.repeat(chosen, chunk.lengths)
    actions = chunk.actions[kept]
    of = np.repeat(np.arange(len(sessions)), chunk.lengths[chosen])
    lifeline = own[actions]
    if chunk.clocks is None or not len(actions):
        yield _arranged(leader, lifelines, sessions, of, lifeline, letter[actions])
        return
    leaders = np.tile(leader, (len(sessions), 1))
    _lead(leaders, of, lifeline, chunk.clocks[kept])
    patterns, which = np.unique(leaders, axis=0, return_inverse=True)
    which = which.reshape(-1)
    for pattern, groups in enumerate(patterns):
        there = which == pattern
        inside = there[of]
        renumbered = (np.cumsum(there) - 1)[of[inside]]
        yield _arranged(
            groups,
            lifelines,
            sessions[there],
            renumbered,
            lifeline[inside],
            letter[actions[inside]],
        )


def _lead(leaders: Places, of: Places, lifeline: Places, clocks: Clocks) -> None:
    """Writes into `leaders` who leads, where clocks are said."""
    said = clocks >= 0
    seen = np.unique(np.stack((of[said], clocks[said], lifeline[said]), axis=1), axis=0)
    if not len(seen):
        return
    new = np.ones(len(seen), np.bool_)
    new[1:] = (seen[1:, :2] != seen[:-1, :2]).any(axis=1)
    first = np.flatnonzero(new)
    lengths = np.diff(np.append(first, len(seen)))
    leaders[seen[:, 0], seen[:, 2]] = np.repeat(seen[first, 2], lengths)


def _arranged(
    leader: Places,
    lifelines: Sequence[str],
    sessions: Places,
    of: Places,
    lifeline: Places,
    letters: Numbers,
) -> Arranged:
    leaders, log_of = np.unique(leader, return_inverse=True)
    groups = tuple(
        tuple(name for name, log in zip(lifelines, log_of, strict=True) if log == group)
        for group in range(len(leaders))
    )
    at = of * len(groups) + log_of[lifeline]
    lengths = np.bincount(at, minlength=len(sessions) * len(groups))
    order = np.argsort(at, kind="stable") if len(groups) > 1 else slice(None)
    ends = lengths.cumsum().reshape(len(sessions), len(groups))
    return Arranged(groups, sessions, letters[order], ends)


def multi_trace_of(chunk: Chunk, place: int, begin: int, together: Partition) -> MultiTrace:
    """The multi-trace of a session of a chunk, whose actions begin at `begin`; a lifeline without
    actions is only in a component with lifelines that are known to share its clock."""
    end = begin + int(chunk.lengths[place])
    group_of = {name: group for group in together for name in group}
    clocks = None if chunk.clocks is None else chunk.clocks[begin:end].tolist()
    found: dict[object, list[int]] = {}
    for group in together:
        found[group] = []
    for at, number in enumerate(chunk.actions[begin:end].tolist()):
        name = chunk.alphabet[number].lifeline
        key: object = group_of.get(name, name)
        if clocks is not None and clocks[at] >= 0:
            key = clocks[at]
        found.setdefault(key, []).append(number)
    parts: list[Component] = []
    for key, numbers in found.items():
        trace = tuple([chunk.alphabet[number] for number in numbers])
        named = key if isinstance(key, tuple) else {action.lifeline for action in trace}
        parts.append(Component(tuple(sorted(named)), trace))
    return MultiTrace(tuple(parts))
