"""Instances that are in the store of an agent: how many events and inquiries a second, and how much
memory, with millions of them.

    python -m benchmarks.cold_instances [--instances N] [--operations N] [--write FILE]

One monitor with its store, a file of SQLite with `durability: process`, on one core; no sockets.
The store is filled with an instance for each order. Then half of the operations are events about
one, and half inquiries of another monitor, about orders that are drawn with equal likelihood, or
recent ones (that more than n are newer has a likelihood of n to the power of -0.6). A row of the
journal is committed after every 100, a checkpoint is made as agents make it. Times are processor
time of this process with its writes, memory is what of it is resident. At last the store is opened
anew, up to the first answer.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import click

from benchmarks.command_line import load_at_the, machine
from benchmarks.instances import AUTOMATON, PARAMETERS, PROCESSES, REFUND
from choreomon.core.binding import Binding
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import Instance
from choreomon.properties.tables import transition_tables
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.instances.cold import Checkpoint, many_changed, with_cold_instances
from choreomon.runtime.instances.rows import InstanceRow, encode_row, row_key
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from choreomon.runtime.stores.sqlite import SqliteStore

SYSTEM: Final = bytes(16)
FIRED: Final = Reference("q0", "billing", "q1")
INSPECTED: Final = Reference("q1", "shop", "q2")
A_ROW: Final = 100
IN_A_TRANSACTION: Final = 50_000
MEGABYTE: Final = 1 << 20


def binding_of(order: int) -> Binding:
    return (("order", blake2b(order.to_bytes(8, "big"), digest_size=16).hexdigest()),)


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def opened(store: SqliteStore) -> tuple[Sidecar, SidecarState, object]:
    tables = transition_tables(AUTOMATON, PROCESSES, "precise", PARAMETERS)
    host = Host(InstanceMonitor(tables["billing"], PROCESSES))
    sidecar, cold = with_cold_instances(Sidecar("billing", (SYSTEM,), (host,)), store)
    snapshot, _ = store.load()
    state = sidecar.initial() if snapshot is None else decode_snapshot(snapshot, sidecar)
    return sidecar, state, cold


def filled(store: SqliteStore, instances: int) -> None:
    """Put so many refunded orders there, in the order of their keys."""
    sidecar, state, _ = opened(store)
    clock = (instances, 0, 0)
    state = state.with_host(0, state.hosts[0]._replace(clock=clock))
    snapshot = encode_snapshot(state, sidecar)
    keys = sorted(row_key(binding_of(order), ("order",)) for order in range(instances))
    for start in range(0, instances, IN_A_TRANSACTION):
        rows = []
        for number, key in enumerate(keys[start : start + IN_A_TRANSACTION], start + 1):
            record = Record(FIRED, (number, 0, 0), FRM)
            rows.append(InstanceRow(SYSTEM, key, encode_row(Instance(((record,),)))))
        store.snapshot(snapshot, rows)


class Agent:
    """The monitor of billing with its store."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.sidecar, self.state, cold = opened(store)
        self._cold: tuple = cold  # type: ignore[type-arg, assignment]
        self._done = 0
        self._shop: VectorClock = self.state.hosts[0].clock

    @property
    def loads(self) -> int:
        return int(self._cold[0].loads)

    def operate(self, binding: Binding) -> None:
        """An event about this order, or an inquiry, by turns."""
        (host,), state = self.sidecar.hosts, self.state.hosts[0]
        if self._done % 2:
            state, _, _ = host.report(state, REFUND, binding)
        else:
            self._shop = (state.clock[0], self._shop[1] + 1, 0)
            inquiry = Inquiry(
                "shop", "billing", INSPECTED, self._shop, (FIRED,), self._shop, self._shop[0]
            )
            state, effects = host.receive(state, InstanceMessage(inquiry, binding))
            assert len(effects) == 1
        self.state = self.state.with_host(0, state)
        self._done += 1
        if self._done % A_ROW == 0:
            self.store.commit(bytes(40 * A_ROW))
            if many_changed(self.state, self._cold):
                checkpoint = Checkpoint(self.state, self._cold)
                snapshot = encode_snapshot(checkpoint.state, self.sidecar)
                self.store.snapshot(snapshot, checkpoint.rows)
                checkpoint.written()
                self.state = checkpoint.state


def equally(random: Random, instances: int) -> int:
    return random.randrange(instances)


def recent(random: Random, instances: int) -> int:
    return max(0, instances - int(random.paretovariate(0.6)))


@click.command(help=__doc__)
@click.option("--instances", type=click.IntRange(1000), default=1_000_000, show_default=True)
@click.option("--operations", type=click.IntRange(1000), default=200_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--write", type=click.Path(path_type=Path), help="Write the page there, too.")
def main(instances: int, operations: int, seed: int, write: Path | None) -> None:
    with TemporaryDirectory() as folder:
        lines = measured(Path(folder) / "store", instances, operations, Random(seed))
    command = f"--instances {instances} --operations {operations} --seed {seed}"
    page = "\n".join(
        [
            "# Instances in a store",
            "",
            f"`python -m benchmarks.cold_instances {command}`",
            "",
            f"{machine()}, {load_at_the('end')}.",
            "",
            *lines,
            "",
        ]
    )
    print(page)
    if write is not None:
        write.write_text(page, encoding="utf-8")


def measured(file: Path, instances: int, operations: int, random: Random) -> list[str]:
    store = SqliteStore(file, "process", "boot")
    filled(store, instances)
    store.close()
    gc.collect()
    size = file.stat().st_size
    lines = [
        f"{instances:,} instances of one parameter among {len(PROCESSES)} processes take "
        f"{size / MEGABYTE:.0f} MB, {size / instances:.0f} bytes each.",
        "",
        "| which orders | operations a second | read from the store | memory, MB |",
        "|---|--:|--:|--:|",
    ]
    draws: dict[str, Callable[[Random, int], int]] = {
        "any, equally likely": equally,
        "mostly recent ones": recent,
    }
    for name, draw in draws.items():
        store = SqliteStore(file, "process", "boot")
        agent = Agent(store)
        bindings = (binding_of(draw(random, instances)) for _ in range(operations))
        began = time.process_time()
        for binding in bindings:
            agent.operate(binding)
        took = time.process_time() - began
        lines.append(
            f"| {name} | {operations / took:,.0f} | {agent.loads / operations:.0%} | "
            f"{resident() / MEGABYTE:.0f} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
        store.close()
    began = time.process_time()
    store = SqliteStore(file, "process", "boot")
    agent = Agent(store)
    agent.operate(binding_of(0))
    took = time.process_time() - began
    lines += ["", f"To open the store and answer the first inquiry takes {took * 1e3:.1f} ms."]
    store.close()
    return lines


if __name__ == "__main__":
    main()
