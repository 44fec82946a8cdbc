"""Logs of 70 to 100,000 actions, in steps of two: does anything change with the length alone?

    python -m benchmarks.middle [--most 100000] [--only TEXT] [--budget SECONDS] [--seed N]
                                [--list]

Of each interaction one global trace is drawn at random and cut to so many actions, each time with
the shortest way to where it may stop. Interactions: the orders of `benchmarks.long_logs`, the
models of the literature and the random ones of the removal paper that are in tests/data/offline; of
those without loops there are no long traces, and they are left out where theirs end. Each trace is
asked about

    as one clock saw it, as pairs of lifelines did (`pairs`), or each lifeline alone (`each`);
    complete, early (each log ends somewhere in its last eighth), late (it begins somewhere in its
    first eighth, too), and wrong (two neighbours in one log swapped);
    in the modes accept, prefix, multiprefix and slice.

A line tells of all questions of one length: the median, 99 of 100 and the longest in milliseconds
of the processor; how many were not decided within the budget; and the median as a multiple of that
of the same questions at half the length. `--list` says every question as it is answered.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from benchmarks.long_logs import MODEL
from choreomon.core.action import Action
from choreomon.formats.hibou import read_interaction
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import Step, frontier
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import Partition, discrete, project_trace, trivial
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier

DATA: Final = Path(__file__).parents[1] / "tests" / "data" / "offline"
SHORTEST: Final = 70
MODES: Final[tuple[Mode, ...]] = ("accept", "prefix", "multiprefix", "slice")
Cut: TypeAlias = Literal["complete", "early", "late", "wrong"]
EIGHTH: Final = 8

GROWTH: Final = 3
"""A walk goes on with what leaves less, once what remains has so many times the symbols of the
interaction: nobody leaves thousands of iterations open."""


class Question(NamedTuple):
    """What is asked at every length."""

    interaction: str
    clocks: str
    cut: Cut
    mode: Mode


class Answered(NamedTuple):
    question: Question
    length: int
    milliseconds: float
    verdict: Verdict


def interactions() -> Iterator[tuple[str, Interaction]]:
    """All of them, by their names."""
    yield "orders", read_interaction(MODEL)
    for path in sorted((DATA / "models").glob("*.hif")):
        yield path.stem, read_interaction(path.read_text(encoding="utf-8"))
    with (DATA / "multiprefix-sample.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            yield entry["name"], read_interaction(entry["hif"])


def walk(
    term: Interaction, rng: Random, lengths: Sequence[int]
) -> Iterator[tuple[int, list[Action]]]:
    """Accepted global traces: one random walk up to each of these lengths, and the shortest way to
    an end from there. Fewer where the walk cannot go on."""
    here = normal(term)
    large = GROWTH * here.size
    done: list[Action] = []
    for length in lengths:
        while len(done) < length:
            going_on = [step for step in frontier(here) if normal(step.follow_up).lifelines]
            if not going_on:
                return
            chosen = rng.sample(going_on, min(4, len(going_on)) if here.size > large else 1)
            step = min(chosen, key=_size_after)
            done.append(step.action)
            here = normal(step.follow_up)
        yield length, [*done, *shortest_completion(here)]


def _size_after(step: Step) -> int:
    return normal(step.follow_up).size


def partitions(lifelines: Sequence[str]) -> dict[str, Partition]:
    """Who has a clock with whom, by the name of that."""
    ordered = sorted(lifelines)
    pairs = tuple(tuple(ordered[at : at + 2]) for at in range(0, len(ordered), 2))
    found = {"one": trivial(ordered), "pairs": pairs, "each": discrete(ordered)}
    return {name: blocks for name, blocks in found.items() if name != "pairs" or len(pairs) > 1}


def cut(whole: MultiTrace, how: Cut, rng: Random) -> MultiTrace | None:
    """What was recorded of it; `None` where there is nothing to be swapped."""
    if how == "wrong":
        return _swapped(whole, rng)
    parts: list[Component] = []
    for lifelines, actions in whole.components:
        first, last = 0, len(actions)
        if how != "complete":
            last -= rng.randrange(last // EIGHTH + 1)
        if how == "late":
            first = rng.randrange(last // EIGHTH + 1)
        parts.append(Component(lifelines, tuple(actions[first:last])))
    return MultiTrace(tuple(parts))


def _swapped(whole: MultiTrace, rng: Random) -> MultiTrace | None:
    places = [
        (number, at)
        for number, part in enumerate(whole.components)
        for at, (one, next_one) in enumerate(zip(part.actions, part.actions[1:], strict=False))
        if one != next_one
    ]
    if not places:
        return None
    number, at = rng.choice(places)
    lifelines, actions = whole.components[number]
    swapped = (*actions[:at], actions[at + 1], actions[at], *actions[at + 2 :])
    parts = [*whole.components]
    parts[number] = Component(lifelines, swapped)
    return MultiTrace(tuple(parts))


def questions(
    lengths: Sequence[int], only: str, seed: int
) -> Iterator[tuple[Question, int, Interaction, MultiTrace]]:
    """Each with its length, and what it is about."""
    for name, interaction in interactions():
        if only not in name:
            continue
        rng = Random(f"{seed} {name}")
        blocks_of = partitions(names(interaction.lifelines))
        for length, trace in walk(interaction, rng, lengths):
            for clocks, blocks in blocks_of.items():
                whole = project_trace(trace, blocks)
                for how in get_args(Cut):
                    multitrace = cut(whole, how, rng)
                    if multitrace is not None:
                        for mode in MODES:
                            question = Question(name, clocks, how, mode)
                            yield question, length, interaction, multitrace


def answer(interaction: Interaction, multitrace: MultiTrace, mode: Mode, budget: float) -> Verdict:
    """Decided afresh, and given up after `budget` seconds of the processor."""
    end = process_time() + budget
    verifier = Verifier(
        interaction, mode, should_stop=lambda: "TimedOut" if process_time() > end else None
    )
    return verifier.decide(multitrace).verdict


def table(answered: Sequence[Answered]) -> Iterator[str]:
    """In Markdown."""
    yield "| actions | questions | median ms | 99 % | longest | undecided | of half the length |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    by_length: dict[int, dict[Question, Answered]] = defaultdict(dict)
    for each in answered:
        by_length[each.length][each.question] = each
    for length, all_of_them in sorted(by_length.items()):
        spent = sorted(each.milliseconds for each in all_of_them.values())
        halves = by_length.get(length // 2, {})
        both = [question for question in all_of_them if question in halves]
        ratio = ""
        if both:
            now, before = (
                statistics.median(those[question].milliseconds for question in both)
                for those in (all_of_them, halves)
            )
            ratio = f"{now / before:.2f}"
        undecided = sum(each.verdict.inconclusive for each in all_of_them.values())
        yield (
            f"| {length:,} | {len(spent)} | {statistics.median(spent):.2f} "
            f"| {spent[int(len(spent) * 0.99)]:.0f} | {spent[-1]:.0f} | {undecided} | {ratio} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--only", default="", help="interactions with this in their names")
    parser.add_argument("--budget", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    lengths = [SHORTEST]
    while lengths[-1] * 2 <= given.most:
        lengths.append(lengths[-1] * 2)
    answered: list[Answered] = []
    for question, length, interaction, multitrace in questions(lengths, given.only, given.seed):
        began = process_time()
        verdict = answer(interaction, multitrace, question.mode, given.budget)
        took = (process_time() - began) * 1e3
        answered.append(Answered(question, length, took, verdict))
        if given.list:
            print(*question, length, f"{took:.1f}", verdict.value, file=sys.stderr, flush=True)
    print(f"{platform.machine()}, Python {platform.python_version()}, seed {given.seed}\n")
    for line in table(answered):
        print(line)
    print(f"\nMost memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
