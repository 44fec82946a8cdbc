"""A service of threads, connected with its agent.

The same session as for asyncio (`choreomon.sdk.session`), behind one lock. A thread in the
background connects, reads and keeps time; who tells of an event writes it and waits for that
thread. It does not survive `os.fork`: in the child it is closed, and is to be connected anew.
"""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from choreomon.agent_files.clocks.text import Carried, ClockText
from choreomon.agent_files.local import (
    MAX_AGENT_FRAME,
    FrameSplitter,
    Policy,
    decode_agent_untrusted,
)
from choreomon.agent_files.values import Given, Value
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND
from choreomon.sdk.address import PATIENT, Address, Backoff, drawn, read_token
from choreomon.sdk.complaints import REFUSED_FOR_GOOD, checked_name, closed, unavailable
from choreomon.sdk.connected import Connected, asked_for
from choreomon.sdk.forks import close_in_children
from choreomon.sdk.journal import Ticket
from choreomon.sdk.lease import GREETING_SECONDS, NEVER
from choreomon.sdk.process import BLOCKING_OFF, BlockingProcess
from choreomon.sdk.session import AWAY, OPEN, Session

_READ_BYTES: Final = 1 << 16


def connect(
    address: str | os.PathLike[str] | None = None,
    *,
    policy: Policy = "block",
    deadline: float | None = 5.0,
    buffer: int = 10_000,
    token_file: str | os.PathLike[str] | None = None,
    backoff: Backoff = PATIENT,
) -> BlockingProcess:
    """Connect as `choreomon.sdk.asynchronous.connect` does, without a loop."""
    asked = asked_for(address, policy, deadline, buffer, token_file)
    if asked is None:
        return BLOCKING_OFF
    process = ConnectedProcess(*asked, token_file=token_file, backoff=backoff)
    process.begin(deadline)
    return process


