"""From runs of several sizes: what an agent of a larger system would have to do, on paper.

It rests on five things, which the runs show as far as they go:

- The messages about an event are as many as owners are asked, whatever the size of the system.
- A message is made of clocks, and of a rest that hardly grows. So it has `rest + clocks * B` bytes,
  where B is what a clock takes; a *full* clock has an entry for every process.
- What a clock takes as it is *sent* grows linearly with the processes, as it does in these systems,
  where everybody calls anybody now and then. Where few talk to each other it does not grow at all
  (`benchmarks.clock_bytes`).
- The time for a message grows linearly with the entries of clocks, as the simulator has them. To
  write clocks as they are sent is in it, to read them is not.
- An agent holds its own clock, and one in every record of its history: in Python 8 bytes an entry,
  and more where counts are above 256, which are objects of their own. Those that it and its peers
  have offered each other are packed, 2 bytes an entry as long as counts are below 2^15.

It says nothing of networks, of losses, or of agents that hold several properties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from benchmarks.scale.measuring import Measured
from benchmarks.scale.workloads import GROUP
from choreomon.agent_files.clocks.links import KEPT
from choreomon.agent_files.wire import MAX_BYTES

ENTRY_BYTES: Final = 8
"""Of a tuple, on 64-bit machines."""
PACKED_BYTES: Final = 2

OFFERED: Final = (KEPT + 1) * (GROUP - 1)
"""Clocks that are kept of offers at most: own ones and one of the peer, for each of a group."""

Source: TypeAlias = Literal["sent", "given", "full"]
"""Where the bytes of a clock are from: measured and continued, from the command line, or those of
all its entries."""


class Line(NamedTuple):
    """`bytes = rest + slope * x`, by least squares, and how well that fits."""

    rest: float
    slope: float
    r_squared: float

    def at(self, x: float) -> float:
        return self.rest + self.slope * x


def fitted(points: Sequence[tuple[float, float]]) -> Line:
    """At least two points with different x."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    slope = over / sum((x - mean_x) ** 2 for x, _ in points)
    line = Line(mean_y - slope * mean_x, slope, 1.0)
    total = sum((y - mean_y) ** 2 for _, y in points)
    left = sum((y - line.at(x)) ** 2 for x, y in points)
    return line._replace(r_squared=1 - left / total if total else 1.0)


class Traffic(NamedTuple):
    """With clocks of so many bytes: bytes of a message in the mean, and of the one with most
    clocks; bytes that an agent sends for each relevant event of its own; whether peers refuse the
    largest."""

    source: Source
    clock: int
    message: float
    largest: float
    event: float
    refused: bool


class Estimate(NamedTuple):
    """For each agent of a system of so many processes, all of which watch something.

    - `messages`: that it sends, and that it takes, for each relevant event of its own;
    - `milliseconds`: of one core for these;
    - `megabytes`: of clocks that it holds;
    - `time_fit`: milliseconds of a message, `clock_fit`: bytes of a clock as it is sent, both over
      the processes;
    - `traffic`: by the bytes of a clock.
    """

    processes: int
    messages: float
    milliseconds: float
    megabytes: float
    time_fit: Line
    clock_fit: Line
    traffic: tuple[Traffic, ...]


def full_clock(processes: int, entry: int) -> int:
    """Bytes of MessagePack, where every entry takes so many."""
    return processes * entry + (1 if processes < 16 else 3 if processes < 1 << 16 else 5)


def milliseconds_a_message(row: Measured, alone: Measured) -> float:
    """What a message cost the simulator; `alone` is the same run without monitors."""
    return (row.seconds - alone.seconds) / row.messages * 1000


def estimated(
    rows: Sequence[Measured], alone: Sequence[Measured], processes: int, given: Sequence[int]
) -> Estimate:
    """`rows` of one workload and strategy, of at least two sizes; `alone` the same without
    monitors; `given`: bytes of a clock, beside those as it is sent and full ones."""
    largest = max(rows, key=lambda row: row.processes)
    without = {row.processes: row for row in alone}
    times = fitted(
        [(row.processes, milliseconds_a_message(row, without[row.processes])) for row in rows]
    )
    sent = fitted([(row.processes, row.sent_clock) for row in rows])
    clocks: list[tuple[int, Source]] = [
        (round(sent.at(processes)), "sent"),
        *((each, "given") for each in given),
        *((full_clock(processes, entry), "full") for entry in (1, 5)),
    ]
    messages = largest.messages / largest.relevant
    rest, mean = largest.message_rest, largest.clocks / largest.messages
    held = ENTRY_BYTES * (1 + largest.records_max) + PACKED_BYTES * OFFERED
    return Estimate(
        processes=processes,
        messages=messages,
        milliseconds=messages * times.at(processes),
        megabytes=held * processes / 1e6,
        time_fit=times,
        clock_fit=sent,
        traffic=tuple(
            Traffic(
                source=source,
                clock=each,
                message=rest + mean * each,
                largest=rest + largest.most_clocks * each,
                event=messages * (rest + mean * each),
                refused=rest + largest.most_clocks * each > MAX_BYTES,
            )
            for each, source in sorted(clocks)
        ),
    )
