"""What clocks cost: bytes of a monitoring message, for ever more processes.

    python -m benchmarks.clock_bytes [--processes N]... [--seed S] [--svg FILE] [--json]

Two kinds of traffic. `twenty`: 20 processes send messages to each other, each to any other one,
and all the others are silent. `gossip`: all do. After every message a process has something to ask
another one that it may send to, as a monitor has: one inquiry, and one answer with two records, of
the last event of who is asked and of one a few events ago. Both clocks are merged.

Of all pairs a few are *observed*, and only these exchange inquiries and answers; what all others
would add is left out: it would bring clocks nearer to each other. Each observed pair exchanges them
as often as all pairs would, once in as many messages as there are pairs; so a process that talks to
thousands has heard of everything since it last spoke to one. The first exchange of each pair is
counted apart: there is nothing yet to be relative to.

Sizes, of the same messages:

    full      all entries of all clocks: wire version 2
    sparse    every clock by itself, in its shortest form
    frame     and relative to the clock of its frame: what is whole, and needs no memory
    linked    and that one relative to what the receiver has offered: what agents send

and for comparison the number of entries that changed since the last message to that peer, which
is what Singhal and Kshemkalyani (1992) send, on channels that are in order and lose nothing.

Times are ratios within one run: encoding and decoding, against the full vector. The clock that
travels with a message of the application is counted too, in characters of its header: as it is, and
as it would be in the shortest form that stands for itself.

Clocks are arrays of numpy, which matplotlib brings: an epoch of 5,000 processes is 25 million
merges.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from operator import ne
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter
from typing import Any, Final, NamedTuple

import click
import msgspec
import numpy as np

from benchmarks.full_vectors import full, plain
from choreomon.agent_files.clocks.coding import coded, size_of
from choreomon.agent_files.clocks.links import UNLINKED, Link
from choreomon.agent_files.clocks.packed import packed
from choreomon.agent_files.clocks.text import encode_clocks
from choreomon.agent_files.wire import (
    decode_untrusted,
    encode,
    encode_linked,
    open_untrusted,
    unlinked,
)
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import FRM, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, Response

PROCESSES: Final = (10, 100, 1000, 5000)
TALKING: Final = 20
OBSERVED: Final = 20
TRAFFICS: Final = ("twenty", "gossip")
FORMS: Final = ("full", "sparse", "frame", "linked")
KEY: Final = bytes(4)

_full: Final = msgspec.msgpack.Decoder(tuple[int, bytes, int, Inquiry])


class Sizes(NamedTuple):
    """Bytes of one message in each form, and how many entries of its clock have changed."""

    full: int
    sparse: int
    frame: int
    linked: int
    changed: int


class Exchange(NamedTuple):
    """An inquiry and its answer."""

    inquiry: Inquiry
    response: Response


class Traffic:
    """Processes that send messages to each other; the first `talking` of them."""

    def __init__(self, processes: int, talking: int, seed: int) -> None:
        self.processes = processes
        self.talking = min(processes, talking)
        self._random = Random(f"clock bytes {seed} {processes} {talking}")
        self.clocks = np.zeros((self.talking, processes), dtype=np.int32)
        self.before: list[list[VectorClock]] = [[] for _ in range(self.talking)]

    def pairs(self) -> list[tuple[int, int]]:
        """The observed ones."""
        every = self.talking * (self.talking - 1)
        chosen = self._random.sample(range(every), min(OBSERVED, every))
        return [(each % self.talking, self._other(each % self.talking, each)) for each in chosen]

    def _other(self, one: int, drawn: int) -> int:
        return (one + 1 + drawn // self.talking % (self.talking - 1)) % self.talking

    def run(self, messages: int) -> None:
        """So many messages are sent and handled."""
        clocks, talking = self.clocks, self.talking
        draw = self._random.random  # whose numbers are the same in every version
        for _ in range(messages):
            sender = int(draw() * talking)
            receiver = (sender + 1 + int(draw() * (talking - 1))) % talking
            clocks[sender, sender] += 1
            np.maximum(clocks[receiver], clocks[sender], out=clocks[receiver])
            clocks[receiver, receiver] += 1

    def event(self, process: int) -> VectorClock:
        """One more, of which the process tells nobody else."""
        self.clocks[process, process] += 1
        return self._clock(process)

    def _clock(self, process: int) -> VectorClock:
        return tuple(self.clocks[process].tolist())

    def exchange(self, asker: int, asked: int, earlier: VectorClock) -> Exchange:
        """An inquiry and its answer. `earlier`: of an event of who is asked, a few events ago."""
        here, there = f"P{asker}", f"P{asked}"
        inspected, reference = Reference("q1", here, "q2"), Reference("q0", there, "q1")
        last = self.event(asked)
        event = self.event(asker)
        self.clocks[asked] = np.maximum(self.clocks[asked], self.clocks[asker])
        clock = self._clock(asked)
        self.clocks[asker] = np.maximum(self.clocks[asker], self.clocks[asked])
        inquiry = Inquiry(here, there, inspected, event, (reference,), event, 1)
        records = (Record(reference, last, FRM), Record(reference, earlier, FRM))
        return Exchange(inquiry, Response(there, here, inspected, event[asker], records, clock, 1))

    def names(self) -> dict[str, int]:
        return {f"P{number}": number for number in range(self.processes)}


def exchanges(traffic: Traffic, epochs: int) -> Iterator[tuple[int, tuple[int, int], Exchange]]:
    """Those of the observed pairs, by epoch."""
    every = traffic.talking * (traffic.talking - 1)
    pairs = traffic.pairs()
    apart, few = divmod(every, len(pairs))[0], 3 * traffic.talking
    for epoch in range(epochs):
        for asker, asked in pairs:
            traffic.run(max(0, apart - few))
            earlier = traffic.event(asked)
            traffic.run(min(apart, few))
            yield epoch, (asker, asked), traffic.exchange(asker, asked, earlier)


def sparse(message: Inquiry | Response) -> int:
    """Bytes with every clock by itself."""
    clocks = [message.clock]
    if isinstance(message, Inquiry):
        clocks.append(message.event)
    else:
        clocks += [record.clock for record in message.records]
    saved = sum(len(plain(clock)) - size_of(coded(packed(clock))) for clock in clocks)
    return len(full(message)) - saved


class Pair:
    """Two monitors, and what they know of each other's clocks."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.links: list[Link] = [UNLINKED, UNLINKED]
        self.told: list[VectorClock | None] = [None, None]

    def sizes(self, who: int, message: Inquiry | Response) -> Sizes:
        """Of a message that one of the two sends to the other, who gets it."""
        data, self.links[who] = encode_linked(message, self.links[who])
        frame = open_untrusted(data)
        whole = encode(message)
        if frame.is_linked:
            again, self.links[1 - who] = unlinked(frame, self.processes, self.links[1 - who])
            assert again == whole
        before = self.told[who] or (0,) * self.processes
        self.told[who] = message.clock
        changed = sum(map(ne, before, message.clock))
        return Sizes(len(full(message)), sparse(message), len(whole), len(data), changed)


