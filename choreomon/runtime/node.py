"""A sidecar on a running event loop: its driver with a real disk, real sockets to other agents, and
real time. What the service's side is, a process of its own (`choreomon.runtime.agent`) or the
service's own loop (`choreomon.sdk.embedded`), is put on top.

Everything happens on the loop's thread. What a service says is put to the driver as it comes; once
in a turn of the loop all of it is committed and what follows is let out. What other agents say, and
whatever else has to be judged, is put to it in slices of processor time, one a turn.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

from choreomon.agent_files.agent_config import AgentConfig, refuse, told_at
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import STORE_BYTES
from choreomon.core.errors import Defect, MalformedMessage
from choreomon.runtime.configured_sidecar import make_sidecar
from choreomon.runtime.driver import Driver, Timeouts
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.network.addresses import UnusableAddress
from choreomon.runtime.network.context import ForgettableContext
from choreomon.runtime.network.credentials import load_security
from choreomon.runtime.network.found_addresses import FoundAddresses
from choreomon.runtime.network.peers import CannotListen, PeerSockets
from choreomon.runtime.network.peers import Limits as PeerLimits
from choreomon.runtime.network.security import UnusableKeys
from choreomon.runtime.openings import Informed, Openings
from choreomon.runtime.outputs import DeclaredVerdict, Dropped, Observed, Reply
from choreomon.runtime.ports import AnswerKind, CommitFailed
from choreomon.runtime.reloading import CannotReload
from choreomon.runtime.renewing import Renewing
from choreomon.runtime.slices import Slices
from choreomon.runtime.stores.agent_store import AgentStore
from choreomon.runtime.stores.opening import TimedStore, open_store, stored_tables

SHORTEST: Final = 0.02
"""Seconds between two looks at what is due: many events have deadlines, and most are over by
then."""


class Observer(Protocol):
    """Observer of a node, for metrics, logs and traces."""

    def happened(self, output: Observed) -> None:
        """A sidecar told something of itself."""

    def sent(self, kind: str, size: int) -> None:
        """A frame of this many bytes went to another agent: an `inquiry`, or an `AnswerKind`."""

    def committed(self, seconds: float) -> None:
        """A commit took so long."""

    def failing(self, why: str | None) -> None:
        """The disk takes nothing; `None`: it does again."""


class Service(Informed, Protocol):
    """The side that the service is at."""

    def reply(self, output: Reply) -> None:
        """An answer to the service."""

    def written(self) -> None:
        """Called when all answers of this turn were given."""

    def close_connection(self, connection: int) -> None:
        """The service is to say nothing more there."""

    def pause(self) -> None:
        """Take nothing from the service until `resume`."""

    def resume(self) -> None:
        """Go on."""


class Node:
    """A running sidecar. Made on the loop's thread; `start` recovers and begins to listen.
    `reloaded` is told when it has other properties, and which tables are theirs.

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
        reloaded: Callable[[tuple[SplitTable, ...]], None] = lambda tables: None,
        now: Callable[[], float] = time.monotonic,
        store: AgentStore | None = None,
    ) -> None:
        self.config = config
        self.tables = tuple(tables)
        """The tables of the open properties, in their order."""
        self.loop = loop
        self.now = now
        self.service: Service | None = None
        self.recovered = False
        self.failing_why: str | None = None
        self._tell = tell
        self.observer = observer
        self._reloaded = reloaded
        self._wanted = self.tables
        self._store = store or open_store(config, tables)
        self.over = asyncio.Event()
        """Set when its slot is somebody else's, whom `failing_why` names: stop it then. Nothing
        leaves any more."""
        store = self._store
        timed = store and TimedStore(store, observer.committed, self._fenced)
        self._renewing = None if store is None else Renewing(store, loop, self._fenced)
        if self._store is not None:
            self.tables = stored_tables(config, tables, self._store)
        self._name = secrets.token_bytes(STORE_BYTES) if self._store is None else self._store.name
        self.driver = Driver(
            make_sidecar(replace(config, closing=()), self.tables, self._name),
            timed,
            self,
            now,
            Timeouts(deadline=config.deadline, give_up=config.give_up),
            wall=time.time,
        )
        self.found = FoundAddresses(store.directory if store else None, now)
        self.openings = Openings(self.driver, now=now, opened=self._opened)
        self._context: ForgettableContext | None = None
        self.peers: PeerSockets | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0.0
        self._flushing = False
        self._slices = Slices(self.driver, loop=loop, flush=self._sliced, spent=time.thread_time)
        self._stopped = False

    def start(self, service: Service) -> None:
        """Recover the state, listen, and continue what was open."""
        self.service = service
        store = self._store
        try:
            with told_at(self.config, ("store",)):
                self.driver.recover(
                    forgetful=store is not None and store.forgetful,
                    reached=0 if store is None else store.reached,
                )
            self.reload(self.config, self._wanted)
        except CannotReload as error:
            refuse(self.config, [Defect(("tables",), str(error))])
        except (CommitFailed, Fenced) as error:
            refuse(self.config, [Defect(("store",), str(error))])
        except (MalformedMessage, ValueError) as error:
            told = f"cannot be read: {error}; to begin anew, and lose what it holds, remove it"
            refuse(self.config, [Defect(("store",), f"{self.config.store}: {told}")])
        limits = self.config.limits
        self._context = ForgettableContext()
        try:
            self.peers = PeerSockets(
                context=self._context,
                loop=self.loop,
                bind=self.config.listen,
                addresses=self.found.beside(self.config.peers),
                security=load_security(self.config, self.tables),
                on_asked=self._from_peer,
                on_answered=self._from_asked,
                on_refused=lambda reason, detail: self.observer.happened(
                    Dropped(reason, "", detail)
                ),
                on_drained=self._slices.soon,
                limits=PeerLimits(
                    frame_bytes=limits.frame_bytes,
                    bearable=self.driver.sidecar.bearable_frame,
                    rate=float(limits.frames_per_second),
                ),
            )
            self.found.announce(self.endpoint)
        except BaseException as error:
            self._context.destroy(linger=0)  # `term` would wait for a socket that is left open
            if isinstance(error, CannotListen):
                refuse(self.config, [Defect(("listen",), str(error))])
            if isinstance(error, CommitFailed | Fenced):
                refuse(self.config, [Defect(("store",), str(error))])
            raise
        self.recovered = True
        if self._renewing is not None:
            self._renewing.begin()
        self.flush()
        self._open()

    def check(self, config: AgentConfig, tables: Sequence[SplitTable]) -> None:
        """Tell whether `reload` can go on with these. Raises `CannotReload`."""
        self.openings.check(make_sidecar(config, tables, self._name))

    def bearable(self, config: AgentConfig, tables: Sequence[SplitTable]) -> int:
        """See `Hosted.bearable_frame`, of these."""
        return make_sidecar(config, tables, self._name).bearable_frame

    def reload(self, config: AgentConfig, tables: Sequence[SplitTable]) -> None:
        """Go on with these tables, those of another configuration of this agent, as soon as the
        service knows what is to be told. Raises `CannotReload`, and goes on as before then."""
        assert self.service is not None
        sidecar = make_sidecar(config, tables, self._name)
        self.openings.plan(sidecar, tuple(tables), self.service)
        self.config = config
        if self.recovered:
            self._open()

    def _open(self) -> None:
        if not self._halted and self.service is not None:
            with suppress(Fenced):
                self.openings.open(self.service)
                self._arm()

    def _opened(self, tables: tuple[SplitTable, ...]) -> None:
        self.tables = tables
        self._reloaded(tables)

    def stop(self) -> None:
        """Stop in order: commit, let out, take a snapshot, close."""
        if self._stopped:
            return
        try:
            if not self._halted:
                self.driver.flush()
            if self.service is not None:
                self.service.written()
            if not (self._store is None or self._halted or self.driver.failing):
                self.driver.snapshot()
        except CommitFailed as failure:  # of the snapshot: the rows are there all the same
            self.observer.failing(str(failure))
        except Fenced:
            pass  # which was told
        finally:
            self._close()
            if self._store is not None:
                self._store.close()

    def abandon(self) -> None:
        """Clean up after a failed start. The state may be half read, and must not replace what is
        in the store; a store that was not there before is removed."""
        if self._stopped:
            return
        self._close()
        if self._store is not None:
            self._store.abandon()

    @property
    def _halted(self) -> bool:
        """True if it takes no turns any more."""
        return self._stopped or self.over.is_set()

    def _fenced(self, fenced: Fenced) -> None:
        """Stop where it is: what waits for a commit never leaves."""
        if not self._halted:
            self.over.set()
            self._slices.close()
            self.failing(str(fenced))

    def _close(self) -> None:
        self._stopped = True
        if self._renewing is not None:
            self._renewing.end()
        self._slices.close()
        if self._timer is not None:
            self._timer.cancel()
        if self.peers is not None:
            self.peers.close()
        if self._context is not None:
            self._context.term()

    @property
    def endpoint(self) -> str:
        """The endpoint at which other agents find it."""
        assert self.peers is not None
        return self.peers.endpoint

    # Turns of the loop.

    def soon(self) -> None:
        """Something was put to the driver: flush it when all that is there by now was taken."""
        if not self._flushing and not self._halted:
            self._flushing = True
            self.loop.call_soon(self._flush_now)

    def _flush_now(self) -> None:
        self._flushing = False
        if self._halted or not self.driver.idle:
            self.flush()
        self._open()  # something may be due without anything to commit: that a service is gone

    def flush(self) -> None:
        """Commit, and let out."""
        if self._halted or self.driver.idle:
            return
        try:
            if not self.driver.failing:
                self.driver.flush()
        except Fenced:
            pass  # which was told
        finally:
            self._turned()

    def _sliced(self) -> None:
        self.flush()
        self._open()  # it may have waited for what was due

    def _arm(self) -> None:
        dues = (self.driver.due(), self.openings.due, self.found.due)
        due = min((each for each in dues if each is not None), default=None)
        if due is None or (self._timer is not None and self._timer_due <= due):
            return  # a timer that comes too early sets the next one
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due = due
        self._timer = self.loop.call_later(max(SHORTEST, due - self.now()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self._halted:
            return
        for peer in self.found.moved():
            self.driver.heard_of(peer)
        try:
            self.driver.tick(self._slices.enough())
        except Fenced:
            pass  # which was told
        finally:
            self._turned()
        self._open()

    def _turned(self) -> None:
        """Send the outputs and set the timer. After an exception there may be more to do."""
        if self.service is not None:
            self.service.written()
        if self._halted:
            return
        if not (self.driver.idle or self.driver.failing):
            self.soon()
        self._slices.soon()
        self._arm()

    def _from_peer(self, peer: str, frame: bytes) -> None:
        if not self._slices.add(peer, frame):
            self.observer.happened(Dropped("busy", peer, "more of it waits than is kept"))

    def _from_asked(self, peer: str, frame: bytes) -> None:
        self.found.heard(peer)
        self._from_peer(peer, frame)

    # Ports of the driver.

    def reply(self, output: Reply) -> None:
        assert self.service is not None
        self.service.reply(output)

    def close(self, connection: int) -> None:
        assert self.service is not None
        self.service.close_connection(connection)

    def ask(self, peer: str, frame: bytes) -> None:
        if self.peers is None:
            return
        if peer not in self.config.peers and self.found.asks(peer):
            try:
                self.peers.renew(self.peers.security, self.found.beside(self.config.peers))
            except (UnusableAddress, UnusableKeys) as error:
                self.observer.happened(Dropped("address", peer, str(error)))
        if self.peers.ask(peer, frame):
            self.observer.sent("inquiry", len(frame))

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        if self.peers is not None and self.peers.answer(peer, frame):
            self.observer.sent(kind, len(frame))

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
