"""A sidecar on a running event loop: its driver with a real disk, real sockets to other agents, and
real time. What the service's side is, a process of its own (`choreomon.runtime.agent`) or the
service's own loop (`choreomon.sdk.embedded`), is put on top.

Everything happens on the loop's thread. What comes in is put to the driver; once in a turn of the
loop all of it is committed and what follows is let out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import zmq

from choreomon.core.errors import Defect, MalformedMessage
from choreomon.formats.agent_config import AgentConfig, refuse, told_at
from choreomon.formats.table_file import SplitTable
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rule_sets import RULES
from choreomon.runtime.credentials import load_security
from choreomon.runtime.driver import CommitFailed, Driver, Store, Timeouts
from choreomon.runtime.inputs import FromPeer
from choreomon.runtime.outputs import (
    DeclaredVerdict,
    Dropped,
    Observed,
    Reply,
)
from choreomon.runtime.peers import CannotListen, PeerSockets
from choreomon.runtime.peers import Limits as PeerLimits
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.store import Owner, SqliteStore, boot_id

SHORTEST: Final = 0.02
"""Seconds between two looks at what is due: many events have deadlines, and most are over by
then."""


class Observer(Protocol):
    """Who is told what happens, for metrics, logs and traces."""

    def happened(self, output: Observed) -> None:
        """What a sidecar told of itself."""

    def sent(self, kind: str, size: int) -> None:
        """A frame of so many bytes went to another agent: an `inquiry`, a `response`, or `waiting`,
        that there is none yet."""

    def committed(self, seconds: float) -> None:
        """A commit took so long."""

    def failing(self, why: str | None) -> None:
        """The disk takes nothing; `None`: it does again."""


class Service(Protocol):
    """The side that the service is at."""

    def reply(self, output: Reply) -> None:
        """An answer to the service."""

    def written(self) -> None:
        """All answers of this turn were given."""

    def close_connection(self, connection: int) -> None:
        """The service is to say nothing more there."""

    def pause(self) -> None:
        """Take nothing from the service until `resume`."""

    def resume(self) -> None:
        """Go on."""


def make_sidecar(config: AgentConfig, tables: Sequence[SplitTable]) -> Sidecar:
    """The sidecar that a configuration and its tables describe."""
    return Sidecar(
        process=config.process,
        systems=tuple(bytes.fromhex(table.system_id) for table in tables),
        hosts=tuple(
            Host(
                Monitor(
                    table.table,
                    table.processes,
                    RULES[table.rules],
                    has_deadline=True,
                    most_open=config.most_open,
                )
            )
            for table in tables
        ),
        lease=config.lease,
        window=config.limits.window,
        most_sessions=config.limits.sessions,
    )


def open_store(config: AgentConfig, tables: Sequence[SplitTable]) -> SqliteStore | None:
    """The journal. Raises `DocumentError`."""
    if config.store is None or config.durability == "off":
        return None
    owner = Owner(config.process, tuple(table.system_id for table in tables))
    with told_at(config, ("store",)):
        return SqliteStore(config.store, config.durability, boot_id(), owner=owner)


class TimedStore:
    """A store whose commits are timed."""

    def __init__(self, store: Store, committed: Callable[[float], None]) -> None:
        self._store = store
        self._committed = committed
        self.load = store.load
        self.snapshot = store.snapshot

    def commit(self, row: bytes) -> None:
        began = time.perf_counter()
        self._store.commit(row)
        self._committed(time.perf_counter() - began)


class _Context(zmq.Context[zmq.Socket[bytes]]):
    """One that waits for nobody where it was forgotten. Collected with sockets that are still open,
    as where a loop ended before its agent, one of pyzmq waits for them for ever."""

    def __del__(self) -> None:
        pass


class Node:
    """One sidecar, running. Made on the loop's thread; `start` recovers and begins to listen.

    Raises `DocumentError`, `UnusableAddress` and `UnusableKeys`, and leaves nothing open then.
    """

    def __init__(
        self,
        config: AgentConfig,
        tables: Sequence[SplitTable],
        *,
        loop: asyncio.AbstractEventLoop,
        tell: Callable[[DeclaredVerdict], None],
        observer: Observer,
        now: Callable[[], float] = time.monotonic,
        store: SqliteStore | None = None,
    ) -> None:
        self.config = config
        self.tables = tuple(tables)
        self.loop = loop
        self.now = now
        self.service: Service | None = None
        self.recovered = False
        self.failing_why: str | None = None
        self._tell = tell
        self.observer = observer
        self._store = store or open_store(config, tables)
        timed = None if self._store is None else TimedStore(self._store, observer.committed)
        self.driver = Driver(
            make_sidecar(config, tables),
            timed,
            self,
            now,
            Timeouts(deadline=config.deadline, give_up=config.give_up),
        )
        self._context: _Context | None = None
        self.peers: PeerSockets | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0.0
        self._flushing = False
        self._stopped = False

    def start(self, service: Service) -> None:
        """Recover, listen, and go on with what was open."""
        self.service = service
        store = self._store
        try:
            with told_at(self.config, ("store",)):
                self.driver.recover(forgetful=store is not None and store.forgetful)
        except (MalformedMessage, ValueError) as error:
            told = f"cannot be read: {error}; to begin anew, and lose what it holds, remove it"
            refuse(self.config, [Defect(("store",), f"{self.config.store}: {told}")])
        limits = self.config.limits
        self._context = _Context()
        try:
            self.peers = PeerSockets(
                context=self._context,
                loop=self.loop,
                bind=self.config.listen,
                addresses=self.config.peers,
                security=load_security(self.config, self.tables),
                on_asked=self._from_peer,
                on_answered=self._from_peer,
                on_refused=lambda reason, detail: self.observer.happened(
                    Dropped(reason, "", detail)
                ),
                on_drained=self.flush,
                limits=PeerLimits(
                    frame_bytes=limits.frame_bytes,
                    bearable=self.driver.sidecar.bearable_frame,
                    rate=float(limits.frames_per_second),
                ),
            )
        except BaseException as error:
            self._context.destroy(linger=0)  # `term` would wait for a socket that is left open
            if isinstance(error, CannotListen):
                refuse(self.config, [Defect(("listen",), str(error))])
            raise
        self.recovered = True
        self.flush()

    def stop(self) -> None:
        """In order: commit, let out, take a snapshot, close."""
        if self._stopped:
            return
        try:
            self.driver.flush()
            if self.service is not None:
                self.service.written()
            if self._store is not None and not self.driver.failing:
                self.driver.snapshot()
        except CommitFailed as failure:  # of the snapshot: the rows are there all the same
            self.observer.failing(str(failure))
        finally:
            self._close()
            if self._store is not None:
                self._store.close()

    def abandon(self) -> None:
        """After a start that failed. The state may be half read, and must not take the place of
        what is in the store; a store that was not there before is removed."""
        if self._stopped:
            return
        self._close()
        if self._store is not None:
            self._store.abandon()

    def _close(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self.peers is not None:
            self.peers.close()
        if self._context is not None:
            self._context.term()

    @property
    def endpoint(self) -> str:
        """Where other agents find it."""
        assert self.peers is not None
        return self.peers.endpoint

    # Turns of the loop.

    def soon(self) -> None:
        """Something was put to the driver: flush it when all that is there by now was taken."""
        if not self._flushing and not self._stopped:
            self._flushing = True
            self.loop.call_soon(self._flush_now)

    def _flush_now(self) -> None:
        self._flushing = False
        if self._stopped or not self.driver.idle:
            self.flush()
        else:
            self._arm()  # something may be due without anything to commit: that a service is gone

    def flush(self) -> None:
        """Commit, and let out."""
        if self._stopped or self.driver.idle:
            return
        try:
            if not self.driver.failing:
                self.driver.flush()
        finally:
            self._turned()

    def _arm(self) -> None:
        due = self.driver.due()
        if due is None or (self._timer is not None and self._timer_due <= due):
            return  # a timer that comes too early sets the next one
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due = due
        self._timer = self.loop.call_later(max(SHORTEST, due - self.now()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        try:
            self.driver.tick()
        finally:
            self._turned()

    def _turned(self) -> None:
        """Write what was let out, and set the timer. Where somebody raised, there may be more."""
        if self.service is not None:
            self.service.written()
        if not (self.driver.idle or self.driver.failing):
            self.soon()
        self._arm()

    def _from_peer(self, peer: str, frame: bytes) -> None:
        self.driver.take(FromPeer(peer, frame))

    # Ports of the driver.

    def reply(self, output: Reply) -> None:
        assert self.service is not None
        self.service.reply(output)

    def close(self, connection: int) -> None:
        assert self.service is not None
        self.service.close_connection(connection)

    def ask(self, peer: str, frame: bytes) -> None:
        if self.peers is not None and self.peers.ask(peer, frame):
            self.observer.sent("inquiry", len(frame))

    def answer(self, peer: str, frame: bytes, *, waits: bool) -> None:
        if self.peers is not None and self.peers.answer(peer, frame):
            self.observer.sent("waiting" if waits else "response", len(frame))

    def tell(self, declared: DeclaredVerdict) -> None:
        self._tell(declared)

    def happened(self, output: Observed) -> None:
        self.observer.happened(output)

    def failing(self, why: str | None) -> None:
        self.failing_why = why
        self.observer.failing(why)
        if self.peers is not None:
            if why is None:
                self.peers.resume()
            else:
                self.peers.pause()
        if self.service is not None:
            if why is None:
                self.service.resume()
            else:
                self.service.pause()
