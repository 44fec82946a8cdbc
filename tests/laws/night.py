"""The laws for as long as there is time: `make laws`, or

    python -m tests.laws.night [--seconds N] [--seed ROUND] [--jobs N] [--write PAGE] [--tally FILE]
    python -m tests.laws.night --again FAMILY SEED

A *round* is some runs of every family of `tests.laws.families`, each of a seed of its own, and some
systems of `tests.laws.small_systems`, in every schedule. What a round is follows from its number
alone. Rounds are added to what the tally has, and begin where it ends or, afresh, at `--seed`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import count, islice, takewhile
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.command_line import machine
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from tests.laws.families import FAMILIES, played
from tests.laws.schedules import MOST_WORLDS, explored
from tests.laws.small_systems import Scope, Small, systems

RUNS: Final = {"monitors": 40, "hosts": 40, "agents": 10, "instances": 40}
"""Of each family in a round."""

SYSTEMS: Final = 8
"""In a round."""

SCOPES: Final = (
    *(Scope("AB", 3, transitions, 5) for transitions in (2, 3, 4)),
    *(Scope("AB", 4, transitions, 5) for transitions in (3, 4)),
    *(Scope("AAB", 3, transitions, 5) for transitions in (3, 4)),
    *(Scope("ABC", 3, transitions, 5) for transitions in (3, 4)),
    *(Scope("AAB", 4, transitions, 5) for transitions in (3, 4)),
    Scope("AAAB", 4, 4, 5),
    Scope("ABC", 4, 3, 5),
    Scope("AAAB", 4, 5, 5),
    Scope("AAB", 4, 5, 5),
    Scope("AB", 3, 5, 6),
    Scope("ABC", 4, 4, 5),
    Scope("AB", 4, 5, 6),
    Scope("AAB", 3, 5, 6),
    Scope("AABB", 4, 5, 5),
    Scope("AAB", 4, 5, 6),
    Scope("ABC", 4, 5, 6),
)
"""One after the other, smaller ones first."""

_BY_SOUND: Final = "every eighth of these, by `sound` rules"

Tally = dict[str, Counter[str]]
"""What was counted, by family or scope."""


class Done(NamedTuple):
    """A round, and what was wrong in it."""

    tally: Tally
    wrong: list[str]


def a_round(number: int) -> Done:
    tally: Tally = {}
    wrong: list[str] = []
    for family in FAMILIES:
        seen = tally[family.name] = Counter()
        began = time.process_time()
        runs = RUNS[family.kind]
        for seed in range(number * runs, (number + 1) * runs):
            run = played(family, seed)
            seen.update(run._replace(wrong=0)._asdict())  # type: ignore[arg-type]
            seen.update(runs=1, wrong=bool(run.wrong))
            if run.wrong:
                wrong.append(f"--again '{family.name}' {seed}: {run.wrong[0]}")
        seen["milliseconds"] = round(1000 * (time.process_time() - began))
    for scope, place, small in _systems_of(number):
        for rules, name in ((PRECISE, str(scope)), (SOUND, _BY_SOUND)):
            if rules is SOUND and place % 8:
                continue
            seen = tally.setdefault(name, Counter())
            began = time.process_time()
            found = explored(small, rules)
            seen.update(systems=1, worlds=found.worlds, ends=found.ends, words=found.words)
            seen.update(schedules=found.schedules, cut_off=found.cut_off, wrong=bool(found.wrong))
            seen["milliseconds"] += round(1000 * (time.process_time() - began))
            if found.wrong:
                wrong.append(f"{name}: {scope}, number {place}: {found.wrong[0]}")
    return Done(tally, wrong)


class _Cursor:
    """Where the list of all systems has been read up to."""

    def __init__(self) -> None:
        self.place = 0
        self.every = ((s, n, small) for s in SCOPES for n, small in enumerate(systems(s)))


@cache
def _cursor() -> _Cursor:
    return _Cursor()


def _systems_of(number: int) -> list[tuple[Scope, int, Small]]:
    cursor, first = _cursor(), number * SYSTEMS
    if cursor.place > first:
        _cursor.cache_clear()
        cursor = _cursor()
    for _ in islice(cursor.every, first - cursor.place):
        pass
    cursor.place = first + SYSTEMS
    return list(islice(cursor.every, SYSTEMS))


def rounds(first: int, seconds: float, jobs: int) -> Iterator[Done]:
    """One after the other, begun within so many seconds."""
    end = time.monotonic() + seconds
    numbers = takewhile(lambda _: time.monotonic() < end, count(first))
    if jobs == 1:
        yield from map(a_round, numbers)
        return
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        going = [pool.submit(a_round, number) for number in islice(numbers, 2 * jobs)]
        while going:
            yield going.pop(0).result()
            going += [pool.submit(a_round, number) for number in islice(numbers, 1)]


# What came out.

_RUNS: Final = ("runs", "events", "formed", "may_form", "violated", "possibly", "unsettled")
_SYSTEMS: Final = ("systems", "worlds", "ends", "schedules", "words", "cut_off")


def page(tally: Tally, wrong: Iterable[str], first: int, after: int, command: str) -> str:
    by_family = [(each.name, tally.get(each.name, Counter())) for each in FAMILIES]
    rows = [each for each in [*map(str, SCOPES), _BY_SOUND] if each in tally]
    begun = [each for each in rows if each != _BY_SOUND]
    finished = begun[:-1] if first == 0 else []
    by_scope = [(f"all of {each}" if each in finished else each, tally[each]) for each in rows]
    return _PAGE.format(
        command=command,
        machine=machine(),
        first=first,
        last=after - 1,
        runs=RUNS["monitors"],
        agents=RUNS["agents"],
        systems=SYSTEMS,
        most=MOST_WORLDS,
        families=_table("family", _RUNS, by_family),
        scopes=_table("automata and events", _SYSTEMS, by_scope),
        wrong="\n".join(f"- {each}" for each in wrong) or "Nothing.",
    )


_PAGE: Final = """# The laws, all night

    {command}

