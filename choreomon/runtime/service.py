"""The side of an agent that a service talks to: connections, frames, leases.

A connection says hello and then tells its events (`choreomon.agent_files.local`). What comes is put
to the driver at once, and answered after the commit: all that arrived in one turn of the loop is
one row of the journal.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Iterable
from typing import Final, assert_never, cast

import msgspec

from choreomon.agent_files import local
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.values import TRACE, TRACEPARENT, trace_id
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import ENVIRONMENT
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import Gap, Goodbye, Hello, Report, ReportWithValues
from choreomon.runtime.outputs import Reply

MAX_CONNECTIONS: Final = 1024
HELLO_WITHIN: Final = 10.0
"""Seconds that a connection may say nothing for after it was made."""

MICROSECONDS: Final = 1_000_000


MOST_UNKNOWN: Final = 100


class ServiceSide:
    """The connections of services.

    - `now`: monotonic seconds. `token`: what every hello must carry; empty: none.
    - `fresh_session`: draws the id of a session.
    - `soon`: called when something was put to the driver, which is to be flushed in this turn of
      the loop or the next.
    - `refused(reason, detail)`: something was not taken before it came to the driver.
    - `lost(events)`: a service says that this many events will never be told.
    - `unknown_process(name)`: the other end of an event is none of the processes `known`, which are
      those of the properties; called once for each of the first `MOST_UNKNOWN` names.
    - `reload`: reads the agent's configuration anew; why it cannot be done, "" where it is.
    """

    def __init__(
        self,
        driver: Driver,
        *,
        loop: asyncio.AbstractEventLoop,
        now: Callable[[], float],
        fresh_session: Callable[[], str],
        soon: Callable[[], None],
        refused: Callable[[str, str], None],
        lost: Callable[[int], None],
        unknown_process: Callable[[str], None] = lambda _: None,
        reload: Callable[[], str] = lambda: "",
        token: str = "",
    ) -> None:
        self.driver = driver
        self.loop = loop
        self.now = now
        self.fresh_session = fresh_session
        self.soon = soon
        self.refused = refused
        self.lost = lost
        self.unknown_process = unknown_process
        self.known: frozenset[str] = frozenset()
        self.reload = reload
        self.token = token
        self.paused = False
        self.connections: dict[int, Connection] = {}
        self._unknown: set[str] = set()
        self._last = 0
        self._greeted_after = 0

    def connection(self) -> Connection:
        """The protocol of one more connection."""
        self._last += 1
        return Connection(self, self._last)

    def reply(self, output: Reply) -> None:
        """Send it, if the connection is still there."""
        connection = self.connections.get(output.connection)
        if connection is not None:
            message = output.message
            if type(message) is local.Welcome:
                # What comes after it was said by somebody who has received it.
                now = self.now()
                connection.welcomed(now + self.driver.sidecar.lease)
                message = msgspec.structs.replace(message, grant=int(now * MICROSECONDS))
            connection.send(local.encode(message))

    def knows(self, tables: Iterable[SplitTable]) -> None:
        """Take the processes and slots of these tables as known from now on."""
        self.known = frozenset(
            (
                ENVIRONMENT,
                *(name for each in tables for name in (*each.processes, *each.roles.slots)),
            )
        )

    def told_of_unknown(self, process: str) -> None:
        """Note that a service told of an event whose other end is not in `known`."""
        if process not in self._unknown and len(self._unknown) < MOST_UNKNOWN:
            self._unknown.add(process)
            self.unknown_process(process)

    def written(self) -> None:
        """Note that everything is out that was let out; what waits for the network is written."""
        for connection in [*self.connections.values()]:
            connection.write()

    def close_connection(self, number: int) -> None:
        connection = self.connections.get(number)
        if connection is not None:
            connection.write()
            connection.end()

    def close_all(self) -> None:
        for number in [*self.connections]:
            self.close_connection(number)

    def greet_again(self) -> None:
        """Make services say hello again, because the events to report have changed."""
        self._greeted_after = self._last
        self.close_all()

    def uninformed(self) -> list[str]:
        """The sessions whose services may not know yet what is to be told: they have said nothing
        on a connection that was welcomed with it."""
        informed = {
            number
            for number, connection in self.connections.items()
            if connection.informed and number > self._greeted_after
        }
        sessions = self.driver.state.sessions
        return [name for name, each in sessions.items() if each.connection not in informed]

    def pause(self) -> None:
        """Read nothing until `resume`."""
        self.paused = True
        for connection in self.connections.values():
            connection.read_or_wait()

    def resume(self) -> None:
        self.paused = False
        for connection in self.connections.values():
            connection.read_or_wait()


class Connection(asyncio.Protocol):
    """A connection of a service."""

    def __init__(self, side: ServiceSide, number: int) -> None:
        self._side = side
        self._number = number
        self._session = ""
        self._greeted = False
        self.informed = False
        """True if the service has surely received its welcome."""
        self._splitter = local.FrameSplitter()
        self._out: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._full = False
        self._reading = True
        self._timer: asyncio.TimerHandle | None = None
        self._lets_go = False
        self._told_until = 0.0
        """The time until which a report cannot be about a message that has left: a lease after the
        last grant that the service has surely received."""

    # Called by the loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        side = self._side
        self._transport = stream = cast(asyncio.Transport, transport)  # uvloop has types of its own
        if len(side.connections) >= MAX_CONNECTIONS:
            side.refused("connections", f"{MAX_CONNECTIONS} are open")
            stream.abort()
            return
        side.connections[self._number] = self
        self._timer = side.loop.call_later(HELLO_WITHIN, self._too_late)
        self.read_or_wait()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._gone()

    def pause_writing(self) -> None:
        self._full = True
        self.read_or_wait()

    def resume_writing(self) -> None:
        self._full = False
        self.read_or_wait()

    def data_received(self, data: bytes) -> None:
        try:
            for frame in self._splitter.feed(data):
                if self._transport is None:
                    break
                self._take(local.decode_client_untrusted(frame))
        except MalformedMessage as error:
            self._refuse("malformed", str(error))
        self._side.soon()

    # What a service says.

    def _take(self, message: local.ClientMessage) -> None:
        side, number = self._side, self._number
        if type(message) is local.Reload:
            self._reload(message)
            return
        if self._greeted is (type(message) is local.Hello):
            # Two would make two sessions, of which one is never seen to end.
            wrong = "said hello already" if self._greeted else "has said no hello"
            self._refuse("session", f"this connection {wrong}")
            return
        self.informed = self._greeted
        if type(message) is local.Report:
            now = side.now()
            if self._lets_go and now >= self._told_until:
                # Its service may have let the message go, and counted the event as lost: taken
                # now, it would happen after what others were answered meanwhile.
                self._refuse("closing", "the lease is over: say hello again")
                return
            at = int(now * MICROSECONDS)
            if message.peer not in side.known:
                side.told_of_unknown(message.peer)
            side.driver.take(self._reported(message, at))
            return
        match message:
            case local.Hello():
                self._hello(message)
            case local.Gap():
                session = side.driver.state.sessions.get(self._session)
                if session is not None and message.number == session.last + 1:
                    side.lost(message.lost)
                side.driver.take(
                    Gap(number, self._session, message.number, message.done, message.lost)
                )
            case local.Renew(grant=grant):
                self._renew(grant)
            case local.Goodbye():
                side.driver.take(Goodbye(number, self._session))
                self._session = ""
            case local.Report() | local.Reload():
                raise AssertionError(message)
            case _:
                assert_never(message)

    def _reported(self, told: local.Report, at: int) -> Report:
        """The input for this report, at this time. Values that no property asks for are left out:
        they would be kept in the journal."""
        event, peer, name = told.event, told.peer, told.name
        said = (told.number, told.done, event, peer, name, told.heard, at)
        sidecar, given = self._side.driver.sidecar, told.given
        if not given:
            return Report(self._number, self._session, *said)
        label = sidecar.label(event, peer, name)
        wanted = sidecar.values.carried.get(label, ())
        values = {each: str(given[each]) for each in wanted if each in given}
        if TRACEPARENT in given:
            trace = trace_id(given)
            if not trace:
                self._side.refused("trace", f"{label} has a traceparent that is none")
            elif sidecar.mentions(label):
                values[TRACE] = trace
        if values:
            return ReportWithValues(self._number, self._session, *said, values)
        return Report(self._number, self._session, *said)

    def _hello(self, hello: local.Hello) -> None:
        side = self._side
        if hello.version != local.VERSION:
            self._refuse("version", f"version {hello.version}; this is version {local.VERSION}")
            return
        if not hmac.compare_digest(hello.token.encode(), side.token.encode()):
            self._refuse("token", "the token is not that of the agent's file")
            return
        if self._timer is not None:
            self._timer.cancel()
        self._greeted = True
        fresh = side.fresh_session()
        side.driver.take(Hello(self._number, hello.policy, hello.session, fresh, hello.lost))
        name = hello.session or fresh
        session = side.driver.state.sessions.get(name)
        if session is not None and session.connection == self._number:
            self._session = name
            if hello.lost:
                side.lost(hello.lost)
        self._lets_go = hello.policy == "let-go"

    def _reload(self, asked: local.Reload) -> None:
        """Reload on the request of an operator. It may end all other connections; this one says no
        more."""
        side = self._side
        if not hmac.compare_digest(asked.token.encode(), side.token.encode()):
            self._refuse("token", "the token is not that of the agent's file")
            return
        side.connections.pop(self._number, None)
        self.send(local.encode(local.Reloaded(side.reload())))
        self.write()
        self.end()

    def welcomed(self, told_until: float) -> None:
        """Note that the welcome leaves now."""
        self._told_until = told_until

    def _renew(self, grant: int) -> None:
        side = self._side
        now = side.now()
        if self._session and 0 < grant <= int(now * MICROSECONDS):
            side.driver.renewed(self._session, self._number, grant / MICROSECONDS)
        renewed = local.Renewed(side.driver.sidecar.lease, int(now * MICROSECONDS))
        side.driver.hold(Reply(self._number, renewed))

    def _too_late(self) -> None:
        self._refuse("malformed", f"no hello within {HELLO_WITHIN:g} seconds")

    def _refuse(self, reason: local.RefusalReason, message: str) -> None:
        self._side.refused(reason, message)
        self.send(local.encode(local.Refused(0, reason, message)))
        self.write()
        self.end()

    # What is sent.

    def send(self, frame: bytes) -> None:
        """Written with the others at the end of this turn."""
        self._out.append(frame)

    def write(self) -> None:
        if self._out and self._transport is not None:
            self._transport.write(b"".join(self._out))
            self._out.clear()

    def end(self) -> None:
        """Close once everything is written."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        self._gone()

    def _gone(self) -> None:
        side = self._side
        if self._timer is not None:
            self._timer.cancel()
        if side.connections.pop(self._number, None) is None:
            return
        session = side.driver.state.sessions.get(self._session)
        if session is not None and session.connection == self._number:
            side.driver.disconnected(self._session)
            side.soon()

    def read_or_wait(self) -> None:
        """Read nothing while the disk takes nothing, or while the service reads nothing."""
        wanted = not (self._side.paused or self._full)
        if self._transport is None or wanted == self._reading:
            return
        self._reading = wanted
        if wanted:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()
