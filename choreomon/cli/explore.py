"""`choreomon explore`: the execution tree of an interaction, and multi-traces made from it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.clocks import shared_clocks
from choreomon.cli.pictures import check_picture
from choreomon.cli.writing import WrittenPath, check_not_read, check_writable, make_directory
from choreomon.cli.written_traces import TraceWriter, stem
from choreomon.verify.heuristics import STRATEGIES

if TYPE_CHECKING:
    from choreomon.formats.hibou import ExploreOptions
    from choreomon.formats.hibou.configuration import GraphicLogger, TraceGenerationLogger
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.projection import Partition
    from choreomon.verify.exploration import Exploration, Generation
    from choreomon.verify.heuristics import Filters, Priorities, Strategy

KINDS: Final = ("emission", "reception", "loop")
"""Of steps that may come first."""

DEFAULT_NODES: Final = 30_000
"""Made where nothing is bounded, mostly within some seconds. Trees without loops are finite, but
have a path for every order of what happens independently."""


@click.command("explore")
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the tree, or the multi-traces.")
def command(
    file: str,
    signature: str | None,
    config: str | None,
    strategy: Strategy | None,
    max_depth: int | None,
    max_loop_depth: int | None,
    max_nodes: int | None,
    priorities: tuple[str, ...],
    seed: int | None,
    generate: Generation | None,
    partition: str | None,
    folder: Path | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Explore the executions of the interaction in FILE.

    Trees of interactions with loops are infinite, and others grow with every order of what
    happens independently: where neither options nor a configuration bound them, each path enters
    one loop, and at most 30,000 nodes are made. What was cut off so is said. What the loggers of
    a configuration ask for is drawn and written, too, unless options say otherwise.
    """
    from choreomon.cli.explored import as_json as tree_as_json
    from choreomon.cli.explored import beyond_defaults, in_words, no_ends
    from choreomon.formats.hibou.files import load_interaction, load_signature
    from choreomon.interaction.lifelines import names
    from choreomon.verify.exploration import explore

    if output is not None and output.suffix.lower() not in (".svg", ".png"):
        raise click.UsageError(f"{output}: the suffix must be .svg or .png")
    options = _options(config)
    wanted = _generations(options, generate, partition, folder)
    if not wanted and partition is not None:
        raise click.UsageError("--partition is about what --generate makes")
    declared = None if signature is None else load_signature(signature)
    interaction = load_interaction(file, declared)
    pictures = _pictures(options, output, f"{stem(file)}-tree", config)
    for path, _ in pictures:
        check_picture(path)
        make_directory(path.parent)
        check_not_read(path, (file, signature, config))
        check_writable(path)
    bounds = {
        "max_depth": max_depth,
        "max_loop_depth": max_loop_depth,
        "max_node_number": max_nodes,
    }
    filters, by_default = _filters(
        options if config is not None else None,
        {name: bound for name, bound in bounds.items() if bound is not None},
    )
    order = strategy or options.strategy
    ranks = options.priorities._replace(
        **_priorities(priorities), **({} if seed is None else {"random_seed": seed})
    )
    known = {*names(interaction.lifelines), *(() if declared is None else declared.lifelines)}
    for one in wanted:
        if isinstance(one.partition, tuple):
            by = "--config" if partition is None else "--partition"
            _check_lifelines(one.partition, known, by)
    onto = [_partition(one.partition, interaction) for one in wanted]
    exploration = explore(interaction, strategy=order, priorities=ranks, filters=filters)
    for path, logger in pictures:
        _draw(exploration, path, logger, _legend(order, ranks, filters))
        if output is None:
            click.echo(f"{path} written", err=True)
    on_line = generate is not None or folder is not None
    writers: dict[Path | None, TraceWriter] = {}
    for logged, clocks in zip(wanted, onto, strict=True):
        place = folder or _folder(options, logged, stem(file))
        if place not in writers:
            instead = "use --json" if on_line else "--traces FOLDER --json writes them"
            writers[place] = TraceWriter(place, as_json=as_json and on_line, instead=instead)
        _generate(exploration, clocks, logged, writers[place], stem(file))
    for writer in writers.values():
        if said := writer.said():
            click.echo(said, err=True)
    if any(one.generation == "exact" for one in wanted) and (said := no_ends(exploration, order)):
        click.echo(said, err=True)
    if on_line and not exploration.is_whole:
        click.echo(f"made of a part of the tree: {in_words(exploration)}", err=True)
    if not on_line:
        if as_json:
            tree = tree_as_json(exploration, filters, by_default=by_default)
            click.echo(json.dumps(tree, indent=2))
        else:
            click.echo(in_words(exploration))
    if by_default and (said := beyond_defaults(exploration, filters)):
        click.echo(said, err=True)
    return NOTHING_FOUND


