"""What an agent costs beside what an echo over ZeroMQ costs.

    python -m benchmarks.live_load [--messages 20000] [--rounds 5] [--processes 5]

The echo is `await recv_multipart(); await send_multipart()` of zmq.asyncio under uvloop, with 64
frames in flight, which are the inquiries that the agent is sent. Compared is the processor time of
the serving process for each message, since wall time on shared machines moves by a factor of three;
it is reported beside. Echo and agent take turns, and ratios are of neighbours: how many messages
the agent serves in the time in which the echo serves one.

    inquiries   64 in flight over ROUTER and DEALER, each with a clock that is new to the agent
    reports     of a service over its Unix stream, each an event that ticks: one at a time, compared
                with round trips of the echo one at a time, too; and 64 in flight
"""

from __future__ import annotations

import asyncio
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

import zmq
import zmq.asyncio

from benchmarks.command_line import load_at_the, machine, parser_for
from choreomon.agent_files import local
from choreomon.agent_files.agent_config import AgentConfig, Durability, Keys, LocalAccess
from choreomon.agent_files.key_files import (
    PublicKey,
    load_key_pair,
    write_key_pair,
    write_public_key,
)
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.messages import Inquiry
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.network.security import (
    Curve,
    Insecure,
    Security,
    make_key_pair,
    secure_asker,
)
from choreomon.runtime.operations.logs import Log

IN_FLIGHT: Final = 64


class Cost(NamedTuple):
    """Of one message, in microseconds."""

    processor: float
    wall: float


# ---------------------------------------------------------------- what is served


def tables(processes: int) -> list[SplitTable]:
    """`P1 -> P2 : a` and then `P2 -> P1 : b`, among so many processes."""
    names = tuple(f"P{number + 1}" for number in range(processes))
    a, b = Message("P1", "a", "P2"), Message("P2", "b", "P1")
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition("q0", Label(SEND, a), "q1"),
            StatedTransition("q1", Label(SEND, b), "q2"),
        ],
    )
    system = system_id(automaton, names, "sound", b"benchmark")
    by_process = transition_tables(automaton, names)
    return [SplitTable(system, "load", "sound", names, by_process[name]) for name in names]


def inquiries(processes: int, count: int) -> list[bytes]:
    """Those of P2 to P1, each about a later event."""
    first, second = tables(processes)[:2]
    (row,) = second.table.rows
    (asked,) = first.table.readers
    system = bytes.fromhex(first.system_id)
    frames = []
    for number in range(1, count + 1):
        clock = (0, number, *[0] * (processes - 2))
        inquiry = Inquiry("P2", "P1", row.transition.reference, clock, (asked,), clock, 0)
        frames.append(encode(inquiry, system))
    return frames


def serve_agent(
    control: Connection, folder: str, processes: int, durability: Durability, curve: bool
) -> None:
    """The agent of P1 in this process, until the control says something."""
    import uvloop

    directory = Path(folder)
    keys = Keys(directory / "P1.key", directory) if curve else None
    config = AgentConfig(
        process="P1",
        tables=(),
        listen="tcp://127.0.0.1:0",
        local=LocalAccess(path=directory / "run" / "P1.sock"),
        keys=keys,
        insecure=not curve,
        durability=durability,
        store=None if durability == "off" else directory / f"P1-{time.monotonic_ns()}.db",
        verdicts=(),
    )

    async def main() -> None:
        agent = Agent(config, tables(processes)[:1], log=Log())
        await agent.start()
        control.send(agent.node.endpoint)
        done = asyncio.Event()
        asyncio.get_running_loop().add_reader(control.fileno(), done.set)
        await done.wait()
        await agent.stop()

    uvloop.run(main())


def serve_echo(control: Connection) -> None:
    """The echo in this process, until the control says something."""
    import uvloop

    async def main() -> None:
        context = zmq.asyncio.Context()
        router = context.socket(zmq.ROUTER)
        port = router.bind_to_random_port("tcp://127.0.0.1")
        control.send(f"tcp://127.0.0.1:{port}")
        done = asyncio.Event()
        asyncio.get_running_loop().add_reader(control.fileno(), done.set)

        async def echo() -> None:
            while True:
                frames = await router.recv_multipart()
                await router.send_multipart(frames)

        echoing = asyncio.create_task(echo())
        await done.wait()
        echoing.cancel()
        context.destroy(linger=0)

    uvloop.run(main())


@contextmanager
def served(target: Callable[..., None], *arguments: object) -> Iterator[tuple[int, str]]:
    """The id of a serving process, and its endpoint."""
    processes = get_context("spawn")
    mine, theirs = processes.Pipe()
    process = processes.Process(target=target, args=(theirs, *arguments))
    process.start()
    try:
        if not mine.poll(60):
            raise SystemExit("a serving process did not start")
        assert process.pid is not None
        yield process.pid, mine.recv()
        mine.send("stop")
        process.join(30)
    finally:
        process.kill()
        process.join()


