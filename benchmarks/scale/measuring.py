"""One run of a workload, with the monitors of a strategy or none, and everything that it cost.

A workload is run twice: for time, memory and the bytes that are sent as it is, and for all else
with somebody who counts, and clocks that nobody codes, since that takes most of the time.
"""

from __future__ import annotations

import gc
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from benchmarks.full_vectors import full
from benchmarks.scale.workloads import Property, Workload
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import NO_TIME, LinkDelays, Uniform, sampler
from choreomon.actors.randomness import Streams
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.strategy_names import StrategyName
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import VIOLATED, WITHDRAWN
from choreomon.monitor.messages import MonitoringMessage, Notice, PeerMessage
from choreomon.properties.linear import FormationRules
from choreomon.properties.tables import RulesName
from simulator.event_queue import MONITORING
from simulator.formations import noting_formations
from simulator.linked_channels import LinkedChannels, OnSent
from simulator.measuring import Measures
from simulator.monitoring import monitors
from simulator.network import Network
from simulator.sidecars.central import CENTRE
from simulator.sidecars.run_context import MonitorLog, RunContext
from simulator.world import Watcher, World

Monitored: TypeAlias = StrategyName | Literal["none"]

DELAYS: Final = LinkDelays(Uniform(1, 20))
ONE_BYTE: Final = 128
"""Below this an entry of a clock takes one byte of MessagePack."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a run cost.

    - `processes`: of the system; `watching`: those that have a table;
    - `relevant`: events that a table mentions; `owners`: how many monitors had to be asked about
      these by the tables, each event, inspected transition and owner counting once;
    - `messages`, `bytes` of all monitors, as they are sent; `full_bytes`: of the same messages with
      full vectors; `busiest`: messages sent and taken by the monitor with the most;
    - `clocks`: in all messages; `clock_bytes`: those of `full_bytes` that are clocks;
      `most_clocks`: in one message;
    - `records_mean`, `records_max`: of one monitor's history after a step;
    - `latency_ms`: mean, from an event to the last word about it;
    - `formed`: events at which a property was really formed; `missed`: those of them that nobody
      declared; `wrong`: events declared violated at which none was;
    - `seconds` of one core for the run, `setup_seconds` before it, `megabytes` at most.
    """

    workload: str
    strategy: Monitored
    rules: RulesName
    processes: int
    watching: int
    seed: int
    events: int
    relevant: int
    owners: int
    messages: int
    bytes: int
    full_bytes: int
    busiest: int
    clocks: int
    clock_bytes: int
    most_clocks: int
    records_mean: float
    records_max: float
    latency_ms: float
    formed: int
    missed: int
    wrong: int
    seconds: float
    setup_seconds: float
    megabytes: float

    @property
    def monitors(self) -> str:
        """Their strategy, and their rules where these are not `sound`."""
        return self.strategy if self.rules == "sound" else f"{self.strategy}, {self.rules}"

    @property
    def message_rest(self) -> float:
        """Bytes of a message in the mean that are no clocks."""
        return (self.full_bytes - self.clock_bytes) / self.messages

    @property
    def sent_clock(self) -> float:
        """Bytes that a clock takes in the mean as it is sent, with the name of what it is relative
        to: what is left of a message without its rest."""
        return (self.bytes - self.messages * self.message_rest) / self.clocks


