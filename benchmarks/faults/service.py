"""A service of a schedule: `python -m benchmarks.faults.service TASK`.

Sends the messages of its script over Unix streams, handles those that come, tells its agent of both
by the SDK, and writes down what it does (`acts`). It may be killed at any moment; started again, it
goes on with its script. SIGTERM ends it in order.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.faults.acts import ActLog, read_acts
from choreomon.agent_files.clocks.text import (
    Carried,
    ClockText,
    decode_carried_untrusted,
    encode_carried,
)
from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.core.binding import Values
from choreomon.core.errors import AgentUnavailable, MalformedMessage, ProcessClosed
from choreomon.core.message import EventKind
from choreomon.sdk.address import Address, Backoff
from choreomon.sdk.asynchronous import ConnectedProcess
from choreomon.sdk.journal import GAP, Entry, Ticket
from choreomon.sdk.session import Session

BACK_SOON: Final = Backoff(0.02, 2.0, 0.2)
LINE: Final = 1 << 16
CLOSING_SECONDS: Final = 60.0


class RecordedSession(Session):
    """A session whose events are written down before anything of them can leave."""

    def __init__(self, log: ActLog, **options: Any) -> None:
        super().__init__(**options)
        self.log = log
        self.waiting: dict[int, tuple[int, Ticket]] = {}
        """By the identity of the ticket: the number of the act, and the ticket, which keeps it."""
        self._last = 0
        self._unnumbered: list[tuple[int, Entry]] = []

    def event(
        self,
        kind: EventKind,
        peer: str,
        name: str,
        heard: ClockText,
        now: float,
        values: Given = NO_VALUES,
    ) -> Ticket | None:
        if (kind, peer, name) not in self._mentioned:
            return super().event(kind, peer, name, heard, now, values)
        self._last += 1
        which = self._last
        self.log.write("began", which, kind, peer, name, values)
        journal = self._journal
        before = len(journal)
        ticket = super().event(kind, peer, name, heard, now, values)
        entry = ticket.entry if ticket is not None else None
        if entry is None and len(journal) > before:
            entry = [*journal][-1]
        if entry is not None and entry.kind != GAP:
            self._unnumbered.append((which, entry))
        if ticket is not None:
            self.waiting[id(ticket)] = (which, ticket)
        else:
            how = "lost" if entry is None or entry.kind == GAP else "kept"
            self.log.write("left", which, how, self.clock())
        return ticket

    def output(self) -> bytes:
        for which, entry in self._unnumbered[:]:
            if entry.number:
                self._unnumbered.remove((which, entry))
                self.log.write("number", which, self._session, entry.number)
        return super().output()


class RecordedProcess(ConnectedProcess):
    """The SDK's process, which writes down what it goes on with."""

    _session: RecordedSession

    def __init__(self, agent: str, session: RecordedSession) -> None:
        super().__init__(Address(path=agent), session, token_file=None, backoff=BACK_SOON)

    async def _answer(self, ticket: Ticket) -> ClockText:
        log = self._session.log
        which, _ = self._session.waiting[id(ticket)]
        try:
            clock = await super()._answer(ticket)
        except (AgentUnavailable, ProcessClosed):
            log.write("failed", which)
            raise
        finally:
            del self._session.waiting[id(ticket)]
        entry = ticket.entry
        if entry.kind == GAP or not (entry.number or entry.released):
            how = "lost"
        else:
            how = "kept" if entry.released else "told"
        log.write("left", which, how, clock)
        return clock


class Post:
    """Messages between services. One that cannot be brought is lost."""

    def __init__(self, boxes: dict[str, str]) -> None:
        self._boxes = boxes
        self._streams: dict[str, asyncio.StreamWriter] = {}

    async def bring(self, to: str, carried: Carried, values: Values) -> None:
        for _ in range(2):
            try:
                stream = self._streams.get(to)
                if stream is None or stream.is_closing():
                    _, stream = await asyncio.open_unix_connection(self._boxes[to])
                    self._streams[to] = stream
                line = json.dumps((encode_carried(carried), values))
                stream.write(line.encode("ascii") + b"\n")
                await stream.drain()
                return
            except OSError:
                self._streams.pop(to, None)


class Service:
    """One life of a service."""

    def __init__(self, task: dict[str, Any], log: ActLog, life: int, begun: int) -> None:
        self.task = task
        self.log = log
        self.random = Random(f"service {task['seed']} {task['name']} {life}")
        self.script = iter(task["script"][begun:])
        self.post = Post(task["boxes"])
        session = RecordedSession(
            log, policy=task["policy"], deadline=task["deadline"], buffer=task["buffer"]
        )
        self.process = RecordedProcess(task["agent"], session)
        self.handling: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await self.process.begin(None)
        box = self.task["boxes"][self.task["name"]]
        with suppress(FileNotFoundError):
            os.unlink(box)
        server = await asyncio.start_unix_server(self._read, box, limit=LINE)
        senders = [asyncio.create_task(self._send()) for _ in range(self.task["senders"])]
        await asyncio.gather(*senders)
        self.log.write("finished")
        await stop.wait()
        server.close()
        if self.handling:
            await asyncio.wait(self.handling)
        await self.process.close(CLOSING_SECONDS)

    async def _send(self) -> None:
        for to, name, values in self.script:
            await asyncio.sleep(self.random.expovariate(1 / self.task["pause"]))
            self.log.write("message")
            with suppress(AgentUnavailable):
                carried = await self.process.sending(to, name, **values)
                await self.post.bring(to, carried, values)

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, MalformedMessage, asyncio.CancelledError):
            while line := await reader.readline():
                text, values = json.loads(line)
                carried = decode_carried_untrusted(text)
                handling = asyncio.create_task(self._handle(carried, values))
                self.handling.add(handling)
                handling.add_done_callback(self.handling.discard)
        writer.close()

    async def _handle(self, carried: Carried, values: Values) -> None:
        with suppress(AgentUnavailable, ProcessClosed):
            await self.process.handling(carried, **values)


def main() -> None:
    import uvloop

    task = json.loads(Path(sys.argv[1]).read_text(encoding="ascii"))
    path = Path(task["acts"])
    before = read_acts(path, task["name"])
    log = ActLog(path)
    log.write("started")

    async def run() -> None:
        await Service(task, log, before.lives, before.begun).run()

    uvloop.run(run())


if __name__ == "__main__":
    main()
