"""Replicas that come and go: who is at which slot of a role from when on.

A replica that joins takes the lowest slot that is free. A slot whose replica was killed is free
when its lease is over, since nobody knows before that the replica is dead; where no other one is
free, who joins waits for it. What is planned here depends on nothing that happens in a run, so it
is known before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.actors.delays import Exponential, sampler
from choreomon.actors.randomness import Streams

Happening: TypeAlias = Literal["join", "leave", "kill"]

NO_SLOT: Final = -1


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is wanted at the time `at`, in microseconds: a replica joins, or that of `slot`
    leaves or is killed."""

    at: int
    happening: Happening
    slot: int = NO_SLOT


class Move(NamedTuple):
    """A change of who is at a slot, at the time `at`, in microseconds."""

    at: int
    happening: Happening
    slot: int


@dataclass(frozen=True, slots=True)
class Membership:
    """The replicas of a role: how many there are at the beginning, at the lowest of `slots`; the
    changes that are wanted, in the order of their times; or, where there is `every`, one at random
    every so many milliseconds in the mean. `lease` is in microseconds."""

    slots: int
    replicas: int
    changes: tuple[Change, ...] = ()
    every: float | None = None
    lease: int = 0

    @property
    def moves_any(self) -> bool:
        """True if a replica ever comes or goes."""
        return bool(self.changes) or self.every is not None

    def moves(self, role: str, streams: Streams) -> Iterator[Move]:
        """Yields the moves of this role in the order of their times, without end where they are
        random. Raises `ImpossibleChange` for one that cannot be."""
        if self.every is None:
            yield from sorted(self._planned(), key=lambda move: move.at)
        else:
            yield from self._drawn(role, streams, self.every)

    def _planned(self) -> Iterator[Move]:
        slots = _Slots(self)
        for place, change in enumerate(self.changes):
            if change.happening == "join":
                if not slots.free():
                    told = f"is one replica more than the {self.slots} slots have room for"
                    raise ImpossibleChange(place, told)
                yield slots.join(change.at)
            elif not slots.is_held(change.slot, change.at):
                raise ImpossibleChange(place, "names a slot at which no replica is then")
            else:
                yield slots.end(change.at, change.happening, change.slot)

    def _drawn(self, role: str, streams: Streams, every: float) -> Iterator[Move]:
        """Any change that is possible. One replica stays at all times."""
        random = streams.stream("replicas", role)
        slots, draw, now = _Slots(self), sampler(Exponential(every), random), 0
        while True:
            now += draw()
            held = [slot for slot in range(self.slots) if slots.is_held(slot, now)]
            ready = [slot for slot in slots.free() if slots.since[slot] <= now]
            wanted: list[Happening] = ["join"] * bool(ready)
            if len(held) > 1:
                wanted += ["leave", "kill"]
            if wanted:
                happening = random.choice(wanted)
                if happening == "join":
                    yield slots.join(now)
                else:
                    yield slots.end(now, happening, random.choice(held))


class ImpossibleChange(ValueError):
    """A change that cannot be: that at this place, counted from 0."""

    def __init__(self, place: int, told: str) -> None:
        super().__init__(told)
        self.place = place


class _Slots:
    """The slots while moves are planned, with their holders. `since`: from when on each is held,
    or free."""

    def __init__(self, membership: Membership) -> None:
        self._lease = membership.lease
        self._held = [slot < membership.replicas for slot in range(membership.slots)]
        self.since = [0] * membership.slots

    def is_held(self, slot: int, at: int) -> bool:
        return slot != NO_SLOT and self._held[slot] and self.since[slot] <= at

    def free(self) -> list[int]:
        return [slot for slot, held in enumerate(self._held) if not held]

    def join(self, at: int) -> Move:
        slot = min(self.free(), key=lambda slot: (max(at, self.since[slot]), slot))
        self._held[slot] = True
        self.since[slot] = max(at, self.since[slot])
        return Move(self.since[slot], "join", slot)

    def end(self, at: int, happening: Happening, slot: int) -> Move:
        self._held[slot] = False
        self.since[slot] = at + (self._lease if happening == "kill" else 0)
        return Move(at, happening, slot)
