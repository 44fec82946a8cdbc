"""Interactions for `choreomon draw`: sequence diagrams, term trees, explored graphs and
explanations of multi-traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from choreomon.cli.command_line.analysis_options import analysis_of
from choreomon.cli.command_line.pictures import check_picture, put_picture
from choreomon.cli.command_line.writing import suffix_of
from choreomon.interaction_files.offline_kind import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from choreomon.hibou.configuration import GraphicLogger
    from choreomon.hibou.signature import Signature
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.pictures.shapes.drawing import Picture
    from choreomon.verify.papers.options import Analysis
    from choreomon.verify.verdict import Mode

TEXTS: Final = (".mmd", ".puml")


def is_interaction(file: str, kind: Kind | None) -> bool:
    """Return whether the file is to hold an interaction, and not a scenario or a property; `kind`
    is what its name, or itself, says. Raises `UsageError` for a multi-trace, a configuration and
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


class Wanted(NamedTuple):
    """The picture wanted of an interaction; the fields are named as the parameters of the
    command."""

    signature: str | None
    tree: bool
    trace: str | None
    explain: bool
    nodes: str | None
    stated: bool


def draw_interaction(
    file: str, output: Path, wanted: Wanted, *, as_json: bool, choices: dict[str, Any]
) -> int:
    """Draws the interaction in a file, or the one that a document states; `choices` are those of
    `analysis_of`. The exit code.

    Raises `UsageError` for options that do not go together.
    """
    from choreomon.documents.interactions import load_interaction, load_stated_interaction
    from choreomon.interaction_files.loading import load_signature

    in_text = output.suffix.lower() in TEXTS
    signature, tree, trace, explain, nodes, stated = wanted
    _check(output, in_text, wanted, choices)
    if nodes is not None and (trace is None or explain):
        raise click.UsageError("--nodes says how a searched graph is drawn: it needs --trace alone")
    declared = None if signature is None else load_signature(signature)
    load = load_stated_interaction if stated else load_interaction
    interaction = load(file, declared)
    lifelines = () if declared is None else declared.lifelines
    text = None
    if in_text:
        from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence

        write_text = mermaid_sequence if output.suffix.lower() == ".mmd" else plantuml_sequence
        text = write_text(interaction, lifelines=lifelines)
    picture: Picture
    if trace is not None:
        multitrace = _multi_trace(trace, interaction, declared)
        analysis, loggers = analysis_of(**choices, plain=True)
        if explain:
            picture = _explanation(interaction, lifelines, multitrace, analysis.mode)
        else:
            picture = _graph(interaction, multitrace, analysis, loggers, nodes)
    elif tree:
        from choreomon.pictures.interactions.term_tree import term_tree

        picture = term_tree(interaction)
    else:
        from choreomon.pictures.interactions.sequence_diagram import sequence_diagram

        picture = sequence_diagram(interaction, lifelines=lifelines, name=Path(file).stem)
    return put_picture(output, picture, text, as_json=as_json)


def _check(output: Path, in_text: bool, wanted: Wanted, choices: dict[str, Any]) -> None:
    """Raises `UsageError` for a suffix that says no format, and for options that do not go
    together."""
    _, tree, trace, explain, _, _ = wanted
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
    from choreomon.interaction.lifelines import names
    from choreomon.interaction_files.loading import load_multi_trace

    return load_multi_trace(trace, names(interaction.lifelines), declared)


def _explanation(
    interaction: Interaction,
    lifelines: Sequence[str],
    multitrace: MultiTrace,
    mode: Mode,
) -> Picture:
    from choreomon.batch.explaining import blamed, explained
    from choreomon.pictures.interactions.failure_diagram import failure_diagram
    from choreomon.pictures.interactions.sequence_diagram_parts import (
        lifelines_of,
        message_passings,
        parts_of,
    )
    from choreomon.pictures.interactions.witness_diagram import witness_diagram
    from choreomon.terminal.outcomes import component_reached
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

    from choreomon.batch.explaining import blamed
    from choreomon.cli.command_line.loggers import PLAIN, with_nodes
    from choreomon.cli.interactions.graphs import search_picture
    from choreomon.verify.papers.engine import search
    from choreomon.verify.verdict import Verdict

    if analysis.portfolio:
        raise click.UsageError("--strategy portfolio is two searches: choose one to draw")
    assert analysis.search is not None
    try:
        found = search(
            interaction, multitrace, analysis.mode, replace(analysis.search, record=True)
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    fault = None
    if found.verdict is Verdict.FAIL:
        fault = blamed(interaction, multitrace, analysis.mode)
    logger = with_nodes(next(iter(loggers), PLAIN), nodes)
    return search_picture(interaction, analysis, found, logger, fault)
