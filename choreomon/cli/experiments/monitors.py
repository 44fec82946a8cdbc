"""`choreomon experiment fig7`, `fig8`, `rq4` and `all`: the paper's experiments, with baselines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.jobs import jobs_option
from choreomon.cli.command_line.options import added, seed_option
from choreomon.cli.command_line.own_simulator import require_own_simulator
from choreomon.cli.command_line.pictures import check_picture, write_picture
from choreomon.cli.command_line.writing import check_writable, make_directory, write
from choreomon.cli.experiments.engines import EngineName, engine_option, shared
from choreomon.cli.experiments.rows import measured_rows
from choreomon.cli.experiments.work import published_options

if TYPE_CHECKING:
    from choreomon.experiments.monitoring.cells import Row
    from choreomon.experiments.monitoring.findings import Finding
    from choreomon.experiments.monitoring.grids import ExperimentName
    from choreomon.experiments.monitoring.tables import Table
    from choreomon.experiments.results.figures import Figure

_options: Final = added(
    seed_option("Of the first run; later ones have the numbers after it."),
    click.option("--quick", is_flag=True, help="A reduced grid: fewer points, delays and runs."),
    jobs_option,
    engine_option,
    *published_options(
        "A folder for data, plots and a report; started again with the same folder, the command "
        "goes on where it was interrupted."
    ),
)


class Asked(NamedTuple):
    """The options."""

    seed: int
    quick: bool
    jobs: int
    engine: EngineName
    as_json: bool
    output: Path | None


class Result(NamedTuple):
    """The result of one experiment."""

    name: ExperimentName
    rows: Sequence[Row]
    finding: Finding
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


@click.command(
    "fig7",
    epilog=examples(
        ("choreomon experiment fig7 --quick", "A first look, in a minute or two."),
        (
            "choreomon experiment fig7 -j 4 -o fig7",
            "All of it, by four processes, with plots and a report.",
        ),
    ),
)
@_options
def fig7(**options: Any) -> int:
    """Monitoring messages of classes C3 to C9, with two to five sequences of length nine, ten runs
    each, for all strategies, rules and delays.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    return _experiment("fig7", ("fig7",), Asked(**options))


@click.command(
    "fig8",
    epilog=examples(
        ("choreomon experiment fig8 --quick", "A first look, in a minute or two."),
        (
            "choreomon experiment fig8 -j 4 -o fig8",
            "All of it, by four processes, with plots and a report.",
        ),
    ),
)
@_options
def fig8(**options: Any) -> int:
    """Messages, memory and latency of class C6, with three sequences of length two to six, ten
    runs each, for all strategies, rules and delays.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    return _experiment("fig8", ("fig8",), Asked(**options))


@click.command(
    "rq4",
    epilog=examples(
        ("choreomon experiment rq4 --quick", "A first look, in a minute or two."),
        (
            "choreomon experiment rq4 -j 4 -o rq4",
            "All of it, by four processes, with plots and a report.",
        ),
    ),
)
@_options
def rq4(**options: Any) -> int:
    """A hundred runs of class C6 with three sequences of length seven: how many end with nothing,
    violated or possibly violated, for all strategies, rules and delays.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    return _experiment("rq4", ("rq4",), Asked(**options))


