"""Logs of different runs, one after the other: are they decided, one log for each machine?

    python -m benchmarks.mixed_runs [--actions N].. [--walks N] [--only TEXT] [--budget SECONDS]

**Interactions**: a weak loop around each of those of `benchmarks.middle`, so that runs follow each
other, and a machine may begin the next one while others are at an earlier one.

**Logs**: runs of the interaction, drawn at random, until there are as many actions; each lifeline
alone saw them. Complete, early (each log ends somewhere in its last eighth), late (it begins
somewhere in its first eighth, too), and wrong (two neighbours in one log swapped).

**Modes**: accept, multiprefix and slice, by one verifier for each interaction and mode. Times are
of the processor; who needs more than the budget is undecided. Ends with 1 where a verdict cannot be
right. The same for the same interactions, lengths and walks.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from random import Random
from statistics import mean, median
from time import process_time
from typing import Final, NamedTuple

import click

from benchmarks.command_line import machine
from benchmarks.middle.corpora import CUTS, HOLDS, Cut, cut, interactions
from choreomon.core.action import Action
from choreomon.hibou.model import read_interaction
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import frontier
from choreomon.interaction.term import Interaction, loop_w
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.verify.papers.options import Reason
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier

MODES: Final[tuple[Mode, ...]] = ("accept", "multiprefix", "slice")
LONGEST_RUN: Final = 60
EMPTY_RUNS: Final = 200
"""So many empty runs in all, and the interaction is taken for one that does nothing."""


class Decided(NamedTuple):
    """One answer, `milliseconds` of the processor after its question."""

    milliseconds: float
    interaction: str
    how: Cut
    mode: Mode
    verdict: Verdict

    @property
    def cannot_be(self) -> bool:
        """Whether the verdict is wrong for sure."""
        fits = self.mode in HOLDS[self.how]
        return fits and self.verdict is Verdict.FAIL


def one_run(interaction: Interaction, rng: Random) -> list[Action]:
    """An accepted trace."""
    here = normal(interaction)
    done: list[Action] = []
    while len(done) < LONGEST_RUN and here.size <= 4 * interaction.size + 20:
        if here.terminates and rng.random() < 0.3:
            break
        possible = frontier(here)
        if not possible:
            break
        step = rng.choice(possible)
        done.append(step.action)
        here = normal(step.follow_up)
    return [*done, *shortest_completion(here)]


def runs(interaction: Interaction, actions: int, rng: Random) -> list[Action]:
    """So many actions of runs, and the rest of the last one; fewer where runs are empty."""
    done: list[Action] = []
    empty = 0
    while len(done) < actions and empty < EMPTY_RUNS:
        run = one_run(interaction, rng)
        empty += not run
        done += run
    return done


def answers(name: str, text: str, actions: int, walks: int, budget: float) -> Iterator[Decided]:
    """What becomes of the questions about one interaction."""
    interaction = read_interaction(text)
    end = 0.0

    def should_stop() -> Reason | None:
        return "TimedOut" if process_time() > end else None

    around = loop_w(interaction)
    verifiers = {mode: Verifier(around, mode, should_stop=should_stop) for mode in MODES}
    for walk in range(walks):
        rng = Random(f"{name} {actions} {walk}")
        whole = project_trace(
            runs(interaction, actions, rng), discrete(names(interaction.lifelines))
        )
        for how in CUTS:
            seen = cut(whole, how, rng.random)
            if seen is None or whole.length < actions:
                continue
            for mode, verifier in verifiers.items():
                begun = process_time()
                end = begun + budget
                verdict = verifier.decide(seen).verdict
                yield Decided((process_time() - begun) * 1e3, name, how, mode, verdict)


@click.command(help=__doc__)
@click.option("--actions", type=int, multiple=True, default=(100, 1_000), show_default=True)
@click.option("--walks", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--only", default="", help="interactions with this in their names")
@click.option("--budget", type=float, default=5.0, show_default=True)
def main(actions: tuple[int, ...], walks: int, only: str, budget: float) -> None:
    click.echo(machine())
    head = ("actions", "questions", "mean ms", "median", "99 %", "longest", "undecided", "MB")
    click.echo("".join(f"{word:>11}" for word in head))
    every: list[Decided] = []
    for length in actions:
        found = [
            one
            for name, text in interactions().items()
            if only in name
            for one in answers(name, text, length, walks, budget)
        ]
        every += found
        spent = sorted(one.milliseconds for one in found)
        figures = (mean(spent), median(spent), spent[int(len(spent) * 0.99)], spent[-1])
        undecided = sum(one.verdict is Verdict.INCONC for one in found)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # Linux: kilobytes
        row = (length, len(found), *(f"{each:.2f}" for each in figures), undecided, memory)
        click.echo("".join(f"{each:>11}" for each in row))
    for one in every:
        if one.verdict is Verdict.INCONC:
            click.echo(f"undecided: {one.interaction}, {one.how}, {one.mode}")
    wrong = [one for one in every if one.cannot_be]
    click.echo(f"verdicts that cannot be right: {len(wrong)} {wrong[:3] or ''}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
