"""A service that sends the messages of its script and handles what arrives, and tells its agent of
both through a real session of the SDK."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from choreomon.agent_files.local import (
    LENGTH_BYTES,
    MAX_AGENT_FRAME,
    Clock,
    FrameSplitter,
    Policy,
    decode_agent_untrusted,
)
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import SEND, EventKind, Label, Message
from choreomon.sdk.journal import GAP, Entry, Ticket
from choreomon.sdk.session import AWAY, OPEN, Session
from tests.runtime.world.clock import rounded_up
from tests.runtime.world.connections import Pipe, first

if TYPE_CHECKING:
    from tests.runtime.world.world import World


class Act:
    """Something that a service does or tries to: the sending or handling of a message.

    `left`: whether it was done, so that the message is on its way, or was taken. `numbers`: those
    of its report, with the session. `ticks`: the counts that it got, by system. `late`: when it
    was told too late to be an event, if it was.
    """

    __slots__ = (
        *("entry", "failed", "label", "late", "left", "name", "numbers", "ticket", "ticks", "turn"),
        "values",
    )

    def __init__(self, name: str, kind: EventKind, flight: InFlight) -> None:
        self.name = name
        self.label = Label(kind, flight.message)
        self.turn = flight.turn
        self.values = flight.values
        self.entry: Entry | None = None
        self.ticket: Ticket | None = None
        self.left = self.failed = False
        self.numbers: set[tuple[str, int]] = set()
        self.ticks: dict[int, list[int]] = {}
        self.late: int | None = None

    def __repr__(self) -> str:
        return f"Act({self.name}, {self.label}, left={self.left}, ticks={self.ticks})"


class InFlight(NamedTuple):
    """A message on its way, with what it carries. `turn`: its place in a chain, if there is one.
    `values`: of parameters, as far as properties have it carry some."""

    message: Message
    clock: str
    turn: int | None = None
    values: Binding = ()


class Service:
    """The service of one process, through all its lives."""

    def __init__(self, world: World, name: str, policy: Policy, script: list[InFlight]) -> None:
        self.world = world
        self.name = name
        self.policy: Policy = policy
        self.script = deque(script)
        self.session: Session | None = None
        self.pipe: Pipe | None = None
        self.acts: list[Act] = []  # in progress
        self._unnumbered: list[Act] = []
        self.offset = world.case.offsets[-1 - world.case.processes.index(name)]
        self._splitter = FrameSplitter(MAX_AGENT_FRAME)
        self._timer: float | None = None

    @property
    def alive(self) -> bool:
        return self.session is not None

    def now(self) -> float:
        return self.world.time + self.offset

    # Lives.

    def start(self) -> None:
        case = self.world.case
        self.session = case.build.session(
            policy=self.policy, deadline=case.block_deadline, buffer=case.buffer
        )

    def die(self) -> None:
        self.session = self._timer = None
        self.acts.clear()
        self._unnumbered.clear()
        if self.pipe is not None:
            self.pipe.leave()
            self.pipe = None

    # What it does.

    @property
    def ready(self) -> bool:
        """Whether it was welcomed once, before which no service begins."""
        return self.session is not None and self.session.process != ""

    def send(self) -> None:
        self._begin(Act(self.name, SEND, self.script.popleft()), "")

    def handle(self, flight: InFlight) -> None:
        self._begin(Act(self.name, "handle", flight), flight.clock)

    def _begin(self, act: Act, heard: str) -> None:
        assert self.session is not None
        world, session = self.world, self.session
        world.truth.acts.append(act)
        message = act.label.message
        peer = message.receiver if act.label.kind == SEND else message.sender
        journal = session._journal
        before = len(journal)
        event = (act.label.kind, peer, message.name)
        ticket = session.event(*event, heard, self.now(), dict(act.values))
        if ticket is not None:
            act.ticket, act.entry = ticket, ticket.entry
            self.acts.append(act)
        else:
            if len(journal) > before:
                last = [*journal][-1]
                act.entry = last if last.kind != GAP else None
            self._settle()  # what the session let go with this act happened before it
            self._left(act, session.clock())
        if act.entry is not None:
            self._unnumbered.append(act)
        self.pump()

    def _left(self, act: Act, clock: str, *, noted: bool = False) -> None:
        act.left = True
        self.world.truth.left(act, noted=noted)
        if act.label.kind == SEND:
            self.world.app.append(InFlight(act.label.message, clock, act.turn, act.values))
        elif act.turn is not None:
            self.world.turn = act.turn + 1

    # Its connection.

    def connect(self, pipe: Pipe) -> None:
        assert self.session is not None
        self.pipe = pipe
        self._splitter = FrameSplitter(MAX_AGENT_FRAME)
        self.session.opened(self.now())
        self.pump()

    def read(self, size: int) -> None:
        assert self.session is not None
        assert self.pipe is not None
        session, now = self.session, self.now()
        try:
            for frame in self._splitter.feed(first(self.pipe.down, size)):
                if session.phase != AWAY:
                    message = decode_agent_untrusted(frame)
                    if isinstance(message, Clock):
                        self._acknowledged()
                    session.receive(message, now)
                    self._noted()
        except MalformedMessage as error:
            self.world.complain(f"{self.name} cannot read its agent: {error}")
            session.broken()
        self.pump()

    def _acknowledged(self) -> None:
        """Its oldest report was answered."""
        assert self.session is not None
        oldest = next(iter(self.session._journal), None)
        for act in self.world.truth.acts:
            if act.entry is not None and act.entry is oldest:
                self.world.truth.acknowledged(act)

    def lose(self) -> None:
        assert self.session is not None
        assert self.pipe is not None
        self.pipe.leave()
        self.pipe = None
        self.session.broken()
        self.pump()

    def due(self) -> float | None:
        """When its timer wakes it, which was set when it last did something."""
        return self._timer

    def wake(self) -> None:
        assert self.session is not None
        self.session.expire(self.now())
        self.pump()

    def _noted(self) -> None:
        """The numbers of what was written, while it is known in which session."""
        assert self.session is not None
        for act in self._unnumbered[:]:
            assert act.entry is not None
            if act.entry.number:
                self._unnumbered.remove(act)
                key = (self.session._session, act.entry.number)
                act.numbers.add(key)
                self.world.truth.act_of[key] = act

    def pump(self) -> None:
        """Write what is to be written, and go on with what was settled."""
        session = self.session
        assert session is not None
        self._noted()
        output = session.output()
        if self.pipe is not None:
            while output:
                size = LENGTH_BYTES + int.from_bytes(output[:LENGTH_BYTES], "big")
                frame, output = output[:size], output[size:]
                self.pipe.send(frame)
                self.world.service_sent(self)
        self._settle()
        if session.phase == AWAY and self.pipe is not None:
            self.pipe.leave()
            self.pipe = None
        due = session.due(self.now())
        self._timer = None if due is None else rounded_up(due) - self.offset

    def _settle(self) -> None:
        """Go on with what need not wait any longer."""
        session = self.session
        assert session is not None
        for ticket in session.settled():
            act = next(act for act in self.acts if act.ticket is ticket)
            self.acts.remove(act)
            if ticket.failed:
                act.failed = True
            else:
                assert ticket.clock is not None
                doubted = ticket.entry.kind == GAP and session.phase == OPEN
                self._left(act, ticket.clock, noted=doubted)
