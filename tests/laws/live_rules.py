"""The rules of docs/live.md, each switched off, for the tests that say that it is seen.

A rule is switched off by a class that takes the place of the right one, or by a patch of one
function. What is left is an agent as somebody could have written it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from choreomon.agent_files.wire import open_untrusted, read_untrusted
from choreomon.core.binding import Values
from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FRM, GAP
from choreomon.monitor import record_by_record
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.host import Stepped as HostStepped
from choreomon.monitor.messages import Inquiry, Response
from choreomon.properties.tables import Inspected
from choreomon.runtime import driver as driver_module
from choreomon.runtime import sidecar as sidecar_module
from choreomon.runtime.driver import Driver
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import FromPeer, Hello, Input, Report
from choreomon.runtime.outputs import Answer, Ask, AskAgain, Decided, Output, Reply
from choreomon.runtime.ports import Store
from choreomon.runtime.sessions import Session
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.sidecar import Stepped as SidecarStepped
from tests.laws.planted import Misjudges

Patch = Callable[[pytest.MonkeyPatch], None]


# Nothing leaves that was computed from uncommitted state.


class LetsOut(Driver):
    """Lets some outputs out at once, before the commit."""

    def early(self, output: Output) -> bool:
        raise NotImplementedError

    def _step(self, given: Input) -> None:
        held = len(self._held)
        super()._step(given)
        fresh = self._held[held:]
        self._held[held:] = [output for output in fresh if not self.early(output)]
        for output in fresh:
            if self.early(output):
                self._let_out(output)


class AcknowledgesBeforeTheCommit(LetsOut):
    def early(self, output: Output) -> bool:
        return isinstance(output, Reply) and type(output.message).__name__ == "Clock"


class WelcomesBeforeTheCommit(LetsOut):
    def early(self, output: Output) -> bool:
        return isinstance(output, Reply) and type(output.message).__name__ == "Welcome"


class AsksBeforeTheCommit(LetsOut):
    def early(self, output: Output) -> bool:
        return isinstance(output, Ask)


class AnswersBeforeTheCommit(LetsOut):
    def early(self, output: Output) -> bool:
        return isinstance(output, Answer)


class SaysBeforeTheCommit(LetsOut):
    def early(self, output: Output) -> bool:
        return isinstance(output, Decided)


class RepeatsBeforeTheCommit(Driver):
    """Asks again, by the timer, what is not committed."""

    def tick(self) -> None:
        for asking in self._asking.values():
            asking.repeat(self._now())
        super().tick()


# What is committed is all that later steps rest on.


class ForgetsWhatItHeard(Driver):
    """After a restart only the own entry of each clock is there."""

    def recover(self, *, forgetful: bool) -> bool:
        was_there = super().recover(forgetful=forgetful)
        hosts = []
        for host, state in zip(self.sidecar.hosts, self.state.hosts, strict=True):
            own = host.monitor.own
            clock = zero(len(state.clock))
            clock = (*clock[:own], state.clock[own], *clock[own + 1 :])
            hosts.append(HostState(clock, state.monitor))
        self.state = self.state._replace(hosts=tuple(hosts))
        return was_there


class LogsNoResponses(Driver):
    def _step(self, given: Input) -> None:
        batch = len(self._batch)
        super()._step(given)
        if type(given) is FromPeer:
            frame = open_untrusted(given.data)
            processes = self.sidecar.hosts[0].monitor.index_of
            if isinstance(read_untrusted(frame, processes), Response):
                del self._batch[batch:]


class KeepsNoWords(Sidecar):
    """Words are told when they are found, and not kept until they were delivered."""

    def resumed(self, state: SidecarState) -> list[Output]:
        return [each for each in super().resumed(state) if not isinstance(each, Decided)]


class RollsBack(Driver):
    """Where a commit fails everything is as if nothing had been taken."""

    def _committed(self, store: Store) -> bool:
        before = len(self._batch)
        if super()._committed(store):
            return True
        assert before
        self._batch.clear()
        self._held.clear()
        self._retry = None
        self.state = self._durable()
        return False

    def _durable(self) -> SidecarState:
        again = Driver(self.sidecar, self._store, self._ports, self._now)
        again._step = again.sidecar.step  # type: ignore[method-assign, assignment]
        snapshot, rows = self._store.load() if self._store is not None else (None, [])
        state = self.sidecar.initial()
        if snapshot is not None:
            state = driver_module.decode_snapshot(snapshot, self.sidecar)
        for row in rows:
            for given in driver_module.decode_batch(row):
                state, _ = Sidecar.step(self.sidecar, state, given)
        return state


class AsksNothingAgain(Sidecar):
    """After a restart open inquiries are not asked again."""

    def resumed(self, state: SidecarState) -> list[Output]:
        return [each for each in super().resumed(state) if not isinstance(each, AskAgain)]


# Sessions.


class CountsRepeats(Sidecar):
    """A report that is repeated is one more event."""

    def _repeated(self, session: Session, connection: int, number: int) -> list[Output]:
        raise NotImplementedError

    def _reported(self, state: SidecarState, report: Report, values: Values) -> SidecarStepped:
        session = state.sessions.get(report.session)
        if session is not None and session.connection == report.connection:
            earlier = session._replace(last=report.number - 1, replies=())
            state = state._replace(sessions={**state.sessions, report.session: earlier})
        return super()._reported(state, report, values)


class TakesEvictedSessionsForNew(Sidecar):
    def _hello(self, state: SidecarState, hello: Hello) -> SidecarStepped:
        if hello.session and hello.session not in state.sessions:
            return super()._hello(
                state,
                Hello(hello.connection, hello.policy, "", hello.session, hello.lost),
            )
        return super()._hello(state, hello)


class LetsOldConnectionsSpeak(Sidecar):
    """A hello that comes late takes the session away from a newer connection."""

    def _hello(self, state: SidecarState, hello: Hello) -> SidecarStepped:
        session = state.sessions.get(hello.session)
        if session is not None and session.connection > hello.connection:
            older = session._replace(connection=0)
            state = state._replace(sessions={**state.sessions, hello.session: older})
        return super()._hello(state, hello)


class BelievesOldConnections(Driver):
    """A renewal counts although what was told before it, over the same connection, did not."""

    def renewed(self, session: str, connection: int, granted: float) -> None:
        known = self.state.sessions.get(session)
        if known is not None:
            super().renewed(session, known.connection, granted)


# Gaps.


class TellsNoGaps(Host):
    def gap_opens(self, state: HostState, since: VectorClock | None = None) -> HostState:
        return state

    def gap_ends(
        self, state: HostState, *, lost: bool, since: VectorClock | None = None
    ) -> HostStepped:
        return state, []


def gaps_are_possible_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gap is taken for an event that possibly fired, which cancels by the states."""
    monkeypatch.setattr(record_by_record, "UNSEEN", frozenset[str]())