on {machine}. Rounds {first} to {last}: in each {runs} runs of every family of
`tests/laws/families.py`, {agents} where it is one of agents, and {systems} systems of
`tests/laws/small_systems.py` in every schedule. What was said of each event is compared with all
orders in which the run may have been (`tests/laws/every_event.py`).

## Random runs

*Formed* are events at which the real order forms the property; at those that *may form* it some
order does. *Wrong* are runs in which anything was.

{families}

## Every schedule of small systems

Monitoring messages overtake each other in every way; no message of the application is handled.
*Ends* are worlds in which nothing is left to do, *schedules* the ways to them. A system with more
than {most:,} worlds is *cut off*: left there, its schedules not counted. Of the last scope only the
first systems were taken.

{scopes}

## Wrong

{wrong}
"""


def _table(what: str, columns: tuple[str, ...], rows: list[tuple[str, Counter[str]]]) -> str:
    names = [*columns, "wrong"]
    total: Counter[str] = sum((seen for _, seen in rows), Counter())
    rate = columns[0]
    lines = [
        f"| {what} | {' | '.join(each.replace('_', ' ') for each in names)} | {rate} a second |",
        "|---" + "|--:" * (len(names) + 1) + "|",
    ]
    for name, seen in [*rows, ("**all**", total)]:
        cells = [
            f"{seen[each]:,}" if seen[each] < 10**15 else f"{seen[each]:.1e}" for each in names
        ]
        speed = seen[rate] / max(seen["milliseconds"], 1) * 1000
        lines.append(f"| {name} | {' | '.join(cells)} | {speed:,.0f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="The laws for as long as there is time.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="the first round; forgets the tally")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("--tally", type=Path, default=Path("build/laws.json"))
    parser.add_argument("--again", nargs=2, metavar=("FAMILY", "SEED"))
    options = parser.parse_args()
    if options.again:
        name, seed = options.again
        run = played(next(each for each in FAMILIES if each.name == name), int(seed))
        print(run)
        return bool(run.wrong)
    before = {"first": options.seed or 0, "next": options.seed or 0, "tally": {}, "wrong": []}
    if options.seed is None and options.tally.exists():
        before = json.loads(options.tally.read_text(encoding="utf-8"))
    first, after, wrong = before["first"], before["next"], before["wrong"]
    tally: Tally = {name: Counter(seen) for name, seen in before["tally"].items()}
    command = " ".join(["python -m tests.laws.night", *sys.argv[1:]])
    options.tally.parent.mkdir(parents=True, exist_ok=True)
    for done in rounds(after, options.seconds, options.jobs):
        after += 1
        for name, seen in done.tally.items():
            tally.setdefault(name, Counter()).update(seen)
        for each in done.wrong:
            print(each, flush=True)
        wrong += done.wrong
        kept = {"first": first, "next": after, "tally": tally, "wrong": wrong}
        options.tally.write_text(json.dumps(kept), encoding="utf-8")
        if options.write:
            text = page(tally, wrong, first, after, command)
            options.write.write_text(text, encoding="utf-8")
    runs = sum(seen["runs"] for seen in tally.values())
    worlds = sum(seen["worlds"] for seen in tally.values())
    print(f"rounds {first} to {after - 1}: {runs:,} runs, {worlds:,} worlds, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
