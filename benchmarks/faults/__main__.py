"""All faults, or those that are named, over many schedules each: `python -m benchmarks.faults`."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.command_line import load_at_the, machine
from benchmarks.faults.schedules import KINDS, Kind, Outcome, play_until_hit
from benchmarks.faults.system import end_in_order

MOST_TOLD: Final = 5
"""Findings of one schedule."""


def main() -> int:
    """0 where no law was broken and every schedule hit something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", choices=[*KINDS, []], metavar="FAULT")
    parser.add_argument("--schedules", type=int, default=20, help="of each fault")
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule")
    parser.add_argument("--messages", type=int, default=240, help="of all scripts of a schedule")
    parser.add_argument("--at-once", type=int, default=1, help="schedules that run together")
    parser.add_argument("--write", type=Path, help="write the result to this file, too")
    parser.add_argument("--instances", action="store_true", help="of properties for each order")
    given = parser.parse_args()
    end_in_order()
    began = time.monotonic()
    rows: list[str] = []
    broken: list[str] = []
    command = f"python -m benchmarks.faults {' '.join(sys.argv[1:])}".strip()
    kinds = [KINDS[name] for name in given.faults or KINDS]
    if given.instances:
        kinds = [kind for kind in kinds if kind.instances]
    for kind in kinds:
        outcomes = asyncio.run(
            _outcomes(
                partial(play_until_hit, kind, messages=given.messages, instances=given.instances),
                range(given.seed, given.seed + given.schedules),
                given.at_once,
            )
        )
        rows.append(row(kind, outcomes))
        print(rows[-1], flush=True)
        for finding in _findings(kind, outcomes):
            broken.append(finding)
            print(f"BROKEN {finding[:2000]}", flush=True)
        if given.write is not None:  # so that a run that is ended leaves what was seen
            seconds = time.monotonic() - began
            told = document(command, given.seed, rows, len(kinds), broken, seconds, given.instances)
            text = "\n".join(told)
            given.write.write_text(f"{text}\n", encoding="utf-8")
    return 1 if broken else 0


def _findings(kind: Kind, outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for law, what in outcome.judged.broken[:MOST_TOLD]:
            yield f"{kind.name}, seed {outcome.seed}, {law}: {what} ({outcome.kept})"
        if not outcome.judged.hits:
            yield f"{kind.name}, seed {outcome.seed}: nothing was hit"


async def _outcomes(
    play: Callable[[int], Awaitable[Outcome]], seeds: range, at_once: int
) -> list[Outcome]:
    turn = asyncio.Semaphore(at_once)

    async def one(seed: int) -> Outcome:
        async with turn:
            return await play(seed)

    return await asyncio.gather(*map(one, seeds))


def row(kind: Kind, outcomes: Sequence[Outcome]) -> str:
    """Of the table in Markdown."""
    judged = [outcome.judged for outcome in outcomes]
    numbers = (
        len(outcomes),
        sum(outcome.kills for outcome in outcomes),
        sum(outcome.disturbed for outcome in outcomes),
        f"{sum(each.hits for each in judged)} of {sum(each.moments for each in judged)}",
        sum(bool(each.hits) for each in judged),
        sum(each.events for each in judged),
        sum(each.ticks for each in judged),
        sum(each.lost for each in judged),
        sum(each.told for each in judged),
        sum(each.missing for each in judged),
        sum(each.formed for each in judged),
        sum(each.declared for each in judged),
        sum(each.words["violated"] for each in judged),
        sum(each.false for each in judged),
        sum(len(each.broken) for each in judged),
    )
    return f"| {kind.told} | " + " | ".join(map(str, numbers)) + " |"


HEAD = (
    "| fault | schedules | kills | disturbed | moments that hit | schedules that hit | events "
    "| committed | let go | acknowledged | of them lost | formed | declared | violated | false "
    "| laws broken |"
)


def document(
    command: str,
    seed: int,
    rows: Sequence[str],
    kinds: int,
    broken: Sequence[str],
    seconds: float,
    instances: bool = False,
) -> Iterator[str]:
    yield "# Faults with real processes\n"
    yield f"`{command}`\n"
    if len(rows) < kinds:
        yield f"**The run was not finished: {len(rows)} of {kinds} faults were played.**\n"
    yield (f"{machine()}; seeds from {seed}; {seconds:.0f} s, {load_at_the('end')}.\n")
    yield (
        "Each schedule is one run of a random property of three or four services, each a process "
        "with an agent, a process of its own, beside it. A *hit*: what was done, a kill or the "
        "beginning of a disturbance, came while a service waited for the answer to its report, or "
        "an agent for that to its inquiry. *Disturbed*: frames between agents, or pieces of "
        "streams, that were lost, repeated, late or cut off.\n"
    )
    yield (
        "*Events* happened in services; *committed* are those in the agents' journals, *let go* "
        "those that no agent was ever told of, because their service was killed, or went on "
        "without its agent. *Formed*: where the reference forms the property in the order of the "
        "ticks (of an event that was let go: when its service went on); *declared*: where the "
        "agent said `violated` or `possibly-violated` at that process and count, or at the end of "
        "the gap; *false*: where it said `violated` of another event.\n"
    )
    if instances:
        yield (
            "The properties are for each order, or each order of a tenant, with up to twelve of "
            "each, by the rules `precise`. Services say the values with their events and put them "
            "into their messages; what is formed, and declared, is so for each instance by itself. "
            "Other systems that follow are refused by such a property, so that the fault `rollout` "
            "is left out.\n"
        )
    yield HEAD
    yield "|---|" + "---:|" * 15
    yield from rows
    yield ""
    if broken:
        yield f"{len(broken)} findings:\n"
        yield from (f"- {each[:600]}" for each in broken)
    else:
        yield (
            "No law was broken: everything formed was declared, nothing false was said, nothing "
            "acknowledged was lost or counted twice, no clock ran backwards, words kept their "
            "content and their order, and nothing was told that was not committed."
        )
        if instances:
            yield "Each verdict had the values of its service, and no frame had one."


if __name__ == "__main__":
    sys.exit(main())
