"""Sessions of services with their agent, as values.

A session numbers what a service tells, so that nothing is counted twice when it repeats after a
connection broke. What an agent may conclude from silence follows from the policies of all sessions
together: whether events may happen that it is not told of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from choreomon.runtime.inputs import Policy

WINDOW: Final = 1024
"""Reports of one session that may wait for their answers."""


class Session(NamedTuple):
    """What an agent remembers of one session.

    `last` is the number of the last report that was taken; `replies` are the answers, with their
    numbers, that the service may not have seen. `promised`: it has told all that ever left, and
    lets nothing go before its lease expires.
    """

    policy: Policy
    connection: int
    last: int = 0
    replies: tuple[tuple[int, str], ...] = ()
    promised: bool = False


Sessions: TypeAlias = Mapping[str, Session]
"""By their ids, the one that was heard of last at the end."""


def holds_back(sessions: Sessions) -> bool:
    """Whether a service may be keeping back events that happened, so that nobody may be answered
    before they have arrived."""
    return any(each.policy == "buffer" and not each.promised for each in sessions.values())


def unseen(sessions: Sessions) -> bool:
    """Whether events may be happening of which the agent is not, or not in time, told."""
    return any(
        each.policy == "fire-and-forget" or (each.policy == "let-go" and not each.promised)
        for each in sessions.values()
    )


def answered(session: Session, number: int, done: int, reply: str) -> Session:
    """The session after report `number` was taken; what is `done` needs no repeating."""
    policy, connection, _, replies, promised = session
    if replies and replies[0][0] <= done:
        replies = tuple(each for each in replies if each[0] > done)
    return Session(policy, connection, number, (*replies, (number, reply)), promised)


def latest(sessions: Sessions, name: str, session: Session) -> dict[str, Session]:
    """The sessions, this one the last."""
    others = dict(sessions)
    others.pop(name, None)
    others[name] = session
    return others
