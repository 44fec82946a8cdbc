"""What a message through a broker costs its service, with an agent and without.

    python -m benchmarks.broker_cost [--messages 200] [--rounds 10]

Microseconds of processor time of one process that publishes to NATS and consumes it again, by the
client alone, and with `choreomon.sdk.brokers`: of a message that no table names, and of one that
is told twice, as sent and as handled. Rounds of each way alternate in one run. The agent and the
broker are processes of their own, whose time does not count here.

`waits` is the wall time of a message more than that of one by the client alone. It means little
where others use the machine.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import nats

from benchmarks.command_line import load_at_the, machine, parser_for
from choreomon.sdk import Process, connect
from choreomon.sdk.brokers.nats import handling, publishing
from tests.sdk.brokers.real_brokers import broker

PROPERTY: Final = """
property:
  sequences:
    - steps:
        - "service -> service : named"
        - "handle service -> service : named"
        - "service -> other : never"
"""
AGENT: Final = """
process: service
tables: [tables/service.json]
listen: tcp://127.0.0.1:0
insecure: true
local: {path: run/agent.sock}
store: agent.db
verdicts: [{file: verdicts.jsonl}]
"""
WAYS: Final = ("alone", "unnamed", "named")


@contextmanager
def agent(folder: Path) -> Iterator[None]:
    """An agent, whose socket is in the folder."""
    (folder / "property.yaml").write_text(PROPERTY)
    (folder / "agent.yaml").write_text(AGENT)
    command = [sys.executable, "-m", "choreomon"]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    split = [*command, "split", "property.yaml", "-o", "tables"]
    subprocess.run(split, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    process = subprocess.Popen(
        [*command, "agent", "--config", "agent.yaml"],
        cwd=folder,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


async def measured(
    client: Any, process: Process, messages: int, rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """Microseconds of processor time and of wall time of a message, round by round."""
    arrived = asyncio.Queue[Any]()
    publish = publishing(process, client.publish, {"named": "service", "unnamed": "service"})
    await client.subscribe("alone", cb=arrived.put)
    for subject in WAYS[1:]:
        await client.subscribe(subject, cb=handling(process, arrived.put))
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for turn in range(-1, rounds):
        for way in WAYS:
            said = client.publish if way == "alone" else publish
            began, wall = time.process_time(), time.perf_counter()
            for _ in range(messages):
                await said(way, b"message")
                await arrived.get()
            taken = time.process_time() - began, time.perf_counter() - wall
            if turn >= 0:  # the first one warms up
                found[way].append((taken[0] / messages * 1e6, taken[1] / messages * 1e6))
    return found


async def run(port: int, socket: Path, messages: int, rounds: int) -> None:
    client = await nats.connect(f"nats://127.0.0.1:{port}")
    process = await connect(socket, deadline=60)
    found = await measured(client, process, messages, rounds)
    await process.close()
    await client.close()
    print("| way | us of the processor | more than alone | waits, us |")
    print("|---|--:|--:|--:|")
    for way in WAYS:
        pairs = list(zip(found[way], found["alone"], strict=True))
        middle = statistics.median(each[0] for each in found[way])
        more = [statistics.median(own[n] - base[n] for own, base in pairs) for n in range(2)]
        print(f"| {way} | {middle:.0f} | {more[0]:+.0f} | {more[1]:+.0f} |")


def main() -> None:
    given = parser_for(__doc__, messages=200, rounds=10).parse_args()
    print(f"{machine()}, {load_at_the('beginning')}\n")
    print(f"{given.rounds} rounds of {given.messages} messages each way.\n")
    os.environ.pop("CHOREOMON", None)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        socket = Path(one) / "run" / "agent.sock"
        with agent(Path(one)), broker("nats", Path(other)) as port:
            asyncio.run(run(port, socket, given.messages, given.rounds))


if __name__ == "__main__":
    main()
