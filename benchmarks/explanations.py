"""How long explanations take beside their verdicts, and whether they are right.

    python -m benchmarks.explanations [--most N] [--only NAME]... [--walk random|repeat] [--seed N]
        [--budget SECONDS] [--jobs N] [--write FILE]

The logs are cut from walks through the interaction of docs/verify.md, through one of the published
models and through three random ones, as `benchmarks.middle.corpora` says: 2,000, 20,000 and 100,000
actions, complete, early, late and wrong, over every partition that has a name there, in every mode
that is decided exactly. A verifier of its own decides each, and `explain` begins anew, too. What is
promised is `FACTOR` times the time of the verdict and `ALLOWANCE`.

Every explanation is checked. A witness is replayed through the small-step semantics, has the logs
as the projections of what was observed, and nothing unobserved where the mode allows none. Of a
failure, the parts that it calls explained must fit together.

Times are of the processor; the cycle collector is off; each interaction and length has a process of
its own, and memory is the most that it had. After the budget a decision, or an explanation, is
given up.
"""

from __future__ import annotations

import gc
import multiprocessing
import platform
import resource
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Final, NamedTuple

import click

from benchmarks.middle.corpora import (
    CUTS,
    EXACT,
    WALKS,
    Cut,
    Question,
    Walk,
    cut,
    interactions,
    partitions,
    walked,
)
from choreomon.core.action import Action
from choreomon.hibou.model import read_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import project_trace
from choreomon.verify.explanation import Explanation, Reached, explain
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from choreomon.verify.witness import WitnessStep

INTERACTIONS: Final = ("orders", "i5", "i14", "sensor", "i10")
LENGTHS: Final = (2_000, 20_000, 100_000)

FACTOR: Final = 3
ALLOWANCE: Final = 1.0
"""Seconds."""

MOST_TERMS: Final = 256
"""So many terms, the smallest ones, are held while a witness is replayed."""

GIVEN_UP: Final = "given up"


class Case(NamedTuple):
    """One question, and what was measured of its answer: seconds, the megabytes that the process
    had had in memory at most, and what is wrong with the explanation (empty where nothing is)."""

    question: Question
    length: int
    verdict: str
    deciding: float
    explaining: float
    megabytes: int
    wrong: str

    @property
    def is_late(self) -> bool:
        """Whether the explanation takes longer than is promised."""
        return self.explaining > FACTOR * self.deciding + ALLOWANCE


# --- what an explanation must be ------------------------------------------------------------------


def fault(interaction: Interaction, multitrace: MultiTrace, mode: Mode, found: Explanation) -> str:
    """What is wrong with an explanation; empty where nothing is."""
    if found.verdict.passes:
        if found.witness is None or found.failure is not None:
            return f"no witness: {found.reason}"
        return (
            _missed(multitrace, mode, found.witness)
            or _replayed(interaction, found.witness)
            or ("" if found.verdict is not Verdict.PASS or _all_seen(found.witness) else "unseen")
        )
    if found.failure is None or found.witness is not None:
        return f"no furthest places: {found.reason}"
    return _unexplained(interaction, multitrace, mode, found.failure)


def _all_seen(witness: Iterable[WitnessStep]) -> bool:
    return all(step.observed for step in witness)


def _missed(multitrace: MultiTrace, mode: Mode, witness: Sequence[WitnessStep]) -> str:
    """Whether the logs are not what was observed of the witness, or the mode forbids what was
    not."""
    number_of = {
        lifeline: number
        for number, part in enumerate(multitrace.components)
        for lifeline in part.lifelines
    }
    seen: list[list[Action]] = [[] for _ in multitrace.components]
    done = 0
    for action, observed in witness:
        number = number_of.get(action.lifeline)
        if number is None:
            if observed:
                return "observes what no log is about"
            continue
        own, log = seen[number], multitrace.components[number].actions
        if observed:
            own.append(action)
            done += 1
        elif mode == "accept":
            return "something unobserved"
        elif mode == "prefix" and done < multitrace.length:
            return "something unobserved before the last observed action"
        elif mode == "multiprefix" and len(own) < len(log):
            return "something unobserved before the end of its log"
        elif 0 < len(own) < len(log):
            return "something unobserved within its log"
    for own, part in zip(seen, multitrace.components, strict=True):
        if tuple(own) != tuple(part.actions):
            return "is projected to other logs"
    return ""


