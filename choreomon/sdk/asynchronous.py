"""A service on asyncio, connected with its agent.

`connect` gives a process; a task in the background keeps it connected. What is written within
one turn of the loop goes out as one write, so that many senders at once cost few system calls.
All of it belongs to the loop on which it was made. What is decided is in `choreomon.sdk.session`.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import cast

from choreomon.agent_files.clocks.text import Carried, ClockText
from choreomon.agent_files.local import (
    MAX_AGENT_FRAME,
    FrameSplitter,
    Policy,
    decode_agent_untrusted,
)
from choreomon.agent_files.values import Given, Value
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind
from choreomon.sdk.address import PATIENT, Address, Backoff, drawn, read_token
from choreomon.sdk.complaints import REFUSED_FOR_GOOD, checked_name, closed, unavailable
from choreomon.sdk.connected import Connected, asked_for
from choreomon.sdk.forks import close_in_children
from choreomon.sdk.journal import Ticket
from choreomon.sdk.lease import GREETING_SECONDS, NEVER
from choreomon.sdk.process import OFF, Process
from choreomon.sdk.session import AWAY, OPEN, Session


async def connect(
    address: str | os.PathLike[str] | None = None,
    *,
    policy: Policy = "block",
    deadline: float | None = 5.0,
    buffer: int = 10_000,
    token_file: str | os.PathLike[str] | None = None,
    backoff: Backoff = PATIENT,
) -> Process:
    """The process whose agent is at `address`, once the agent has answered.

    Args:
        address: the path of the agent's socket, or `tcp://127.0.0.1:PORT`; `None` for that of
            the environment variable `CHOREOMON`. Where neither is given, or the variable is
            `off`, nothing is monitored, and the result is `OFF`.
        policy: what to do while the agent is unavailable (`choreomon.agent_files.local.Policy`).
        deadline: seconds that this call may take, and, under the policy `block`, that each
            event may wait; `None` for as long as it takes.
        buffer: how many events are kept at most, under `buffer` and `fire-and-forget`.
        token_file: the agent's token, for `tcp` addresses; also from `CHOREOMON_TOKEN_FILE`.
            At a Unix socket it is not read.
        backoff: how soon to try again to connect.

    Raises:
        AgentUnavailable: not within the deadline, or refused. Under every policy: an agent
            that never heard of this service does not know what it does not know.
        ValueError: the address is none.
        OSError: the token file cannot be read.
    """
    asked = asked_for(address, policy, deadline, buffer, token_file)
    if asked is None:
        return OFF
    process = ConnectedProcess(*asked, token_file=token_file, backoff=backoff)
    await process.begin(deadline)
    return process


class ConnectedProcess(Connected):
    """See `Process`."""

    def __init__(
        self,
        address: Address,
        session: Session,
        *,
        token_file: str | os.PathLike[str] | None,
        backoff: Backoff,
    ) -> None:
        super().__init__(address, session, token_file=token_file, backoff=backoff)
        self._loop = asyncio.get_running_loop()
        self._welcomed: asyncio.Future[None] = self._loop.create_future()
        self._stream: _Stream | None = None
        self._idle: asyncio.Future[None] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = NEVER
        self._reported = 0
        self._crowd = 0
        close_in_children(self)

    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        ticket = self._event(SEND, to, checked_name(name), "", values)
        clock = self._session.clock() if ticket is None else await self._answer(ticket)
        return Carried(self._session.process, name, clock)

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        ticket = self._event(HANDLE, carried.sender, carried.name, carried.clock, values)
        if ticket is not None:
            await self._answer(ticket)

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        ticket = self._event(HANDLE, ENVIRONMENT, checked_name(name), "", values)
        if ticket is not None:
            await self._answer(ticket)

    async def begin(self, deadline: float | None) -> None:
        """Connects for the first time; once."""
        self._connecting = self._loop.create_task(self._keep_connected())
        try:
            await asyncio.wait([self._welcomed], timeout=deadline)
            if not self._welcomed.done():
                raise unavailable(self._address, self._session)
            self._welcomed.result()
        except BaseException:
            await self._end()
            raise

    async def close(self, deadline: float | None = 5.0) -> None:
        """See `Process.close`."""
        if self._closed:
            return
        self._closed = True
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline):
                    if not self._session.idle:
                        self._idle = self._loop.create_future()
                        await self._idle
                    self._session.goodbye()
                    self._write()
                    if self._session.phase == OPEN and self._stream is not None:
                        await asyncio.shield(self._stream.ended)
        finally:  # also if the caller is cancelled, and so cannot close it again
            await self._end()

    def left_behind(self) -> None:
        """See `choreomon.sdk.forks`. The stream stays as it is: its loop is the parent's, too."""
        self._forked = self._closed = True
        self._stream = None

    async def __aenter__(self) -> ConnectedProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Events

    def _event(
        self, kind: EventKind, peer: str, name: str, heard: ClockText, values: Given
    ) -> Ticket | None:
        if self._closed:
            raise closed(forked=self._forked)
        session = self._session
        now = self._loop.time()
        ticket = session.event(kind, peer, name, heard, now, values)
        if session.phase != OPEN:
            self._arm(now)
        elif session.has_output:
            self._reported += 1
            if self._reported == 1:
                # One by one, events are written at once. Where several came together the last
                # time, they may come together again, in this turn of the loop.
                if self._crowd <= 1 and session.in_flight == 1:
                    self._flush()
                else:
                    self._loop.call_soon(self._flush)
            if now + session.deadline < self._timer_at:
                self._arm(now)
        return ticket

    async def _answer(self, ticket: Ticket) -> ClockText:
        waiter = ticket.waiter = self._loop.create_future()
        try:
            await waiter
        except asyncio.CancelledError:
            self._session.abandon(ticket)
            raise
        if ticket.clock is None:
            raise closed() if self._closed else unavailable(self._address, self._session)
        return ticket.clock

    # The stream

    def opened(self, stream: _Stream) -> None:
        """Take the new stream, on which nothing was written yet."""
        self._stream = stream
        now = self._loop.time()
        self._session.opened(now)
        self._turn(now)

    def received(self, stream: _Stream, data: bytes) -> None:
        """The agent said something."""
        now = self._loop.time()
        session = self._session
        try:
            for frame in stream.split(data):
                session.receive(decode_agent_untrusted(frame), now)
        except MalformedMessage as error:
            session.trouble = str(error)
            session.broken()
        if session.phase == OPEN:
            stream.welcomed = True
            if not self._welcomed.done():
                self._welcomed.set_result(None)
        self._turn(now)

    def gone(self, error: Exception | None) -> None:
        """The stream is at its end."""
        self._stream = None
        session = self._session
        if session.phase != AWAY:
            session.trouble = str(error) if error else "the agent closed the connection"
            session.broken()
        if session.refusal in REFUSED_FOR_GOOD and not self._welcomed.done():
            self._welcomed.set_exception(unavailable(self._address, session))
        self._turn(self._loop.time())

    def _turn(self, now: float) -> None:
        """Carry out the decisions of the session."""
        session = self._session
        for ticket in session.settled():
            waiter = ticket.waiter
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
        self._write()
        if session.phase == AWAY and self._stream is not None:
            self._stream.abort()
        if self._idle is not None and session.idle and not self._idle.done():
            self._idle.set_result(None)
        self._arm(now)

    def _flush(self) -> None:
        self._crowd, self._reported = self._reported, 0
        self._write()

    def _write(self) -> None:
        output = self._session.output()
        if output and self._stream is not None:
            self._stream.write(output)

    def _arm(self, now: float) -> None:
        due = self._session.due(now)
        # A timer that comes too early finds nothing to do, and is cheaper than a new one.
        if due is not None and due < self._timer_at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer_at = due
            self._timer = self._loop.call_at(due, self._expire)

    def _expire(self) -> None:
        self._timer = None
        self._timer_at = NEVER
        now = self._loop.time()
        self._session.expire(now)
        self._turn(now)

    # Connecting

    async def _keep_connected(self) -> None:
        failures = 0
        while True:
            stream = _Stream(self)
            try:
                await self._open(stream)
                await asyncio.shield(stream.ended)
            except (OSError, ValueError) as error:
                self._session.trouble = str(error) or "no connection"
            failures = 0 if stream.welcomed else failures + 1
            await asyncio.sleep(self._backoff.delay(failures, drawn()))

    async def _open(self, stream: _Stream) -> None:
        where = self._address
        try:
            async with asyncio.timeout(GREETING_SECONDS):
                if where.path:
                    await self._loop.create_unix_connection(lambda: stream, where.path)
                else:
                    self._session.token = read_token(where, self._token_file, os.environ)
                    await self._loop.create_connection(lambda: stream, where.host, where.port)
        except BaseException:
            stream.forgotten()
            raise

    async def _end(self) -> None:
        self._closed = True
        try:
            if self._connecting is not None:
                self._connecting.cancel()
                await asyncio.wait([self._connecting])
            if self._stream is not None:
                self._stream.abort()
                await self._stream.ended
        finally:
            if self._stream is not None:
                self._stream.abort()
            self._session.give_up()
            self._turn(self._loop.time())
            if self._timer is not None:
                self._timer.cancel()


class _Stream(asyncio.Protocol):
    """A connection. `ended` is done when it is gone; `welcomed`: it was of use."""

    def __init__(self, process: ConnectedProcess) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.welcomed = False
        self._process = process
        self._splitter = FrameSplitter(MAX_AGENT_FRAME)
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._process.opened(self)

    def data_received(self, data: bytes) -> None:
        self._process.received(self, data)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self._process.gone(error)
            self.ended.set_result(None)

    def forgotten(self) -> None:
        """Close up after the task that asked for the stream was cancelled when it was just made:
        uvloop closes it then, and never says that it is lost."""
        if self._transport is not None:
            self._transport.abort()
            self.connection_lost(None)

    def split(self, data: bytes) -> list[bytes]:
        return self._splitter.feed(data)

    def write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def abort(self) -> None:
        assert self._transport is not None
        self._transport.abort()
