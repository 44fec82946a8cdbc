"""A service, its session and the model agent, played step by step, with everything in between
under control; and what must hold of them at every step and in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from choreomon.agent_files.clocks.text import decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.local import (
    LENGTH_BYTES,
    FrameSplitter,
    Policy,
    decode_client_untrusted,
    encode,
)
from choreomon.core.message import EventKind
from choreomon.core.vector_clock import VectorClock
from choreomon.sdk.journal import Ticket
from choreomon.sdk.session import AWAY, OPEN, Session
from tests.sdk.model_agent import KEY, Connection, ModelAgent, Taken

Step = tuple[str, tuple[float, ...]]
"""A method of `Played` with its arguments."""

EVENTS = 40
LABELS = tuple(
    label
    for number in range(EVENTS)
    for message in (f"m{number}" if number % 2 else f"m{number}(order)",)
    for label in (f"shop -> customer : {message}", f"handle customer -> shop : {message}")
)
"""Every other message carries an order."""


@dataclass
class Happened:
    """One event of the service. `heard`: the customer's count that the service knew of then."""

    name: str
    heard: int
    ticket: Ticket | None
    left_at: float | None = None
    heard_when_left: int = 0
    given_up: bool = False
    acknowledged: bool = False


class Played:
    def __init__(
        self, policy: Policy, *, buffer: int = 3, deadline: float | None = None, window: int = 3
    ) -> None:
        self.agent = ModelAgent(LABELS, window=window)
        self.session = Session(policy=policy, buffer=buffer, deadline=deadline)
        self.policy = policy
        self.connections: list[Connection] = []
        self.happened: list[Happened] = []
        self.heard = 0
        self.connect()
        self.talk()
        assert self.session.phase == OPEN

    # Steps

    def connect(self) -> None:
        if self.session.phase == AWAY:
            self.connections.append(Connection())
            self.session.opened(self.agent.now)
            self._moved()

    def cut(self) -> None:
        """The service sees it at once; what it wrote may still be read by the agent."""
        if self.session.phase != AWAY:
            self.connections[-1].down.clear()
            self.session.broken()
            self._moved()

    def up(self, which: int = -1) -> None:
        """The agent takes a frame, of an earlier connection too."""
        if len(self.connections) >= -which:
            self.agent.step(self.connections[which])
            self.check()

    def down(self) -> None:
        """The service takes a frame; where there is none and the agent closed, it sees that."""
        if self.session.phase == AWAY:
            return
        connection = self.connections[-1]
        if connection.down:
            self.session.receive(connection.down.popleft(), self.agent.now)
        elif connection.closed:
            self.session.broken()
        self._moved()

    def wait(self, seconds: float) -> None:
        self.agent.now += seconds
        self.session.expire(self.agent.now)
        self._moved()

    def stand_still(self, seconds: float) -> None:
        """Time goes by that the service does not notice yet."""
        self.agent.now += seconds
        self.check()

    def send(self) -> None:
        self._event("send", "")

    def handle(self) -> None:
        self.heard += 1
        self._event("handle", self.heard_text())

    def hear(self) -> None:
        """A message that no table mentions brings a clock."""
        self.heard += 1
        ticket = self.session.event("handle", "x", "other", self.heard_text(), self.agent.now)
        assert ticket is None
        assert self.known()[1] >= self.heard
        self._moved()

    def give_up(self, which: int) -> None:
        waiting = [one for one in self.happened if self.waits(one)]
        if waiting:
            one = waiting[which % len(waiting)]
            assert one.ticket is not None
            one.given_up = True
            self.session.abandon(one.ticket)
            self._moved()

    def forget(self) -> None:
        """The agent drops the session, and its connections with it."""
        self.agent.forget_sessions()
        for connection in self.connections:
            connection.closed = True

    # What is behind them

    def waits(self, one: Happened) -> bool:
        return one.ticket is not None and one.left_at is None and not one.given_up

    def heard_text(self) -> str:
        return encode_clocks({KEY: (0, self.heard)})

    def known(self) -> VectorClock:
        return decode_clocks_untrusted(self.session.clock())[KEY]

    def _event(self, kind: EventKind, heard: str) -> None:
        if len(self.happened) == EVENTS:
            return
        name = f"m{len(self.happened)}"
        one = Happened(name, self.heard, None)
        self.happened.append(one)
        order = {"order": name}  # also where it is not asked for
        one.ticket = self.session.event(kind, "customer", name, heard, self.agent.now, order)
        if one.ticket is None:
            self._left(one)
            assert self.known()[1] >= one.heard
        self._moved()

    def _left(self, one: Happened) -> None:
        one.left_at = self.agent.now
        one.heard_when_left = self.heard

    def _moved(self) -> None:
        frames = FrameSplitter().feed(self.session.output())
        if self.session.phase == AWAY:
            assert not frames
        for frame in frames:
            message = decode_client_untrusted(frame)
            assert len(encode(message)) == len(frame) + LENGTH_BYTES
            self.connections[-1].up.append(message)
        by_ticket = {id(one.ticket): one for one in self.happened}
        taken = self.taken()
        for ticket in self.session.settled():
            one = by_ticket[id(ticket)]
            assert one.left_at is None, "settled twice"
            assert not one.given_up
            if ticket.failed:
                one.given_up = True
                continue
            self._left(one)
            assert ticket.clock is not None
            carried = decode_clocks_untrusted(ticket.clock)[KEY]
            assert carried[1] >= one.heard
            if one.name in taken and carried == taken[one.name].clock:
                one.acknowledged = True
        self.check()

    def talk(self) -> None:
        """Everything under way arrives."""
        for _ in range(1000):
            connection = self.connections[-1]
            if not connection.up and not connection.down and not connection.closed:
                return
            self.up()
            self.down()
            if self.session.phase == AWAY:
                return

    def heal(self) -> None:
        """The connection stays; all is told."""
        for _ in range(20):
            self.connect()
            self.talk()
            if self.session.phase == OPEN and self.session.idle:
                self.talk()
                return
        raise AssertionError(f"never idle: {self.session.trouble}")

    def taken(self) -> dict[str, Taken]:
        return {record.name: record for record in self.agent.records if record is not None}

    # What must hold

    def check(self) -> None:
        """At every step: an agent that relies on the promise knows of all that left."""
        if self.agent.promised() and self.policy in ("buffer", "let-go", "block"):
            self.nothing_left_is_unknown()

    def nothing_left_is_unknown(self) -> None:
        """Whatever left was taken, or is in a gap at its place."""
        names = [one.name for one in self.happened]
        order = {name: place for place, name in enumerate(names)}
        taken = self.taken()
        for one in self.happened:
            if one.left_at is None or one.name in taken:
                continue
            place = order[one.name]
            gap_here = False
            for record in self.agent.records:
                if record is None:
                    gap_here = True
                elif order[record.name] < place:
                    gap_here = False
                else:
                    break
            assert gap_here, f"{one.name} left, and nobody knows"

    def check_all(self) -> None:
        """In the end."""
        records = [record for record in self.agent.records if record is not None]
        names = [record.name for record in records]
        assert len(set(names)) == len(names), "counted twice"
        assert names == [one.name for one in self.happened if one.name in set(names)], "order"
        assert [record.clock[0] for record in records] == list(range(1, len(records) + 1))
        taken = self.taken()
        carried = [name if int(name[1:]) % 2 == 0 else None for name in names]
        assert [each.get("order") for each in self.agent.values] == carried, "other values"
        self.nothing_left_is_unknown()
        for one in self.happened:
            assert not self.waits(one), f"{one.name} waits for ever"
            if one.acknowledged:
                assert one.name in taken, "acknowledged and lost"
            if one.name in taken:
                assert taken[one.name].clock[1] >= one.heard, f"{one.name}: forgotten clocks"
                if one.left_at is not None:
                    assert taken[one.name].clock[1] <= one.heard_when_left, "heard too early"
                if self.policy == "let-go" and one.left_at is not None:
                    assert taken[one.name].at <= one.left_at, "taken after it had left"
        assert self.agent.largest_backlog <= self.agent.window


def play(played: Played, steps: Iterable[Step]) -> None:
    for name, arguments in steps:
        getattr(played, name)(*arguments)
    played.heal()
    played.check_all()
