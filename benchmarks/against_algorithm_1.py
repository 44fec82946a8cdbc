"""The reduced form of the automata paper's procedure beside its Algorithm 1 in C++.

    python -m benchmarks.against_algorithm_1 AUTOMATON.timbuk [--number N] [--seed N] [--json]

Multi-traces of 200 to 250 actions at three locations, of each kind (docs/experiments.md), N of
each; of CentralError at least half are such that Algorithm 1 builds more than 1,000 states. Times
are those of the decisions alone, in one run: milliseconds, and all of a kind together. Where there
is no C++ compiler its columns are empty, and that is said.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from benchmarks.algorithm_1 import OPTIONS, Run, compiled, runs
from choreomon.automata.accepted_words import shared_out
from choreomon.automata.centralized import centralized
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.batch.collector import collector_at_rest
from choreomon.core.action import emission
from choreomon.core.errors import BudgetExceeded
from choreomon.experiments.offline.procedure_traces import KINDS, Drawing
from choreomon.experiments.offline.procedures import Plan, Protocol, sample
from choreomon.experiments.offline.statistics import summary
from choreomon.interaction_files.locations import Locations
from choreomon.interaction_files.timbuk import read_timbuk, timbuk_letters
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.projection import discrete

NAMES: Final = ("p1", "p2", "p3")
MANY: Final = 1_000
"""States of Algorithm 1 that half of the CentralErrors have more of."""


def balanced(protocol: Protocol, found: Sequence[MultiTrace], number: int) -> list[MultiTrace]:
    """So many of these, of which half or more let Algorithm 1 build more than `MANY` states."""
    many: list[MultiTrace] = []
    few: list[MultiTrace] = []
    for one in found:
        try:
            centralized(protocol.automaton, one.components, limit=MANY)
        except BudgetExceeded:
            many.append(one)
        else:
            few.append(one)
    return [*many[: number - min(len(few), number // 2)], *few[: number // 2]]


@click.command(help=__doc__)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--number", type=click.IntRange(min=2), default=200, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(file: str, number: int, seed: int, as_json: bool) -> None:
    rng = Random(seed)
    text = Path(file).read_text(encoding="utf-8")
    shared = shared_out(rng, timbuk_letters(text, file), NAMES)
    actions = {letter: emission(place, letter) for place, own in shared.items() for letter in own}
    automaton = read_timbuk(text, Locations(actions, NAMES, "random locations"), file)
    protocol = Protocol(Path(file).stem, automaton, discrete(NAMES))
    plan = Plan(wanted=number)
    drawing = Drawing(automaton, protocol.onto, shortest=plan.shortest, longest=plan.longest)
    verifiers = LocalVerifiers(automaton)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for kind in KINDS:
            wanted = plan._replace(wanted=4 * number) if kind == "CentralError" else plan
            drawn = list(sample(rng, drawing, verifiers, kind, wanted).multitraces)
            if kind == "CentralError":
                drawn = balanced(protocol, drawn, number)
            answers = [] if program is None else runs(program, automaton, drawn)
            rows.append({"kind": kind, "number": len(drawn), **measured(protocol, drawn, answers)})
    if as_json:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    click.echo("| " + " | ".join(rows[0]) + " |")
    click.echo("|" + "---|" * len(rows[0]))
    for row in rows:
        click.echo("| " + " | ".join(map(_shown, row.values())) + " |")
    if program is None:
        click.echo("\nThere is no C++ compiler (g++ or clang++) here.")
    else:
        click.echo(f"\nCompiled with {' '.join(OPTIONS)}.")


def measured(
    protocol: Protocol, drawn: Sequence[MultiTrace], answers: Sequence[Run]
) -> dict[str, Any]:
    """Of one kind; the answers are compared."""
    reduced = Reduced(protocol.automaton)
    seconds: list[float] = []
    cuts: list[int] = []
    passes: list[bool] = []
    with collector_at_rest():
        for one in drawn:
            began = time.perf_counter()
            found = reduced.decide(one.components)
            seconds.append(time.perf_counter() - began)
            cuts.append(found.visited)
            passes.append(found.explained)
    if answers and passes != [one.passes for one in answers]:
        raise SystemExit("the reduced form and Algorithm 1 do not agree")
    ours = summary(seconds)
    row: dict[str, Any] = {
        "mean ms": 1000 * ours.mean,
        "longest ms": 1000 * ours.maximum,
        "all ms": 1000 * sum(seconds),
        "mean cuts": summary(cuts).mean,
        "C++ mean ms": None,
        "C++ longest ms": None,
        "C++ all ms": None,
        "C++ mean states": None,
        "C++ most states": None,
    }
    if answers:
        theirs = summary([one.seconds for one in answers])
        states = summary([one.built for one in answers])
        row |= {
            "C++ mean ms": 1000 * theirs.mean,
            "C++ longest ms": 1000 * theirs.maximum,
            "C++ all ms": 1000 * sum(one.seconds for one in answers),
            "C++ mean states": states.mean,
            "C++ most states": states.maximum,
        }
    return row


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,.3f}" if isinstance(value, float) else f"{value}"


if __name__ == "__main__":
    main()
