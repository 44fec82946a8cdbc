"""A run of a test with a monitor for each process of a property.

The monitors live on an event loop of their own, in a thread of its own, so that a test may use them
from any number of loops and threads. The order of the run's events is the one in which that loop
took them. A run is over when no monitor has anything left to find out.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.clocks.text import KEY_BYTES, Carried, decode_clocks_untrusted
from choreomon.agent_files.digests import KEY_BYTES as VALUE_KEY_BYTES
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.agent_files.values import Given, Value
from choreomon.core.errors import ChoreomonError, MalformedMessage, ProcessClosed
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind, Message
from choreomon.core.run import Run, RunEvent, RunVerdict, summary, summary_of_counts
from choreomon.core.vector_clock import VectorClock, merge, zero
from choreomon.core.verdict import VIOLATED
from choreomon.deployment.event_records import Timing
from choreomon.deployment.instructions import Cost, Said, Told
from choreomon.deployment.observation import MonitorObserver
from choreomon.deployment.run_verdicts import last_verdicts
from choreomon.documents.compilation import LoadedProperty
from choreomon.documents.read import Document, load_document
from choreomon.documents.several import with_rules
from choreomon.properties.exercising import Exercising
from choreomon.properties.formed import Formed, formed_by, formed_for_each
from choreomon.properties.linear import FormationRules, FormationWatch
from choreomon.properties.progress import rules_of
from choreomon.properties.slices import Happened
from choreomon.properties.tables import transition_tables
from choreomon.sdk.carriers import Carrying
from choreomon.sdk.embedded import EmbeddedProcess, embed
from choreomon.testing.held_ports import HeldPorts
from choreomon.testing.process_names import no_process

_Result = TypeVar("_Result")

MICROSECONDS: Final = 1_000_000

SETTLING: Final = 30.0
"""Seconds that monitors have at the end to find out what is still open."""


class Declared(AssertionError):
    """Monitors declared something; `run` has all of it, `document` the property."""

    def __init__(self, message: str, run: Run, document: Document) -> None:
        super().__init__(message)
        self.run = run
        self.document = document


class MonitoredRun:
    """Monitors for the processes of one property, and what happened. See `monitored`."""

    def __init__(self, document: Document) -> None:
        if document.property is None:
            raise ChoreomonError(f"{document.file}: has no property: nothing would be monitored")
        self.document = document
        self._over_slots = document.over_slots()
        self._roles = document.replicas.roles
        self._names = self._over_slots.processes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="choreomon monitors", daemon=True
        )
        self._embedded: dict[str, EmbeddedProcess] = {}
        self._watches: dict[str, MonitorObserver] = {}
        self._said: list[Said] = []
        self._costs: list[Cost] = []
        self._events: list[RunEvent] = []
        self._ticked: dict[str, list[int]] = {name: [] for name in self._names}
        self._clocks: dict[str, VectorClock] = {}
        self._sent: dict[Carried, deque[int]] = {}
        self._begun = time.monotonic()
        self._place = TemporaryDirectory(prefix="choreomon-")
        self._ports = HeldPorts(len(self._names))
        self._run: Run | None = None

    # What a test uses.

    @property
    def processes(self) -> tuple[str, ...]:
        """The processes of the property; of a role its slots."""
        return self._names

    def process(self, name: str) -> AsyncProcess:
        """A process, for code on asyncio: what `choreomon.sdk.connect` gives."""
        return AsyncProcess(self, self._known(name))

    def blocking(self, name: str) -> ThreadProcess:
        """A process, for threads: what `choreomon.sdk.blocking.connect` gives."""
        return ThreadProcess(self, self._known(name))

    def finish(self) -> Run:
        """Ends the run, and says what was found. Events after that raise
        `ProcessClosed`. Raises `TimeoutError` where monitors do not come to an end."""
        if self._run is None:
            try:
                self._call(self._settled()).result(SETTLING)
                self._run = self._found()
            finally:
                self.close()
        return self._run

    # Life.

    def start(self) -> None:
        """Start, before the first event."""
        self._thread.start()
        self._call(self._start()).result()

    def close(self) -> None:
        """End everything, whatever was found. May be called again."""
        if self._loop.is_closed():
            return
        if self._thread.is_alive():
            self._call(self._stopped()).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()
        self._ports.let_go()
        self._place.cleanup()

    def _known(self, name: str) -> str:
        if name not in self._names:
            raise no_process(name, self._over_slots)
        return name

    def _call(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        if self._loop.is_closed():
            work.close()
            raise ProcessClosed("the run of the test is over")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    # On the monitors' loop.

    async def _start(self) -> None:
        loaded = self._over_slots.property
        assert loaded is not None
        names = self._names
        parameters = loaded.parameters
        system = system_id(loaded.automaton, names, loaded.rules, os.urandom(16), parameters)
        tables = transition_tables(loaded.automaton, names, loaded.rules, parameters)
        key = b"" if parameters is None else os.urandom(VALUE_KEY_BYTES)
        at = dict(zip(names, self._ports.ports, strict=True))
        self._key = bytes.fromhex(system)[:KEY_BYTES]
        for name in names:
            table = SplitTable(
                *(system, self.document.name, loaded.rules, names, tables[name]),
                sequences=loaded.automaton.sequences,
                key=key,
                roles=self._roles,
            )
            file = Path(self._place.name, f"{len(self._embedded)}.json")
            file.write_bytes(write_table(table))
            config = AgentConfig(
                process=name,
                tables=(file,),
                listen=f"tcp://127.0.0.1:{at[name]}",
                peers={peer: f"tcp://127.0.0.1:{at[peer]}" for peer in names if peer != name},
                local=LocalAccess(),
                insecure=True,
                durability="off",
                verdicts=(),
            )
            watch = MonitorObserver(self._told)
            process = await embed(config, on_verdict=watch.said)
            watch.attach(process.agent)
            self._embedded[name], self._watches[name] = process, watch
            self._clocks[name] = zero(len(names))

    def _told(self, told: Told) -> None:
        if isinstance(told, Said):
            self._said.append(told)

    async def _settled(self) -> None:
        for watch in self._watches.values():
            await watch.settled()
        self._costs = [watch.cost() for watch in self._watches.values()]

    async def _stopped(self) -> None:
        for process in self._embedded.values():
            await process.close()

    async def _sends(self, name: str, to: str, message: str, values: Given) -> Carried:
        to = self._roles.role_of(to)
        carried = await self._embedded[name].sending(to, message, **values)
        self._note(name, SEND, Message(name, message, to), carried.clock, None, values)
        self._sent.setdefault(carried, deque()).append(self._events[-1].index)
        return carried

    async def _handles(self, name: str, carried: Carried, values: Given) -> None:
        await self._embedded[name].handling(carried, **values)
        waiting = self._sent.get(carried)
        sent_at = waiting.popleft() if waiting else None
        message = Message(carried.sender, carried.name, name)
        self._note(name, HANDLE, message, carried.clock, sent_at, values)

    async def _handles_from_outside(self, name: str, message: str, values: Given) -> None:
        await self._embedded[name].handling_from_outside(message, **values)
        self._note(name, HANDLE, Message(ENVIRONMENT, message, name), "", None, values)

    def _note(
        self,
        name: str,
        kind: EventKind,
        message: Message,
        carried: str,
        sent_at: int | None,
        values: Given,
    ) -> None:
        """Note the event on the loop, right after the monitor took it: nothing comes in between."""
        before = self._clocks[name]
        told = self._embedded[name].agent.node.driver.committed.hosts[0].clock
        clock = merge(before, told)
        with suppress(MalformedMessage):  # as the monitor does, which counts it
            clock = merge(clock, decode_clocks_untrusted(carried).get(self._key, clock))
        self._clocks[name] = clock
        index = len(self._events)
        own = self._names.index(name)
        if clock[own] > before[own]:
            self._ticked[name].append(index)
        at = self._timing.document_time(time.monotonic() * MICROSECONDS)
        said = tuple(sorted((each, str(value)) for each, value in values.items()))
        self._events.append(RunEvent(index, at, kind, name, message, clock, sent_at, said))

    # What was found.

    @property
    def _timing(self) -> Timing:
        return Timing.of(self._begun, 1.0)

    def _found(self) -> Run:
        loaded, over_slots = self.document.property, self._over_slots.property
        assert loaded is not None
        assert over_slots is not None
        verdicts = last_verdicts(
            self._said,
            lambda process, count: self._ticked[process][count - 1],
            self._timing,
            loaded.automaton.rules,
        )
        exercising = Exercising(loaded.automaton, rules_of(loaded.automaton), loaded.parameters)
        for event in self._events:
            exercising.add(self._roles.of_roles(event.label), event.values)
        records: Counter[int] = Counter()
        for cost in self._costs:
            records.update(cost.records)
        return Run(
            seed=0,
            processes=self._names,
            events=len(self._events),
            ended_at=self._timing.document_time(time.monotonic() * MICROSECONDS),
            reached_max_events=False,
            monitoring_messages=sum(cost.messages for cost in self._costs),
            monitoring_bytes=sum(cost.bytes for cost in self._costs),
            latency=summary([one for cost in self._costs for one in cost.latencies]),
            history_records=summary_of_counts(records),
            verdicts=tuple(verdicts),
            kept_events=tuple(self._events),
            formed=self._formed(over_slots, verdicts),
            exercise=exercising.found(),
        )

    def _formed(self, loaded: LoadedProperty, verdicts: Sequence[RunVerdict]) -> Formed:
        """The places where the property was really formed; `loaded` is over slots."""
        rules = FormationRules(loaded.automaton)
        labelled = [event for event in self._events if event.label in rules.reactions]
        if loaded.parameters is not None:
            happened = [Happened(each.index, each.label, each.values) for each in labelled]
            return formed_for_each(loaded.automaton, loaded.parameters, happened, verdicts)
        watch = FormationWatch(rules)
        formed = [
            (event.index, place) for event in labelled for place in watch.formed_at(event.label)
        ]
        return formed_by(loaded.automaton, formed, self._events, verdicts)


class AsyncProcess(Carrying):
    """See `choreomon.sdk.Process`. To be used on any loop."""

    on: Final = True

    def __init__(self, run: MonitoredRun, name: str) -> None:
        super().__init__()
        self._run = run
        self.name = name

    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """Call it before the message leaves; what it returns travels with the message."""
        call = self._run._call(self._run._sends(self.name, to, name, values))
        return await asyncio.wrap_future(call)

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        """Call it when a message is taken."""
        call = self._run._call(self._run._handles(self.name, carried, values))
        await asyncio.wrap_future(call)

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """Report the handling of a message from nobody that is monitored."""
        call = self._run._call(self._run._handles_from_outside(self.name, name, values))
        await asyncio.wrap_future(call)

    async def close(self, deadline: float | None = None) -> None:
        """The run closes its monitors when it ends."""


class ThreadProcess(Carrying):
    """See `choreomon.sdk.BlockingProcess`. To be used by any thread."""

    on: Final = True

    def __init__(self, run: MonitoredRun, name: str) -> None:
        super().__init__()
        self._run = run
        self.name = name

    def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """Call it before the message leaves; what it returns travels with the message."""
        return self._run._call(self._run._sends(self.name, to, name, values)).result()

    def handling(self, carried: Carried, /, **values: Value) -> None:
        """Call it when a message is taken."""
        self._run._call(self._run._handles(self.name, carried, values)).result()

    def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """Report the handling of a message from nobody that is monitored."""
        self._run._call(self._run._handles_from_outside(self.name, name, values)).result()

    def close(self, deadline: float | None = None) -> None:
        """The run closes its monitors when it ends."""


def declared(run: Run, *, possible: bool = True) -> list[RunVerdict]:
    """Verdicts that count against a run: `violated` ones, and `possible` ones if wanted."""
    return [
        verdict
        for verdict in run.verdicts
        if verdict.verdict == VIOLATED or (possible and verdict.verdict == "possibly-violated")
    ]


def explained(run: Run, document: Document, verdicts: list[RunVerdict]) -> str:
    """Verdicts with their reasons, as text."""
    from choreomon.terminal.text import verdict_text

    assert document.property is not None
    automaton = document.property.automaton
    told = partial(verdict_text, events=run.kept_events, automaton=automaton)
    texts = [told(one, processes=run.processes).plain for one in verdicts]
    return "\n".join([f"{document.file}: {document.name}", *texts])


def check(monitors: MonitoredRun, *, possible: bool = True) -> Run:
    """End the run. Raises `Declared` where something counts against it."""
    run = monitors.finish()
    against = declared(run, possible=possible)
    if against:
        raise Declared(explained(run, monitors.document, against), run, monitors.document)
    return run


@contextmanager
def monitored(
    file: str | os.PathLike[str] | Document, *, possible: bool = True, rules: Collection[str] = ()
) -> Iterator[MonitoredRun]:
    """A run with a monitor for each process of the property in `file`; with `rules` of these of its
    rules alone. Raises `ValueError` for one that it has not.

    At the end of the block the monitors find out what is open; then `Declared`, which is an
    `AssertionError`, is raised where one declared something, `possible` things included. Where the
    block itself raises, that is all. Raises `DocumentError` for a document that cannot be used.
    """
    document = file if isinstance(file, Document) else load_document(file)
    monitors = MonitoredRun(with_rules(document, rules) if rules else document)
    try:
        monitors.start()
        yield monitors
        check(monitors, possible=possible)
    finally:
        monitors.close()
