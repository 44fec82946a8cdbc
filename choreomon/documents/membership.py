"""Replicas of a role that come and go in a simulated run, as documents write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from choreomon.actors.delays import microseconds
from choreomon.actors.membership import NO_SLOT, Change, ImpossibleChange, Membership
from choreomon.actors.randomness import Streams
from choreomon.core.errors import Defect, Path
from choreomon.core.roles import Roles
from choreomon.files.fields import (
    BRANCH,
    Items,
    Milliseconds,
    Name,
    Part,
    PositiveMilliseconds,
    refused,
    shown,
)

LEASE: Final = 100.0
"""Milliseconds for which nobody holds the slot of a replica that was killed."""

_WAYS: Final = "{at: 200, join: 1}, {at: 300, leave: shop/1} or {at: 400, kill: shop/0}"


class ChangeDocument(Part):
    """Replicas that join at some time, or one that leaves, or is killed."""

    at: Milliseconds = Field(description="when, in milliseconds")
    join: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="how many replicas join, each at the lowest slot that is free"
    )
    leave: Name | None = Field(
        default=None,
        description="the slot whose replica leaves in order: it handles what it was sent, and is "
        "sent nothing more",
    )
    kill: Name | None = Field(
        default=None,
        description="the slot whose replica is killed: what it was sent is lost, and its monitor "
        "is silent until the lease is over",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_of_them(cls, given: Any) -> Any:
        if isinstance(given, dict) and len({"join", "leave", "kill"} & given.keys()) != 1:
            raise refused(f"should say one thing that happens, as in {_WAYS}")
        return given


class RandomChangesDocument(Part):
    """Replicas that come and go at random."""

    every: PositiveMilliseconds = Field(
        description="milliseconds between two changes, in the mean: any replica leaves or is "
        "killed, or one joins; one stays at all times"
    )


def _branch(value: object) -> str:
    return f"{BRANCH}{'random' if isinstance(value, dict) else 'list'}"


def _changes(value: object) -> object:
    if isinstance(value, (dict, list, tuple)):
        return value
    raise refused(f"should be a list of changes or {{every: MILLISECONDS}}, not {shown(value)}")


ChangesDocument: TypeAlias = Annotated[
    Annotated[Items[ChangeDocument], Tag(f"{BRANCH}list")]
    | Annotated[RandomChangesDocument, Tag(f"{BRANCH}random")],
    Discriminator(_branch),
    BeforeValidator(_changes),
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
        field = "join" if given.join is not None else "kill" if given.kill else "leave"
        yield Defect((*path, "changes", place, field), f"{error}: {fix}")


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
