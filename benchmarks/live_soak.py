"""Millions of events through real agents: does anything grow, or slow down?

    python -m benchmarks.live_soak [--events 1800000] [--window 100000] [--seed 0]
                                   [--senders 16] [--dead] [--entangled]
                                   [--write FILE]

Three agents, processes of their own with CURVE keys and durable stores, monitor three services that
run here, in one loop, with so many senders at once. The property is `a` of P1, then `b` of P2, then
`c` of P3; `undo` of P1 takes `a` back, and with `--entangled` `b`, too: then monitors wait for each
other in long chains, which go back in time a round trip a step, and cannot keep up with events
that come as fast as this. Messages carry clocks, and are handled when they were sent. With
`--dead` the agent and the service of P1 are gone, for good, after the first window, so that no
later inspection of `b` is ever answered in full.

A line of the table is a window of so many events:

    report ms      how long `await process.sending(...)` took: the median, 99 and 99.9 of 100, the
                   longest
    processor us   of each agent, user and system time for each event of all services
    memory MB      resident, of each agent
    open           inspections that wait for answers, of all agents
    store MB       the files of all agents that live, with their write-ahead logs
    words          verdicts that were written so far

Memory is *flat* where no agent has more than a quarter and 8 MB more at the end than after a tenth
of the events (or the second window), processor time where the mean of the last fifth of the windows
is at most one and a half times that of the first after these. Nothing is said of wall time, which
depends on what else the machine does.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.command_line import load_at_the, machine, parser_for
from benchmarks.faults.plan import Plan, write_config
from benchmarks.faults.system import System, end_in_order
from choreomon.core.live import AgentStatus
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.runtime.event_loop import new_event_loop
from choreomon.sdk import connect
from choreomon.sdk.process import Process

NAMES: Final = ("P1", "P2", "P3")
DEAD: Final = "P1"
STORIES: Final = (("P1", "P2", "a"), ("P1", "P2", "undo"), ("P2", "P3", "b"), ("P3", "P1", "c"))
LAST: Final = 20
"""Events after all others, with a dead peer."""
WEIGHTS: Final = (25, 25, 45, 5)
TICKS: Final = os.sysconf("SC_CLK_TCK")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")

MEMORY_FACTOR: Final = 1.25
MEMORY_BYTES: Final = 8_000_000
PROCESSOR_FACTOR: Final = 1.5


def automaton(*, entangled: bool) -> SequenceAutomaton:
    """See above."""
    a, undo, b, c = (Label(SEND, Message(who, name, to)) for who, to, name in STORIES)
    return sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition("q0", a, "q1"),
            StatedTransition("q1", b, "q2"),
            StatedTransition("q2", c, "q3"),
            StatedTransition("q1", undo, "q0"),
            *([StatedTransition("q2", undo, "q0")] if entangled else []),
        ],
    )


@dataclass
class Window:
    """What was measured when so many `events` had happened, `size` since the window before. Times
    are in seconds, sizes in bytes. `processor` is that of the agents since the window before."""

    events: int
    size: int
    seconds: float
    median: float
    late: float
    later: float
    longest: float
    processor: Mapping[str, float]
    memory: Mapping[str, int]
    inspections: int
    most_inspections: int
    store: int
    words: int
    frames: int
    """Inquiries and responses that all living agents sent so far."""


@dataclass
class Soaked:
    """`told`: the events that each service was answered about, `counted`: those that its agent has
    counted since it was started."""

    windows: list[Window] = field(default_factory=list)
    size: int = 0
    told: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    provisional: int = 0
    seconds: float = 0.0

    @property
    def first(self) -> Window:
        """From which on everything should be flat."""
        return self.windows[max(1, len(self.windows) // 10) if len(self.windows) > 1 else 0]

    def grown(self) -> dict[str, float]:
        """How many times the memory of the first window each living agent has."""
        return {
            name: memory / self.first.memory[name]
            for name, memory in self.windows[-1].memory.items()
        }

    def slowed(self) -> dict[str, float]:
        """How many times the processor time of the windows of the beginning those of the end took,
        in each living agent."""
        start = self.windows.index(self.first)
        share = max(1, len(self.windows) // 5)
        found = {}
        for name in self.windows[-1].processor:
            early = [each.processor[name] for each in self.windows[start : start + share]]
            late = [each.processor[name] for each in self.windows[-share:]]
            found[name] = (sum(late) / len(late)) / max(1e-9, sum(early) / len(early))
        return found

    def memory_is_flat(self) -> bool:
        return all(
            last <= MEMORY_FACTOR * self.first.memory[name] + MEMORY_BYTES
            for name, last in self.windows[-1].memory.items()
        )

    def is_flat(self) -> bool:
        slowed = self.slowed().values()
        return self.memory_is_flat() and all(each <= PROCESSOR_FACTOR for each in slowed)


class Soak:
    """One run. `dead`: P1 is gone after the first window."""

    def __init__(
        self,
        system: System,
        *,
        events: int,
        window: int,
        senders: int,
        seed: int,
        dead: bool,
        say: Callable[[str], None],
    ) -> None:
        self.system = system
        self.events = events
        self.senders = senders
        self.dead = dead
        self.say = say
        self.found = Soaked(size=window)
        self.random = Random(f"soak {seed}")
        self.processes: dict[str, Process] = {}
        self.latencies = array("d")
        self.begun = 0
        self.done = 0
        self.alive = list(NAMES)
        self.spent: dict[str, float] = {}
        self.since = self.began = time.perf_counter()
        self.most = 0

    async def run(self) -> Soaked:
        system, found = self.system, self.found
        for name in NAMES:
            write_config(system.premises, name, system.premises.listen)
        await asyncio.gather(*map(system.start_agent, NAMES))
        for name in NAMES:
            address = system.premises.local(name)
            self.processes[name] = await connect(address, deadline=None)
        found.told = dict.fromkeys(NAMES, 0)
        self.spent = {name: self._processor(name) for name in NAMES}
        looking = asyncio.create_task(self._look())
        limit = found.size
        while self.done < self.events:
            self.begun = self.done
            limit = min(self.events, self.done + found.size)
            self.since = time.perf_counter()
            await asyncio.gather(*[self._sender(limit) for _ in range(self.senders)])
            await self._measure()
            if self.dead and len(self.alive) == len(NAMES):
                await self._die()
        looking.cancel()
        if self.dead:
            await self._wait_for_provisional_verdicts()
        for name in self.alive:
            status = await system.status(name)
            assert status is not None
            found.counted[name] = status.properties[0].events
            found.provisional += status.words.get("provisional", 0)
            await self.processes[name].close()
        found.seconds = time.perf_counter() - self.began
        return found

    async def _sender(self, limit: int) -> None:
        random, processes, found = self.random, self.processes, self.found
        while self.begun < limit:
            sender, receiver, name = random.choices(STORIES, WEIGHTS)[0]
            if sender not in self.alive:
                continue
            self.begun += 1
            began = time.perf_counter()
            carried = await processes[sender].sending(receiver, name)
            self.latencies.append(time.perf_counter() - began)
            found.told[sender] += 1
            self.done += 1
            if receiver in self.alive:
                await processes[receiver].handling(carried)

    async def _die(self) -> None:
        await self.processes[DEAD].close()
        await self.system.kill("agent", DEAD)
        del self.system.processes["agent", DEAD]
        self.alive.remove(DEAD)

    async def _wait_for_provisional_verdicts(self) -> None:
        """At full speed what is open is judged for good before its deadline, because there is too
        much of it. The last events of all have to wait, and get a word for now."""
        sender, receiver, name = STORIES[-1]
        for _ in range(LAST):
            await self.processes[sender].sending(receiver, name)
            self.found.told[sender] += 1

        def has_told(status: AgentStatus) -> bool:
            return status.process != sender or status.words["provisional"] >= LAST

        await self.system.until_status(has_told, "provisional verdicts", self.alive)

    async def _look(self) -> None:
        """How many inspections are open, again and again."""
        while True:
            await asyncio.sleep(0.5)
            self.most = max(self.most, await self._inspections())

    async def _inspections(self) -> int:
        statuses = [await self.system.status(name) for name in self.alive]
        return sum(each.properties[0].inspections for each in statuses if each is not None)

    async def _measure(self) -> None:
        seconds = time.perf_counter() - self.since
        latencies = sorted(self.latencies)
        self.latencies = array("d")
        processor = {name: self._processor(name) for name in self.alive}
        inspections = await self._inspections()
        frames = words = 0
        for name in self.alive:
            frames += await self._sent(name)
            words += _lines(self.system.premises.verdicts(name))
        self.found.windows.append(
            Window(
                events=self.done,
                size=len(latencies),
                seconds=seconds,
                median=_quantile(latencies, 0.5),
                late=_quantile(latencies, 0.99),
                later=_quantile(latencies, 0.999),
                longest=latencies[-1],
                processor={name: processor[name] - self.spent[name] for name in self.alive},
                memory={name: self._memory(name) for name in self.alive},
                inspections=inspections,
                most_inspections=max(self.most, inspections),
                store=sum(self._store(name) for name in self.alive),
                words=words,
                frames=frames,
            )
        )
        self.say(row(self.found.windows[-1]))
        self.most = 0
        self.spent = {name: self._processor(name) for name in self.alive}

    def _pid(self, name: str) -> int:
        return self.system.processes["agent", name].pid

    def _processor(self, name: str) -> float:
        fields = Path(f"/proc/{self._pid(name)}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _memory(self, name: str) -> int:
        return int(Path(f"/proc/{self._pid(name)}/statm").read_text().split()[1]) * PAGE

    def _store(self, name: str) -> int:
        file = self.system.premises.store(name)
        files = (file, file.with_name(f"{file.name}-wal"))
        return sum(each.stat().st_size for each in files if each.exists())

    async def _sent(self, name: str) -> int:
        """Frames that an agent sent to others."""
        text = (await self.system.page(name, "metrics")).decode("utf-8")
        found = 0.0
        for line in text.splitlines():
            if line.startswith("choreomon_monitor_messages_total"):
                found += float(line.split()[-1])
        return int(found)


def _lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def soak(
    *,
    events: int,
    window: int,
    seed: int = 0,
    senders: int = 16,
    dead: bool = False,
    entangled: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Soaked:
    """One run in a folder of its own. Times are those that agents have by default. Each line of the
    table is said when it is there."""
    plan = Plan(
        seed=seed,
        names=NAMES,
        automaton=automaton(entangled=entangled),
        scripts=dict.fromkeys(NAMES, ()),
        curve=True,
        lease=5.0,
        deadline=1.0,
    )
    folder = Path(tempfile.mkdtemp(prefix="choreomon-"))
    system = System(folder, plan, way="direct", own_agents=False)
    try:
        run = Soak(
            system,
            events=events,
            window=window,
            senders=senders,
            seed=seed,
            dead=dead,
            say=say,
        )
        return await run.run()
    finally:
        await system.stop()
        shutil.rmtree(folder, ignore_errors=True)


HEAD: Final = (
    "| events | per second | report ms: median | 99 % | 99.9 % | longest "
    "| processor us | memory MB | open, at most | store MB | words |",
    "|---:|---:|---:|---:|---:|---:|---|---|---:|---:|---:|",
)


def row(window: Window) -> str:
    """Of the table in Markdown."""
    processor = ", ".join(f"{each / window.size * 1e6:.0f}" for each in window.processor.values())
    memory = ", ".join(f"{each / 1e6:.1f}" for each in window.memory.values())
    return (
        f"| {window.events:,} | {window.size / window.seconds:,.0f} | {window.median * 1e3:.2f} "
        f"| {window.late * 1e3:.1f} | {window.later * 1e3:.1f} | {window.longest * 1e3:.0f} "
        f"| {processor} | {memory} | {window.most_inspections} "
        f"| {window.store / 1e6:.1f} | {window.words:,} |"
    )


def summary(found: Soaked) -> Iterator[str]:
    grown = ", ".join(f"{name} {times:.2f}" for name, times in found.grown().items())
    slowed = ", ".join(f"{name} {times:.2f}" for name, times in found.slowed().items())
    lost = {name: found.told[name] - counted for name, counted in found.counted.items()}
    yield (
        f"{found.windows[-1].events:,} events in {found.seconds:.0f} s. From the window up to "
        f"{found.first.events:,} to the last: memory times {grown}; processor time times {slowed}; "
        f"{'flat' if found.is_flat() else '**not flat**'}. Acknowledged and not counted, or "
        f"counted and not acknowledged: {sum(map(abs, lost.values()))}. Provisional verdicts: "
        f"{found.provisional:,}. Frames between agents: {found.windows[-1].frames:,}. "
        f"{load_at_the('end').capitalize()}."
    )


def main() -> int:
    """0 where everything is flat and nothing is lost."""
    parser = parser_for(__doc__, events=1_800_000, window=100_000, seed=0, senders=16)
    parser.add_argument("--dead", action="store_true")
    parser.add_argument("--entangled", action="store_true")
    parser.add_argument("--write", type=Path, help="append the tables to this file, too")
    options = parser.parse_args()

    end_in_order()

    def say(line: str) -> None:
        print(line, flush=True)
        if options.write is not None:
            with options.write.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

    say(f"`python -m benchmarks.live_soak {' '.join(sys.argv[1:])}`\n")
    say(
        f"{machine()}; seed {options.seed}; {options.senders} senders; {load_at_the('beginning')}\n"
    )
    for line in HEAD:
        say(line)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        found = runner.run(
            soak(
                events=options.events,
                window=options.window,
                seed=options.seed,
                senders=options.senders,
                dead=options.dead,
                entangled=options.entangled,
                say=say,
            )
        )
    say("")
    for line in summary(found):
        say(line)
    say("")
    counted = all(found.told[name] == count for name, count in found.counted.items())
    return 0 if found.is_flat() and counted else 1


if __name__ == "__main__":
    sys.exit(main())