class ConnectedProcess(Connected):
    """See `BlockingProcess`."""

    def __init__(
        self,
        address: Address,
        session: Session,
        *,
        token_file: str | os.PathLike[str] | None,
        backoff: Backoff,
    ) -> None:
        super().__init__(address, session, token_file=token_file, backoff=backoff)
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._welcomed = False
        self._closed = False
        self._ended = False
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._woken_at = NEVER
        self._wake_end, self._wait_end = socket.socketpair()
        self._wake_end.setblocking(False)
        self._wait_end.setblocking(False)
        self._thread = threading.Thread(target=self._keep_connected, name="choreomon", daemon=True)
        close_in_children(self)

    def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """See `Process.sending`."""
        checked_name(name)

        def event(now: float) -> Ticket | None:
            return self._session.event(SEND, to, name, "", now, values)

        return Carried(self.name, name, self._tell(event, carries=True))

    def handling(self, carried: Carried, /, **values: Value) -> None:
        """See `Process.handling`."""
        self._handle(carried, values)

    def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """See `Process.handling_from_outside`."""
        self._handle(Carried(ENVIRONMENT, checked_name(name)), values)

    def untold(self, name: str, heard: Carried | None = None) -> Carried:
        """See `BlockingProcess.untold`."""
        clock = "" if heard is None else heard.clock

        def event(now: float) -> Ticket | None:
            return self._session.untold(clock, now)

        return Carried(self.name, name, self._tell(event, carries=True))

    def begin(self, deadline: float | None) -> None:
        """Connects for the first time; once."""
        self._thread.start()
        with self._lock:
            self._changed.wait_for(lambda: self._welcomed or self._ended, deadline)
            welcomed = self._welcomed
        if not welcomed:
            self._end()
            raise unavailable(self._address, self._session)

    def close(self, deadline: float | None = 5.0) -> None:
        """See `Process.close`."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            end = None if deadline is None else time.monotonic() + deadline
            self._changed.wait_for(lambda: self._session.idle, _until(end))
            self._session.goodbye()
            self._write()
            self._changed.wait_for(lambda: self._session.phase == AWAY, _until(end))
        self._end()

    def left_behind(self) -> None:
        """See `choreomon.sdk.forks`. Who held the lock is not here any more."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._forked = self._closed = self._ended = True
        for end in (self._socket, self._wake_end, self._wait_end):
            if end is not None:
                end.close()
        self._socket = None

    def __enter__(self) -> ConnectedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # In the threads of the service

    def _handle(self, carried: Carried, values: Given) -> None:
        sender, name, clock = carried

        def event(now: float) -> Ticket | None:
            return self._session.event(HANDLE, sender, name, clock, now, values)

        self._tell(event, carries=False)

    def _tell(self, event: Callable[[float], Ticket | None], *, carries: bool) -> ClockText:
        """Report an event to the session, and wait if it has a ticket. Return the clock right after
        it if the message `carries` one."""
        session = self._session
        with self._lock:
            if self._closed:
                raise closed(forked=self._forked)
            now = time.monotonic()
            ticket = event(now)
            clock = session.clock() if ticket is None and carries else ""
            if ticket is not None:
                answered = ticket.waiter = threading.Lock()
                answered.acquire()
            if session.has_output:
                self._write()
            if self._unsent or session.phase != OPEN or now + session.deadline < self._woken_at:
                self._wake()
        if ticket is None:
            return clock
        try:
            answered.acquire()
        except BaseException:
            # A signal in the main thread, such as Ctrl-C.
            with self._lock:
                session.abandon(ticket)
            raise
        if ticket.clock is None:
            raise closed() if self._closed else unavailable(self._address, session)
        return ticket.clock

    def _wake(self) -> None:
        """Make the background thread look at what is due."""
        with suppress(BlockingIOError):  # it will wake up anyway
            self._wake_end.send(b"\0")

    def _write(self) -> None:
        """Write as much as possible now; the lock is held."""
        self._unsent += self._session.output()
        if not self._unsent or self._socket is None:
            return
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose_connection(str(error))

    def _lose_connection(self, trouble: str) -> None:
        self._socket = None
        self._unsent = b""
        if self._session.phase != AWAY:
            self._session.trouble = trouble
            self._session.broken()

    # In the background

    def _keep_connected(self) -> None:
        failures = 0
        try:
            while not self._ended:
                failures = 0 if self._connect_once() else failures + 1
                self._pause(self._backoff.delay(failures, drawn()))
        finally:
            with self._lock:
                self._closed = self._ended = True
                self._session.give_up()
                self._turn()

    def _connect_once(self) -> bool:
        """Connect, and return whether that was of any use."""
        welcomed, trouble = False, ""
        try:
            with self._open() as connection, selectors.DefaultSelector() as selector:
                welcomed = self._talk(connection, selector)
        except (OSError, ValueError) as error:
            trouble = str(error) or "no connection"
        with self._lock:
            self._lose_connection(trouble)
            self._session.trouble = trouble or self._session.trouble
            if not self._welcomed and self._session.refusal in REFUSED_FOR_GOOD:
                self._ended = True
        return welcomed

    def _open(self) -> socket.socket:
        where = self._address
        if where.path:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.settimeout(GREETING_SECONDS)
                connection.connect(where.path)
            except BaseException:
                connection.close()
                raise
        else:
            token = read_token(where, self._token_file, os.environ)
            with self._lock:
                self._session.token = token
            connection = socket.create_connection((where.host, where.port), GREETING_SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        return connection

    def _talk(self, connection: socket.socket, selector: selectors.BaseSelector) -> bool:
        """Talk until the connection is useless; return whether it ever was of use."""
        splitter = FrameSplitter(MAX_AGENT_FRAME)
        selector.register(self._wait_end, selectors.EVENT_READ)
        selector.register(connection, selectors.EVENT_READ)
        welcomed = False
        with self._lock:
            self._socket = connection
            self._session.opened(time.monotonic())
        while True:
            with self._lock:
                timeout = self._turn()
                welcomed = welcomed or self._session.phase == OPEN
                if self._ended or self._session.phase == AWAY:
                    return welcomed
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
            selector.modify(connection, events)
            for key, ready in selector.select(timeout):
                if key.fileobj is self._wait_end:
                    self._wait_end.recv(_READ_BYTES)
                elif ready & selectors.EVENT_READ:
                    data = connection.recv(_READ_BYTES)
                    with self._lock:
                        self._received(splitter, data)

    def _received(self, splitter: FrameSplitter, data: bytes) -> None:
        session, now = self._session, time.monotonic()
        if not data:
            self._lose_connection("the agent closed the connection")
            return
        try:
            for frame in splitter.feed(data):
                session.receive(decode_agent_untrusted(frame), now)
        except MalformedMessage as error:
            self._lose_connection(str(error))

    def _turn(self) -> float | None:
        """Do what is due, and carry out the decisions of the session; the lock is held. Return the
        seconds until something is due again."""
        session, now = self._session, time.monotonic()
        session.expire(now)
        for ticket in session.settled():
            _release(ticket)
        self._write()
        if session.phase == OPEN:
            self._welcomed = True
        self._changed.notify_all()
        due = session.due(now)
        self._woken_at = NEVER if due is None else due
        return None if due is None else max(0.0, due - now)

    def _pause(self, seconds: float) -> None:
        """Leases end meanwhile, and events are told, which wakes this thread."""
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._wait_end, selectors.EVENT_READ)
            while not self._ended and (remaining := until - time.monotonic()) > 0:
                with self._lock:
                    timeout = self._turn()
                if selector.select(remaining if timeout is None else min(remaining, timeout)):
                    self._wait_end.recv(_READ_BYTES)

    def _end(self) -> None:
        with self._lock:
            self._closed = self._ended = True
            self._wake()
        self._thread.join()
        self._wake_end.close()
        self._wait_end.close()


def _until(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - time.monotonic())


def _release(ticket: Ticket) -> None:
    waiter = ticket.waiter
    if waiter is not None:
        waiter.release()