def _replayed(interaction: Interaction, witness: Iterable[WitnessStep]) -> str:
    """Whether the witness is no accepted trace."""
    known: dict[tuple[Interaction, Action], tuple[Interaction, ...]] = {}
    layer = [normal(interaction)]
    for place, (action, _) in enumerate(witness):
        reached: dict[Interaction, None] = {}
        for term in layer:
            rests = known.get((term, action))
            if rests is None:
                rests = known[term, action] = tuple(map(normal, after(term, act(action))))
            reached.update(dict.fromkeys(rests))
        layer = sorted(reached, key=lambda term: (term.size, term.order))[:MOST_TERMS]
        if not layer:
            return f"is no trace from action {place + 1:,} on"
    return "" if any(term.terminates for term in layer) else "is not accepted"


def _unexplained(
    interaction: Interaction, multitrace: MultiTrace, mode: Mode, failure: Sequence[Reached]
) -> str:
    """Whether what is called explained does not fit together, or nothing is left."""
    places = [one.position for one in failure]
    if sum(places) >= multitrace.length and mode != "accept":  # which may want more
        return "everything is explained"
    parts = [
        Component(part.lifelines, tuple(part.actions[:place]))
        for part, place in zip(multitrace.components, places, strict=True)
    ]
    weaker: Mode = "prefix" if mode == "accept" else mode
    answer = Verifier(interaction, weaker).decide(MultiTrace(tuple(parts)))
    return "" if answer.verdict.passes else f"what is explained is {answer.verdict.value}"


# --- measuring ------------------------------------------------------------------------------------


def _within(seconds: float) -> Callable[[], str | None]:
    """Tells to stop after so many seconds of the processor."""
    end = process_time() + seconds
    return lambda: GIVEN_UP if process_time() > end else None


def measured(
    interaction: Interaction, multitrace: MultiTrace, question: Question, budget: float
) -> Case:
    """One line of the table of all cases."""
    mode = question.mode
    gc.collect()
    begin = process_time()
    stop = _within(budget)
    verifier = Verifier(interaction, mode, should_stop=stop)  # type: ignore[arg-type]
    verdict = verifier.decide(multitrace).verdict
    deciding = process_time() - begin
    del verifier
    gc.collect()
    begin = process_time()
    found = explain(interaction, multitrace, mode, should_stop=_within(budget))
    explaining = process_time() - begin
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    wrong = fault(interaction, multitrace, mode, found)
    if found.verdict is not verdict and not wrong:
        wrong = f"explains {found.verdict.value}"
    if not question.allows(verdict):
        wrong = f"{verdict.value} cannot be"
    return Case(question, multitrace.length, verdict.value, deciding, explaining, most, wrong)


def cases(name: str, length: int, walk: Walk, seed: int, budget: float) -> list[Case]:
    """All of one interaction and length, in this process."""
    gc.disable()
    return [*_cases(name, length, walk, seed, budget)]


def _cases(name: str, length: int, walk: Walk, seed: int, budget: float) -> Iterator[Case]:
    interaction = read_interaction(interactions()[name])
    rng = Random(f"{seed} {name} {walk}")
    for _, trace in walked(interaction, walk, rng, [length]):
        for clocks, blocks in partitions(names(interaction.lifelines)).items():
            whole = project_trace(trace, blocks)
            for how in CUTS:
                drawn = Random(f"{seed} {name} {walk} {clocks} {how}")
                multitrace = cut(whole, how, drawn.random)
                if multitrace is None:
                    continue
                for mode in EXACT:
                    question = Question(name, walk, clocks, how, mode)
                    yield measured(interaction, multitrace, question, budget)


# --- the report -----------------------------------------------------------------------------------


