"""What events cost a service that holds its monitor itself.

    python -m benchmarks.embedded_cost [--events 5000] [--processes 20]

Microseconds of processor time of the service's own thread, as distributions. Coding of headers is
apart: the clock's text, which is made when a message is sent and read when one is handled, is timed
by itself and not part of the rest.

    unmentioned   an event that no row mentions
    starts        one that a row mentions and that asks nobody
    asks 1, 2, 4  one whose row asks so many others, in processes of their own
                  call: until the message may leave; loop: all that follows in the service's loop,
                  the answers of the others and the verdict included
"""

from __future__ import annotations

import asyncio
import gc
import socket
import statistics
import tempfile
import time
from collections.abc import Coroutine, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.command_line import load_at_the, machine, parser_for
from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.clocks.text import encode_clocks
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.live import LiveVerdict
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.sdk.embedded import EmbeddedProcess, embed

SERVICE = "P1"


def configurations(folder: Path, asked: int, processes: int) -> dict[str, AgentConfig]:
    """Of P1, whose `end` asks so many others for their `step`, and of these."""
    names = tuple(f"P{number + 1}" for number in range(processes))
    others = names[1 : 1 + asked]
    transitions = [
        StatedTransition("q0", Label(SEND, Message(SERVICE, "start", names[1])), "q1"),
        *(
            StatedTransition("q0", Label(SEND, Message(other, "step", SERVICE)), "q2")
            for other in others
        ),
        StatedTransition("q1", Label(SEND, Message(names[1], "never", SERVICE)), "q3"),
        StatedTransition("q2", Label(SEND, Message(SERVICE, "end", names[1])), "q3"),
    ]
    automaton = sequence_automaton(initial=["q0"], final=["q3"], transitions=transitions)
    tables = transition_tables(automaton, names)
    system = system_id(automaton, names, "sound", b"benchmark")
    holders = {name: socket.create_server(("127.0.0.1", 0)) for name in (SERVICE, *others)}
    ports = {name: holder.getsockname()[1] for name, holder in holders.items()}
    for holder in holders.values():
        holder.close()
    configs = {}
    for name in (SERVICE, *others):
        path = folder / f"{name}.json"
        path.write_bytes(write_table(SplitTable(system, "cost", "sound", names, tables[name])))
        configs[name] = AgentConfig(
            process=name,
            tables=(path,),
            listen=f"tcp://127.0.0.1:{ports[name]}",
            peers={peer: f"tcp://127.0.0.1:{port}" for peer, port in ports.items() if peer != name},
            local=LocalAccess(),
            insecure=True,
            durability="off",
            verdicts=(),
        )
    return configs


def serve(control: Connection, config: AgentConfig) -> None:
    """One of the others, in this process, until the control says something."""
    import uvloop

    async def main() -> None:
        process = await embed(config)
        await process.sending(SERVICE, "step")
        control.send("ready")
        done = asyncio.Event()
        asyncio.get_running_loop().add_reader(control.fileno(), done.set)
        await done.wait()
        await process.close()

    uvloop.run(main())


def call(coroutine: Coroutine[Any, Any, object]) -> float:
    """Run a coroutine that does not wait; the processor time it took, in microseconds."""
    began = time.thread_time()
    try:
        coroutine.send(None)
    except StopIteration:
        return (time.thread_time() - began) * 1e6
    raise AssertionError("it waits")


def row(what: str, values: Sequence[float], limit: float | None) -> str:
    cuts = statistics.quantiles(values, n=100)
    told = "" if limit is None else f"{limit:g}"
    return (
        f"| {what} | {statistics.mean(values):.1f} | {cuts[49]:.1f} | {cuts[89]:.1f} "
        f"| {cuts[98]:.1f} | {max(values):.0f} | {told} |"
    )


async def of_one(folder: Path, asked: int, processes: int, events: int) -> list[str]:
    """Rows of the table; those without inquiries with the first number of asked processes only."""
    configs = configurations(folder, asked, processes)
    spawned = get_context("spawn")
    others = []
    for name, config in configs.items():
        if name != SERVICE:
            mine, theirs = spawned.Pipe()
            other = spawned.Process(target=serve, args=(theirs, config))
            other.start()
            others.append((other, mine))
    for _, mine in others:
        await asyncio.get_running_loop().run_in_executor(None, mine.recv)
    told: asyncio.Queue[LiveVerdict] = asyncio.Queue()
    process = await embed(configs[SERVICE], on_verdict=told.put_nowait)
    rows = []
    if asked == 1:
        codings = coding(process, events)
        rows.append(row("coding of a clock", codings, None))
        spent = statistics.median(codings)
        rows.append(row("unmentioned", await timed(process, "hint", events, 0.0), 5))
        rows.append(row("starts", await timed(process, "start", events, spent), 25))
    calls, loops = await inquiring(
        process, told, events // 5, statistics.median(coding(process, 99))
    )
    rows.append(row(f"asks {asked}: call", calls, 40 + 20 * asked))
    rows.append(row(f"asks {asked}: loop", loops, 60 + 60 * asked))
    await process.close()
    for other, mine in others:
        mine.send("stop")
        other.join(20)
        other.kill()
    return rows


def coding(process: EmbeddedProcess, times: int) -> list[float]:
    """How long it takes to make the text of its clocks."""
    (host,) = process.agent.node.driver.state.hosts
    found = []
    for number in range(times):
        clock = (number, *host.clock[1:])
        began = time.perf_counter()
        encode_clocks({b"abcd": clock})
        found.append((time.perf_counter() - began) * 1e6)
    return found


async def timed(process: EmbeddedProcess, name: str, events: int, coding: float) -> list[float]:
    found = []
    for number in range(events):
        found.append(call(process.sending("P2", name)) - coding)
        if number % 64 == 0:
            await asyncio.sleep(0)
    return found


async def inquiring(
    process: EmbeddedProcess, told: asyncio.Queue[LiveVerdict], events: int, coding: float
) -> tuple[list[float], list[float]]:
    calls, loops = [], []
    for _ in range(events + 50):
        calls.append(call(process.sending("P2", "end")) - coding)
        called = time.thread_time()
        await told.get()
        loops.append((time.thread_time() - called) * 1e6)
    return calls[50:], loops[50:]


def main() -> None:
    import uvloop

    options = parser_for(__doc__, events=5_000, processes=20).parse_args()
    print(machine())
    print(f"{options.events} events, {options.processes} processes; {load_at_the('beginning')}\n")
    print("| what | mean | median | 90 % | 99 % | most | asked for below |")
    print("|---|---|---|---|---|---|---|")
    gc.freeze()
    for asked in (1, 2, 4):
        with tempfile.TemporaryDirectory() as folder:
            rows = uvloop.run(of_one(Path(folder), asked, options.processes, options.events))
            print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
