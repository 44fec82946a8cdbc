"""Load balancing: which replica of a role handles a message that is sent to the role.

The choice is the network's, not the sender's: a label names the role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, TypeAlias, assert_never

from choreomon.actors.randomness import Streams
from choreomon.core.binding import Binding
from choreomon.core.roles import NO_ROLES, Roles, slot_name


@dataclass(frozen=True, slots=True)
class ByKey:
    """Messages with the same value of the parameter `name` go to the same replica."""

    name: str


Balance: TypeAlias = Literal["round-robin", "random"] | ByKey

Balancer: TypeAlias = Callable[[Binding], int]
"""Chooses a replica, from 0, for a message with these values."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """The roles of an application, and how messages to each are balanced: round robin where nothing
    else is said."""

    roles: Roles = NO_ROLES
    balancing: Mapping[str, Balance] = field(default_factory=dict)

    def balancer(self, role: str, streams: Streams) -> Balancer:
        """A balancer for all messages to this role; `random` draws from a stream of its own. A
        message without a value of the key goes to the first replica."""
        count = self.roles.slots[role]
        balance = self.balancing.get(role, "round-robin")
        match balance:
            case "round-robin":
                return _in_turn(count)
            case "random":
                draw = streams.stream("balance", role).randrange
                return lambda values: draw(count)
            case ByKey(name):
                return lambda values: _by_digest(dict(values).get(name, ""), count)
        assert_never(balance)

    def chooser(self, streams: Streams) -> Callable[[str, Binding], str]:
        """Chooses the process that handles a message with these values to a role, or to a process,
        which handles it itself."""
        balancers = {role: self.balancer(role, streams) for role in self.roles.slots}

        def chosen(receiver: str, values: Binding) -> str:
            balancer = balancers.get(receiver)
            return receiver if balancer is None else slot_name(receiver, balancer(values))

        return chosen


NO_REPLICAS = Replicas()


def _in_turn(count: int) -> Balancer:
    last = -1

    def balancer(values: Binding) -> int:
        nonlocal last
        last = (last + 1) % count
        return last

    return balancer


def _by_digest(value: str, count: int) -> int:
    return int.from_bytes(sha256(value.encode()).digest()[:8]) % count if value else 0
