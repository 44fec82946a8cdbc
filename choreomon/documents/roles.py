"""The roles of a document: services with replicas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from choreomon.actors.balancing import Balance, ByKey, Replicas
from choreomon.actors.membership import Membership
from choreomon.core.errors import Defect, Path
from choreomon.core.message import BEGIN, ENVIRONMENT, Label
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.suggestion import unknown
from choreomon.documents.compilation import LoadedProperty
from choreomon.documents.membership import (
    LEASE,
    ChangesDocument,
    membership,
    membership_defects,
)
from choreomon.files.fields import Milliseconds, Name, PlainName
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Bounds, Choice, Part, Refused, field
from choreomon.properties.roles import automaton_over_slots, parameters_over_slots

MOST_SLOTS: Final = 1024
"""The most processes that clocks have entries for; slots are processes."""


class KeyDocument(Part):
    """Balance messages by the value of a parameter."""

    by: PlainName = field(description="the parameter whose value decides")


BalanceDocument: TypeAlias = Annotated[
    Literal["round-robin", "random"] | KeyDocument, Choice(lambda value: isinstance(value, dict))
]
Slots: TypeAlias = Annotated[int, Bounds(least=1, most=MOST_SLOTS)]


class RoleDocument(Part):
    """A role with more than its number of slots."""

    slots: Slots = field(description="how many replicas there are at most")
    balance: BalanceDocument = field(
        default="round-robin",
        description="which replica handles a message in a run: each in turn "
        "(round-robin), any (random), or {by: PARAMETER}",
    )
    replicas: Annotated[int, Bounds(least=0, most=MOST_SLOTS)] | None = field(
        default=None,
        description="how many replicas there are at the beginning, at the lowest slots; null: one "
        "at each",
    )
    changes: ChangesDocument = field(
        default=(),
        description="who comes and goes in a simulated run: a list of changes, or {every: "
        "MILLISECONDS} for random ones",
    )
    lease: Milliseconds = field(
        default=LEASE,
        description="milliseconds for which nobody answers for a slot whose replica was killed",
    )


def _role(value: object) -> int:
    if isinstance(value, dict):
        return 1
    if isinstance(value, int) and not isinstance(value, bool):
        return 0
    raise Refused(f"should be a number of slots or {{slots: NUMBER}}, not {shown(value)}")


AnyRoleDocument: TypeAlias = Annotated[Slots | RoleDocument, Choice(_role)]
RolesDocument: TypeAlias = dict[Name, AnyRoleDocument]


def replicas(document: Mapping[str, int | RoleDocument]) -> Replicas:
    """The roles that a document declares."""
    slots: dict[str, int] = {}
    balancing: dict[str, Balance] = {}
    memberships: dict[str, Membership] = {}
    for role, stated in document.items():
        slots[role] = stated if isinstance(stated, int) else stated.slots
        if isinstance(stated, RoleDocument):
            by = stated.balance
            balancing[role] = ByKey(by.by) if isinstance(by, KeyDocument) else by
            if stated.replicas is not None or stated.changes:
                coming = (stated.replicas, stated.changes, stated.lease)
                memberships[role] = membership(role, stated.slots, *coming)
    return Replicas(Roles(slots), balancing, memberships) if slots else Replicas(NO_ROLES)


def coming_defects(
    document: Mapping[str, int | RoleDocument], of_roles: Replicas
) -> Iterator[Defect]:
    """Replicas that cannot come or go as a document says."""
    for role, stated in of_roles.memberships.items():
        declared = document[role]
        assert isinstance(declared, RoleDocument)
        yield from membership_defects(role, stated, declared.changes)


def role_defects(
    roles: Roles,
    processes: Collection[str],
    labels: Iterable[tuple[Path, Label]],
    interaction: str | None,
) -> Iterator[Defect]:
    """Roles that are no process of the document, slots that are, labels of slots, and more slots
    than clocks have entries. `processes` are those of the application, or those that labels
    name."""
    known = [each for each in processes if roles.role_of(each) == each]
    for role in roles.slots:
        path: Path = ("roles", role)
        if role == ENVIRONMENT:
            yield Defect(path, f"{ENVIRONMENT!r} has no replicas: name a process")
        elif role not in processes:
            yield Defect(path, unknown("process", role, known, "processes"))
        elif roles.role_of(role) != role:
            told = f"is a slot of {roles.role_of(role)}, too: call one of the two otherwise"
            yield Defect(path, told)
    named = dict[Path, Label](labels)
    for path, label in named.items():
        ends = () if label == BEGIN else (label.message.sender, label.message.receiver)
        for end in ends:
            if (role := roles.role_of(end)) != end:
                told = f"names the slot {end}, and labels are about all of {role}: write {role}"
                yield Defect(path, told)
    of_labels = {end for label in named.values() for end in label.message[::2]}
    for process in processes:
        if roles.role_of(process) != process and process not in of_labels:
            told = f"has a slot {process}, which is a process, too: call one of the two otherwise"
            yield Defect(("roles", roles.role_of(process)), told)
    count = len(processes) - len(roles.slots) + sum(roles.slots.values())
    if roles and count > MOST_SLOTS:
        told = f"come to {count} processes with all slots; at most {MOST_SLOTS} are supported"
        yield Defect(("roles",), f"{told}: use fewer slots")
    if roles and interaction is not None:
        told = "knows nothing of replicas: leave it out, or roles"
        yield Defect(("interaction",), told)


def over_slots(loaded: LoadedProperty, roles: Roles) -> LoadedProperty:
    """The property over the slots of roles. One that is over slots stays as it is."""
    if not roles:
        return loaded
    return replace(
        loaded,
        automaton=automaton_over_slots(loaded.automaton, roles),
        parameters=parameters_over_slots(loaded.parameters, loaded.automaton, roles),
    )