class TakesGapsForCancellations(Misjudges):
    """A gap is taken for an event that certainly fired."""

    def mistaken(
        self, inspected: Inspected, records: Sequence[Record]
    ) -> tuple[Inspected, Sequence[Record]]:
        vio = {reference for need in inspected.needs for reference in need.vio}
        return inspected, [
            record._replace(result=FRM)
            if record.result == GAP and record.reference in vio
            else record
            for record in records
        ]


class IgnoresLeases(Driver):
    """A promise never ends by itself."""

    def _lapse(self) -> None:
        self._leases.clear()


class LapsesByTimer(Driver):
    """A lease ends when its timer is called, which may be late."""

    _timer = False

    def tick(self) -> None:
        self._timer = True
        super().tick()
        self._timer = False

    def _lapse(self) -> None:
        if self._timer:
            super()._lapse()


def answers_before_the_buffer_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecar_module, "holds_back", lambda sessions: False)


class HearsBeforeTheBufferArrived(Sidecar):
    """While a service may keep events back, answers of others are taken."""

    def _from_peer(self, state: SidecarState, given: FromPeer) -> SidecarStepped:
        host = self.hosts[0]
        frame = open_untrusted(given.data)
        if not isinstance(read_untrusted(frame, host.monitor.index_of), Inquiry):
            promised = {
                name: session._replace(promised=True) for name, session in state.sessions.items()
            }
            after, outputs = super()._from_peer(state._replace(sessions=promised), given)
            return after._replace(sessions=state.sessions), outputs
        return super()._from_peer(state, given)


def nothing_is_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one service keeps back is waited for, and others tell events meanwhile; that it comes
    too late then is not noticed."""
    monkeypatch.setattr(sidecar_module, "overtaken", lambda sessions, name: sessions)


class TakesTheAbsentForDead(Sidecar):
    """A service that was not there for long did nothing since then."""

    def _abandoned(self, state: SidecarState, name: str) -> SidecarStepped:
        if name not in state.sessions:
            return state, []
        return self._ended(state, name, lost=True)


# Lost disks.


class IgnoresAmnesia(Driver):
    def recover(self, *, forgetful: bool) -> bool:
        return super().recover(forgetful=False)
