"""An agent as simple as it can be: it takes events one after the other, and says what it relies
on. It looks at `now`, which tests set, and forgets nothing but what they tell it to."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from choreomon.agent_files.clocks.text import decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.local import (
    AgentMessage,
    ClientMessage,
    Clock,
    Farewell,
    Gap,
    Goodbye,
    Hello,
    Policy,
    Refused,
    Renew,
    Renewed,
    Report,
    Welcome,
)
from choreomon.core.vector_clock import VectorClock, merge, tick

KEY = b"\x01\x02\x03\x04"
OWN = 0
PROCESS = "shop"


@dataclass(frozen=True)
class Taken:
    """An event with its clock, at a time; the gaps between events are `None`."""

    name: str
    clock: VectorClock
    at: float


@dataclass
class Connection:
    """Frames under way: `up` to the agent, `down` to the service."""

    up: deque[ClientMessage] = field(default_factory=deque)
    down: deque[AgentMessage] = field(default_factory=deque)
    session: str = ""
    closed: bool = False
    grant: float = 0.0
    """The last grant that the client has received for certain."""


class ModelAgent:
    """`records` is what it knows, in order. Times are seconds, grants milliseconds."""

    def __init__(
        self, labels: tuple[str, ...], *, window: int = 3, lease: float = 10.0, token: str = ""
    ) -> None:
        self.labels = labels
        self.window = window
        self.lease = lease
        self.token = token
        self.now = 1.0
        self.clock: VectorClock = (0, 0)
        self.records: list[Taken | None] = []
        self.values: list[Mapping[str, str | int]] = []
        self.policy: Policy = "block"
        self.relied_until = 0.0
        self.largest_backlog = 0
        self._sessions: dict[str, dict[int, str]] = {}
        self._newest: dict[str, Connection] = {}
        self._made = 0

    def promised(self) -> bool:
        """Whether it relies on the promise that nothing leaves unanswered."""
        return self.now < self.relied_until

    def text(self) -> str:
        return encode_clocks({KEY: self.clock})

    def forget_sessions(self) -> None:
        self._sessions.clear()

    def step(self, connection: Connection) -> None:
        """Takes one frame."""
        if connection.closed or not connection.up:
            return
        waiting = [frame for frame in connection.up if isinstance(frame, Report | Gap)]
        self.largest_backlog = max(self.largest_backlog, len(waiting))
        message = connection.up.popleft()
        if not isinstance(message, Hello) and self._newest[connection.session] is not connection:
            connection.closed = True
            return
        match message:
            case Hello():
                self._hello(connection, message)
            case Report() | Gap():
                self.numbered(connection, message)
            case Renew(grant):
                if grant:
                    connection.grant = grant / 1000
                    self.relied_until = max(self.relied_until, connection.grant + self.lease)
                connection.down.append(Renewed(self.lease, self._grant()))
            case Goodbye():
                connection.down.append(Farewell())
                connection.closed = True

    def _grant(self) -> int:
        return int(self.now * 1000)

    def _hello(self, connection: Connection, hello: Hello) -> None:
        if hello.token != self.token:
            self._refuse(connection, Refused(0, "token", "another token"))
            return
        session = hello.session
        if session and session not in self._sessions:
            self._refuse(connection, Refused(0, "session", "forgotten"))
            return
        self.policy = hello.policy
        if not session:
            self._made += 1
            session = f"session-{self._made}"
            self._sessions[session] = {}
        connection.session = session
        connection.grant = self.now
        self._newest[session] = connection
        if hello.lost:
            self.records.append(None)
        connection.down.append(
            Welcome(
                process=PROCESS,
                session=session,
                number=max(self._sessions[session], default=0),
                clock=self.text(),
                lease=self.lease,
                window=self.window,
                labels=self.labels,
                grant=self._grant(),
            )
        )

    def numbered(self, connection: Connection, message: Report | Gap) -> None:
        answers = self._sessions.get(connection.session)
        if answers is None:
            self._refuse(connection, Refused(message.number, "session", "forgotten"))
            return
        if message.number not in answers:
            if message.number != max(answers, default=0) + 1:
                self._refuse(connection, Refused(message.number, "number", "a hole"))
                return
            if isinstance(message, Gap):
                self.records.append(None)
            elif self.policy == "let-go" and self.now >= connection.grant + self.lease:
                self._refuse(connection, Refused(message.number, "closing", "too late"))
                return
            else:
                self._event(message)
            answers[message.number] = self.text()
        connection.down.append(Clock(message.number, answers[message.number]))

    def _event(self, report: Report) -> None:
        for key, heard in decode_clocks_untrusted(report.heard).items():
            assert key == KEY
            self.clock = merge(self.clock, heard)
        self.clock = tick(self.clock, OWN)
        self.records.append(Taken(report.name, self.clock, self.now))
        self.values.append(report.given)

    def _refuse(self, connection: Connection, refusal: Refused) -> None:
        connection.down.append(refusal)
        connection.closed = True