def measured(kind: str, processes: int, seed: int, epochs: int = 2) -> dict[str, Any]:
    """Means over the messages of all epochs but the first, and of the first."""
    traffic = Traffic(processes, TALKING if kind == "twenty" else processes, seed)
    epochs = epochs if traffic.talking > TALKING else 40
    pairs: dict[tuple[int, int], Pair] = {}
    first: list[Sizes] = []
    later: list[Sizes] = []
    last: Exchange | None = None
    for epoch, names, last in exchanges(traffic, epochs):
        pair = pairs.setdefault(names, Pair(processes))
        sizes = [pair.sizes(who, message) for who, message in enumerate(last)]
        (later if epoch else first).extend(sizes)
    assert last is not None
    text = len(encode_clocks({KEY: last.inquiry.clock}))
    # As long as one would be that had the shortest form in place of the entries.
    short = len(b64encode(KEY + plain(coded(packed(last.inquiry.clock)))).rstrip(b"="))
    return {
        "traffic": kind,
        "processes": processes,
        "events": max(last.inquiry.clock),
        "messages": len(later),
        **{form: mean(getattr(each, form) for each in later) for form in (*FORMS, "changed")},
        "first": mean(each.linked for each in first),
        "header": text,
        "short header": min(text, short),
        **times(last.inquiry, processes),
    }