def _generations(
    options: ExploreOptions,
    generate: Generation | None,
    partition: str | None,
    folder: Path | None,
) -> list[TraceGenerationLogger]:
    """What is to be generated: what loggers say, with that replaced which options say. Those that
    are the same then are one."""
    from choreomon.cli.loggers import trace_loggers
    from choreomon.formats.hibou.configuration import TraceGenerationLogger

    wanted = trace_loggers(options.loggers)
    if not wanted and (generate is not None or folder is not None):
        wanted = (TraceGenerationLogger(partition="discrete"),)
    given: dict[str, Any] = {}
    if generate is not None:
        given["generation"] = generate
    if partition is not None:
        given["partition"] = _named_partition(partition)
    return list(dict.fromkeys(one._replace(**given) for one in wanted))


def _folder(options: ExploreOptions, logged: TraceGenerationLogger, name: str) -> Path | None:
    """Where a logger writes; None, which is the output, for what is no logger's."""
    from choreomon.cli.loggers import trace_loggers

    if not trace_loggers(options.loggers):
        return None
    return Path(logged.folder or f"{name}-traces")


def _pictures(
    options: ExploreOptions, output: Path | None, name: str, config: str | None
) -> list[tuple[Path, GraphicLogger]]:
    """Which pictures to draw, and how. An `output` is the only one, and looks as the first logger
    says."""
    from choreomon.cli.loggers import PLAIN, check_different, graphic_loggers, picture_path

    loggers = graphic_loggers(options.loggers)
    if output is not None:
        return [(output, next(iter(loggers), PLAIN))]
    paths = [picture_path(logger, name) for logger in loggers]
    check_different(paths, config or "")
    return [*zip(paths, loggers, strict=True)]


def _filters(configured: ExploreOptions | None, given: dict[str, int]) -> tuple[Filters, bool]:
    """One's own bounds, and those of a configuration; where there are none, the default ones, and
    True."""
    from choreomon.formats.hibou import ExploreOptions
    from choreomon.verify.heuristics import Filters

    filters = (Filters() if configured is None else configured.filters)._replace(**given)
    if filters != Filters():
        return filters, False
    return ExploreOptions().filters._replace(max_node_number=DEFAULT_NODES), True


def _options(config: str | None) -> ExploreOptions:
    from choreomon.cli.loggers import refuse
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.formats.hibou import ExploreOptions
    from choreomon.formats.hibou.files import load_configuration

    if config is None:
        return ExploreOptions()
    options = load_configuration(config).explore
    if options is None:
        raise DocumentError((Problem(config, 0, "", "has no section @explore_option{..}"),))
    if options.memoize:
        refuse(config, "memoize = true is not supported by explore: it makes a tree")
    return options


_PRIORITY: Final = re.compile(r"-?[0-9]{1,18}")


def _priorities(given: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in given:
        kind, _, number = text.partition("=")
        if kind not in KINDS or not _PRIORITY.fullmatch(number):
            raise click.BadParameter(
                f"{text!r} is no priority: write {'=1, '.join(KINDS)}=1 or the like",
                param_hint="--priority",
            )
        found[kind] = int(number)
    return found


def _named_partition(text: str) -> Any:
    """`discrete`, `trivial`, or groups of names."""
    if text in ("discrete", "trivial"):
        return text
    return shared_clocks(text.split(";"), "--partition")


def _check_lifelines(groups: Partition, known: set[str], option: str) -> None:
    """Raises `BadParameter` for a name that is no lifeline: it would become one that is silent."""
    if unknown := sorted({name for group in groups for name in group} - known):
        raise click.BadParameter(
            f"no lifeline is called {' or '.join(unknown)}: there are "
            f"{', '.join(sorted(known)) or 'none'}",
            param_hint=option,
        )


def _partition(named: Any, interaction: Interaction) -> Partition:
    """The partition of all lifelines; those that no group names have a clock of their own."""
    from choreomon.interaction.lifelines import names
    from choreomon.multitrace.projection import discrete, partition, trivial

    lifelines = names(interaction.lifelines)
    if named == "discrete":
        return discrete(lifelines)
    if named == "trivial":
        return trivial(lifelines)
    groups = partition(named)
    grouped = {name for group in groups for name in group}
    return (*groups, *discrete(set(lifelines) - grouped))


def _generate(
    exploration: Exploration,
    onto: Partition,
    logged: TraceGenerationLogger,
    writer: TraceWriter,
    name: str,
) -> None:
    from choreomon.verify.exploration import generated_multi_traces

    kind = logged.generation
    for number, made in enumerate(generated_multi_traces(exploration, onto, kind), start=1):
        writer.write(f"{logged.name_prefix or name}-{kind}-{number}", made)


def _draw(exploration: Exploration, output: Path, logger: GraphicLogger, legend: list[str]) -> None:
    from choreomon.cli.loggers import graph_picture
    from choreomon.cli.pictures import write_picture
    from choreomon.render.search_pictures import picture_of_exploration

    root = exploration.nodes[0].interaction
    write_picture(output, graph_picture(picture_of_exploration(exploration), root, logger, legend))


def _legend(strategy: Strategy, priorities: Priorities, filters: Filters) -> list[str]:
    from choreomon.cli.loggers import stated

    return [
        f"exploration, strategy: {strategy}",
        f"priorities: {stated(priorities) or 'none'}",
        f"filters: {stated(filters) or 'none'}",
    ]
