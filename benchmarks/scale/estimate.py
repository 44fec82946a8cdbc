"""From runs of several sizes: what an agent of a larger system would have to do, on paper.

It rests on four things, which the runs show as far as they go:

- The messages about an event are as many as owners are asked, whatever the size of the system.
- A message is made of clocks, and of a rest that hardly grows. So it has `rest + clocks * B` bytes,
  where B is what a clock takes; a *full* clock has an entry for every process.
- The time for a message grows linearly with the entries of clocks, as the simulator has them.
- An agent holds its own clock, one number for every process (what others promised), and a clock in
  every record of its history: in Python 8 bytes an entry, and more where counts are above 256,
  which are objects of their own.

It says nothing of networks, of losses, or of agents that hold several properties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.scale.measuring import Measured
from choreomon.formats.wire import MAX_BYTES

ENTRY_BYTES: Final = 8
"""Of a tuple, on 64-bit machines."""


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
    """With clocks of so many bytes: bytes of a message in the mean, and of the largest one; bytes
    that an agent sends for each relevant event of its own; whether peers refuse the largest."""

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
    - `traffic`: by the bytes of a clock.
    """

    processes: int
    messages: float
    milliseconds: float
    megabytes: float
    time_fit: Line
    traffic: tuple[Traffic, ...]


def full_clock(processes: int, entry: int) -> int:
    """Bytes of MessagePack, where every entry takes so many."""
    return processes * entry + (1 if processes < 16 else 3 if processes < 1 << 16 else 5)


def message_rest(row: Measured) -> float:
    """Bytes of a message in the mean that are no clocks."""
    return (row.bytes - row.clock_bytes) / row.messages


def milliseconds_a_message(row: Measured, alone: Measured) -> float:
    """What a message cost the simulator; `alone` is the same run without monitors."""
    return (row.seconds - alone.seconds) / row.messages * 1000


def estimated(
    rows: Sequence[Measured], alone: Sequence[Measured], processes: int, clocks: Sequence[int]
) -> Estimate:
    """`rows` of one workload and strategy, of at least two sizes; `alone` the same without
    monitors; `clocks`: bytes of a clock."""
    largest = max(rows, key=lambda row: row.processes)
    without = {row.processes: row for row in alone}
    times = fitted(
        [(row.processes, milliseconds_a_message(row, without[row.processes])) for row in rows]
    )
    messages = largest.messages / largest.relevant
    rest, mean = message_rest(largest), largest.clocks / largest.messages
    return Estimate(
        processes=processes,
        messages=messages,
        milliseconds=messages * times.at(processes),
        megabytes=(2 + largest.records_max) * processes * ENTRY_BYTES / 1e6,
        time_fit=times,
        traffic=tuple(
            Traffic(
                clock=each,
                message=rest + mean * each,
                largest=rest + largest.most_clocks * each,
                event=messages * (rest + mean * each),
                refused=rest + largest.most_clocks * each > MAX_BYTES,
            )
            for each in clocks
        ),
    )
