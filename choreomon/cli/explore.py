"""`choreomon explore`: the execution tree of an interaction, and multi-traces made from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.clocks import shared_clocks
from choreomon.cli.writing import WrittenPath, check_writable
from choreomon.cli.written_traces import TraceWriter, stem

if TYPE_CHECKING:
    from choreomon.formats.hibou import ExploreOptions
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.projection import Partition
    from choreomon.verify.exploration import Exploration, Generation
    from choreomon.verify.heuristics import Strategy

KINDS: Final = ("emission", "reception", "loop")
"""Of steps that may come first."""


@click.command("explore")
@click.argument("file", type=click.Path())
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option("--config", type=click.Path(), help="A .hcf file with an @explore_option section.")
@click.option(
    "--strategy",
    type=click.Choice(["dfs", "bfs", "hcs"]),
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
    help="With --generate, which lifelines share a clock; default: discrete, none do.",
)
@click.option(
    "--traces", "folder", type=WrittenPath(directory=True), help="Write them to this folder."
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

    Trees of interactions with loops are infinite: where nothing else bounds them, each path
    enters one loop.
    """
    from choreomon.formats.hibou.files import load_interaction, load_signature
    from choreomon.verify.exploration import explore

    if generate is None and (partition is not None or folder is not None):
        raise click.UsageError("--partition and --traces are about what --generate makes")
    if output is not None and output.suffix.lower() not in (".svg", ".png"):
        raise click.UsageError(f"{output}: the suffix must be .svg or .png")
    options = _options(config)
    interaction = load_interaction(file, None if signature is None else load_signature(signature))
    filters = options.filters
    bounds = {
        "max_depth": max_depth,
        "max_loop_depth": max_loop_depth,
        "max_node_number": max_nodes,
    }
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if given and config is None:
        filters = type(filters)()  # one's own bounds instead of the default one
    if output is not None:
        check_writable(output)
    exploration = explore(
        interaction,
        strategy=strategy or options.strategy,
        priorities=options.priorities._replace(
            **_priorities(priorities), **({} if seed is None else {"random_seed": seed})
        ),
        filters=filters._replace(**given),
    )
    if output is not None:
        _draw(exploration, output)
    if generate is not None:
        onto = _partition(partition or "discrete", interaction)
        _generate(exploration, onto, generate, TraceWriter(folder, as_json=as_json), stem(file))
    elif as_json:
        click.echo(json.dumps(_as_json(exploration), indent=2))
    else:
        click.echo(_in_words(exploration))
    return NOTHING_FOUND


def _options(config: str | None) -> ExploreOptions:
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.formats.hibou import ExploreOptions
    from choreomon.formats.hibou.files import load_configuration

    if config is None:
        return ExploreOptions()
    options = load_configuration(config).explore
    if options is None:
        raise DocumentError((Problem(config, 0, "", "has no section @explore_option{..}"),))
    return options


def _priorities(given: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in given:
        kind, _, number = text.partition("=")
        if kind not in KINDS or not number.removeprefix("-").isdecimal():
            raise click.BadParameter(
                f"{text!r} is no priority: write {'=1, '.join(KINDS)}=1 or the like",
                param_hint="--priority",
            )
        found[kind] = int(number)
    return found


def _partition(text: str, interaction: Interaction) -> Partition:
    """`discrete`, `trivial`, or groups of names; lifelines in none of them have their own."""
    from choreomon.interaction.lifelines import names
    from choreomon.multitrace.projection import discrete, trivial

    lifelines = names(interaction.lifelines)
    if text == "discrete":
        return discrete(lifelines)
    if text == "trivial":
        return trivial(lifelines)
    groups = shared_clocks(text.split(";"), "--partition")
    grouped = {name for group in groups for name in group}
    return (*groups, *discrete(set(lifelines) - grouped))


def _generate(
    exploration: Exploration, onto: Partition, kind: Generation, writer: TraceWriter, name: str
) -> None:
    from choreomon.verify.exploration import generated_multi_traces

    for number, made in enumerate(generated_multi_traces(exploration, onto, kind), start=1):
        writer.write(f"{name}-{kind}-{number}", made)
    if said := writer.said():
        click.echo(said, err=True)


def _draw(exploration: Exploration, output: Path) -> None:
    from choreomon.cli.pictures import write_picture
    from choreomon.render.search_graph import graph_svg, picture_of_exploration

    write_picture(output, graph_svg(picture_of_exploration(exploration)))


def _in_words(exploration: Exploration) -> str:
    from choreomon.render.wording import counted

    nodes = exploration.nodes
    stops = sum(node.terminates for node in nodes)
    cut = sum(len(node.pruned) for node in nodes)
    whole = "the whole tree" if exploration.is_whole else f"{counted(cut, 'step')} cut off"
    return (
        f"{counted(len(nodes), 'node')}, {whole}; the interaction may stop at {stops:,} of them; "
        f"the longest path has {counted(max(node.depth for node in nodes), 'action')}"
    )


def _as_json(exploration: Exploration) -> dict[str, Any]:
    from choreomon.interaction.step import position_text
    from choreomon.interaction.term import text

    return {
        "whole": exploration.is_whole,
        "nodes": [
            {
                "number": node.number,
                "parent": node.parent,
                "action": None if node.action is None else str(node.action),
                "position": position_text(node.position),
                "interaction": text(node.interaction),
                "depth": node.depth,
                "loop_depth": node.loop_depth,
                "terminates": node.terminates,
                "cut": [
                    {
                        "action": str(cut.action),
                        "position": position_text(cut.position),
                        "filter": cut.filter,
                    }
                    for cut in node.pruned
                ],
            }
            for node in exploration.nodes
        ],
    }