def times(inquiry: Inquiry, processes: int, rounds: int = 15) -> dict[str, float]:
    """Of encoding and decoding it, against the full vector, as ratios of medians."""
    names = {f"P{number}": number for number in range(processes)}
    whole, plain = encode(inquiry), full(inquiry)
    peer = Pair(processes)
    peer.sizes(0, inquiry)
    peer.sizes(1, inquiry)
    data, _ = encode_linked(inquiry, peer.links[0])

    def decode_linked() -> None:
        frame = open_untrusted(data)
        again = data
        if frame.is_linked:
            again, _ = unlinked(frame, processes, peer.links[1])
        decode_untrusted(again, names)

    work: dict[str, Callable[[], object]] = {
        "full encode": lambda: full(inquiry),
        "full decode": lambda: check(_full.decode(plain)[3]),
        "frame encode": lambda: encode(inquiry),
        "frame decode": lambda: decode_untrusted(whole, names),
        "linked encode": lambda: encode_linked(inquiry, peer.links[0]),
        "linked decode": decode_linked,
        "merge": lambda: merge(inquiry.clock, inquiry.event),
    }
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, do in work.items():
            begin = perf_counter()
            do()
            taken[name].append(perf_counter() - begin)
    return {f"{name} µs": median(each) * 1e6 for name, each in taken.items()}


def check(inquiry: Inquiry) -> bool:
    """What reading a clock of version 2 has to look at."""
    return min(inquiry.clock) >= 0 and min(inquiry.event) >= 0 and max(inquiry.clock) > 0


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| traffic | processes | full | sparse | frame | **linked** | full / linked | first "
        "| entries changed | header | short header |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        cells = [f"{row[form]:,.0f}" for form in FORMS]
        cells[-1] = f"**{cells[-1]}**"
        lines.append(
            f"| {row['traffic']} | {row['processes']:,} | {' | '.join(cells)} "
            f"| {row['full'] / row['linked']:.1f} | {row['first']:,.0f} "
            f"| {row['changed']:,.0f} | {row['header']:,} | {row['short header']:,} |"
        )
    lines += [
        "",
        "| traffic | processes | encode frame | encode linked | decode frame | decode linked "
        "| a merge |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        to = {way: row[f"full {way} µs"] for way in ("encode", "decode")}
        ratios = [
            f"{row[f'{form} {way} µs'] / to[way]:.1f}"
            for way in ("encode", "decode")
            for form in ("frame", "linked")
        ]
        lines.append(
            f"| {row['traffic']} | {row['processes']:,} | {' | '.join(ratios)} "
            f"| {row['merge µs'] / to['encode']:.1f} |"
        )
    return "\n".join(lines)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Bytes over processes, both logarithmic, a panel for each kind of traffic."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "choreomon"
    figure = Figure(figsize=(9, 4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    titles = {"twenty": "20 processes talk to each other", "gossip": "all talk to all"}
    marks = {"full": "s", "sparse": "^", "frame": "D", "linked": "o"}
    for panel, kind in zip(panels, TRAFFICS, strict=True):
        mine = [row for row in rows if row["traffic"] == kind]
        for form in FORMS:
            panel.plot(
                [row["processes"] for row in mine],
                [row[form] for row in mine],
                marker=marks[form],
                label=form,
            )
        panel.set(xscale="log", yscale="log", xlabel="processes", title=titles[kind])
        panel.grid(visible=True, alpha=0.3)
    panels[0].set_ylabel("bytes of a monitoring message")
    panels[0].legend()
    figure.savefig(path, format="svg", metadata={"Date": None})


@click.command(help=__doc__.split("\n\n")[0] if __doc__ else None)
@click.option("--processes", "-n", multiple=True, type=click.IntRange(2), default=PROCESSES)
@click.option("--seed", default=0)
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True)
def main(processes: tuple[int, ...], seed: int, svg: Path | None, as_json: bool) -> None:
    rows = []
    for kind in TRAFFICS:
        for number in processes:
            click.echo(f"{kind}, {number:,} processes ...", err=True)
            rows.append(measured(kind, number, seed))
    if svg is not None:
        draw(rows, svg)
    if as_json:
        json.dump(rows, sys.stdout, indent=1)
        click.echo()
    else:
        click.echo(table(rows))


if __name__ == "__main__":
    main()
