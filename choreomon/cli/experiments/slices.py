"""`choreomon experiment slices`: slices and mutants, decided by `slice` and by `simulate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from choreomon.batch.collector import collector_at_rest
from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.clocks import shared_clocks
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.experiments.work import Publication, in_order, sample_options, work_options

if TYPE_CHECKING:
    from choreomon.experiments.offline.slices import Plan, SliceResults
    from choreomon.multitrace.projection import Partition


class Task(NamedTuple):
    """A task for one model: `i1` or `i2` of the paper, or the file of an interaction, and what was
    asked."""

    model: str
    file: str | None
    signature: str | None
    partition: str | None
    loops: int | None
    multi_traces: int | None
    slices: int | None
    exhaustive: bool
    seed: int
    limit: int | None
    budget: float


@click.command(
    "slices",
    epilog=examples(
        (
            "choreomon experiment slices --model i1 --limit 20",
            "A first look: twenty multi-traces of each kind.",
        ),
        (
            "choreomon experiment slices --interaction order.hif --limit 20",
            "The same of an interaction of your own.",
        ),
    ),
)
@click.option(
    "--model",
    "models",
    type=click.Choice(["i1", "i2"]),
    multiple=True,
    help="One of the paper's interactions; default: both.",
)
@click.option(
    "--interaction",
    "file",
    type=click.Path(exists=True, dir_okay=False),
    help="Another interaction instead.",
)
@click.option(
    "--signature",
    type=click.Path(exists=True, dir_okay=False),
    help="With --interaction: more messages that mutants may insert.",
)
@click.option(
    "--partition",
    help="Lifelines that share a clock, as in `l1;l2,l3`; default: the model's, or each its own.",
)
@click.option(
    "--exhaustive",
    is_flag=True,
    help="With --interaction: all paths and all slices, as for i1; else random ones, as for i2.",
)
@click.option(
    "--loops",
    type=click.IntRange(min=0),
    help="Loop instances on a path; default: 3, or 30 where paths are random.",
)
@click.option(
    "--multi-traces",
    type=click.IntRange(min=1),
    help="Accepted ones, where paths are random; default: 199.",
)
@click.option(
    "--slices",
    type=click.IntRange(min=1),
    help="Of each multi-trace, where they are random; default: 31.",
)
@sample_options(limit="Multi-traces of each kind.")
@work_options(10.0, budget="Seconds for one multi-trace in one mode.")
@click.pass_context
def command(
    context: click.Context,
    models: Sequence[str],
    file: str | None,
    signature: str | None,
    partition: str | None,
    exhaustive: bool,
    loops: int | None,
    multi_traces: int | None,
    slices: int | None,
    seed: int,
    limit: int | None,
    budget: float,
    jobs: int,
    as_json: bool,
    output: Path | None,
) -> int:
    """Accepted multi-traces, slices of them, and mutants of the slices, decided by `slice` and
    tried by `simulate` with its default criterion (the slices paper, section 5.5).

    The exit code is 1 where `slice` does not know or contradicts what is known, or `simulate`
    finds a slice where there is none.
    """
    if file is None and (signature is not None or exhaustive):
        raise click.UsageError("--signature and --exhaustive are about an --interaction")
    if file is not None and models:
        raise click.UsageError("--model and --interaction exclude each other")
    if exhaustive or [*models] == ["i1"]:
        refuse_explicit(
            context,
            ("multi_traces", "slices"),
            "where slices are random ones",
        )
    publication = Publication("slices", output)
    names = ("i1", "i2") if not models else tuple(dict.fromkeys(models))
    if file is not None:
        names = (Path(file).stem,)
    tasks = [
        Task(
            *(name, file, signature, partition, loops, multi_traces, slices, exhaustive),
            *(seed, limit, budget),
        )
        for name in names
    ]
    results = in_order(measured_model, tasks, jobs)
    texts = [_text(name, found) for name, found in zip(names, results, strict=True)]
    printed = {
        name: _result(name, found, publication) for name, found in zip(names, results, strict=True)
    }
    publication.publish("\n".join(texts), printed, as_json=as_json)
    return VIOLATION if any(found.wrong for found in results) else NOTHING_FOUND


def measured_model(task: Task) -> SliceResults:
    """Measure one model. Raises DocumentError, and UsageError for a partition of other
    lifelines."""
    from random import Random
    from time import perf_counter

    from choreomon.experiments.offline.slices import limited, measured, samples

    rng = Random(f"{task.model} {task.seed}")
    plan = _plan(task)
    made = limited(rng, samples(rng, plan), task.limit)
    rng.shuffle(made)
    with collector_at_rest():
        return measured(plan.interaction, made, clock=perf_counter, budget=task.budget)


def _plan(task: Task) -> Plan:
    from choreomon.experiments.offline.models import (
        LIFELINES,
        MESSAGES,
        concurrent_model,
        sequential_model,
    )
    from choreomon.experiments.offline.slices import Plan
    from choreomon.multitrace.mutation import alphabet
    from choreomon.multitrace.projection import discrete

    onto: Partition
    exhaustive = task.exhaustive
    if task.file is None:
        exhaustive = task.model == "i1"
        interaction = sequential_model() if exhaustive else concurrent_model()
        onto = (("l1",), ("l2", "l3")) if exhaustive else discrete(LIFELINES)
        actions = alphabet(LIFELINES, MESSAGES)
    else:
        from choreomon.documents.interactions import load_interaction
        from choreomon.interaction.lifelines import names
        from choreomon.interaction.term import subterms
        from choreomon.interaction_files.loading import load_signature

        signature = None if task.signature is None else load_signature(task.signature)
        interaction = load_interaction(task.file, signature)
        own = {part.action for part in subterms(interaction) if part.action is not None}
        messages = {action.message for action in own}
        if signature is not None:
            messages.update(signature.messages)
        onto = discrete(names(interaction.lifelines))
        actions = alphabet(names(interaction.lifelines), messages)
    if task.partition is not None:
        onto = _partition(task.partition, {name for block in onto for name in block})
    loops = task.loops if task.loops is not None else 3 if exhaustive else 30
    if exhaustive:
        return Plan(interaction, onto, actions, loops)
    return Plan(
        interaction,
        onto,
        actions,
        loops,
        multi_traces=199 if task.multi_traces is None else task.multi_traces,
        slices=31 if task.slices is None else task.slices,
    )


def _partition(text: str, lifelines: set[str]) -> Partition:
    made = shared_clocks(text.split(";"), "--partition")
    stated = {name for block in made for name in block}
    if stated != lifelines:
        raise click.BadParameter(
            f"must have the lifelines {', '.join(sorted(lifelines))}, each once",
            param_hint="--partition",
        )
    return made


def _text(name: str, found: SliceResults) -> str:
    from choreomon.experiments.offline.slices import PUBLISHED, slice_rows
    from choreomon.experiments.results.tables import slice_table

    table = slice_table(slice_rows(found.measurements), PUBLISHED.get(name))
    wrong = "No answer is wrong.\n"
    if found.wrong:
        shown = "".join(f"- {one.kind}: {one.multitrace}\n" for one in found.wrong[:20])
        wrong = f"{len(found.wrong)} answers are wrong or missing. The first of them:\n{shown}"
    return f"{name}, milliseconds:\n\n{table}\n{wrong}"


def _result(name: str, found: SliceResults, publication: Publication) -> dict[str, Any]:
    """The rows and the plots as JSON."""
    from choreomon.experiments.offline.slices import DECIDERS, slice_rows
    from choreomon.experiments.results.plots import point_picture

    plots = {}
    for decider in DECIDERS:
        picture = point_picture(f"{name}: {decider}", found.measurements, decider)
        plots[decider] = publication.structure(f"slices-{name}-{decider}", picture)
    return {
        "wrong": [{"kind": one.kind, "trace": str(one.multitrace)} for one in found.wrong],
        "rows": [
            {**row._asdict(), "seconds": row.seconds._asdict()}
            for row in slice_rows(found.measurements)
        ],
        "plots": plots,
    }