@click.command(
    "all",
    epilog=examples(
        ("choreomon experiment all --quick -o quick", "A first look at each, in one report."),
        ("choreomon experiment all -j 4 -o results", "All of them, by four processes."),
    ),
)
@_options
def all_of_them(**options: Any) -> int:
    """`fig7`, `fig8` and `rq4`, and one report about them.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    require_own_simulator()
    from choreomon.experiments.monitoring.grids import EXPERIMENTS

    return _experiment("all", EXPERIMENTS, Asked(**options))


def _experiment(name: str, parts: Sequence[ExperimentName], asked: Asked) -> int:
    require_own_simulator()
    output = asked.output
    if output is not None:
        make_directory(output)
        check_picture(output / "any.png")
        check_writable(output / f"{name}.html")
    results = [_result(part, rows) for part, rows in _measured(parts, asked)]
    printed = {each.name: _findings(each) for each in results}
    if output is not None:
        for each in results:
            _write(output, each, asked)
        write(output / f"{name}.html", _page(name, results, asked))
    if asked.as_json:
        click.echo(json.dumps(printed, indent=2))
    else:
        runs = sum(len(each.rows) for each in results)
        click.echo(f"`{_command(name, asked)}`: {runs:,} runs\n")
        click.echo("\n".join(map(_text, results)), nl=False)
    return VIOLATION if any(each.finding.wrong for each in results) else NOTHING_FOUND


def _command(name: str, asked: Asked) -> str:
    """The command with all that results depend on."""
    quick = " --quick" if asked.quick else ""
    return f"choreomon experiment {name} --seed {asked.seed}{quick}"


def _measured(
    parts: Sequence[ExperimentName], asked: Asked
) -> Iterator[tuple[ExperimentName, list[Row]]]:
    """The rows of each experiment. Every file is checked before the first is continued."""
    from choreomon.cli.command_line.screen import screens, tracked
    from choreomon.experiments.monitoring.cells import measured
    from choreomon.experiments.monitoring.grids import FULL, QUICK, grid

    def results(cells: Sequence[Any]) -> Iterator[Row]:
        return shared(measured, cells, asked.engine, asked.jobs)

    begun = []
    for part in parts:
        cells = grid(part, asked.seed, QUICK if asked.quick else FULL)
        path = None if asked.output is None else asked.output / f"{part}.csv"
        begun.append((part, len(cells), measured_rows(path, cells, results)))
    _, errors = screens()
    for part, number, rows in begun:
        shown = tracked(rows, errors, part, number) if sys.stderr.isatty() else rows
        yield part, list(shown)


def _result(name: ExperimentName, rows: list[Row]) -> Result:
    from choreomon.experiments.monitoring.findings import finding, of_all_variants
    from choreomon.experiments.monitoring.tables import by_parameters
    from choreomon.experiments.results.figures import figures

    found = finding(name, rows)
    along = {"fig7": ("sequences", "complexity"), "fig8": ("length",), "rq4": ("branching",)}[name]
    how = ("strategy", "rules", "delay")
    tables = (
        by_parameters("By strategy, rules and delay", of_all_variants(rows), *how),
        by_parameters("Every point", rows, *how, *along),
    )
    return Result(name, rows, found, tables, figures(name, rows, found.series))


def _write(folder: Path, result: Result, asked: Asked) -> None:
    """The data beside the rows that are there already, and the pictures."""
    from choreomon.experiments.monitoring.cells import SERVICE
    from choreomon.experiments.monitoring.records import COLUMNS, values

    head = {
        "experiment": result.name,
        "seed": asked.seed,
        "quick": asked.quick,
        "service_ms": SERVICE.value,
        **_findings(result),
        "columns": COLUMNS,
    }
    # A row a line, so that two versions of the file can be compared.
    rows = ",\n".join(json.dumps(values(row)) for row in result.rows)
    text = json.dumps(head, indent=1).removesuffix("\n}")
    write(folder / f"{result.name}.json", f'{text},\n "rows": [\n{rows}\n]}}\n')
    for figure in result.figures:
        for suffix in (".svg", ".png"):
            write_picture(folder / f"{figure.name}{suffix}", figure.picture)


def _findings(result: Result) -> dict[str, Any]:
    """Findings as JSON, without the single rows."""
    from choreomon.experiments.monitoring.findings import of_all_variants
    from choreomon.experiments.monitoring.summaries import grouped, summary

    found = result.finding
    how = ("strategy", "rules", "delay")
    return {
        "claims": [claim._asdict() for claim in found.claims],
        "fits": [
            {
                "measure": one.measure,
                **one.variant._asdict(),
                "series": one.part,
                **_rounded(asdict(one.fit)),
            }
            for one in found.series
        ],
        "notes": dict(found.notes),
        "wrong": found.wrong,
        "summary": [
            {**dict(zip(how, key, strict=True)), **_rounded(summary(own)._asdict())}
            for key, own in grouped(of_all_variants(result.rows), *how).items()
        ],
    }


def _rounded(value: Any) -> Any:
    """Nine digits, which every machine computes alike."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [*map(_rounded, value)] if isinstance(value, list | tuple) else value


def _text(result: Result) -> str:
    """Claims and the summary, in Markdown."""
    from choreomon.experiments.results.tables import markdown

    lines = [f"## {result.name}\n"]
    for claim in result.finding.claims:
        lines += [f"Paper: {claim.paper}", f"Measured, {claim.agreement}: {claim.measured}"]
        lines += [*(f"- {reason}" for reason in claim.because), ""]
    for heading, sentences in result.finding.notes:
        lines += [f"{heading}:", *(f"- {sentence}" for sentence in sentences), ""]
    summary, _ = result.tables
    return "\n".join([*lines, markdown(summary.head, summary.rows)])


_TITLES: Final = {
    "fig7": "RQ1, Fig. 7: messages by complexity and number of sequences",
    "fig8": "RQ2 and RQ3, Fig. 8: messages, memory and latency by length",
    "rq4": "RQ4: how conservative verdicts are",
}


def _page(name: str, results: Sequence[Result], asked: Asked) -> str:
    from choreomon.cli import version
    from choreomon.experiments.monitoring.cells import SERVICE
    from choreomon.experiments.monitoring.tables import MAIN_COLUMNS, MEANINGS, of_fits
    from choreomon.experiments.results.page import Compared, Part, Tabulated, experiment_page

    degrees = {"as the paper says": 0, "partly": 1, "not as the paper says": 2}
    parts = []
    for result in results:
        summary, points = result.tables
        tables = [
            Tabulated(*summary, folded=False, first=MAIN_COLUMNS),
            Tabulated(*points, folded=True),
        ]
        if result.finding.series:
            tables.insert(0, Tabulated(*of_fits(result.finding.series), folded=False))
        parts.append(
            Part(
                _TITLES[result.name],
                [
                    Compared(
                        one.paper, one.measured, one.agreement, degrees[one.agreement], one.because
                    )
                    for one in result.finding.claims
                ],
                result.finding.notes,
                [(figure.picture, figure.caption) for figure in result.figures],
                tables,
            )
        )
    told = (
        ("command", _command(name, asked)),
        ("made with", f"choreomon {version() or 'from a checkout'}"),
        ("runs", f"{sum(len(result.rows) for result in results):,}"),
        ("service time", f"{SERVICE.value} ms"),
    )
    return experiment_page("Experiments of the paper, repeated", parts, told, MEANINGS)