def processor_seconds(pid: int) -> float:
    """For how long the threads of a process ran, as the scheduler of Linux counts it: to the
    nanosecond, where the usual figures are sampled a hundred times a second."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def costs(pid: int, messages: int) -> Iterator[list[Cost]]:
    """Filled at the end with the cost of each of so many messages."""
    found: list[Cost] = []
    wall, processor = time.perf_counter(), processor_seconds(pid)
    yield found
    spent = processor_seconds(pid) - processor
    found.append(Cost(spent / messages * 1e6, (time.perf_counter() - wall) / messages * 1e6))


# ---------------------------------------------------------------- what is sent


def over_zeromq(
    pid: int,
    endpoint: str,
    frames: list[bytes],
    security: Security | None = None,
    in_flight: int = IN_FLIGHT,
) -> Cost:
    """Send the frames, so many in flight, and wait for an answer to each."""
    context = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 0)
    dealer.setsockopt(zmq.RCVTIMEO, 10_000)
    if security is not None:
        secure_asker(dealer, security, "P1")
    dealer.connect(endpoint)
    dealer.send(frames[0])
    dealer.recv()
    rest = frames[1:]
    with costs(pid, len(rest)) as found:
        sent = 0
        for _ in range(min(in_flight, len(rest))):
            dealer.send(rest[sent])
            sent += 1
        for _ in range(len(rest)):
            dealer.recv()
            if sent < len(rest):
                dealer.send(rest[sent])
                sent += 1
    context.destroy(linger=0)
    return found[0]


def asker(keys: Path | None) -> Security:
    """Who P2 is."""
    if keys is None:
        return Insecure("P2", ["P1"])
    return Curve(load_key_pair(keys / "P2.key"), {"P1": load_key_pair(keys / "P1.key").public})


def over_stream(pid: int, path: Path, messages: int, in_flight: int) -> Cost:
    """Report so many events of P1, so many in flight."""
    frames = [
        local.encode(local.Report(n, max(0, n - in_flight), "send", "P2", "a"))
        for n in range(1, messages + 1)
    ]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.settimeout(10)
        stream.connect(os.fspath(path))
        stream.sendall(local.encode(local.Hello("block")))
        stream.recv(1 << 16)
        splitter = local.FrameSplitter(local.MAX_AGENT_FRAME)
        with costs(pid, messages) as found:
            stream.sendall(b"".join(frames[:in_flight]))
            sent, answered = in_flight, 0
            while answered < messages:
                came = len(splitter.feed(stream.recv(1 << 16)))
                answered += came
                if sent < messages:
                    stream.sendall(b"".join(frames[sent : sent + came]))
                    sent += came
        stream.sendall(local.encode(local.Goodbye()))
        stream.recv(1 << 16)
    return found[0]


# ---------------------------------------------------------------- the comparison

CASES: Final[list[tuple[str, Durability, bool, str, float | None]]] = [
    ("inquiries", "off", False, "zeromq", 1.0),
    ("inquiries", "process", False, "zeromq", 0.9),
    ("inquiries", "power", False, "zeromq", None),
    ("inquiries", "process", True, "zeromq", None),
    ("reports, one at a time", "off", False, "stream 1", 1 / 0.5),
    ("reports, one at a time", "process", False, "stream 1", 1 / 0.7),
    ("reports, one at a time", "power", False, "stream 1", None),
    ("reports, 64 in flight", "off", False, "stream 64", None),
    ("reports, 64 in flight", "process", False, "stream 64", 1.0),
    ("reports, 64 in flight", "power", False, "stream 64", None),
]
"""What, how durable, encrypted or not, how, and the least ratio that is asked for."""


def measure(messages: int, rounds: int, processes: int) -> Iterator[str]:
    """Lines of a table in Markdown."""
    frames = inquiries(processes, messages + 1)
    yield (
        "| what | durability | CURVE | agent µs | echo µs | ratio (min, max) | asked "
        "| wall µs: agent, echo |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for what, durability, curve, how, least in CASES:
        count = messages // 10 if durability == "power" else messages
        mine: list[Cost] = []
        echoes: list[Cost] = []
        with tempfile.TemporaryDirectory() as folder:
            for name in ("P1", "P2"):
                pair = make_key_pair(name)
                secret = Path(folder) / f"{name}.key"
                secret.write_text(write_key_pair(pair), encoding="ascii")
                secret.chmod(0o600)
                public = write_public_key(PublicKey(name, pair.public))
                (Path(folder) / f"{name}.pub").write_text(public, encoding="ascii")
            for _ in range(rounds):
                with served(serve_echo) as (pid, endpoint):
                    at_once = 1 if how == "stream 1" else IN_FLIGHT
                    echoes.append(over_zeromq(pid, endpoint, frames, in_flight=at_once))
                with served(serve_agent, folder, processes, durability, curve) as (pid, endpoint):
                    if how == "zeromq":
                        security = asker(Path(folder) if curve else None)
                        mine.append(over_zeromq(pid, endpoint, frames[: count + 1], security))
                    else:
                        path = Path(folder) / "run" / "P1.sock"
                        mine.append(over_stream(pid, path, count, int(how.split()[1])))
        ratios = [e.processor / a.processor for e, a in zip(echoes, mine, strict=True)]
        yield (
            f"| {what} | {durability} | {'yes' if curve else 'no'} "
            f"| {statistics.median(a.processor for a in mine):.1f} "
            f"| {statistics.median(e.processor for e in echoes):.1f} "
            f"| **{statistics.median(ratios):.2f}** ({min(ratios):.2f}, {max(ratios):.2f}) "
            f"| {'' if least is None else f'{least:.2f}'} "
            f"| {statistics.median(a.wall for a in mine):.1f}, "
            f"{statistics.median(e.wall for e in echoes):.1f} |"
        )


def main() -> None:
    options = parser_for(__doc__, messages=20_000, rounds=5, processes=5).parse_args()
    print(machine())
    print(
        f"{options.messages} messages, {options.rounds} rounds, {options.processes} processes; "
        f"{load_at_the('beginning')}\n"
    )
    for line in measure(options.messages, options.rounds, options.processes):
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
