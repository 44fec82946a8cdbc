"""`choreomon draw`: the automaton of a property or of a protocol, or a run as a space-time diagram.
What it does with interactions is in `choreomon.cli.draw_interaction`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.analysis_options import analysis_options, method_option
from choreomon.cli.draw_log import draw_log, is_drawn_log
from choreomon.cli.draw_run import run_pictures, view_of
from choreomon.cli.examples import examples
from choreomon.cli.explicit_options import refuse_explicit
from choreomon.cli.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.option_groups import GroupedCommand
from choreomon.cli.pictures import NODES, check_picture, write_picture
from choreomon.cli.writing import WrittenPath, check_not_read, check_writable, suffix_of, write
from choreomon.formats.offline_kind import offline_kind
from choreomon.verify.papers.heuristics import STRATEGIES

if TYPE_CHECKING:
    from choreomon.formats.read import Document
    from choreomon.properties.tables import RulesName
    from choreomon.render.drawing import Picture
    from simulator.monitoring import StrategyName


Strategy: TypeAlias = Literal["pull", "push", "central", "dfs", "bfs", "hcs"]

MONITORING: Final = ("pull", "push", "central")
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
@click.argument("file", type=click.Path())
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
    type=click.Choice([*MONITORING, *STRATEGIES]),
    default=None,
    help="With --run: the strategy of its monitors (default pull); with --trace: in which order "
    "the graph is searched (default dfs).",
)
@click.option(
    "--rules",
    type=click.Choice(["precise", "sound", "paper"]),
    default=None,
    help="With --run: the rules of its monitors.",
)
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
    help="With --trace: nodes show interactions as sequence diagrams, or as terms (default).",
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
    file: str,
    output: Path,
    a_run: bool,
    seed: int,
    strategy: Strategy | None,
    rules: RulesName | None,
    event: int | None,
    everything: bool,
    first: int | None,
    last: int | None,
    stated: bool,
    signature: str | None,
    tree: bool,
    trace: str | None,
    explain: bool,
    nodes: str | None,
    locations: str | None,
    as_json: bool,
    **choices: Any,
) -> int:
    """Draw what FILE is about.

    A document: its property, forward transitions solid and backward ones dashed; or, with --run,
    a run of its application with the violating sequence marked. Of a run with several verdicts
    the gravest is marked, of equal ones the first that is right in the real order.

    An interaction (.hif, .hsf, .json, .mmd, .puml), or with --interaction the one that a document
    states: its sequence diagram; or, with --tree, its term; or, with --trace, how a multi-trace is
    searched for or explained.

    An automaton (.json, .timbuk): its states and edges.

    Of a long run the events around the marked ones are drawn, and all that the property names.

    With --run, a log (docs/logs.md): its sends and handles, in an order that fits it.
    """
    from choreomon.cli.draw_interaction import draw_interaction, is_interaction

    check_not_read(
        output, (file, signature, trace, locations, choices["config"], choices["mapping"])
    )
    logs = LogChoices.taken(choices)
    view = view_of(everything=everything, first=first, last=last)
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
    if holds_one or stated:
        _check_of_interaction(context, file, holds_one=holds_one)
        return draw_interaction(
            file,
            output,
            signature=signature,
            tree=tree,
            trace=trace,
            explain=explain,
            nodes=nodes,
            as_json=as_json,
            choices={**choices, "strategy": strategy},
            stated=stated,
        )
    from choreomon.formats.read import load_document

    _check_of_document(context, file, output)
    document = load_document(file)
    check_not_read(output, document.inputs())
    code = NOTHING_FOUND
    if a_run:
        from choreomon.cli.own_simulator import require_own_simulator
        from choreomon.cli.runs import stopped

        require_own_simulator()
        from simulator.run import simulation

        prepared = simulation(document)
        check_writable(output)
        monitoring = _of_monitors(strategy)
        if monitoring != "pull" and rules == "precise":
            raise click.UsageError("--rules precise can only be used with --strategy pull")
        run = prepared.run(seed, strategy=monitoring, rules=rules, keep_events=True)
        picture, mermaid = run_pictures(run, document, event, view)
        if run.reached_max_events:
            click.echo(stopped(document, run), err=True)
            code = BAD_INPUT
    else:
        picture, mermaid = _automaton(document)
    if output.suffix.lower() == ".mmd":
        write(output, mermaid)
    else:
        write_picture(output, picture)
    if as_json:
        import json

        click.echo(json.dumps(picture.structure, indent=2))
    return code


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
    if strategy in MONITORING:
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
    """Raises `UsageError` for options but those that every picture has, and `others`; `where` says
    where they can be used."""
    known = ("file", "output", "as_json", *others)
    refuse_explicit(
        context,
        (str(option.name) for option in context.command.params if option.name not in known),
        where,
    )


def _check_picture(output: Path, suffixes: Sequence[str] = (".svg", ".png")) -> None:
    """Raises `UsageError` for a suffix that is none of these."""
    if suffix_of(output, ".svg") not in suffixes:
        listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise click.UsageError(f"{output}: the suffix must be {listed}")
    check_picture(output)


def _draw_automaton(file: str, output: Path, locations: str | None, *, as_json: bool) -> int:
    from choreomon.formats.automaton_file import load_automaton, load_locations
    from choreomon.render.protocol_automaton import protocol_picture

    places = None if locations is None else load_locations(locations)
    picture = protocol_picture(load_automaton(file, places), Path(file).stem)
    write_picture(output, picture)
    if as_json:
        import json

        click.echo(json.dumps(picture.structure, indent=2))
    return NOTHING_FOUND


def _of_monitors(strategy: Strategy | None) -> StrategyName:
    match strategy:
        case None:
            return "pull"
        case "pull" | "push" | "central":
            return strategy
        case _:
            raise click.UsageError(f"--strategy {strategy} can only be used with --trace")


def _automaton(document: Document) -> tuple[Picture, str]:
    from choreomon.render.automaton_drawing import automaton_picture
    from choreomon.render.mermaid import automaton_flowchart

    if document.property is None:
        raise click.UsageError(f"{document.file} has no property to draw; --run draws a run")
    automaton = document.property.automaton
    return automaton_picture(automaton, document.name), automaton_flowchart(automaton)
