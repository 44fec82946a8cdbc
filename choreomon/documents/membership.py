"""Replicas of a role that come and go in a simulated run, as documents write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, TypeAlias

from choreomon.actors.delays import microseconds
from choreomon.actors.membership import NO_SLOT, Change, ImpossibleChange, Membership
from choreomon.actors.randomness import Streams
from choreomon.core.errors import Defect, Path
from choreomon.core.roles import Roles
from choreomon.files.fields import Items, Milliseconds, Name, PositiveMilliseconds
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Bounds, Choice, Part, Refused, field

LEASE: Final = 100.0
"""Milliseconds for which nobody holds the slot of a replica that was killed."""

_WAYS: Final = "{at: 200, join: 1}, {at: 300, leave: shop/1} or {at: 400, kill: shop/0}"


class ChangeDocument(Part):
    """Replicas that join at some time, or one that leaves, or is killed."""

    at: Milliseconds = field(description="when, in milliseconds")
    join: Annotated[int, Bounds(least=1)] | None = field(
        default=None, description="how many replicas join, each at the lowest slot that is free"
    )
    leave: Name | None = field(
        default=None,
        description="the slot whose replica leaves in order: it handles what it was sent, and is "
        "sent nothing more",
    )
    kill: Name | None = field(
        default=None,
        description="the slot whose replica is killed: what it was sent is lost, and its monitor "
        "is silent until the lease is over",
    )

    @classmethod
    def look(cls, value: Mapping[str, object]) -> None:
        if len({"join", "leave", "kill"} & value.keys()) != 1:
            raise Refused(f"should say one thing that happens, as in {_WAYS}")


class RandomChangesDocument(Part):
    """Replicas that come and go at random."""

    every: PositiveMilliseconds = field(
        description="milliseconds between two changes, in the mean: any replica leaves or is "
        "killed, or one joins; one stays at all times"
    )


def _changes(value: object) -> int:
    if isinstance(value, dict | list):
        return 1 if isinstance(value, dict) else 0
    raise Refused(f"should be a list of changes or {{every: MILLISECONDS}}, not {shown(value)}")


ChangesDocument: TypeAlias = Annotated[
    Items[ChangeDocument] | RandomChangesDocument, Choice(_changes)
]


def membership(
    role: str,
    slots: int,
    replicas: int | None,
    changes: Sequence[ChangeDocument] | RandomChangesDocument,
    lease: float,
) -> Membership:
    """The replicas that a role declares. Slots that it has not are `NO_SLOT`."""
    first, silence = slots if replicas is None else replicas, microseconds(lease)
    if isinstance(changes, RandomChangesDocument):
        return Membership(slots, first, every=changes.every, lease=silence)
    wanted = [each for _, each in _in_order(role, slots, changes)]
    return Membership(slots, first, tuple(wanted), lease=silence)


def membership_defects(
    role: str, stated: Membership, changes: Sequence[ChangeDocument] | RandomChangesDocument
) -> Iterator[Defect]:
    """More replicas than slots, changes of slots at which no replica is, and random ones where
    there is one slot only."""
    path: Path = ("roles", role)
    if stated.replicas > stated.slots:
        told = f"is more than there are slots, {stated.slots}: have more slots, or fewer replicas"
        yield Defect((*path, "replicas"), told)
        return
    if isinstance(changes, RandomChangesDocument):
        if stated.slots == 1:
            told = "needs two slots at least, since one replica stays at all times: have more slots"
            yield Defect((*path, "changes"), told)
        return
    try:
        [*stated.moves(role, Streams(0))]
    except ImpossibleChange as error:
        place, change = _in_order(role, stated.slots, changes)[error.place]
        given = changes[place]
        fix = "name another one"
        if change.happening == "join":
            fix = "have more slots, or let others leave before"
        elif change.slot == NO_SLOT:
            known = Roles({role: stated.slots}).slots_of(role)
            fix = f"the slots are {known[0]} to {known[-1]}"
        key = "join" if given.join is not None else "kill" if given.kill else "leave"
        yield Defect((*path, "changes", place, key), f"{error}: {fix}")


def _in_order(role: str, slots: int, changes: Sequence[ChangeDocument]) -> list[tuple[int, Change]]:
    """The changes in the order of their times, each with its place in the document."""
    places = {slot: number for number, slot in enumerate(Roles({role: slots}).slots_of(role))}
    found: list[tuple[int, Change]] = []
    for place, each in enumerate(changes):
        at = microseconds(each.at)
        if each.join is not None:
            found += [(place, Change(at, "join"))] * min(each.join, slots + 1)
        elif each.kill is not None:
            found.append((place, Change(at, "kill", places.get(each.kill, NO_SLOT))))
        else:
            assert each.leave is not None
            found.append((place, Change(at, "leave", places.get(each.leave, NO_SLOT))))
    return sorted(found, key=lambda each: each[1].at)
