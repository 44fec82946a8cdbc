"""Sessions of services with their agent, as values.

A session numbers what a service tells, so that nothing is counted twice when it repeats after a
connection broke. What an agent may conclude from silence follows from the policies of all sessions
together: whether events may happen that it is not told of, and since when.

Under `buffer` events happen that will be told. While the agent answers nobody and hears of nobody,
they get the clocks that they would have got then, so nothing is uncertain. But once another session
tells something, or the service seems not to come back, its agent cannot wait any longer: the
session is *overtaken*, and what it kept back was a gap, although it may be told later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock
from choreomon.runtime.inputs import Policy

WINDOW: Final = 1024
"""Reports of one session that may wait for their answers."""


class Session(NamedTuple):
    """The state of one session that an agent remembers.

    `last` is the number of the last report that was taken; `replies` are the answers, with their
    numbers, that the service may not have seen. `promised`: it has told all that ever left, and
    lets nothing go before its lease expires. Where it has not, everything that happened before the
    clocks `since`, one a property, was told. `overtaken`: see above.
    """

    policy: Policy
    connection: int
    last: int = 0
    replies: tuple[tuple[int, str], ...] = ()
    promised: bool = False
    since: tuple[VectorClock, ...] = ()
    overtaken: bool = False


Sessions: TypeAlias = Mapping[str, Session]
"""Sessions by id, the one heard of last at the end."""


def holds_back(sessions: Sessions) -> bool:
    """Tell whether a service may be holding back events, so that no inquiry may be answered before
    they arrive."""
    return any(
        each.policy == "buffer" and not each.promised and not each.overtaken
        for each in sessions.values()
    )


def unseen_since(sessions: Sessions) -> list[tuple[VectorClock, ...]]:
    """The clocks since when events may be happening of which the agent is not told, or not in
    time; one for each session of which that is so."""
    return [each.since for each in sessions.values() if _is_unseen(each)]


def _is_unseen(session: Session) -> bool:
    policy = session.policy
    if policy == "fire-and-forget":
        return True
    return not session.promised and (policy == "let-go" or session.overtaken)


def has_successor(sessions: Sessions, name: str) -> bool:
    """Tell whether another session came after this one: it said hello later, or over a connection
    that was made later, though what was said there was read first."""
    connection = sessions[name].connection
    newest = next(reversed([*sessions]))
    return newest != name or any(each.connection > connection for each in sessions.values())


def may_promise(session: Session) -> bool:
    """Tell whether a promise of its service changes anything."""
    return session.policy in ("buffer", "let-go")


def overtaken(sessions: Sessions, name: str) -> Sessions:
    """Return the sessions after this one reported something ("" for nobody): what the others keep
    back comes too late. Returns the same object if none keeps anything back."""
    late = {
        other: session._replace(overtaken=True)
        for other, session in sessions.items()
        if session.policy == "buffer"
        and not session.promised
        and not session.overtaken
        and other != name
    }
    return {**sessions, **late} if late else sessions


def answered(session: Session, number: int, done: int, reply: str) -> Session:
    """The session after report `number` was taken; what is `done` needs no repeating."""
    policy, connection, _, replies, promised, since, overtaken = session
    if replies and replies[0][0] <= done:
        replies = tuple(each for each in replies if each[0] > done)
    replies = (*replies, (number, reply))
    return Session(
        policy=policy,
        connection=connection,
        last=number,
        replies=replies,
        promised=promised,
        since=since,
        overtaken=overtaken,
    )


def latest(sessions: Sessions, name: str, session: Session) -> dict[str, Session]:
    """The sessions, this one the last."""
    others = dict(sessions)
    others.pop(name, None)
    others[name] = session
    return others