def report(found: Sequence[Case]) -> list[str]:
    """A line for each interaction and length, and each cut; then every case that is not as it
    should be."""
    lines = [
        "| interaction | actions | logs | cases | deciding s, mean | longest | explaining s, mean "
        "| longest | late | wrong | MB |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    groups: dict[tuple[str, int, Cut], list[Case]] = {}
    for one in found:
        nominal = next(length for length in reversed(LENGTHS) if length * 0.7 < one.length)
        groups.setdefault((one.question.interaction, nominal, one.question.cut), []).append(one)
    for (name, length, how), group in groups.items():
        deciding = [one.deciding for one in group]
        explaining = [one.explaining for one in group]
        lines.append(
            f"| {name} | {length:,} | {how} | {len(group)} "
            f"| {sum(deciding) / len(group):.2f} | {max(deciding):.2f} "
            f"| {sum(explaining) / len(group):.2f} | {max(explaining):.2f} "
            f"| {sum(one.is_late for one in group)} | {sum(bool(one.wrong) for one in group)} "
            f"| {max(one.megabytes for one in group):,} |"
        )
    late = [one for one in found if one.is_late or one.wrong]
    lines += [
        "",
        f"{len(found):,} cases; {sum(one.is_late for one in found)} take longer than {FACTOR} "
        f"times the verdict and {ALLOWANCE:g} s; {sum(bool(one.wrong) for one in found)} are "
        "wrong, or without an explanation.",
    ]
    if late:
        lines += [
            "",
            "| interaction | clocks | logs | mode | actions | verdict | deciding s | explaining s "
            "| wrong |",
            "|---|---|---|---|---:|---|---:|---:|---|",
        ]
    lines += [_row(one) for one in late]
    return lines


def _row(one: Case) -> str:
    name, _, clocks, how, mode = one.question
    return (
        f"| {name} | {clocks} | {how} | {mode} | {one.length:,} | {one.verdict} "
        f"| {one.deciding:.2f} | {one.explaining:.2f} | {one.wrong} |"
    )


@click.command(help=__doc__)
@click.option("--most", type=click.IntRange(min=LENGTHS[0]), default=LENGTHS[-1], help="actions")
@click.option("--only", multiple=True, type=click.Choice([*interactions()]), help="interactions")
@click.option("--walk", type=click.Choice(WALKS), default="random", show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--budget", default=60.0, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="as Markdown")
def main(
    most: int,
    only: tuple[str, ...],
    walk: Walk,
    seed: int,
    budget: float,
    jobs: int,
    write: Path | None,
) -> None:
    asked = [
        (name, length) for name in only or INTERACTIONS for length in LENGTHS if length <= most
    ]
    head = [
        "# Explanations beside their verdicts",
        "",
        "What is asked, and what is checked, says the top of `benchmarks/explanations.py`.",
        "",
        f"`{shlex.join(['python', '-m', 'benchmarks.explanations', *sys.argv[1:]])}`",
        "",
        f"{platform.machine()}, Python {platform.python_version()}, seed {seed}",
        "",
    ]
    text = ""
    found: list[Case] = []
    context = multiprocessing.get_context("spawn")
    work = partial(_asked, walk=walk, seed=seed, budget=budget)
    with ProcessPoolExecutor(jobs, context, max_tasks_per_child=1) as pool:
        for (name, length), some in zip(asked, pool.map(work, asked), strict=True):
            click.echo(f"{name}, {length:,} actions: {len(some)} cases", err=True)
            for one in some:
                if one.is_late or one.wrong or one.deciding > 1:
                    click.echo(_row(one), err=True)
            found += some
            text = "\n".join([*head, *report(found), ""])
            if write is not None:  # as far as it is known, as all of it takes long
                write.write_text(text, encoding="utf-8")
    click.echo(text, nl=False)


def _asked(task: tuple[str, int], walk: Walk, seed: int, budget: float) -> list[Case]:
    return cases(*task, walk, seed, budget)


if __name__ == "__main__":
    main()
