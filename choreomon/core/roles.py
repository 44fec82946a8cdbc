"""Roles: services with replicas, each of which is a process of its own, called a *slot*.

A role `shop` of three slots is the processes `shop/0`, `shop/1` and `shop/2`. A slot owns its
events; the other end of their messages stays the name of the role, since who sends does not know
which slot will handle (docs/adr/037-roles.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from choreomon.core.message import BEGIN, SEND, Label, Message


@dataclass(frozen=True)
class Roles:
    """The roles of a system with their numbers of slots. Names of processes that are none stand for
    themselves. `names`: those of the slots of roles of which they are not numbers, as logs have
    them."""

    slots: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.slots)

    @cached_property
    def _roles(self) -> Mapping[str, str]:
        return {slot: role for role in self.slots for slot in self.slots_of(role)}

    def slots_of(self, name: str) -> tuple[str, ...]:
        """The slots of a role, in order; of a process itself."""
        if name in self.names:
            return self.names[name]
        count = self.slots.get(name)
        return (name,) if count is None else tuple(slot_name(name, n) for n in range(count))

    def role_of(self, process: str) -> str:
        """The role of a slot; of another process itself."""
        return self._roles.get(process, process)

    def only_slot(self, name: str) -> str:
        """The slot of a role that has one; of another one, and of a process, the name itself."""
        slots = self.slots_of(name)
        return slots[0] if len(slots) == 1 else name

    def processes(self, names: Iterable[str]) -> tuple[str, ...]:
        """The slots of roles, and processes that are none, in the order of `names`."""
        return tuple(slot for name in names for slot in self.slots_of(name))

    def labels(self, label: Label) -> tuple[Label, ...]:
        """The labels of the slots that own the events of this label; that of the beginning has no
        owner."""
        if label == BEGIN or label.process not in self.slots:
            return (label,)
        return tuple(at_slot(label, slot) for slot in self.slots_of(label.process))

    def label(self, label: Label) -> Label:
        """The label over slots of an event whose message has slots at both ends: the other end
        becomes the name of its role."""
        kind, (sender, name, receiver) = label
        if kind == SEND:
            return Label(kind, Message(sender, name, self.role_of(receiver)))
        return Label(kind, Message(self.role_of(sender), name, receiver))

    def of_roles(self, label: Label) -> Label:
        """The label over roles of an event: both ends become the names of their roles."""
        kind, (sender, name, receiver) = label
        return Label(kind, Message(self.role_of(sender), name, self.role_of(receiver)))


NO_ROLES: Final = Roles()

_NUMBER: Final = re.compile("0|[1-9][0-9]{0,3}")


def roles_behind(names: Iterable[str]) -> Roles:
    """The roles among these names, where nobody has declared them: those of which a slot is named,
    too."""
    known = {*names}
    found = dict.fromkeys(known, 0)
    for name in known:
        role, number = slot_parts(name) or ("", 0)
        if role in known:
            found[role] = max(found[role], number + 1)
    return Roles({role: count for role, count in found.items() if count})


def slot_name(role: str, number: int) -> str:
    """The process that is a slot of a role; `number` counts from 0."""
    return f"{role}/{number}"


def slot_parts(name: str) -> tuple[str, int] | None:
    """The role and the number of a name that looks like that of a slot."""
    role, _, number = name.rpartition("/")
    return (role, int(number)) if role and _NUMBER.fullmatch(number) else None


def at_slot(label: Label, slot: str) -> Label:
    """The label of a role's event as one of its slots has it."""
    kind, (sender, name, receiver) = label
    if kind == SEND:
        return Label(kind, Message(slot, name, receiver))
    return Label(kind, Message(sender, name, slot))
