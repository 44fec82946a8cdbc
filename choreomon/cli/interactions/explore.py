"""`choreomon explore`: the execution tree of an interaction, and multi-traces made from it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.clocks import shared_clocks
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.pictures import NODES, check_picture
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_written,
    suffix_of,
)
from choreomon.cli.command_line.written_traces import TraceWriter, stem
from choreomon.verify.papers.heuristics import STRATEGIES

if TYPE_CHECKING:
    from choreomon.hibou.configuration import (
        ExploreOptions,
        GraphicLogger,
        TraceGenerationLogger,
    )
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.projection import Partition
    from choreomon.verify.papers.exploration import Exploration, Generation
    from choreomon.verify.papers.heuristics import Filters, Priorities, Strategy

KINDS: Final = ("emission", "reception", "loop")
"""Kinds of steps that may come first."""

DEFAULT_NODES: Final = 30_000
"""Made where nothing is bounded, mostly within some seconds. Trees without loops are finite, but
have a path for every order of what happens independently."""


@click.command(
    "explore",
    epilog=examples(
        (
            "choreomon explore order.hif --max-depth 6 -o tree.svg",
            "Draw what can happen in six actions.",
        ),
        (
            "choreomon explore order.hif --max-loop-depth 1 --traces accepted",
            "Write the multi-trace of each execution that enters one loop.",
        ),
    ),
)
@click.argument("file", type=click.Path())
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option("--config", type=click.Path(), help="A .hcf file with an @explore_option section.")
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    default=None,
    help="Depth first, breadth first (default), or high coverage.",
)
@click.option("--max-depth", type=click.IntRange(min=0), help="Actions on a path.")
@click.option("--max-loop-depth", type=click.IntRange(min=0), help="Loops entered on a path.")
@click.option("--max-nodes", type=click.IntRange(min=1), help="Nodes in all.")
@click.option(
    "--priority",
    "priorities",
    metavar="KIND=N",
    multiple=True,
    help="What comes first: emission, reception or loop, the highest number first.",
)
@click.option("--seed", type=int, help="Shuffle steps of equal priority, by this seed.")
@click.option(
    "--generate",
    type=click.Choice(["exact", "prefix", "terminal"]),
    help="Make multi-traces: accepted ones, those of all paths, or of paths to their ends.",
)
@click.option(
    "--partition",
    default=None,
    metavar="discrete|trivial|a,b;c",
    help="Of what is generated, which lifelines share a clock; default: discrete, none do.",
)
@click.option(
    "--traces",
    "folder",
    type=WrittenPath(directory=True),
    help="Write them to this folder; without --generate, accepted ones.",
)
@click.option(
    "-o", "--output", type=WrittenPath(), help="Draw the tree; the suffix decides: .svg or .png."
)
@click.option(
    "--nodes",
    type=click.Choice(NODES),
    default=None,
    help="With -o: nodes show sequence diagrams (default for up to 40), or terms.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the tree, or the multi-traces.")
def command(file: str, **options: Any) -> int:
    """Explore the executions of the interaction in FILE.

    Loops make the tree infinite, and independent actions make it large, as each order of them is a
    path. Where neither options nor a configuration say how far to go, each path enters at most one
    loop, and at most 30,000 nodes are made; the output says what was left out. What the loggers of
    a configuration ask for is drawn and written, too, unless options say otherwise.
    """
    from choreomon.documents.interactions import load_interaction
    from choreomon.interaction_files.loading import load_signature
    from choreomon.verify.papers.exploration import explore

    request = ExplorationRequest(file=file, **options)
    if request.nodes is not None and request.output is None:
        raise click.UsageError("--nodes can only be used with -o: it says how the tree is drawn")
    drawn = request.output
    if drawn is not None and suffix_of(drawn, ".svg") not in (".svg", ".png"):
        raise click.UsageError(f"{request.output}: the suffix must be .svg or .png")
    configured = _configured(request.config)
    wanted = _generations(request, configured)
    declared = None if request.signature is None else load_signature(request.signature)
    interaction = load_interaction(file, declared)
    pictures = _pictures(request, configured)
    filters, by_default = _filters(request, configured)
    order = request.strategy or configured.strategy
    ranks = _priorities(request, configured)
    known = () if declared is None else declared.lifelines
    onto = [_partition(one.partition, interaction, known, request) for one in wanted]
    exploration = explore(interaction, strategy=order, priorities=ranks, filters=filters)
    for path, logger in pictures:
        _draw(exploration, path, logger, _legend(order, ranks, filters))
        if request.output is None:
            click.echo(f"{path} written", err=True)
    _write(exploration, request, configured, [*zip(wanted, onto, strict=True)])
    exact = any(one.generation == "exact" for one in wanted)
    _say(exploration, request, order, filters, exact=exact, by_default=by_default)
    return NOTHING_FOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorationRequest:
    """The options."""

    file: str
    signature: str | None
    config: str | None
    strategy: Strategy | None
    max_depth: int | None
    max_loop_depth: int | None
    max_nodes: int | None
    priorities: tuple[str, ...]
    seed: int | None
    generate: Generation | None
    partition: str | None
    folder: Path | None
    output: Path | None
    nodes: str | None
    as_json: bool

    @property
    def traces(self) -> bool:
        """True if the command is asked for multi-traces, and not a configuration."""
        return self.generate is not None or self.folder is not None


def _write(
    exploration: Exploration,
    request: ExplorationRequest,
    configured: ExploreOptions,
    wanted: Sequence[tuple[TraceGenerationLogger, Partition]],
) -> None:
    """Makes multi-traces of the tree, for each logger over its partition, and says where they
    are."""
    name = stem(request.file)
    instead = "use --json" if request.traces else "--traces FOLDER --json writes them"
    as_json = request.as_json and request.traces
    writers: dict[Path | None, TraceWriter] = {}
    for logged, clocks in wanted:
        place = request.folder or _folder(configured, logged, name)
        if place not in writers:
            writers[place] = TraceWriter(place, as_json=as_json, instead=instead)
        _generate(exploration, clocks, logged, writers[place], name)
    for writer in writers.values():
        if said := writer.said():
            click.echo(said, err=True)


def _say(
    exploration: Exploration,
    request: ExplorationRequest,
    order: Strategy,
    filters: Filters,
    *,
    exact: bool,
    by_default: bool,
) -> None:
    """Describe the tree, if nobody asked for multi-traces, and its limits; `exact` says that its
    ends were asked for, `by_default` that nobody asked for the filters."""
    from choreomon.cli.interactions.explored import as_json, beyond_defaults, in_words, no_ends

    if exact and (said := no_ends(exploration, order)):
        click.echo(said, err=True)
    if request.traces and not exploration.is_whole:
        click.echo(f"made of a part of the tree: {in_words(exploration)}", err=True)
    if not request.traces and request.as_json:
        click.echo(json.dumps(as_json(exploration, filters, by_default=by_default), indent=2))
    elif not request.traces:
        click.echo(in_words(exploration))
    if by_default and (said := beyond_defaults(exploration, filters)):
        click.echo(said, err=True)


def _generations(
    request: ExplorationRequest, configured: ExploreOptions
) -> list[TraceGenerationLogger]:
    """Multi-traces to generate: what loggers say, with the fields replaced that options say. Equal
    ones are joined. Raises `UsageError` for a partition of nothing."""
    from choreomon.cli.command_line.loggers import trace_loggers
    from choreomon.hibou.configuration import TraceGenerationLogger

    wanted = trace_loggers(configured.loggers)
    if not wanted and request.traces:
        wanted = (TraceGenerationLogger(partition="discrete"),)
    given: dict[str, Any] = {}
    if request.generate is not None:
        given["generation"] = request.generate
    if request.partition is not None:
        given["partition"] = _named_partition(request.partition)
        if not wanted:
            raise click.UsageError("--partition is about what --generate makes")
    return list(dict.fromkeys(one._replace(**given) for one in wanted))


def _folder(configured: ExploreOptions, logged: TraceGenerationLogger, name: str) -> Path | None:
    """The folder of a logger; None, which is the output, for what is no logger's."""
    from choreomon.cli.command_line.loggers import trace_loggers

    if not trace_loggers(configured.loggers):
        return None
    return Path(logged.folder or f"{name}-traces")


