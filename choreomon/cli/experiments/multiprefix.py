"""`choreomon experiment multiprefix`: what reductions do, on published or fresh interactions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.experiments.work import Publication, in_order, sample_options, work_options

if TYPE_CHECKING:
    from choreomon.experiments.offline.cases import Subject
    from choreomon.experiments.offline.multiprefix import Measure, Measurement, Procedures
    from choreomon.hibou.signature import Signature

PUBLISHED_OPERATORS: Final = ("strict", "seq", "par", "alt", "loopW")
"""Operators that occur in the published data set of the removal paper."""

LIFELINES: Final = ("l1", "l2", "l3", "l4", "l5")
MESSAGES: Final = ("m1", "m2", "m3", "m4", "m5", "m6")
"""Messages of fresh interactions, as many as in the removal paper."""


class Settings(NamedTuple):
    """Settings for every interaction."""

    seed: int
    limit: int | None
    measures: tuple[Measure, ...]
    procedures: Procedures
    budget: float


class GivenTask(NamedTuple):
    """A line of a data set."""

    settings: Settings
    file: str
    number: int
    line: bytes
    signature: Signature | None


class FreshTask(NamedTuple):
    """A drawn interaction, as the text of a file, so that it can be sent to another process."""

    settings: Settings
    name: str
    text: str
    traces: int


@click.command(
    "multiprefix",
    epilog=examples(
        (
            "choreomon experiment multiprefix --interactions 2 --traces 5",
            "A first look: two fresh interactions.",
        ),
        (
            "choreomon experiment multiprefix --interactions 2 --traces 5 -j 2 -o out",
            "On two processors, with tables and plots in a folder.",
        ),
    ),
)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A data set, .jsonl or .jsonl.xz; without it, fresh interactions are drawn.",
)
@click.option(
    "--signature",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --data: the .hsf file of its interactions.",
)
@click.option(
    "--interactions",
    type=click.IntRange(min=1),
    help="How many; default: all of the data set, or 100 fresh ones.",
)
@click.option(
    "--traces",
    type=click.IntRange(min=1),
    default=240,
    show_default=True,
    help="Of a fresh interaction: accepted multi-traces, and multi-traces of each other kind.",
)
@click.option(
    "--operators",
    default=",".join(PUBLISHED_OPERATORS),
    show_default=True,
    help="Of fresh interactions, with commas between them, or `all`.",
)
@sample_options(limit="Multi-traces of each interaction.")
@click.option(
    "--measure",
    "measures",
    type=click.Choice(["sizes", "times"]),
    multiple=True,
    help="Graph sizes or analysis times; default: both.",
)
@click.option(
    "--procedures",
    type=click.Choice(["paper", "sound"]),
    default="paper",
    show_default=True,
    help="Removal and reduction as in the paper, or only where they are right.",
)
@work_options(3.0, budget="Seconds after which a search is a timeout.")
@click.pass_context
def command(
    context: click.Context,
    data: Path | None,
    signature: Path | None,
    interactions: int | None,
    traces: int,
    operators: str,
    seed: int,
    limit: int | None,
    measures: Sequence[Measure],
    procedures: Procedures,
    budget: float,
    jobs: int,
    as_json: bool,
    output: Path | None,
) -> int:
    """Graph sizes and analysis times of the search for multi-prefixes, with and without
    partial-order reduction and local analyses, beside the default decider (the removal paper,
    section 6).

    The exit code is 1 where a verdict is wrong, also where that is
    expected of the paper's procedures. Of fresh multi-traces the
    answer is known by construction, or from the exact decider.
    """
    from choreomon.experiments.offline.multiprefix import MEASURES

    publication = Publication("multiprefix", output)
    wanted = tuple(one for one in MEASURES if one in measures) or MEASURES
    settings = Settings(seed, limit, wanted, procedures, budget)
    if data is None:
        if signature is not None:
            raise click.UsageError("--signature is about the interactions of --data")
        texts = _drawn(100 if interactions is None else interactions, operators, seed)
        fresh = [FreshTask(settings, f"f{n}", text, traces) for n, text in enumerate(texts)]
        found = in_order(measured_fresh, fresh, jobs)
    else:
        refuse_explicit(context, ("operators", "traces"), "for fresh interactions, without --data")
        given = _given(settings, data, signature, interactions)
        found = in_order(measured_given, given, jobs)
    measurements = [one for of_subject in found for one in of_subject]
    tables = _text(measurements, wanted, len(found), procedures)
    result = _result(measurements, wanted, len(found), publication)
    publication.publish(tables, result, as_json=as_json)
    return VIOLATION if any(one.wrong for one in measurements) else NOTHING_FOUND


def _given(
    settings: Settings, data: Path, signature: Path | None, count: int | None
) -> list[GivenTask]:
    from choreomon.experiments.case_files import subjects_of
    from choreomon.interaction_files.loading import load_signature

    shared = None if signature is None else load_signature(signature)
    lines = subjects_of(data)[:count]
    return [GivenTask(settings, str(data), number, line, shared) for number, line in lines]


def _drawn(count: int, operators: str, seed: int) -> list[str]:
    """Different interactions. Raises UsageError for operators that there are not."""
    from random import Random

    from choreomon.hibou.interaction import write_interaction
    from choreomon.interaction.generation import ALL_OPERATORS, random_interaction

    chosen = ALL_OPERATORS if operators == "all" else tuple(operators.split(","))
    rng = Random(f"interactions {seed}")
    drawn: dict[str, None] = {}
    while len(drawn) < count:
        try:
            made = random_interaction(rng, lifelines=LIFELINES, messages=MESSAGES, operators=chosen)
        except ValueError as error:
            raise click.UsageError(f"--operators: {error}") from None
        drawn[write_interaction(made)] = None
    return list(drawn)


def measured_given(task: GivenTask) -> list[Measurement]:
    """The measurements of a line of a data set. Raises DocumentError."""
    from choreomon.experiments.case_files import read_subject

    return _measured(task.settings, read_subject(task.line, task.number, task.signature, task.file))


def measured_fresh(task: FreshTask) -> list[Measurement]:
    """The measurements of a drawn interaction, with multi-traces drawn for it."""
    from random import Random

    from choreomon.experiments.offline.cases import random_subject
    from choreomon.hibou.model import read_interaction

    subject = random_subject(
        Random(f"traces {task.settings.seed} {task.name}"),
        task.name,
        read_interaction(task.text),
        lifelines=LIFELINES,
        messages=MESSAGES,
        count=task.traces,
    )
    return _measured(task.settings, subject)


def _measured(settings: Settings, subject: Subject) -> list[Measurement]:
    from random import Random
    from time import perf_counter

    from choreomon.experiments.offline.multiprefix import Laboratory

    if settings.limit is not None:
        rng = Random(f"sample {settings.seed} {subject.name}")
        subject = subject.sample(rng, settings.limit)
    laboratory = Laboratory(
        subject.interaction,
        clock=perf_counter,
        budget=settings.budget,
        procedures=settings.procedures,
        measures=settings.measures,
    )
    return list(laboratory.measurements(subject.name, subject.cases))


def _text(
    measurements: Sequence[Measurement],
    measures: Sequence[Measure],
    subjects: int,
    procedures: Procedures,
) -> str:
    """The tables, in Markdown."""
    from choreomon.experiments.offline.multiprefix import timeouts
    from choreomon.experiments.results.tables import timeout_table, wrong_list

    parts = [f"{len(measurements)} multi-traces of {subjects} interactions\n"]
    for measure in measures:
        words = "whole graphs" if measure == "sizes" else "analyses"
        parts.append(f"Timeouts of {words}:\n\n{timeout_table(timeouts(measurements, measure))}")
    parts.append(wrong_list(measurements, procedures))
    return "\n".join(parts)


def _result(
    measurements: Sequence[Measurement],
    measures: Sequence[Measure],
    subjects: int,
    publication: Publication,
) -> dict[str, Any]:
    """Results as JSON, without the single measurements."""
    from choreomon.experiments.offline.multiprefix import GROUPINGS, distributions, timeouts
    from choreomon.experiments.results.plots import violin_picture
    from choreomon.experiments.results.tables import COLUMN_NAMES

    result: dict[str, Any] = {
        "interactions": subjects,
        "multi_traces": len(measurements),
        "wrong": [
            {"interaction": one.interaction, "trace": one.case, "measure": measure, "method": name}
            for one in measurements
            for measure, name in one.wrong
        ],
    }
    for measure in measures:
        table = timeouts(measurements, measure)
        what, unit = ("Graph size", "vertices") if measure == "sizes" else ("Analysis time", "s")
        plots = {}
        along = {"length": "length of the multi-trace, actions", "kind": "kind of multi-trace"}
        for by in GROUPINGS:
            picture = violin_picture(
                f"{what} by {by}", distributions(measurements, measure, by), unit, along[by]
            )
            plots[by] = publication.structure(f"{measure}-by-{by}", picture)
        result[measure] = {
            "columns": COLUMN_NAMES,
            "total": table.total,
            "timeouts": table.timeouts,
            "plots": plots,
        }
    return result