class Counts:
    """Counts what monitors send; implements `MonitorLog`."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self.handled: Counter[str] = Counter()
        self.full_bytes = 0
        self.clocks = 0
        self.most_clocks = 0

    def sent(self, message: MonitoringMessage, size: int, arrives: int) -> None:
        self.handled[message.sender] += 1
        self.handled[CENTRE if isinstance(message, Notice) else message.receiver] += 1
        self.full_bytes += len(full(message))
        clocks = clocks_in(message, self._processes)
        self.clocks += clocks
        self.most_clocks = max(self.most_clocks, clocks)

    def taken(self, message: MonitoringMessage) -> None:
        pass


class UncodedChannels(LinkedChannels):
    """Delivers as `LinkedChannels` do, at the same times, and says of each message that it has no
    bytes."""

    def __init__(self, network: Network, process: str, entries: int, sent: OnSent) -> None:
        super().__init__(network, process, entries, sent)
        self._links = None

    def send(self, message: PeerMessage) -> None:
        self._sent(message, 0, self._channels[message.receiver](message))


class UncodedContext(RunContext):
    """What is told to a central monitor is coded all the same."""

    def channels(self, process: str) -> LinkedChannels:
        return UncodedChannels(self.network, process, len(self.processes), self.sent)


def clocks_in(value: tuple[Any, ...], processes: int) -> int:
    """How many clocks are in a message, or in a part of it: plain tuples of so many numbers."""
    return sum(
        1
        if type(part) is tuple and len(part) == processes and type(part[0]) is int
        else clocks_in(part, processes)
        for part in value
        if isinstance(part, tuple)
    )


class _Placed:
    """A world with its monitors, ready to run."""

    def __init__(
        self,
        workload: Workload,
        strategy: Monitored,
        rules: RulesName,
        seed: int,
        log: MonitorLog | None,
    ) -> None:
        self.world = world = World(compile_application(workload.application), seed, DELAYS)
        self.index_of = {process: index for index, process in enumerate(world.processes)}
        self.measures = Measures(self.index_of, lambda: world.event_queue.now)
        self._tables = {
            process: table
            for each in workload.properties
            for process, table in each.tables(rules).items()
        }
        if strategy == "none":
            return
        streams = Streams(seed)
        context = (RunContext if log is None else UncodedContext)(
            event_queue=world.event_queue,
            clocks=world.clocks,
            processes=world.processes,
            network=Network(world.event_queue, MONITORING, DELAYS, streams, name="monitoring"),
            service=lambda name: sampler(NO_TIME, streams.stream("monitoring service", name)),
            at_once=True,
            deadline=None,
            measurements=self.measures,
            log=log,
        )
        world.watchers[:] = monitors(strategy, context, self._tables, rules).watchers

    def run(self) -> None:
        """As the simulator does, without collecting cycles, of which there are none."""
        gc.disable()
        try:
            self.world.run()
        finally:
            gc.enable()

    def counting_labels(self) -> Counter[Label]:
        """How often each watched label comes from now on."""
        counts: Counter[Label] = Counter()

        def counting(watcher: Watcher) -> Watcher:
            def count(label: Label, clock: VectorClock, values: Binding) -> None:
                counts[label] += 1
                watcher(label, clock, values)

            return count

        self.world.watchers[:] = [
            {label: counting(told) for label, told in each.items()} for each in self.world.watchers
        ]
        return counts

    def noting_formations(self, properties: tuple[Property, ...]) -> Callable[[], set[int]]:
        """Notes from now on where any property is formed; asked later, the indices of events."""
        world = self.world
        noted = []
        for each in properties:
            places = [self.index_of[process] for process in each.processes]
            watchers, formed = noting_formations(
                FormationRules(each.automaton),
                [world.watchers[place] for place in places],
                lambda: world.events,
            )
            noted.append(formed)
            for place, told in zip(places, watchers, strict=True):
                world.watchers[place] = told
        return lambda: {index for formed in noted for index, _ in formed}

    def declared(self) -> Iterator[tuple[int, str]]:
        """The last verdicts, each with the index of its event."""
        for timed in self.measures.last_verdicts(lambda verdict: verdict):
            own = self.index_of[timed.process]
            if timed.verdict is not None:
                yield self.world.event_index(own, timed.event[own]), timed.verdict.kind

    def owners_of(self, label: Label) -> int:
        """How many other monitors are asked at an event with this label, by the tables."""
        own = label.process
        return sum(
            sum(owner != own for owner, _ in inspected.asks)
            for inspected in self._tables[own].inspections[label]
            if not inspected.starts
        )

    @property
    def watching(self) -> int:
        return len(self._tables)


def measured(
    name: str,
    make: Callable[[], Workload],
    strategy: Monitored,
    seed: int,
    rules: RulesName = "sound",
) -> Measured:
    """Run twice; see above. Nothing else should run in this process, or have run: its peak of
    memory is that of the first run, which counts nothing.

    Raises `AssertionError` where the messages of `pull` with `sound` rules, or of `central`, are
    not those that the definitions ask for. `precise` rules ask once for each event and owner, and
    some a second time, which only the run can tell: of these nothing is required.
    """
    began = time.process_time()
    alone = _Placed(make(), strategy, rules, seed, None)
    ready = time.process_time()
    alone.run()
    seconds = time.process_time() - ready
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    messages, sent_bytes = alone.measures.messages, alone.measures.bytes
    del alone

    workload = make()
    counts = Counts(len(workload.application.processes))
    placed = _Placed(workload, strategy, rules, seed, counts)
    labels = placed.counting_labels()
    formed = placed.noting_formations(workload.properties)
    placed.run()
    measures, world = placed.measures, placed.world
    assert measures.messages == messages, "with full clocks it is another run"
    size = len(world.processes)
    relevant = labels.total()
    owners = sum(times * placed.owners_of(label) for label, times in labels.items())
    expected = {"pull": 2 * owners, "central": relevant, "none": 0}.get(strategy)
    if rules == "precise":
        expected = None
    assert expected in (None, messages), f"{messages}, not {expected}"
    assert max(map(max, world.clocks)) < ONE_BYTE, "clocks have entries of several bytes"
    verdicts = dict(placed.declared())
    violated = {index for index, kind in verdicts.items() if kind == VIOLATED}
    open_or_worse = {index for index, kind in verdicts.items() if kind != WITHDRAWN}
    records, latency = measures.history_records(), measures.latency()
    return Measured(
        workload=name,
        strategy=strategy,
        rules=rules,
        processes=size,
        watching=placed.watching,
        seed=seed,
        events=world.events,
        relevant=relevant,
        owners=owners,
        messages=messages,
        bytes=sent_bytes,
        full_bytes=counts.full_bytes,
        busiest=max(counts.handled.values(), default=0),
        clocks=counts.clocks,
        clock_bytes=counts.clocks * (size + (1 if size < 16 else 3)),
        most_clocks=counts.most_clocks,
        records_mean=records.mean or 0,
        records_max=records.max or 0,
        latency_ms=(latency.mean or 0) / 1000,
        formed=len(formed()),
        missed=len(formed() - open_or_worse) if strategy != "none" else 0,
        wrong=len(violated - formed()),
        seconds=seconds,
        setup_seconds=ready - began,
        megabytes=megabytes,
    )
