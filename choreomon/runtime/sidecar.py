"""A sidecar: all that an agent decides, as `step(state, input) -> (state, outputs)`.

It stands beside one process, and holds a host (`choreomon.monitor.host`) for each property and the
sessions of its services. Its states are values and its steps read no clock, so a journal of its
inputs is its memory: replayed, they give the same state. What drives it lets no output out before
the inputs that it was made from are committed (`choreomon.runtime.driver`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from choreomon.agent_files import local
from choreomon.agent_files.told_traces import read_traces_untrusted
from choreomon.agent_files.values import NO_VALUES
from choreomon.agent_files.wire import TRACES, open_untrusted, read_untrusted
from choreomon.core.binding import Values
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import Label
from choreomon.core.names import is_name
from choreomon.core.vector_clock import VectorClock, as_far_as_can_be, is_far_beyond
from choreomon.monitor.host import HostEffect
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage, said_in
from choreomon.monitor.rights import Refused
from choreomon.runtime.hosted import Hosted, NotTaken, SidecarState, Stepped
from choreomon.runtime.inputs import (
    Abandoned,
    BegunAnew,
    Delivered,
    Expired,
    FromPeer,
    Gap,
    GivenUp,
    Goodbye,
    Happened,
    HappenedWithValues,
    Hello,
    Input,
    Lapsed,
    Promised,
    Recovered,
    Report,
    ReportWithValues,
    WentOn,
)
from choreomon.runtime.outputs import Answered, Close, Dropped, Output, Reply
from choreomon.runtime.sessions import (
    WINDOW,
    Session,
    answered,
    has_successor,
    holds_back,
    latest,
    may_promise,
    overtaken,
    unseen_since,
)


@dataclass(frozen=True)
class Sidecar(Hosted):
    """The constant part of a sidecar. `lease` is in seconds."""

    lease: float = 5.0
    window: int = WINDOW
    most_sessions: int = 1024

    def step(self, state: SidecarState, input_: Input) -> Stepped:
        """Return the next state, and the outputs. If there is nothing to remember, the state is the
        same object."""
        kind = type(input_)
        if kind is Report:
            return self._reported(state, input_, NO_VALUES)  # type: ignore[arg-type]
        if kind is FromPeer:
            return self._from_peer(state, input_)  # type: ignore[arg-type]
        match input_:
            case ReportWithValues(values=values):
                return self._reported(state, input_, values)
            case Hello():
                return self._hello(state, input_)
            case Happened(event=event, peer=peer, name=name, heard=clocks, at=at):
                heard = [(place, clock) for place, clock in enumerate(clocks) if clock]
                label = self.label(event, peer, name)
                said = input_.values if type(input_) is HappenedWithValues else NO_VALUES
                return self._event(state, label, heard, at, said)
            case Gap():
                return self._gap(state, input_)
            case Promised(session=name):
                return self._promise(state, name, True)
            case Lapsed(session=name):
                return self._promise(state, name, False)
            case Goodbye():
                return self._goodbye(state, input_)
            case Abandoned(session=name):
                return self._abandoned(state, name)
            case Expired(system=system, count=count):
                host = self.hosts[system]
                return self._advanced(state, system, host.expire(state.hosts[system], count))
            case GivenUp(system=system, count=count):
                host = self.hosts[system]
                return self._advanced(state, system, host.give_up(state.hosts[system], count))
            case WentOn(system=system):
                return self._advanced(state, system, self.hosts[system].go_on(state.hosts[system]))
            case Delivered(ids=ids):
                return state._replace(undelivered=state.undelivered.without(ids)), []
            case Recovered():
                return self._recovered(state, input_)
            case Report() | FromPeer():
                raise AssertionError(input_)
            case _:
                assert_never(input_)

    # The service.

    def _hello(self, state: SidecarState, hello: Hello) -> Stepped:
        connection, name = hello.connection, hello.session
        session = state.sessions.get(name)
        if name and session is None:
            refused = f"the session {name} is not known here any more: begin a new one"
            return state, self._refused(connection, 0, "session", refused)
        if session is None:
            name, session = hello.fresh, Session(hello.policy, connection, since=_now(state))
        elif session.connection > connection:
            refused = "a newer connection has this session"
            return state, self._refused(connection, 0, "closing", refused)
        if session.promised and hello.policy != session.policy:
            session = session._replace(promised=False, since=_now(state))
        session = session._replace(policy=hello.policy, connection=connection)
        state = state._replace(sessions=latest(state.sessions, name, session))
        outputs: list[Output] = []
        while len(state.sessions) > self.most_sessions:
            oldest = next(iter(state.sessions))
            state, more = self._ended(state, oldest, lost=True)
            dropped = Dropped("session", oldest, "there are too many sessions")
            outputs += [*more, dropped]
        if hello.lost:
            state, more = self._lost(state, name)
            outputs += more
        state, more = self._watched(state)
        welcome = local.Welcome(
            process=self.named,
            session=name,
            number=session.last,
            clock=self._clocks(state),
            lease=self.lease,
            window=self.window,
            labels=self.values.written(self.named),
            version=local.VERSIONS[self.values.any],
        )
        return state, [*outputs, *more, Reply(connection, welcome)]

    def _reported(self, state: SidecarState, report: Report, values: Values) -> Stepped:
        not_next = self._not_next(state, report)
        if not_next is not None:
            return state, not_next
        connection, name, number = report.connection, report.session, report.number
        if not is_name(report.name) or not is_name(report.peer):
            refused = "peer and name should be names of a process and a message"
            return state, self._refused(connection, number, "malformed", refused)
        label = self.label(report.event, report.peer, report.name)
        try:
            if self.values.any:
                self.values.check(label, values)
            heard = self._heard(report.heard) if report.heard else []
        except (MalformedMessage, ValueError) as error:
            return state, self._refused(connection, number, "malformed", str(error))
        if len(state.sessions) > 1:
            sessions = overtaken(state.sessions, name)
            if sessions is not state.sessions:
                state, _ = self._watched(state._replace(sessions=sessions))
        if state.sessions[name].overtaken:
            state, outputs = self._told_late(state, label, heard)
        else:
            state, outputs = self._event(state, label, heard, report.at, values)
        return self._taken(state, name, number, report.done, outputs)

    def _gap(self, state: SidecarState, gap: Gap) -> Stepped:
        not_next = self._not_next(state, gap)
        if not_next is not None:
            return state, not_next
        state, outputs = self._lost(state, gap.session)
        state, more = self._watched(state)
        return self._taken(state, gap.session, gap.number, gap.done, [*outputs, *more])

    def _not_next(self, state: SidecarState, input_: Report | Gap) -> list[Output] | None:
        """The answer if it is not the next thing of its session; `None`: it is."""
        connection, number = input_.connection, input_.number
        session = state.sessions.get(input_.session)
        if session is None or session.connection != connection:
            refused = "this connection has no session: say hello"
            return self._refused(connection, number, "session", refused)
        if number <= session.last:
            return self._repeated(session, connection, number)
        wrong = self._wrong_number(session, number, input_.done)
        return self._refused(connection, number, *wrong) if wrong else None

    def _wrong_number(
        self, session: Session, number: int, done: int
    ) -> tuple[local.RefusalReason, str] | None:
        if number != session.last + 1:
            return "number", f"expected {session.last + 1}: numbers have no holes"
        if done >= number:
            return "number", f"{done} cannot be done: it has not been told"
        if session.replies and number - max(done, session.replies[0][0] - 1) > self.window:
            return "window", f"{self.window} reports wait for their answers: wait for some"
        return None

    def _repeated(self, session: Session, connection: int, number: int) -> list[Output]:
        for told, clock in session.replies:
            if told == number:
                return [Reply(connection, local.Clock(number, clock))]
        return self._refused(connection, number, "number", "it is done, by the service's own word")

    def _taken(
        self, state: SidecarState, name: str, number: int, done: int, outputs: list[Output]
    ) -> Stepped:
        clock = self._clocks(state)
        session = state.sessions[name]
        sessions = {**state.sessions, name: answered(session, number, done, clock)}
        outputs.append(Reply(session.connection, local.Clock(number, clock)))
        hosts, _, undelivered, counts, closed, said = state
        return SidecarState(hosts, sessions, undelivered, counts, closed, said), outputs

    def _refused(
        self, connection: int, number: int, reason: local.RefusalReason, message: str
    ) -> list[Output]:
        refused = Reply(connection, local.Refused(number, reason, message))
        dropped = Dropped(reason, "service", message)
        return [refused, dropped] if reason == "window" else [refused, dropped, Close(connection)]

    # What is not told.

    def _promise(self, state: SidecarState, name: str, promised: bool) -> Stepped:
        session = state.sessions.get(name)
        if session is None or session.promised == promised or not may_promise(session):
            return state, []
        outputs: list[Output] = []
        if session.overtaken:
            state, outputs = self._lost(state, name)
        since = () if promised else _now(state)
        session = session._replace(promised=promised, since=since, overtaken=False)
        state, more = self._watched(state._replace(sessions={**state.sessions, name: session}))
        return state, outputs + more

    def _goodbye(self, state: SidecarState, goodbye: Goodbye) -> Stepped:
        connection, name = goodbye.connection, goodbye.session
        session = state.sessions.get(name)
        if session is None or session.connection != connection:
            refused = "this connection has no session: say hello"
            return state, self._refused(connection, 0, "session", refused)
        state, outputs = self._ended(state, name, lost=False)
        return state, [*outputs, Reply(connection, local.Farewell()), Close(connection)]

    def _told_late(
        self, state: SidecarState, label: Label, heard: Iterable[tuple[int, VectorClock]]
    ) -> Stepped:
        """An event of a session that is overtaken. It may have left long ago, before what others
        were answered; its clock now would put it after that. So it is no event, but one of those
        that its session's open gap stands for."""
        state, outputs = self._hear(state, heard)
        if label in self._mentioned:
            late = f"{label} was told too late, and counts as lost"
            outputs.append(Dropped("late", "service", late))
        return state, outputs

    def _abandoned(self, state: SidecarState, name: str) -> Stepped:
        """A service that was not there for long. Where another one came after it, that is its
        successor, and it is dead; else it may live, and do what is not told."""
        if name not in state.sessions:
            return state, []
        if has_successor(state.sessions, name):
            return self._ended(state, name, lost=True)
        sessions = overtaken(state.sessions, "")
        if sessions is state.sessions:
            return state, []
        return self._watched(state._replace(sessions=sessions))

    def _ended(self, state: SidecarState, name: str, *, lost: bool) -> Stepped:
        session = state.sessions[name]
        outputs: list[Output] = []
        if (lost and session.policy != "block" and not session.promised) or session.overtaken:
            state, outputs = self._lost(state, name)
        sessions = {each: kept for each, kept in state.sessions.items() if each != name}
        state, more = self._watched(state._replace(sessions=sessions))
        return state, outputs + more

    def _lost(self, state: SidecarState, name: str) -> Stepped:
        """Events of this session happened that will never be told, in every property."""
        outputs: list[Output] = []
        session = state.sessions[name]
        since = session.since or _now(state)
        for place, host in enumerate(self.hosts):
            stepped = host.gap_ends(state.hosts[place], lost=True, since=since[place])
            state, more = self._advanced(state, place, stepped)
            outputs += more
        if session.since:
            session = session._replace(since=_now(state))
            state = state._replace(sessions={**state.sessions, name: session})
        return state, outputs

    def _watched(self, state: SidecarState) -> Stepped:
        """Gaps open or end, as the sessions have it."""
        outputs: list[Output] = []
        unseen = unseen_since(state.sessions)
        for place, host in enumerate(self.hosts):
            present = state.hosts[place]
            if unseen:
                since = min((clocks[place] for clocks in unseen), key=sum)
                opened: list[HostEffect] = []
                stepped = (host.gap_opens(present, since), opened)
            else:
                stepped = host.gap_ends(present, lost=False)
            state, more = self._advanced(state, place, stepped)
            outputs += more
        return state, outputs

    def watched(self, state: SidecarState) -> SidecarState:
        """The state with gaps as the sessions have it, also in properties opened just now."""
        return self._watched(state)[0]

    def _recovered(self, state: SidecarState, recovered: Recovered) -> Stepped:
        outputs: list[Output] = []
        now, reached = _now(state), recovered.reached if type(recovered) is BegunAnew else 0
        sessions = {
            name: session._replace(promised=False, connection=0, since=session.since or now)
            for name, session in state.sessions.items()
        }
        state = state._replace(sessions=sessions)
        for place, host in enumerate(self.hosts if recovered.forgetful else ()):
            stepped = host.forgot(state.hosts[place], reached)
            state, more = self._advanced(state, place, stepped)
            outputs += more
        state, more = self._watched(state)
        return state, outputs + more

    # Other agents.

    def _from_peer(self, state: SidecarState, input_: FromPeer) -> Stepped:
        peer = input_.peer
        try:
            frame = open_untrusted(input_.data)
            place = self.place_of(frame)
            host = self.hosts[place]
            processes = host.monitor.index_of
            if frame.kind == TRACES:
                return self._told(state, place, read_traces_untrusted(frame, processes), peer)
            message = read_untrusted(frame, processes, self.parameters[place])
        except NotTaken as error:
            return state, [Dropped(error.reason, peer, str(error))]
        except MalformedMessage as error:
            return state, [Dropped("malformed", peer, str(error))]
        if peer and message.sender != peer:
            told = f"it says that it is {message.sender}"
            return state, [Dropped("sender", peer, told)]
        if holds_back(state.sessions):
            # Answered, it would miss events that will be told; merged, they would be told as
            # later than they were. It will be repeated, or asked for again.
            return state, [Dropped("held", message.sender, "the service may keep events back")]
        clock, known = state.hosts[place].clock, Inquiry | Response | Waiting | InstanceMessage
        if isinstance(message, known) and is_far_beyond(message.clock, clock):
            told = f"{message.clock} tells of more than can have happened"
            stepped = host.approach(state.hosts[place], message)
            state, more = self._advanced(state, place, stepped)
            if not _is_refused(stepped[1]):
                nearer = as_far_as_can_be(message.clock, clock)
                state, others = self._heard_beside(state, place, nearer)
                more = [*more, *others, Dropped("clock", message.sender, told)]
            return state, more
        stepped = host.receive(state.hosts[place], message)
        outputs: list[Output] = []
        if type(said_in(message)) in (Response, Waiting) and not _is_refused(stepped[1]):
            outputs.append(Answered(place, message.sender, message))  # type: ignore[arg-type]
        state, more = self._advanced(state, place, stepped)
        if self._beside[place] and not _is_refused(stepped[1]):
            assert isinstance(message, known)
            state, others = self._heard_beside(state, place, message.clock)
            more += others
        return state, outputs + more

    def _heard_beside(self, state: SidecarState, place: int, clock: VectorClock) -> Stepped:
        """Pass on what was heard for one property to all that share its clock."""
        outputs: list[Output] = []
        for other in self._beside[place]:
            stepped = self.hosts[other].heard(state.hosts[other], clock)
            state, more = self._advanced(state, other, stepped)
            outputs += more
        return state, outputs


def _is_refused(effects: Sequence[HostEffect]) -> bool:
    return bool(effects) and type(effects[0]) is Refused


def _now(state: SidecarState) -> tuple[VectorClock, ...]:
    """The clocks of the properties."""
    return tuple([host.clock for host in state.hosts])
