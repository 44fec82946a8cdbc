"""`choreomon draw`: the automaton of a property, or a run as a space-time diagram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.writing import WrittenPath, check_writable, write

if TYPE_CHECKING:
    from choreomon.core.run import Run, RunVerdict
    from choreomon.formats.read import Document
    from choreomon.properties.tables import RulesName
    from choreomon.render.drawing import Picture
    from choreomon.render.window import Mark
    from simulator.monitoring import StrategyName


@click.command("draw")
@click.argument("file", type=click.Path())
@click.option(
    "-o",
    "--output",
    required=True,
    type=WrittenPath(),
    help="What to write; the suffix decides: .svg, .png or .mmd (Mermaid).",
)
@click.option("--run", "a_run", is_flag=True, help="Draw a run instead of the automaton.")
@click.option("--seed", default=0, show_default=True, help="With --run: its seed.")
@click.option(
    "--strategy",
    type=click.Choice(["pull", "push", "central"]),
    default="pull",
    show_default=True,
    help="With --run: the strategy of its monitors.",
)
@click.option(
    "--rules",
    type=click.Choice(["sound", "paper"]),
    default=None,
    help="With --run: the rules of its monitors.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the picture's structure as JSON.")
@click.pass_context
def command(
    context: click.Context,
    file: str,
    output: Path,
    a_run: bool,
    seed: int,
    strategy: StrategyName,
    rules: RulesName | None,
    as_json: bool,
) -> int:
    """Draw the property in FILE, forward transitions solid and backward ones dashed; or,
    with --run, a run of its application with the violating sequence marked.

    Of a run with several verdicts the gravest is marked, the first of those.
    """
    from choreomon.formats.read import load_document

    suffix = output.suffix.lower()
    if suffix not in (".svg", ".png", ".mmd"):
        raise click.UsageError(f"{output}: the suffix must be .svg, .png or .mmd")
    if not a_run:
        _refuse_options_of_a_run(context)
    document = load_document(file)
    code = NOTHING_FOUND
    if a_run:
        from choreomon.cli.simulate import stopped
        from simulator.run import simulation

        prepared = simulation(document)
        check_writable(output)
        run = prepared.run(seed, strategy=strategy, rules=rules, keep_events=True)
        picture, mermaid = _run(run)
        if run.reached_max_events:
            click.echo(stopped(file, run), err=True)
            code = BAD_INPUT
    else:
        picture, mermaid = _automaton(document)
    if suffix == ".mmd":
        write(output, mermaid)
    elif suffix == ".svg":
        from choreomon.render.svg import svg_document

        write(output, svg_document(picture.drawing))
    else:
        from choreomon.render.png import png_bytes

        write(output, png_bytes(picture.drawing))
    if as_json:
        import json

        click.echo(json.dumps(picture.structure, indent=2))
    return code


def _refuse_options_of_a_run(context: click.Context) -> None:
    """Raises `UsageError` where one was given, even with its default's value."""
    from click.core import ParameterSource

    given = [
        f"--{name}"
        for name in ("seed", "strategy", "rules")
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]
    if given:
        options = " and ".join(given)
        raise click.UsageError(f"{options} can only be used with --run: only a run has them")


def _automaton(document: Document) -> tuple[Picture, str]:
    from choreomon.render.automaton_drawing import automaton_picture
    from choreomon.render.mermaid import automaton_flowchart

    if document.property is None:
        raise click.UsageError(f"{document.file} has no property to draw; --run draws a run")
    automaton = document.property.automaton
    return automaton_picture(automaton, document.name), automaton_flowchart(automaton)


def _run(run: Run) -> tuple[Picture, str]:
    from choreomon.render.mermaid import run_sequence_diagram
    from choreomon.render.space_time import space_time_picture

    verdict = _gravest(run)
    marks = _marks(run, verdict)
    picture = space_time_picture(run.kept_events, run.processes, marks, verdict=verdict)
    mermaid = run_sequence_diagram(run.kept_events, run.processes, marks, run.verdicts)
    return picture, mermaid


def _gravest(run: Run) -> RunVerdict | None:
    from choreomon.render.summary import worst_word

    word = worst_word(run)
    return next((verdict for verdict in run.verdicts if verdict.verdict == word), None)


def _marks(run: Run, verdict: RunVerdict | None) -> tuple[Mark, ...]:
    from choreomon.render.window import marks_of

    if verdict is None:
        return ()
    return marks_of(verdict, dict(run.formed or ()).get(verdict.event_index, ()))
