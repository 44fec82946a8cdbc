"""What `choreomon draw` does with interactions: sequence diagrams, term trees, explored graphs and
explanations of multi-traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.analysis_options import analysis_of
from choreomon.cli.pictures import check_picture, write_picture
from choreomon.cli.writing import suffix_of, write
from choreomon.formats.offline_kind import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from choreomon.formats.hibou.configuration import GraphicLogger
    from choreomon.formats.hibou.signature import Signature
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.render.drawing import Picture
    from choreomon.verify.papers.options import Analysis
    from choreomon.verify.verdict import Mode

TEXTS: Final = (".mmd", ".puml")


def is_interaction(file: str, kind: Kind | None) -> bool:
    """Whether the file is to hold an interaction, and not a scenario or a property; `kind` is what
    its name, or itself, says. Raises `UsageError` for a multi-trace, a configuration and
    locations."""
    if kind == "locations":
        raise click.UsageError(
            f"{file} says where letters are: it is for the drawing of an automaton, "
            f"choreomon draw AUTOMATON --locations {file}"
        )
    if kind == "configuration":
        raise click.UsageError(
            f"{file} is a configuration: it is for the drawing of a multi-trace, "
            f"choreomon draw INTERACTION --trace TRACE --config {file}"
        )
    if kind == "multi-trace":
        raise click.UsageError(
            f"{file} is a multi-trace: it is drawn with an interaction, "
            f"choreomon draw INTERACTION --trace {file}"
        )
    return kind is not None


def draw_interaction(
    file: str,
    output: Path,
    *,
    signature: str | None,
    tree: bool,
    trace: str | None,
    explain: bool,
    nodes: str | None,
    as_json: bool,
    choices: dict[str, Any],
    stated: bool = False,
) -> int:
    """Draws what is asked for, of the interaction in a file, or of the one that a document states;
    the exit code.

    Raises `UsageError` for options that do not go together.
    """
    from choreomon.formats.hibou.files import (
        load_interaction,
        load_signature,
        load_stated_interaction,
    )

    in_text = output.suffix.lower() in TEXTS
    _check(output, in_text, tree=tree, trace=trace, explain=explain, choices=choices)
    if nodes is not None and (trace is None or explain):
        raise click.UsageError("--nodes says how a searched graph is drawn: it needs --trace alone")
    declared = None if signature is None else load_signature(signature)
    load = load_stated_interaction if stated else load_interaction
    interaction = load(file, declared)
    lifelines = () if declared is None else declared.lifelines
    if in_text:
        from choreomon.render.sequence_text import mermaid_sequence, plantuml_sequence

        write_text = mermaid_sequence if output.suffix.lower() == ".mmd" else plantuml_sequence
        write(output, write_text(interaction, lifelines=lifelines))
    picture: Picture
    if trace is not None:
        multitrace = _multi_trace(trace, interaction, declared)
        analysis, loggers = analysis_of(**choices, plain=True)
        if explain:
            picture = _explanation(interaction, lifelines, multitrace, analysis.mode)
        else:
            picture = _graph(interaction, multitrace, analysis, loggers, nodes)
    elif tree:
        from choreomon.render.term_tree import term_tree

        picture = term_tree(interaction)
    else:
        from choreomon.render.sequence_diagram import sequence_diagram

        picture = sequence_diagram(interaction, lifelines=lifelines, name=Path(file).stem)
    if not in_text:
        write_picture(output, picture)
    if as_json:
        click.echo(json.dumps(picture.structure, indent=2))
    return NOTHING_FOUND


def _check(
    output: Path,
    in_text: bool,
    *,
    tree: bool,
    trace: str | None,
    explain: bool,
    choices: dict[str, Any],
) -> None:
    """Raises `UsageError` for a suffix that says no format, and for options that do not go
    together."""
    suffix = suffix_of(output, ".svg")
    if suffix not in (".svg", ".png", *TEXTS):
        raise click.UsageError(f"{output}: the suffix must be .svg, .png, .mmd or .puml")
    check_picture(output)
    if in_text and (tree or trace is not None):
        raise click.UsageError(f"{output}: {suffix} is for sequence diagrams of interactions only")
    if tree and trace is not None:
        raise click.UsageError("--tree draws the interaction, --trace what became of a multi-trace")
    unused = {"paper_por": False, "whole_graph": False}
    searching = {name for name, choice in choices.items() if choice != unused.get(name)}
    if trace is None and (explain or searching):
        raise click.UsageError("an analysis needs a multi-trace: say which with --trace")
    if explain and searching - {"mode"}:
        raise click.UsageError("--explain takes --mode only: it shows no search")


def _multi_trace(trace: str, interaction: Interaction, declared: Signature | None) -> MultiTrace:
    from choreomon.formats.hibou.files import load_multi_trace
    from choreomon.interaction.lifelines import names

    return load_multi_trace(trace, names(interaction.lifelines), declared)


def _explanation(
    interaction: Interaction,
    lifelines: Sequence[str],
    multitrace: MultiTrace,
    mode: Mode,
) -> Picture:
    from choreomon.batch.explaining import blamed, explained
    from choreomon.render.failure_diagram import failure_diagram
    from choreomon.render.outcomes import component_reached
    from choreomon.render.sequence_diagram_parts import lifelines_of, message_passings, parts_of
    from choreomon.render.witness_diagram import witness_diagram
    from choreomon.verify.verdict import Verdict

    found = explained(interaction, multitrace, mode, Verdict.INCONC)
    if found.witness is not None:
        return witness_diagram(
            found.witness,
            passings=message_passings(interaction),
            lifelines=lifelines_of(parts_of(interaction), lifelines),
        )
    if found.failure is not None:
        fault = blamed(interaction, multitrace, mode)
        others = [one.next_action for one in found.others]
        return failure_diagram((component_reached(one, fault) for one in found.failure), others)
    raise click.ClickException(f"not explained: {found.reason}")


def _graph(
    interaction: Interaction,
    multitrace: MultiTrace,
    analysis: Analysis,
    loggers: tuple[GraphicLogger, ...],
    nodes: str | None,
) -> Picture:
    from dataclasses import replace

    from choreomon.cli.graphs import search_picture
    from choreomon.cli.loggers import PLAIN, with_nodes
    from choreomon.verify.papers.engine import search

    if analysis.portfolio:
        raise click.UsageError("--strategy portfolio is two searches: choose one to draw")
    assert analysis.search is not None
    try:
        found = search(
            interaction, multitrace, analysis.mode, replace(analysis.search, record=True)
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    logger = with_nodes(next(iter(loggers), PLAIN), nodes)
    return search_picture(interaction, analysis, found, logger)
