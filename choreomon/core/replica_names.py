"""Names under which logs know the replicas of roles: `shop/2`, or those that a pattern matches.

A pattern is a name in which each `*` stands for any characters, or none: `shop-*`. What logs have
is all that there is: each name is a process of its own, however many slots its role has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from choreomon.core.message import ENVIRONMENT
from choreomon.core.roles import NO_ROLES, Roles


@dataclass(frozen=True)
class ReplicaNames:
    """Names of the replicas of `roles`. `others` are the other processes, which stand for
    themselves; `patterns` match names that roles have beside `ROLE/NUMBER`.

    Where several roles would have a name, the longest does.
    """

    roles: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.roles)

    def role_of(self, name: str) -> str:
        """The role of a replica; of what is none itself."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._looked_up(name)
        return found

    def recorded(self, processes: Iterable[str], peers: Iterable[str] = ()) -> Roles:
        """The roles with the replicas that are among these names, sorted: of processes with events,
        and of other ends of messages, where the name of a role is that of all its replicas. A role
        without any is its only replica itself, of which nothing was recorded."""
        if not self.roles:
            return NO_ROLES
        found: dict[str, set[str]] = {role: set() for role in self.roles}
        for name in (*processes, *(name for name in peers if name not in found)):
            role = self.role_of(name)
            if role in found:
                found[role].add(name)
        slots = {role: tuple(sorted(own, key=_by_number)) or (role,) for role, own in found.items()}
        return Roles({role: len(own) for role, own in slots.items()}, slots)

    @cached_property
    def _found(self) -> dict[str, str]:
        return {name: name for name in (*self.others, ENVIRONMENT)}

    def _looked_up(self, name: str) -> str:
        if name in self.roles:
            return name
        role, _, number = name.rpartition("/")
        found = {role} if role in self.roles and number.isascii() and number.isdigit() else set()
        for each in self.roles:
            if any(matches(pattern, name) for pattern in self.patterns.get(each, ())):
                found.add(each)
        return max(found, key=lambda each: (len(each), each), default=name)


NO_NAMES: Final = ReplicaNames()


def matches(pattern: str, name: str) -> bool:
    """Tell whether a pattern matches all of a name."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == name
    *between, last = rest
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    place, end = len(first), len(name) - len(last)
    for part in between:
        found = name.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _by_number(name: str) -> tuple[int, str]:
    """Sort `shop/2` before `shop/10`."""
    return len(name), name
