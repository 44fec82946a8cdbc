"""When the environment starts the activities of a generated application, and when what they do
happens.

The paper says that messages take a random time, and leaves open how long, and when the environment
sends. Here every message takes `DELAY`, and activities start within the time that a longest chain
takes on average: so what happens in one falls among what happens in another, and the network
decides which comes first.
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
"""How long a message takes, in milliseconds."""

EVERY: Final = 5
"""From the start of an instance to that of the next one, in milliseconds, so that they overlap."""

MEAN: Final = (DELAY.least + DELAY.most) / 2
"""The same on average."""

Times: TypeAlias = tuple[float, ...]
"""For each handler of an activity, in their order, when it runs, in milliseconds."""


class Schedule(NamedTuple):
    """For each activity the times, in whole milliseconds, at which the environment starts it: one
    or two, the earlier one first."""

    starts: tuple[tuple[int, ...], ...]

    def drawn(self, activity: int, length: int, run: int, random: Random) -> Times:
        """When the first `length` handlers of an activity run, started for the time number `run`,
        with delays that are drawn."""
        span = DELAY.most - DELAY.least
        times = [float(self.starts[activity][run])]
        while len(times) < length:
            times.append(times[-1] + DELAY.least + span * random.random())
        return tuple(times)


def drawn_schedule(
    activities: Sequence[Activity], chain: int, streams: Streams, *, all_twice: bool
) -> Schedule:
    """Every activity starts once or twice, as likely as not, or all of them twice; those without
    messages once. Each start makes a communication chain, so that each message is in at most two.

    The paper leaves open how a message comes to be in two chains. Here the same chain runs twice,
    at times of its own.
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
    """For each handler when it runs, in milliseconds, if every message takes `MEAN`."""
    times: dict[Handler, list[float]] = {}
    for activity, starts in zip(activities, schedule.starts, strict=True):
        for place, handler in enumerate(activity.handlers):
            times.setdefault(handler, []).extend(start + MEAN * place for start in starts)
    return times
