"""Load balancing: which replica of a role handles a message that is sent to the role.

The choice is the network's, not the sender's: a label names the role.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, TypeAlias, assert_never

from choreomon.actors.membership import Membership
from choreomon.actors.randomness import Streams
from choreomon.core.binding import Binding
from choreomon.core.roles import NO_ROLES, Roles, slot_name


@dataclass(frozen=True, slots=True)
class ByKey:
    """Messages with the same value of the parameter `name` go to the same replica."""

    name: str


Balance: TypeAlias = Literal["round-robin", "random"] | ByKey

_Choice: TypeAlias = Callable[[Binding, Sequence[int]], int]
"""Chooses one of the replicas, which are some, in order."""


class Balancer:
    """Chooses a replica for each message to a role, of those that serve: at first the lowest
    `serving`."""

    def __init__(self, choice: _Choice, serving: int) -> None:
        self._choice = choice
        self._serving = [*range(serving)]

    def __call__(self, values: Binding) -> int | None:
        """A replica, from 0, for a message with these values; `None` if none serves."""
        return self._choice(values, self._serving) if self._serving else None

    def add(self, replica: int) -> None:
        """Choose this replica, too, from now on."""
        insort(self._serving, replica)

    def leave_out(self, replica: int) -> None:
        """Choose this replica no more."""
        self._serving.remove(replica)


@dataclass(frozen=True, slots=True)
class Replicas:
    """The roles of an application, how messages to each are balanced, round robin where nothing
    else is said, and which of their replicas come and go: none where nothing is said."""

    roles: Roles = NO_ROLES
    balancing: Mapping[str, Balance] = field(default_factory=dict)
    memberships: Mapping[str, Membership] = field(default_factory=dict)

    def balancer(self, role: str, streams: Streams) -> Balancer:
        """A balancer for all messages to this role; `random` draws from a stream of its own. A
        message without a value of the key goes to the first replica."""
        count = self.roles.slots[role]
        membership = self.memberships.get(role)
        serving = count if membership is None else membership.replicas
        return Balancer(self._choice(role, count, streams), serving)

    def _choice(self, role: str, count: int, streams: Streams) -> _Choice:
        balance = self.balancing.get(role, "round-robin")
        match balance:
            case "round-robin":
                return _in_turn()
            case "random":
                draw = streams.stream("balance", role).randrange
                return lambda _, serving: serving[draw(len(serving))]
            case ByKey(name):
                return _by_digest(name, count)
        assert_never(balance)

    def chooser(self, streams: Streams) -> Callable[[str, Binding], str]:
        """Chooses the process that handles a message with these values to a role, or to a process,
        which handles it itself. Nobody comes or goes."""
        balancers = {role: self.balancer(role, streams) for role in self.roles.slots}

        def chosen(receiver: str, values: Binding) -> str:
            balancer = balancers.get(receiver)
            if balancer is None:
                return receiver
            replica = balancer(values)
            assert replica is not None
            return slot_name(receiver, replica)

        return chosen


NO_REPLICAS = Replicas()


def _in_turn() -> _Choice:
    last = -1

    def choice(_: Binding, serving: Sequence[int]) -> int:
        nonlocal last
        last = serving[bisect(serving, last) % len(serving)]
        return last

    return choice


def _by_digest(name: str, count: int) -> _Choice:
    """A value keeps its replica while that serves, whoever else comes and goes."""

    def choice(values: Binding, serving: Sequence[int]) -> int:
        value = dict(values).get(name)
        digest = 0 if value is None else int.from_bytes(sha256(value.encode()).digest()[:8])
        own = digest % count
        return own if own in serving else serving[digest // count % len(serving)]

    return choice
