"""The driver of a sidecar: it takes inputs, commits them, and only then lets out what follows.

Of whatever leaves - answers to the service, inquiries, responses, verdicts, repetitions - nothing
was computed from a state that is not committed (docs/live.md, "Durability"). Inputs are stepped as
they come and their outputs are held; `flush` commits all inputs since the last one as one row
and lets the outputs out, in order. Where the commit fails both are kept, and tried again.

Sockets, disks and clocks are ports: the agent gives real ones, tests a network in memory, a disk
that forgets, and a clock of their own. Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from choreomon.core.labels import CarryingLabel
from choreomon.monitor.messages import Response, Waiting
from choreomon.monitor.of_instances.messages import said_in
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import (
    Abandoned,
    BegunAnew,
    Delivered,
    Expired,
    FromPeer,
    GivenUp,
    Hello,
    Input,
    Lapsed,
    Promised,
    Recovered,
    WentOn,
    decode_batch,
    encode_batch,
)
from choreomon.runtime.instances.cold import (
    Checkpoint,
    ColdInstances,
    is_time_to_forget,
    many_changed,
    pause,
    with_cold_instances,
)
from choreomon.runtime.network.linked_peers import LinkedPeers, from_journal
from choreomon.runtime.outputs import (
    Answer,
    Answered,
    Ask,
    AskAgain,
    Close,
    Deadline,
    Decided,
    Dropped,
    LeftUnfinished,
    LeftUnsettled,
    Output,
    Reply,
    Ticked,
)
from choreomon.runtime.outstanding import (
    IN_FLIGHT,
    Asked,
    BackOff,
    OutstandingInquiries,
    asked_in,
)
from choreomon.runtime.ports import AnswerKind, CommitFailed, Ports, Store
from choreomon.runtime.reloading import reloaded
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from choreomon.runtime.timer_queue import TimerQueue

ROWS_PER_SNAPSHOT: Final = 4096
"""Rows of a journal that a restart has to step through at most."""

RETRY: Final = 0.5
"""Seconds until a commit that failed is tried again."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts, in seconds. `deadline` until a provisional verdict, `give_up` until the last one,
    `absent` for a service that is gone."""

    deadline: float = 1.0
    give_up: float = 60.0
    absent: float = 60.0
    back_off: BackOff = field(default_factory=BackOff)


class Driver:
    """Drives one sidecar with its journal. `wall`: seconds that go on while no agent runs, by which
    instances are forgotten; without it those of `now` are taken. `in_flight`: how many inquiries of
    each kind, first ones and second ones, to one peer about one property may be unanswered at
    once."""

    def __init__(
        self,
        sidecar: Sidecar,
        store: Store | None,
        ports: Ports,
        now: Callable[[], float],
        timeouts: Timeouts | None = None,
        *,
        wall: Callable[[], float] | None = None,
        rows_per_snapshot: int = ROWS_PER_SNAPSHOT,
        in_flight: int = IN_FLIGHT,
    ) -> None:
        self._store = store
        sidecar, self._cold = self._with_cold(sidecar)
        self.state: SidecarState = sidecar.initial()
        self.committed = self.state
        """The state as of the last commit: what leaves may be computed from it."""
        self._ports = ports
        self._now = now
        self._wall = wall or now
        self._timeouts = timeouts or Timeouts()
        self._rows_per_snapshot = rows_per_snapshot
        self._in_flight = in_flight
        self._batch: list[Input] = []
        self._held: list[Output] = []
        self._rows = 0
        self._retry: float | None = None
        self._unfinished: dict[int, None] = {}
        self._passed: Iterator[Input] | None = None
        """Inputs due at a tick and not taken yet."""
        self._leases: dict[str, float] = {}
        self._absent: dict[str, float] = {}
        self._repeats = 0
        self.peers = LinkedPeers(sidecar, now)
        self._drive(sidecar, {})

    def _with_cold(self, sidecar: Sidecar) -> tuple[Sidecar, tuple[ColdInstances | None, ...]]:
        """The sidecar of which the store has instances."""
        if self._store is None:
            return sidecar, (None,) * len(sidecar.hosts)
        return with_cold_instances(sidecar, self._store)

    def _drive(
        self, sidecar: Sidecar, timers: Mapping[bytes, tuple[TimerQueue, TimerQueue]]
    ) -> None:
        """Set up what each property of a sidecar needs beside it; timers that go on are given by
        id."""
        self.sidecar = sidecar
        timeouts = self._timeouts
        self._timers = {
            system: timers.get(system)
            or (TimerQueue(timeouts.deadline), TimerQueue(timeouts.give_up))
            for system in sidecar.systems
        }
        self._deadlines = [deadlines for deadlines, _ in self._timers.values()]
        self._give_ups = [give_ups for _, give_ups in self._timers.values()]
        # First inquiries and second ones by themselves: a second one may wait for events that are
        # newer than its own, and these for answers to first ones.
        self._asking: dict[tuple[int, str, bool], OutstandingInquiries] = {
            (place, peer, second): self._asks(place, peer, second)
            for place, host in enumerate(sidecar.hosts)
            for peer in sorted(host.asks())
            for second in (False, True)
        }
        self._timed: tuple[OutstandingInquiries | TimerQueue, ...] = (
            *self._asking.values(),
            *self._deadlines,
            *self._give_ups,
        )
        self._forgets: float | None = None if pause(self._cold) is None else self._now()

    def _asks(self, place: int, peer: str, second: bool) -> OutstandingInquiries:
        host = self.sidecar.hosts[place]
        ports, peers = self._ports, self.peers

        def send(inquiry: Asked) -> None:
            ports.ask(peer, peers.frame(place, inquiry))

        def outstanding() -> Iterable[Asked]:
            return (
                inquiry
                for inquiry in host.outstanding(self.state.hosts[place])
                if inquiry.receiver == peer and bool(inquiry.named) is second
            )

        return OutstandingInquiries(
            own=host.monitor.own,
            send=send,
            outstanding=outstanding,
            doubt=lambda: peers.doubt(place, peer),
            back_off=self._timeouts.back_off,
            in_flight=self._in_flight,
        )

    # Inputs.

    def recover(self, *, forgetful: bool, reached: int = 0) -> bool:
        """Go on where the journal ends; whether there was one. To be called once, before anything
        else. `forgetful`: the last commits may be lost, as after a power failure, and if `reached`
        is not 0, all of those that made so many events.

        Raises `msgspec.MsgspecError` or `MalformedMessage` for a journal that is none.
        """
        snapshot, rows = (None, []) if self._store is None else self._store.load()
        if snapshot is not None:
            self.state = decode_snapshot(snapshot, self.sidecar)
        for row in rows:
            for input_ in decode_batch(row):
                self.state, _ = self.sidecar.step(self.state, from_journal(input_))
        self._rows = len(rows)
        self.committed = self.state
        if snapshot is None and not rows and not forgetful:
            return False
        self.take(BegunAnew(forgetful, reached) if reached else Recovered(forgetful))
        self._held += self.sidecar.resumed(self.state)
        until = self._now() + self._timeouts.absent
        self._absent.update(dict.fromkeys(self.state.sessions, until))
        return True

    def take(self, input_: Input) -> None:
        """Step; what follows is held until `flush`."""
        if self._leases:
            self._lapse()  # nobody may be answered on the strength of one that is over
        if type(input_) is FromPeer:
            whole = self.peers.whole(input_)
            if isinstance(whole, Dropped):
                self.hold(whole)
                return
            input_ = whole
        self._step(input_)
        if type(input_) is Hello:
            session = self.state.sessions.get(input_.session)
            if session is not None and session.connection == input_.connection:
                self._absent.pop(input_.session, None)

    def _step(self, input_: Input) -> None:
        state, outputs = self.sidecar.step(self.state, input_)
        if state is not self.state:
            self.state = state
            self._batch.append(input_)
        self._held += outputs

    def _lapse(self) -> None:
        now = self._now()
        for name in [name for name, until in self._leases.items() if until <= now]:
            del self._leases[name]
            self._step(Lapsed(name))

    def hold(self, output: Output) -> None:
        """Let it out with the next `flush`, after what was taken before."""
        self._held.append(output)

    def delivered(self, ids: list[str]) -> None:
        """Note that these verdicts were delivered to all sinks."""
        self.take(Delivered(ids))

    def renewed(self, session: str, connection: int, granted: float) -> None:
        """A service promised over a connection that, until `lease` seconds after it received what
        was granted at this time, nothing leaves unanswered, and told all that ever left."""
        until = granted + self.sidecar.lease
        known = self.state.sessions.get(session)
        # What it told over a connection that another one followed was not taken.
        if until > self._now() and known is not None and known.connection == connection:
            self._leases[session] = max(until, self._leases.get(session, 0.0))
            self.take(Promised(session))

    def disconnected(self, session: str) -> None:
        """A service is not there any more; it may come back."""
        sessions = self.state.sessions
        if session in sessions:
            self._absent[session] = self._now() + self._timeouts.absent
            if len(self._absent) > 2 * len(sessions):  # many were pushed out before their time
                self._absent = {name: at for name, at in self._absent.items() if name in sessions}

    def heard_of(self, peer: str) -> None:
        """Ask a peer again soon, whatever it was asked: it is there."""
        for (_, asked, _), asking in self._asking.items():
            if asked == peer:
                asking.heard_of(self._now())

    def change(self, sidecar: Sidecar) -> None:
        """Go on with another sidecar of the same process, and with the state that it has by
        `choreomon.runtime.reloading`: both or neither are there after a crash. What was taken is
        flushed first, and what the new one has to ask is asked. Not to be called while something is
        `passing`.

        Raises `CannotReload` and `CommitFailed`, and goes on as before then.
        """
        assert not self.passing
        if not self.flush():
            raise CommitFailed("the disk takes nothing")
        sidecar, cold = self._with_cold(sidecar)
        state = reloaded(self.sidecar, self.state, sidecar)
        if self._store is not None:
            checkpoint = Checkpoint(state, cold)
            state = checkpoint.state
            snapshot = encode_snapshot(state, sidecar)
            self._store.exchange(snapshot, sidecar.systems, checkpoint.rows)
            checkpoint.written()
            self._rows = 0
        self._cold = cold
        self.state = self.committed = state
        self._repeats = self.repeats
        self.peers.hosted = sidecar
        self._drive(sidecar, self._timers)
        self._unfinished.clear()
        for place in range(len(sidecar.hosts)):
            self._held += [AskAgain(place), LeftUnfinished(place)]
        self.flush()  # before anything is taken: inquiries have the clock of now

    def foretell(self, labels: frozenset[CarryingLabel]) -> None:
        """Ask services for these events, too: some property will mention them (`Hosted`)."""
        self.sidecar = replace(self.sidecar, foretold=labels)

    # Commits.

    def flush(self) -> bool:
        """Commit what was taken, and let out the outputs. Return whether all are out; if the disk
        refused, none is, and `tick` tries again."""
        if self._batch and self._store is not None and not self._committed(self._store):
            return False
        self._batch.clear()
        self.committed = self.state
        if self._retry is not None:
            self._retry = None
            self._ports.failing(None)
        rest, self._held = iter(self._held), []
        try:
            for output in rest:
                self._let_out(output)
        finally:  # what a port raises is no reason to lose what comes after it
            self._held[:0] = rest
        for asking in self._asking.values():
            asking.fill(self._now())
        return True

    def _committed(self, store: Store) -> bool:
        try:
            store.commit(encode_batch(self._batch))
            self._rows += 1
            self._batch.clear()
            if self._rows >= self._rows_per_snapshot or many_changed(self.state, self._cold):
                self.snapshot()
        except CommitFailed as failure:
            if self._batch:
                if self._retry is None:
                    self._ports.failing(str(failure))
                self._retry = self._now() + RETRY
                return False
            self._rows = 0  # the row is there; the snapshot will be tried again later
        return True

    def snapshot(self) -> None:
        """Put the state, which has to be committed, in the place of the rows. Raises
        `CommitFailed`."""
        if self._store is not None and not self._batch:
            checkpoint = Checkpoint(self.state, self._cold, self._wall())
            snapshot = encode_snapshot(checkpoint.state, self.sidecar)
            self._store.snapshot(snapshot, checkpoint.rows)
            checkpoint.written()
            self.state = self.committed = checkpoint.state
            self._rows = 0

    @property
    def idle(self) -> bool:
        """True if a `flush` would do nothing."""
        return not (self._batch or self._held)

    @property
    def repeats(self) -> int:
        """The total number of inquiries sent again."""
        return self._repeats + sum(asking.repeated for asking in self._asking.values())

    @property
    def instance_loads(self) -> int:
        """The number of times that an instance was read from the store."""
        return sum(cold.loads for cold in self._cold if cold is not None)

    @property
    def failing(self) -> bool:
        """True if the disk takes nothing."""
        return self._retry is not None

    def _let_out(self, output: Output) -> None:
        ports = self._ports
        match output:  # what is frequent goes first: each pattern takes its time
            case Ticked() | Dropped() | LeftUnsettled():
                ports.happened(output)
            case Ask(system, inquiry):
                now = self._now()
                count = asked_in(inquiry).event[self.sidecar.hosts[system].monitor.own]
                self._give_ups[system].add(count, now)
                self._asking[system, inquiry.receiver, bool(inquiry.named)].ask(inquiry, now)
            case Answered(system, peer, message):
                now, response = self._now(), said_in(message)
                for second in (False, True):
                    asking = self._asking.get((system, peer, second))
                    if asking is not None:
                        asking.heard_of(now)
                        if type(response) is Response and bool(response.named) is second:
                            asking.answered(response)
                ports.happened(output)
            case Answer(system, message, traces):
                peer, answer = message.receiver, said_in(message)
                if traces and isinstance(answer, Response):  # before what may end their use
                    beside = self.peers.traces(system, answer, traces)
                    ports.answer(peer, beside, kind="traces")
                kind: AnswerKind = "waiting" if type(answer) is Waiting else "response"
                ports.answer(peer, self.peers.frame(system, message), kind=kind)
            case Reply():
                ports.reply(output)
            case Deadline(system, count):
                self._deadlines[system].add(count, self._now())
            case Decided(declared=declared):
                ports.happened(output)
                if declared is not None:
                    ports.tell(declared)
            case AskAgain(system):
                now = self._now()
                for count in self.sidecar.hosts[system].inspected(self.state.hosts[system]):
                    self._give_ups[system].add(count, now)
                for (place, _, _), asking in self._asking.items():
                    if place == system:
                        asking.resume(now)
            case LeftUnfinished(system):
                self._unfinished[system] = None
            case Close(connection):
                ports.close(connection)
            case _:
                assert_never(output)

    # Time.

    def due(self) -> float | None:
        """The time to call `tick` next; `None`: nothing is waited for."""
        if self._retry is not None:
            return self._retry
        if self.behind:
            return self._now()
        soonest = self._forgets
        for each in self._timed:
            due = each.due
            if due is not None and (soonest is None or due < soonest):
                soonest = due
        for waits in (self._leases, self._absent):
            if waits:
                due = min(waits.values())
                if soonest is None or due < soonest:
                    soonest = due
        return soonest

    @property
    def behind(self) -> bool:
        """True if there is something to `go_on` with."""
        return bool(self._unfinished) or self.passing

    @property
    def passing(self) -> bool:
        """True if something that was due at a tick is not taken yet. It names properties by their
        places, which another sidecar may have elsewhere."""
        return self._passed is not None

    def go_on(self, enough: Callable[[], bool]) -> None:
        """Take what steps left unfinished, and of what is due the oldest, until it is `enough`, but
        some of each. To be called again, after a `flush`, while this is `behind`."""
        unfinished, self._unfinished = self._unfinished, {}
        for system in unfinished:
            self.take(WentOn(system))
        for input_ in self._passed or ():
            self.take(input_)
            if enough():
                return
        self._passed = None

    def tick(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Take the inputs that are due, until it is `enough`, and flush."""
        now = self._now()
        if self._retry is not None:
            if now >= self._retry:
                self.flush()
            return
        self._lapse()
        for name in [name for name, until in self._absent.items() if until <= now]:
            del self._absent[name]
            self.take(Abandoned(name))
            if name in self.state.sessions:
                self._absent[name] = now + self._timeouts.absent  # it may have a successor then
        if self._passed is None:
            self._passed = self._passing(now)
        self.go_on(enough)
        if self.flush():
            for asking in self._asking.values():
                asking.repeat(now)
            if self._forgets is not None and self._forgets <= now:
                self._forget(now)

    def _forget(self, now: float) -> None:
        """Forget instances that are old enough by now, though there may be no rows to replace."""
        try:
            if is_time_to_forget(self.state, self._cold, self._wall()):
                self.snapshot()
            wait = pause(self._cold)
        except CommitFailed:
            wait = RETRY
        self._forgets = None if wait is None else now + wait

    def _passing(self, now: float) -> Iterator[Input]:
        """Yield the inputs that are due. The step ignores those about events that were decided
        meanwhile."""
        for system, host in enumerate(self.sidecar.hosts):
            expired = self._deadlines[system].passed(now)
            if expired:
                for count in host.undecided(self.state.hosts[system]):
                    if count in expired:
                        yield Expired(system, count)
            given_up = self._give_ups[system].passed(now)
            if given_up:
                for count in host.inspected(self.state.hosts[system]):
                    if count < given_up.stop:
                        yield GivenUp(system, count)