def _pictures(
    request: ExplorationRequest, configured: ExploreOptions
) -> list[tuple[Path, GraphicLogger]]:
    """Pictures to draw: an `output` is the only one, and looks as the first logger says. Raises
    where they cannot be written."""
    from choreomon.cli.command_line.loggers import (
        PLAIN,
        check_different,
        graphic_loggers,
        picture_path,
        with_nodes,
    )

    loggers = graphic_loggers(configured.loggers)
    if request.output is not None:
        logger = next(iter(loggers), PLAIN)
        pictures = [(request.output, with_nodes(logger, request.nodes))]
    else:
        paths = [picture_path(logger, f"{stem(request.file)}-tree") for logger in loggers]
        check_different(paths, request.config or "")
        pictures = [*zip(paths, loggers, strict=True)]
    for path, _ in pictures:
        check_picture(path)
    inputs = (request.file, request.signature, request.config)
    check_written((path for path, _ in pictures), inputs)
    return pictures


def _filters(request: ExplorationRequest, configured: ExploreOptions) -> tuple[Filters, bool]:
    """The filters: bounds of the command line and of a configuration; without any, the default
    ones, and True."""
    from choreomon.hibou.configuration import ExploreOptions
    from choreomon.verify.papers.heuristics import Filters

    bounds = {
        "max_depth": request.max_depth,
        "max_loop_depth": request.max_loop_depth,
        "max_node_number": request.max_nodes,
    }
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    filters = (Filters() if request.config is None else configured.filters)._replace(**given)
    if filters != Filters():
        return filters, False
    return ExploreOptions().filters._replace(max_node_number=DEFAULT_NODES), True


