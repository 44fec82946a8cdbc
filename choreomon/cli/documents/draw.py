"""`choreomon draw`: the automaton of a property or of a protocol, or a run as a space-time diagram.
What it does with interactions is in `choreomon.cli.interactions.draw_interaction`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.analysis_options import analysis_options, method_option
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.command_line.option_groups import GroupedCommand
from choreomon.cli.command_line.options import taken
from choreomon.cli.command_line.pictures import NODES, check_picture, put_picture
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_not_read,
    check_writable,
    suffix_of,
)
from choreomon.cli.offline.draw_log import draw_log, is_drawn_log
from choreomon.cli.simulation.draw_run import run_pictures, view_of
from choreomon.cli.simulation.monitor_options import rules_option, run_once
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.interaction_files.offline_kind import offline_kind
from choreomon.verify.papers.heuristics import STRATEGIES as SEARCHES
from choreomon.verify.papers.heuristics import Strategy as SearchStrategy

if TYPE_CHECKING:
    from choreomon.documents.read import Document
    from choreomon.pictures.shapes.drawing import Picture
    from choreomon.pictures.space_time.window import View
    from choreomon.properties.tables import RulesName


Strategy: TypeAlias = StrategyName | SearchStrategy

_NEEDS_RUN: Final = "with --run: only a run has them"
_VIEW: Final = ("everything", "first", "last")
"""Parameters that say which events of a run are drawn."""


@click.command(
    "draw",
    cls=GroupedCommand,
    groups={
        "A run (--run)": ("a_run", *_VIEW),
        "A run of a document (--run)": ("seed", "strategy", "rules", "event"),
        "A run of a log (--run)": (*LOG_OPTIONS, "session_key"),
        "An interaction": ("stated", "signature", "tree"),
        "A multi-trace beside an interaction (--trace; of its graph --strategy, too)": (
            *("trace", "explain", "mode", "config", "por", "paper_por", "local", "local_on"),
            *("whole_graph", "method", "nodes"),
        ),
        "An automaton": ("locations",),
    },
    epilog=examples(
        ("choreomon draw order.hif -o order.svg", "An interaction, as a sequence diagram."),
        (
            "choreomon draw order.hif --trace logs/late.htf --explain -o late.svg",
            "A run that explains logs, or which action does not fit.",
        ),
    ),
)
@click.argument("files", metavar="FILE...", type=click.Path(), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    type=WrittenPath(),
    help="What to write; the suffix decides: .svg, .png, .mmd (Mermaid), and of interactions "
    ".puml (PlantUML).",
)
@click.option("--run", "a_run", is_flag=True, help="Draw a run instead of the automaton.")
@click.option("--seed", default=0, show_default=True, help="With --run: its seed.")
@click.option(
    "--strategy",
    type=click.Choice([*STRATEGIES, *SEARCHES]),
    default=None,
    help="With --run: the strategy of its monitors (default pull); with --trace: in which order "
    "the graph is searched (default dfs).",
)
@rules_option("With --run: the rules of its monitors.")
@click.option(
    "--event",
    type=click.IntRange(min=0),
    help="With --run: the event whose verdict is marked; default: that of the gravest.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="With --run: all of it, idle processes, too, not only what is around the marked events.",
)
@click.option(
    "--from", "first", type=click.IntRange(min=0), help="With --run: no event before this number."
)
@click.option(
    "--to", "last", type=click.IntRange(min=0), help="With --run: no event after this number."
)
@click.option(
    "--interaction", "stated", is_flag=True, help="Draw the interaction that a document states."
)
@click.option("--signature", "-s", type=click.Path(), help="Of an interaction: .hsf or .json.")
@click.option("--tree", is_flag=True, help="Of an interaction: its term as a tree.")
@click.option(
    "--trace",
    type=click.Path(),
    help="Of an interaction: the graph that is searched for this multi-trace.",
)
@click.option(
    "--nodes",
    type=click.Choice(NODES),
    default=None,
    help="With --trace: nodes show sequence diagrams (default for up to 40), or terms.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="With --trace, not the graph: a run that explains it, or which action does not fit.",
)
@click.option(
    "--locations",
    type=click.Path(),
    help="Of an automaton whose letters are no actions: a .json file that says where they are.",
)
@log_options()
@analysis_options
@method_option
@click.option("--json", "as_json", is_flag=True, help="Print the picture's structure as JSON.")
@click.pass_context
def command(
    context: click.Context,
    /,
    files: tuple[str, ...],
    output: Path,
    as_json: bool,
    **choices: Any,
) -> int:
    """Draw what FILE is about.

    A document: its rules, forward transitions solid and backward ones dashed, those of several
    documents together; or, with --run,
    a run of its application with the violating sequence marked. Of a run with several verdicts
    the gravest is marked, of equal ones the first that is right in the real order.

    An interaction (.hif, .hsf, .json, .mmd, .puml), or with --interaction the one that a document
    states: its sequence diagram; or, with --tree, its term; or, with --trace, how a multi-trace is
    searched for or explained.

    An automaton (.json, .timbuk): its states and edges.

    Of a long run the events around the marked ones are drawn, and all that the property names.

    With --run, a log (docs/logs.md): its sends and handles, in an order that fits it.
    """
    from choreomon.cli.interactions.draw_interaction import Wanted, draw_interaction, is_interaction

    read = [choices[name] for name in ("signature", "trace", "locations", "config", "mapping")]
    file, *further = files
    check_not_read(output, (*files, *read))
    logs = taken(LogChoices, choices)
    view = view_of(**{name: choices.pop(name) for name in _VIEW})
    if further:
        _check_alone(context, (), "with one FILE")
        _check_picture(output, (".svg", ".png", ".mmd"))
        return _draw_document(files, output, None, view, None, as_json)
    a_run, locations = choices.pop("a_run"), choices.pop("locations")
    run = taken(_Run, choices)
    wanted = taken(Wanted, choices)
    if a_run and is_drawn_log(file, logs):
        others = ("a_run", *LOG_OPTIONS, "session_key", *_VIEW)
        _check_alone(context, others, "with other files than logs")
        _check_picture(output, (".svg", ".png", ".mmd"))
        return draw_log(file, output, logs, view, as_json=as_json)
    refuse_explicit(context, (*LOG_OPTIONS, "session_key"), "with --run, and with logs")
    kind = offline_kind(file)
    if kind == "automaton":
        _check_alone(context, ("locations",), "with other files than automata")
        _check_picture(output)
        return _draw_automaton(file, output, locations, as_json=as_json)
    refuse_explicit(context, ("locations",), f"with automata, and {file} is none")
    holds_one = is_interaction(file, kind)
    if holds_one or wanted.stated:
        _check_of_interaction(context, file, holds_one=holds_one)
        return draw_interaction(file, output, wanted, as_json=as_json, choices=choices)
    _check_of_document(context, file, output)
    return _draw_document(files, output, run if a_run else None, view, choices["strategy"], as_json)


class _Run(NamedTuple):
    """The run of a document to draw, and the event whose verdict is marked."""

    seed: int
    rules: RulesName | None
    event: int | None


def _draw_document(
    files: tuple[str, ...],
    output: Path,
    wanted: _Run | None,
    view: View,
    strategy: Strategy | None,
    as_json: bool,
) -> int:
    """Draws the property of a document, or a run of its application; the exit code."""
    from choreomon.documents.several import load_documents

    document = load_documents(files)
    check_not_read(output, document.inputs())
    code = NOTHING_FOUND
    if wanted is None:
        picture, mermaid = _automaton(document)
    else:
        from choreomon.cli.command_line.own_simulator import require_own_simulator

        require_own_simulator()
        check_writable(output)
        run, code = run_once(document, wanted.seed, _of_monitors(strategy), wanted.rules)
        picture, mermaid = run_pictures(run, document, wanted.event, view)
    text = mermaid if output.suffix.lower() == ".mmd" else None
    return put_picture(output, picture, text, as_json=as_json) or code


def _check_of_interaction(context: click.Context, file: str, *, holds_one: bool) -> None:
    """Raises `UsageError` for options that are about other pictures than those of interactions;
    `holds_one` says that the file is an interaction, and no document that states one."""
    a_run, strategy = context.params["a_run"], context.params["strategy"]
    if holds_one:
        refuse_explicit(
            context, ("stated",), "with documents, to draw the interaction that is stated"
        )
    if a_run and not holds_one:
        raise click.UsageError("--interaction and --run are two pictures: leave one out")
    if a_run:
        raise click.UsageError(f"{file} is an interaction: only an application has runs")
    refuse_explicit(context, ("seed", "rules", "event", *_VIEW), _NEEDS_RUN)
    if strategy in STRATEGIES:
        raise click.UsageError(f"--strategy {strategy} can only be used with --run")


def _check_of_document(context: click.Context, file: str, output: Path) -> None:
    """Raises `UsageError` for options that are about interactions, or about runs where none is
    drawn, and for a suffix that says no format."""
    others = ("a_run", "seed", "strategy", "rules", "event", *_VIEW, "locations")
    _check_alone(context, others, f"with interactions, and {file} is none")
    _check_picture(output, (".svg", ".png", ".mmd"))
    if not context.params["a_run"]:
        refuse_explicit(context, ("seed", "strategy", "rules", "event", *_VIEW), _NEEDS_RUN)


def _check_alone(context: click.Context, others: Iterable[str], where: str) -> None:
    """Refuse options beside `others` and those that every picture has. Raises `UsageError`, with
    `where` they can be used."""
    known = ("files", "output", "as_json", *others)
    refuse_explicit(
        context,
        (str(option.name) for option in context.command.params if option.name not in known),
        where,
    )


def _check_picture(output: Path, suffixes: Sequence[str] = (".svg", ".png")) -> None:
    """Refuse a suffix that no picture has. Raises `UsageError`."""
    if suffix_of(output, ".svg") not in suffixes:
        listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise click.UsageError(f"{output}: the suffix must be {listed}")
    check_picture(output)


def _draw_automaton(file: str, output: Path, locations: str | None, *, as_json: bool) -> int:
    from choreomon.interaction_files.automaton_file import load_automaton, load_locations
    from choreomon.pictures.graphs.protocol_automaton import protocol_picture

    places = None if locations is None else load_locations(locations)
    picture = protocol_picture(load_automaton(file, places), Path(file).stem)
    return put_picture(output, picture, as_json=as_json)


def _of_monitors(strategy: Strategy | None) -> StrategyName:
    if strategy is None:
        return "pull"
    if strategy in SEARCHES:
        raise click.UsageError(f"--strategy {strategy} can only be used with --trace")
    return cast("StrategyName", strategy)


def _automaton(document: Document) -> tuple[Picture, str]:
    from choreomon.pictures.as_text.mermaid import automaton_flowchart
    from choreomon.pictures.graphs.automaton_drawing import automaton_picture

    if document.property is None:
        raise click.UsageError(f"{document.file} has no property to draw; --run draws a run")
    automaton = document.property.automaton
    return automaton_picture(automaton, document.name), automaton_flowchart(automaton)
