"""An agent: a sidecar in a process of its own, beside its service.

Puts together what each has a room of its own: the running sidecar (`choreomon.runtime.node`), where
services connect (`service`, `local_socket`), where verdicts go (`sinks`), and what operators look
at (`metrics`, `http`, `logs`).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.agent_config import AgentConfig, told_at
from choreomon.agent_files.status_json import status_json
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.verdict_json import live_verdict
from choreomon.core.errors import DocumentError
from choreomon.core.live import LiveVerdict
from choreomon.core.run import RunEvent
from choreomon.core.suggestion import closest
from choreomon.logs.trace import trace_line
from choreomon.runtime.delivery.configured_sinks import make_sinks
from choreomon.runtime.delivery.sinks import Sink, Sinks
from choreomon.runtime.front import Front
from choreomon.runtime.local_socket import listen_tcp, listen_unix
from choreomon.runtime.network.addresses import UnusableAddress
from choreomon.runtime.network.credentials import load_token
from choreomon.runtime.network.security import UnusableKeys
from choreomon.runtime.node import Node, Service
from choreomon.runtime.operations.exposition import AgentReadings, Exposition
from choreomon.runtime.operations.http import HttpServer, operations_pages
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.operations.metrics import Metrics
from choreomon.runtime.operations.status import Readings, agent_status, readings
from choreomon.runtime.operations.version import installed_version
from choreomon.runtime.outputs import DeclaredVerdict, Dropped, Observed, Ticked
from choreomon.runtime.reloading import CannotReload
from choreomon.runtime.rereading import reread
from choreomon.runtime.service import ServiceSide
from choreomon.runtime.stores.agent_store import AgentStore
from choreomon.runtime.stores.opening import placed

LAST_VERDICTS: Final = 50
"""Verdicts that `/status` shows."""


class LineSink(Protocol):
    """A sink of trace lines, such as an open text file."""

    def write(self, text: str, /) -> object: ...


class Agent:
    """An agent on a running loop. `await start()`, and at last `await stop()`.

    - `service`: the side that the service is at, where it holds its monitor itself; by default
      services connect where the configuration says.
    - `trace`: is given a line for each event that ticked in the first property, as `simulate
      --trace` writes them; `index` counts the lines, times are monotonic.
    - `sinks`, `store`: instead of those of the configuration.
    - `wall`: wall time in seconds; it is printed and never compared.
    - `front`, to be set before the start: it is begun and ended with the agent.

    Raises `DocumentError`, `UnusableAddress` and `UnusableKeys` where it cannot start.
    """

    def __init__(
        self,
        config: AgentConfig,
        tables: Sequence[SplitTable],
        *,
        log: Log,
        service: Service | None = None,
        trace: LineSink | None = None,
        sinks: Sequence[Sink] | None = None,
        store: AgentStore | None = None,
        wall: Callable[[], float] = time.time,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.log = log
        self.last_verdicts: deque[LiveVerdict] = deque(maxlen=LAST_VERDICTS)
        self.http_address: Address | None = None
        self.front: Front | None = None
        self._loop = loop
        self._wall = wall
        self._now = now
        self._began = now()
        self._trace = trace
        self._traced = 0
        self._version = installed_version()
        # What can fail comes first: nothing is open then.
        given = make_sinks(config) if sinks is None else sinks
        token = load_token(config) if service is None else ""
        if store is None:
            config, tables, store = placed(config, tables)
        self.config = config
        self.others = None if store is None else store.others
        log.of(config.process)
        self.metrics = Metrics(config.process, tables, now=now)
        self.node = Node(
            config,
            tables,
            loop=loop,
            tell=self._tell,
            observer=self,
            reloaded=self._reloaded,
            now=now,
            store=store,
        )
        self.metrics.reloaded(self.node.tables)
        self.sinks = Sinks(
            given,
            loop=loop,
            delivered=self._delivered,
            untold=self._untold,
            failed=self._sink_failed,
            refused=self._sink_refused,
        )
        self._side: ServiceSide | None = None
        if service is None:
            service = self._side = ServiceSide(
                self.node.driver,
                loop=loop,
                now=now,
                fresh_session=lambda: secrets.token_hex(16),
                soon=self.node.soon,
                refused=self._refused,
                lost=self.metrics.lost,
                unknown_process=self._unknown_process,
                reload=self.reload,
                token=token,
            )
            self._side.knows(self.node.tables)
        self._service = service
        self._server: asyncio.Server | None = None
        self._http: HttpServer | None = None

    async def start(self) -> None:
        """Recover, listen, and serve. If it raises, everything is closed again, and the store is as
        it was before, or absent."""
        try:
            await self._start()
        except BaseException:
            await self._abandon()
            raise

    async def _start(self) -> None:
        config = self.config
        if config.http is not None:
            exposition = Exposition(
                self.metrics, read=self._readings, beside=self._beside, version=self._version
            )
            pages = operations_pages(
                metrics=exposition.text, not_ready=self.not_ready, status=self._status
            )
            self._http = HttpServer(pages, failed=self._page_failed)
            with told_at(config, ("http",)):
                self.http_address = await self._http.start(config.http)
        self.node.start(self._service)
        if self._side is not None:
            self._server = await self._listen(self._side)
        proxies = None if self.front is None else str(await self.front.begin())
        self.log.info(
            "ready",
            peers=self.node.endpoint,
            local=str(config.local.path or config.local.tcp or "embedded"),
            http=None if self.http_address is None else str(self.http_address),
            durability=config.durability,
            **({} if proxies is None else {"proxies": proxies}),
        )

    async def _listen(self, side: ServiceSide) -> asyncio.Server:
        local = self.config.local
        if local.path is not None:
            with told_at(self.config, ("local", "path")):
                listener = listen_unix(local.path, group=local.group)
            return await self._loop.create_unix_server(side.connection, sock=listener)
        assert local.tcp is not None
        with told_at(self.config, ("local", "tcp")):
            listener = listen_tcp(local.tcp)
        return await self._loop.create_server(side.connection, sock=listener)

    async def stop(self) -> None:
        """Stop in order: take no more input, send what was taken, keep the state."""
        try:
            if self.front is not None:
                await self.front.end()
            self._stop_listening()
            self.node.flush()
            if self._side is not None:
                self._side.close_all()
            await self.sinks.close()
        finally:
            self.node.stop()
            if self._http is not None:
                await self._http.close()
        self.log.info("stopped")

    async def _abandon(self) -> None:
        """Release everything that is open after a failed start."""
        if self.front is not None:
            await self.front.end()
        self._stop_listening()
        if self._side is not None:
            self._side.close_all()
        self.node.abandon()
        try:
            await self.sinks.close(grace=0.0)
        finally:
            if self._http is not None:
                await self._http.close()

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()

    def not_ready(self) -> list[str]:
        """The reasons why it is not ready; none if it is."""
        reasons = []
        if not self.node.recovered:
            reasons.append("it is not recovered yet")
        if self.node.failing_why is not None:
            reasons.append(f"the store takes nothing: {self.node.failing_why}")
        if self.node.peers is not None and not self.node.peers.listening:
            reasons.append("other agents cannot connect yet")
        if self.front is not None and self.front.address is None:
            reasons.append("proxies cannot ask yet")
        return reasons

    @property
    def tables(self) -> tuple[SplitTable, ...]:
        """The tables of the open properties, in their order."""
        return self.node.tables

    def reload(self) -> str:
        """Read the configuration anew, with its tables, keys and token, and go on with them. Why it
        cannot be done, "" where it is: then nothing changes. Both are logged."""
        try:
            read = reread(self.config, self.tables, embedded=self._side is None)
            peers = self.node.peers
            if peers is None:
                return ""  # it has not begun, and ends
            before = peers.security
            if read.config.file:
                self.node.check(read.config, read.tables)
            peers.renew(
                read.security,
                self.node.found.beside(read.config.peers),
                bearable=self.node.bearable(read.config, read.tables),
            )
        except (DocumentError, UnusableKeys, UnusableAddress, CannotReload) as error:
            self.log.error("it cannot be reloaded, and stays as it is", why=str(error))
            return str(error)
        if self._side is not None:
            self._side.token = read.token
        self.log.info("keys were read anew", differ=before != read.security)
        self.config = read.config
        if read.config.file:
            self.node.reload(read.config, read.tables)
            self.log.info(
                "tables were read anew",
                open=[table.system_id for table in self.tables],
                waiting=self.node.openings.titles(self.tables),
            )
        return ""

    def _reloaded(self, tables: tuple[SplitTable, ...]) -> None:
        self.metrics.reloaded(tables)
        if self._side is not None:
            self._side.knows(tables)
        self.log.info("its properties changed", open=[table.system_id for table in tables])

    # Verdicts.

    def _tell(self, declared: DeclaredVerdict) -> None:
        verdict = self._live(declared)
        self.last_verdicts.append(verdict)
        self.sinks.tell(verdict)

    def _live(self, declared: DeclaredVerdict) -> LiveVerdict:
        return live_verdict(
            declared.verdict,
            self.tables[declared.system],
            id=declared.id,
            count=declared.event_count,
            label=declared.label,
            provisional=declared.provisional,
            time=self._wall(),
            said=declared.said,
            traces=declared.traces,
        )

    def _untold(self) -> Iterator[tuple[str, Callable[[], LiveVerdict]]]:
        for name, declared in self.node.driver.state.undelivered.items():
            yield name, partial(self._live, declared)

    def _delivered(self, ids: list[str]) -> None:
        self.node.driver.delivered(ids)
        self.node.soon()

    def _sink_failed(self, sink: str, why: str) -> None:
        self.log.seldom(f"sink {sink}", "a sink takes no verdicts", sink=sink, why=why)

    def _sink_refused(self, sink: str, id: str, why: str) -> None:
        self.metrics.dead_letter()
        self.log.seldom(
            f"refused by {sink}",
            "a sink refuses a verdict for good",
            sink=sink,
            verdict=id,
            why=why,
        )

    # An observer of the node.

    def happened(self, output: Observed) -> None:
        self.metrics.happened(output)
        if type(output) is Dropped:
            self._log_dropped(output.reason, output.sender, output.detail)
        elif type(output) is Ticked and self._trace is not None and output.system == 0:
            (kind, message), process = output.label, self.config.process
            about = (self._traced, output.at, kind, process, message, output.clock)
            event = RunEvent(*about, values=output.said)
            self._traced += 1
            try:
                self._trace.write(trace_line(event, self.tables[0].processes) + "\n")
            except OSError as error:
                why = error.strerror or str(error)
                self.log.seldom("trace", "the trace cannot be written", why=why)

    def sent(self, kind: str, size: int) -> None:
        self.metrics.sent(kind, size)

    def committed(self, seconds: float) -> None:
        self.metrics.committed(seconds)

    def failing(self, why: str | None) -> None:
        self.metrics.failing(why)
        if why is None:
            self.log.info("the store takes rows again")
        elif self.node.over.is_set():
            self.log.warning("its slot is somebody else's", why=why)
        else:
            self.log.error("the store takes nothing; nothing is read until it does", why=why)

    def _refused(self, reason: str, detail: str) -> None:
        self.metrics.refused(reason)
        self._log_dropped(reason, "service", detail)

    def _unknown_process(self, name: str) -> None:
        assert self._side is not None
        known = self._side.known
        self.log.warning("no property has this process", peer=name, meant=closest(name, known))

    def _log_dropped(self, reason: str, sender: str, detail: str) -> None:
        self.log.seldom(reason, "refused", reason=reason, sender=sender, detail=detail)

    def _page_failed(self, path: str, error: Exception) -> None:
        self.log.seldom(f"page {path}", "a page failed", path=path, why=repr(error))

    def _readings(self) -> Readings:
        driver = self.node.driver
        return readings(driver.sidecar, driver.state, driver.committed.counts)

    def _connected(self) -> int:
        return 0 if self._side is None else len(self._side.connections)

    def _beside(self) -> AgentReadings:
        driver, failing = self.node.driver, len(self.sinks.failing)
        return AgentReadings(self._connected(), driver.repeats, failing, driver.instance_loads)

    def _status(self) -> bytes:
        metrics = self.metrics
        status = agent_status(
            self._readings(),
            self.tables,
            process=self.config.process,
            version=self._version,
            time=self._wall(),
            uptime=self._now() - self._began,
            durability=self.config.durability,
            not_ready=self.not_ready(),
            failing=self.node.failing_why or "",
            connected=self._connected(),
            ticks=metrics.ticks,
            labels=metrics.labels_seen(),
            sinks=self.sinks.failing,
            refused=metrics.refusals,
            verdicts=tuple(self.last_verdicts),
            doubled=self.node.driver.peers.doubled(),
            opening=self.node.openings.titles(self.tables),
        )
        return status_json(status)