def _configured(config: str | None) -> ExploreOptions:
    from choreomon.cli.command_line.loggers import refuse
    from choreomon.hibou.configuration import ExploreOptions
    from choreomon.interaction_files.loading import load_configuration

    if config is None:
        return ExploreOptions()
    options = load_configuration(config).explore
    if options is None:
        refuse(config, "has no section @explore_option{..}")
    if options.memoize:
        refuse(config, "memoize = true is not supported by explore: it makes a tree")
    return options


_PRIORITY: Final = re.compile(r"-?[0-9]{1,18}")


def _priorities(request: ExplorationRequest, configured: ExploreOptions) -> Priorities:
    """The priorities of the configuration, with those replaced that options say. Raises
    `BadParameter`."""
    given: dict[str, int] = {}
    for text in request.priorities:
        kind, _, number = text.partition("=")
        if kind not in KINDS or not _PRIORITY.fullmatch(number):
            raise click.BadParameter(
                f"{text!r} is no priority: write {'=1, '.join(KINDS)}=1 or the like",
                param_hint="--priority",
            )
        given[kind] = int(number)
    if request.seed is not None:
        given["random_seed"] = request.seed
    return configured.priorities._replace(**given)


def _named_partition(text: str) -> Any:
    """`discrete`, `trivial`, or groups of names."""
    if text in ("discrete", "trivial"):
        return text
    return shared_clocks(text.split(";"), "--partition")


def _partition(
    named: Any, interaction: Interaction, declared: Sequence[str], request: ExplorationRequest
) -> Partition:
    """The partition of all lifelines; those that no group names have a clock of their own.

    Raises `BadParameter` for a name that is no lifeline, of the interaction or `declared`: it would
    become one that is silent.
    """
    from choreomon.interaction.lifelines import names
    from choreomon.multitrace.projection import discrete, partition, trivial

    lifelines = names(interaction.lifelines)
    if named == "discrete":
        return discrete(lifelines)
    if named == "trivial":
        return trivial(lifelines)
    groups = partition(named)
    grouped = {name for group in groups for name in group}
    known = {*lifelines, *declared}
    if unknown := sorted(grouped - known):
        raise click.BadParameter(
            f"no lifeline is called {' or '.join(unknown)}: there are "
            f"{', '.join(sorted(known)) or 'none'}",
            param_hint="--config" if request.partition is None else "--partition",
        )
    return (*groups, *discrete(set(lifelines) - grouped))


def _generate(
    exploration: Exploration,
    onto: Partition,
    logged: TraceGenerationLogger,
    writer: TraceWriter,
    name: str,
) -> None:
    from choreomon.verify.papers.exploration import generated_multi_traces

    kind = logged.generation
    for number, made in enumerate(generated_multi_traces(exploration, onto, kind), start=1):
        writer.write(f"{logged.name_prefix or name}-{kind}-{number}", made)


def _draw(exploration: Exploration, output: Path, logger: GraphicLogger, legend: list[str]) -> None:
    from choreomon.cli.command_line.loggers import graph_picture
    from choreomon.cli.command_line.pictures import write_picture
    from choreomon.pictures.graphs.search_pictures import picture_of_exploration

    root = exploration.nodes[0].interaction
    write_picture(output, graph_picture(picture_of_exploration(exploration), root, logger, legend))


def _legend(strategy: Strategy, priorities: Priorities, filters: Filters) -> list[str]:
    from choreomon.cli.command_line.loggers import stated

    return [
        f"exploration, strategy: {strategy}",
        f"priorities: {stated(priorities) or 'none'}",
        f"filters: {stated(filters) or 'none'}",
    ]
