"""Messages without ids to a role: which sends its replicas may have received.

Who sends does not know which replica will handle. So the k-th reception of a message at one replica
is after the k-th send of it that may have been for that replica, whoever received the earlier ones;
receptions at several replicas do not take sends from each other, since nobody knows which was
first. All of them together need as many sends, or the sender's log lacks one.

A send is kept as long as there may be a replica that has not received as many.
"""

from __future__ import annotations

from collections import Counter
from typing import Generic, TypeVar

from choreomon.core.recorded import RecordedEvent

_Told = TypeVar("_Told")


class SendsToRole(Generic[_Told]):
    """The sends of one process of one message to one role, what each of them `told`, and which of
    its replicas received how many."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._sends: list[tuple[_Told, str]] = []
        self._sent: Counter[str] = Counter()
        self._received: Counter[str] = Counter()
        self._place: dict[str, int] = {}
        self._ahead: Counter[str] = Counter()
        self._asked: dict[str, RecordedEvent] = {}

    def __len__(self) -> int:
        return len(self._sends)

    def send(self, told: _Told, receiver: str) -> None:
        """Add a send, to the role or to one of its replicas."""
        self._sends.append((told, receiver))
        self._sent[receiver] += 1

    def receive(self, reception: RecordedEvent) -> _Told | None:
        """Return what the send told that a reception is after; None: it was not read."""
        replica = reception.process
        while self._ahead[replica] and self._next(replica) is not None:
            self._place[replica] += 1
            self._ahead[replica] -= 1
        told = None if self._ahead[replica] else self._next(replica)
        if told is not None:
            self._place[replica] += 1
            self._received[replica] += 1
            self._asked[replica] = reception
        return told

    def take(self, reception: RecordedEvent) -> None:
        """Count a reception whose send nobody asks for."""
        self._received[reception.process] += 1
        self._ahead[reception.process] += 1

    def put_back(self, replica: str) -> None:
        """Undo the last reception of the replica."""
        self._place[replica] -= 1
        self._received[replica] -= 1

    def forget(self) -> None:
        """Forget all sends."""
        self._sends = []
        self._place = {}

    def lacks(self) -> RecordedEvent | None:
        """The last reception of a replica that asked for its send, where all together received more
        than there is; None if the sends suffice, or clocks say how many there were."""
        own = {**self._sent, self._role: 0}
        more = {each: self._received[each] - own.get(each, 0) for each in sorted(self._received)}
        lacking = [each for each in more if more[each] > 0]
        if sum(more[each] for each in lacking) <= self._sent[self._role]:
            return None
        return next((self._asked[each] for each in reversed(lacking) if each in self._asked), None)

    def _next(self, replica: str) -> _Told | None:
        place = self._place.get(replica, 0)
        while place < len(self._sends) and self._sends[place][1] not in (replica, self._role):
            place += 1
        self._place[replica] = place
        return self._sends[place][0] if place < len(self._sends) else None
