"""What a partition between agents costs the services beside them.

    python -m benchmarks.faults.partition [--calm 5] [--apart 15] [--after 10] [--rate 200]
                                          [--only 3x6 ...] [--rules precise] [--write FILE]

Services, processes of their own that wait for their agents (`benchmarks.faults.service`), send
messages to each other throughout, so many of which the property names a second. For the seconds
`apart` nothing goes between any two agents: each asks in vain, gives provisional verdicts, and has
a backlog, which it has to judge when the others are back, while events go on. `3x6` is a property
of three processes and six steps, of which another message of the first process takes back the
first; a run of each is a line of the table:

    waits      how long services waited for their agents, the longest for an event that began before
               the partition, in it, and after it
    /healthz   how long the longest answer took, asked every 50 ms at each agent, likewise
    step, turn the longest step of a sidecar, and all steps that were committed as one row, in
               milliseconds of processor time: the journal's rows are stepped through again, and
               after them nothing stands between the loop and whoever waits
    healed     seconds from the end of the partition until the last event that was before it is
               judged by every agent, for good
    memory     the most that an agent had resident, MB; verdicts: the longest file of them, MB
    possible   last verdicts `possibly-violated` about events before the partition, and about
               those in it; of these the share that is unsettled

What was said is judged as that of every other schedule (`benchmarks.faults.judging`).
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.command_line import load_at_the, machine
from benchmarks.faults.acts import now, read_acts
from benchmarks.faults.committed import Row, read_rows
from benchmarks.faults.judging import Judged, judge
from benchmarks.faults.plan import Plan, Premises
from benchmarks.faults.system import System, end_in_order
from benchmarks.faults.wires import Wire
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.tables import RULES_NAMES, RulesName
from choreomon.runtime.configured_sidecar import make_sidecar
from choreomon.runtime.outputs import Decided, LeftUnsettled, Ticked

PROBE_EVERY: Final = 0.05
SENDERS: Final = 4
MEGA: Final = 1e6


class Size(NamedTuple):
    """Of a property."""

    processes: int
    steps: int

    def __str__(self) -> str:
        return f"{self.processes}x{self.steps}"


SIZES: Final = tuple(Size(*each) for each in ((2, 4), (3, 3), (3, 6), (3, 12), (6, 6), (6, 12)))


class Course(NamedTuple):
    """Seconds before the partition, of it, and after it; events a second of all services."""

    calm: float = 5.0
    apart: float = 15.0
    after: float = 10.0
    rate: float = 200.0

    @property
    def events(self) -> int:
        return round(self.rate * (self.calm + self.apart + self.after))


@dataclass
class Phase:
    """Before the partition, in it or after it: the longest waits, in seconds, and of events that
    began then how many were possible for good, and unsettled."""

    events: int = 0
    longest_wait: float = 0.0
    longest_page: float = 0.0
    possible: int = 0
    unsettled: int = 0


@dataclass
class Parted:
    """What one run came to. Times are in seconds, sizes in bytes."""

    size: Size
    rules: RulesName
    calm: Phase = field(default_factory=Phase)
    apart: Phase = field(default_factory=Phase)
    after: Phase = field(default_factory=Phase)
    longest_step: float = 0.0
    longest_turn: float = 0.0
    healed: float = 0.0
    memory: int = 0
    verdicts: int = 0
    most_open: int = 0
    judged: Judged = field(default_factory=Judged)

    @property
    def longer(self) -> float:
        """How much longer an event waited than before the partition."""
        return max(self.apart.longest_wait, self.after.longest_wait) - self.calm.longest_wait

    @property
    def longest_page(self) -> float:
        return max(self.apart.longest_page, self.after.longest_page)


def automaton(names: Sequence[str], steps: int) -> SequenceAutomaton:
    """A step of each process in turn; the message `undo` of the first takes the first step back.
    (Where it takes back all of them, monitors wait for each other in chains that go back in time a
    round trip a step: `benchmarks.live_soak --entangled`.)"""
    count = len(names)

    def sent(place: int, name: str) -> Label:
        return Label(SEND, Message(names[place % count], name, names[(place + 1) % count]))

    transitions = [
        StatedTransition(f"q{place}", sent(place, f"m{place}"), f"q{place + 1}")
        for place in range(steps)
    ]
    transitions.append(StatedTransition("q1", sent(0, "undo"), "q0"))
    return sequence_automaton(initial=["q0"], final=[f"q{steps}"], transitions=transitions)


def plan_of(size: Size, course: Course, rules: RulesName, seed: int) -> Plan:
    """Times are those that agents have by default."""
    random = Random(f"partition {seed} {size}")
    names = tuple(f"P{number + 1}" for number in range(size.processes))
    property_ = automaton(names, size.steps)
    messages = sorted({label.message for label in property_.labels}, key=str)
    each = course.events // len(names)
    scripts = {
        name: tuple(random.choices([m for m in messages if m.sender == name], k=each))
        for name in names
    }
    return Plan(
        seed=seed,
        names=names,
        automaton=property_,
        scripts=scripts,
        rules=rules,
        curve=True,
        senders=SENDERS,
        pause=SENDERS * len(names) / course.rate,
        lease=5.0,
        deadline=1.0,
    )


# ---------------------------------------------------------------- the run


async def part(size: Size, course: Course, rules: RulesName = "precise", seed: int = 0) -> Parted:
    """One run in a folder of its own. Raises `TookTooLong`."""
    plan = plan_of(size, course, rules, seed)
    folder = Path(tempfile.mkdtemp(prefix="choreomon-"))
    system = System(folder, plan, way="wire", own_agents=False)
    found = Parted(size, rules)
    pages: list[tuple[int, float]] = []
    try:
        await system.start()
        looking = [asyncio.create_task(_look(system, name, pages)) for name in plan.names]
        await asyncio.sleep(course.calm)
        begin = now()
        _wires(system, Wire.stall)
        system.struck(*plan.names)
        await asyncio.sleep(course.apart)
        end = now()
        _wires(system, Wire.go_on)
        await asyncio.sleep(course.after)
        await system.until_status(lambda status: not status.untold, "all verdicts are told")
        found.memory = max(_most_memory(system, name) for name in plan.names)
        for each in looking:
            each.cancel()
        await system.finish()
    finally:
        await system.stop()
    premises = system.premises
    for at, seconds in pages:
        phase = _phase(found, at, begin, end)
        phase.longest_page = max(phase.longest_page, seconds)
    for name in plan.names:
        _study(premises, name, begin, end, found)
        said = premises.verdicts(name)
        if said.exists():  # of a process with no last step nothing is said
            found.verdicts = max(found.verdicts, said.stat().st_size)
    found.judged = judge(premises, system.moments)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _wires(system: System, act: Callable[[Wire], None]) -> None:
    for way in system.ways.values():
        assert isinstance(way, Wire)
        act(way)


async def _look(system: System, name: str, pages: list[tuple[int, float]]) -> None:
    """Ask again and again whether the agent is alive; when, and how long its answer took."""
    while True:
        at, began = now(), time.perf_counter()
        await system.page(name, "healthz")
        pages.append((at, time.perf_counter() - began))
        await asyncio.sleep(PROBE_EVERY)


def _most_memory(system: System, name: str) -> int:
    """Resident bytes of an agent, at most so far."""
    pid = system.processes["agent", name].pid
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(peak) * 1024


# ---------------------------------------------------------------- what it left behind


def _phase(found: Parted, at: int, begin: int, end: int) -> Phase:
    return found.calm if at < begin else found.apart if at < end else found.after


def _study(premises: Premises, name: str, begin: int, end: int, found: Parted) -> None:
    for act in read_acts(premises.acts(name), name).acts:
        if act.ended is not None:
            phase = _phase(found, act.began, begin, end)
            phase.longest_wait = max(phase.longest_wait, (act.ended - act.began) / MEGA)
    _replay(premises, name, read_rows(premises.store(name)), begin, end, found)


def _replay(
    premises: Premises, name: str, rows: Sequence[Row], begin: int, end: int, found: Parted
) -> None:
    """Step through what the agent committed."""
    sidecar = make_sidecar(load_agent_config(premises.config(name)), [premises.tables[name]])
    (host,) = sidecar.hosts
    state = sidecar.initial()
    ticks: dict[int, int] = {}
    before_the_end = 0
    for at, inputs, _ in rows:
        turn = 0.0
        for given in inputs:
            began = time.thread_time()
            state, outputs = sidecar.step(state, given)
            step = time.thread_time() - began
            found.longest_step = max(found.longest_step, step)
            turn += step
            for output in outputs:
                if type(output) is Ticked:
                    count = output.clock[host.monitor.own]
                    ticks[count] = output.at
                    _phase(found, output.at, begin, end).events += 1
                    if output.at < end:
                        before_the_end = count
                elif type(output) is LeftUnsettled:
                    _phase(found, ticks[output.event_count], begin, end).unsettled += 1
                elif type(output) is Decided and not output.provisional:
                    declared = output.declared
                    if declared is not None and declared.verdict.kind == POSSIBLY_VIOLATED:
                        _phase(found, ticks[output.event_count], begin, end).possible += 1
        found.longest_turn = max(found.longest_turn, turn)
        inspected = host.inspected(state.hosts[0])
        found.most_open = max(found.most_open, len(inspected))
        if inspected and inspected[0] <= before_the_end:
            found.healed = max(found.healed, (at - end) / MEGA)


# ---------------------------------------------------------------- the table

HEAD: Final = (
    "| property | rules | events | waits ms: before | apart | after | /healthz ms: before | apart "
    "| after | step ms | turn ms | open | healed s | memory MB | verdicts MB | possible before "
    "| unsettled | possible apart | unsettled | violated | laws broken |",
    "|---|---|" + "---:|" * 19,
)


def row(found: Parted) -> str:
    """Of the table in Markdown."""
    calm, apart, after = found.calm, found.apart, found.after
    phases = (calm, apart, after)
    numbers = (
        sum(each.events for each in phases),
        *(f"{each.longest_wait * 1e3:.0f}" for each in phases),
        *(f"{each.longest_page * 1e3:.0f}" for each in phases),
        f"{found.longest_step * 1e3:.0f}",
        f"{found.longest_turn * 1e3:.0f}",
        found.most_open,
        f"{found.healed:.1f}",
        f"{found.memory / MEGA:.0f}",
        f"{found.verdicts / MEGA:.1f}",
        calm.possible,
        _share(calm.unsettled, calm.possible),
        apart.possible,
        _share(apart.unsettled, apart.possible),
        found.judged.words["violated"],
        len(found.judged.broken),
    )
    return f"| {found.size} | {found.rules} | " + " | ".join(map(str, numbers)) + " |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def shortfalls(found: Parted) -> Iterator[str]:
    """What is not as it should be."""
    for law, what in found.judged.broken[:5]:
        yield f"{law}: {what[:500]}"
    for told, measured, most in (
        ("an event waited longer than before the partition, seconds", found.longer, 0.25),
        ("/healthz took, seconds", found.longest_page, 0.5),
        ("healed after, seconds", found.healed, 15.0),
        ("memory, MB", found.memory / MEGA, 100.0),
    ):
        if measured > most:
            yield f"{told}: {measured:.2f}, and not {most:g}"


def main() -> int:
    """0 where no law was broken and all bounds were kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in Course()._asdict().items():
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--only", nargs="*", choices=[*map(str, SIZES), []], metavar="SIZE")
    parser.add_argument("--rules", nargs="*", choices=RULES_NAMES, default=["precise"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, help="write the result to this file, too")
    options = parser.parse_args()
    end_in_order()
    course = Course(options.calm, options.apart, options.after, options.rate)
    command = " ".join(["python -m benchmarks.faults.partition", *sys.argv[1:]])
    lines = [
        f"# A partition between agents\n\n`{command}`\n",
        f"{machine()}; {load_at_the('beginning')}.\n",
        *HEAD,
    ]
    print("\n".join(lines), flush=True)
    short: list[str] = []
    for size in SIZES:
        if options.only and str(size) not in options.only:
            continue
        for rules in options.rules:
            found = asyncio.run(part(size, course, rules, options.seed))
            lines.append(row(found))
            print(lines[-1], flush=True)
            short += [f"- {size}, {rules}: {each}" for each in shortfalls(found)]
    end = ["", f"{load_at_the('end').capitalize()}.", "", *(short or ["All bounds were kept."])]
    print("\n".join(end), flush=True)
    if options.write is not None:
        options.write.write_text("\n".join([*lines, *end]) + "\n", encoding="utf-8")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
