"""The schedule of a generated application: when its activities start, and when their handlers run.

The paper says that messages take a random time, and leaves open how long, and when the environment
sends. Here every message takes `DELAY`, and activities start within the time that a longest chain
takes on average: so the events of activities interleave, and the network decides which comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

from choreomon.actors.delays import Uniform
from choreomon.actors.randomness import Streams
from simulator.generation.activities import Activity, Handler
from simulator.generation.draws import below

DELAY: Final = Uniform(1, 20)
"""The delay of a message, in milliseconds."""

EVERY: Final = 5
"""Milliseconds from the start of an instance to that of the next one, so that they overlap."""

MEAN: Final = (DELAY.least + DELAY.most) / 2
"""The mean delay of a message, in milliseconds."""

Times: TypeAlias = tuple[float, ...]
"""The times at which the handlers of an activity run, in their order, in milliseconds."""


class Schedule(NamedTuple):
    """The times, in whole milliseconds, at which the environment starts each activity: one or two,
    the earlier one first."""

    starts: tuple[tuple[int, ...], ...]

    def drawn(self, activity: int, length: int, run: int, random: Random) -> Times:
        """Draw the times at which the first `length` handlers of an activity run, in its run number
        `run`."""
        span = DELAY.most - DELAY.least
        times = [float(self.starts[activity][run])]
        while len(times) < length:
            times.append(times[-1] + DELAY.least + span * random.random())
        return tuple(times)


def drawn_schedule(
    activities: Sequence[Activity], chain: int, streams: Streams, *, all_twice: bool
) -> Schedule:
    """Draw the schedule: every activity starts once or twice with equal probability, or all of them
    twice; those without messages once. Each start makes a communication chain, so that each message
    is in at most two.

    The paper leaves open how a message comes to be in two chains. Here the same chain runs twice,
    at different times.
    """
    window = int(chain * MEAN) + 1
    random = streams.stream("generate", "schedule")

    def times(activity: Activity) -> tuple[int, ...]:
        first, second, twice = below(random, window), below(random, window), random.random() < 0.5
        if activity.messages and (all_twice or twice):
            return (min(first, second), max(first, second))
        return (first,)

    return Schedule(tuple(map(times, activities)))


def nominal_times(activities: Sequence[Activity], schedule: Schedule) -> dict[Handler, list[float]]:
    """The times at which each handler runs, in milliseconds, if every message takes `MEAN`."""
    times: dict[Handler, list[float]] = {}
    for activity, starts in zip(activities, schedule.starts, strict=True):
        for place, handler in enumerate(activity.handlers):
            times.setdefault(handler, []).extend(start + MEAN * place for start in starts)
    return times
