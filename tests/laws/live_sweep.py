"""The sweep over crash points: a run, and then the same run with somebody dying at each commit,
before and after it, and at each frame that an agent or a service sends.

`python -m tests.laws.live_sweep RUNS` sweeps that many runs and prints what was counted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from tests.runtime.world.drawn import ANY, Flavor, draw_case, draw_chain, draw_taste
from tests.runtime.world.playing import Playing
from tests.runtime.world.truth import Broken
from tests.runtime.world.world import CRASH_KINDS, Build, CrashAt

CALM = ANY._replace(events=(3, 6), faults=(), length=80)
"""Runs in which nothing goes wrong but the one crash."""


class Swept(NamedTuple):
    runs: int
    crashes: int
    events: int
    words: int
    broken: tuple[tuple[int, CrashAt | None, Broken], ...]


def played(
    seed: int,
    crash_at: CrashAt | None,
    flavor: Flavor = CALM,
    *,
    chain: bool = False,
    rules: Rules = SOUND,
) -> tuple[Playing, list[Broken]]:
    random = Random(seed)
    build = Build(rules=rules)
    if chain:
        case = draw_chain(random, build=build, crash_at=crash_at)
    else:
        case = draw_case(random, flavor, build=build, crash_at=crash_at)
    playing = Playing(case, draw_taste(random, flavor), random)
    playing.play()
    left = playing.heal()
    world = playing.world
    broken = [*world.truth.broken, *world.truth.judge()]
    broken += [Broken("answered", each) for each in left]
    broken += [Broken("honest", each) for each in world.complaints]
    return playing, broken


def crash_points(playing: Playing) -> Iterator[CrashAt]:
    """All of a run in which nobody died."""
    for kind in CRASH_KINDS:
        for number in range(1, playing.world.counted[kind] + 1):
            yield CrashAt(kind, number)


def sweep(seeds: range, flavor: Flavor = CALM, rules: Rules = SOUND) -> Swept:
    crashes = events = words = 0
    found: list[tuple[int, CrashAt | None, Broken]] = []
    for seed in seeds:
        whole, broken = played(seed, None, flavor, rules=rules)
        found += [(seed, None, each) for each in broken]
        for point in crash_points(whole):
            playing, broken = played(seed, point, flavor, rules=rules)
            found += [(seed, point, each) for each in broken]
            crashes += 1
            events += playing.world.truth.events
            words += sum(1 for _ in playing.world.truth.words())
    return Swept(len(seeds), crashes, events, words, tuple(found))


def main() -> None:
    swept = sweep(range(int(sys.argv[1])))
    print(f"{swept.runs} runs, {swept.crashes} crash points, {swept.events} events, "
          f"{swept.words} words, {len(swept.broken)} broken")  # fmt: skip
    for seed, point, each in swept.broken[:20]:
        print(seed, point, each)


if __name__ == "__main__":
    main()
