"""Sentences of `choreomon explore` about a tree: how large it is, what cut it off, and how to go
on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from choreomon.verify.papers.exploration import Exploration
    from choreomon.verify.papers.heuristics import Filters, Strategy


def in_words(exploration: Exploration) -> str:
    """The size of the tree, in a line."""
    from choreomon.sentences.wording import counted

    nodes = exploration.nodes
    stops = sum(node.terminates for node in nodes)
    cut = sum(len(node.pruned) for node in nodes)
    whole = "the whole tree" if exploration.is_whole else f"{counted(cut, 'step')} cut off"
    return (
        f"{counted(len(nodes), 'node')}, {whole}; the interaction may stop at {stops:,} of them; "
        f"the longest path has {counted(max(node.depth for node in nodes), 'action')}"
    )


def beyond_defaults(exploration: Exploration, defaults: Filters) -> str:
    """The default bounds that cut something off, with the options to go further; empty where none
    did."""
    from choreomon.sentences.wording import counted

    cut = {pruned.filter for node in exploration.nodes for pruned in node.pruned}
    bounds: list[str] = []
    options: list[str] = []
    if "max_loop_depth" in cut and defaults.max_loop_depth is not None:
        bounds.append(f"after {counted(defaults.max_loop_depth, 'loop')} on a path")
        options.append("--max-loop-depth")
    if "max_node_number" in cut and defaults.max_node_number is not None:
        bounds.append(f"at {counted(defaults.max_node_number, 'node')}")
        options.append("--max-nodes")
    if not bounds:
        return ""
    go = "goes" if len(options) == 1 else "go"
    return f"cut off by default {' and '.join(bounds)}: {' and '.join(options)} {go} further"


def no_ends(exploration: Exploration, strategy: Strategy) -> str:
    """A hint if the interaction may stop nowhere in this part of its tree, with the option that
    finds ends sooner, where one is known; empty where it may, or where nothing was cut off."""
    from choreomon.sentences.wording import counted

    if exploration.is_whole or any(node.terminates for node in exploration.nodes):
        return ""
    said = f"no end was reached in {counted(len(exploration.nodes), 'node')}"
    cut = {pruned.filter for node in exploration.nodes for pruned in node.pruned}
    # The other strategies go down to ends anyway. If the depth is bounded, ends may be out
    # of reach in whatever order nodes are visited.
    if strategy != "bfs" or "max_node_number" not in cut:
        return said
    return f"{said}: --strategy dfs gets there sooner"


def as_json(exploration: Exploration, bounds: Filters, *, by_default: bool) -> dict[str, Any]:
    """Return the tree with its limits as JSON; `by_default` if nobody asked for these limits."""
    from choreomon.interaction.step import position_text
    from choreomon.interaction.term import text

    return {
        "whole": exploration.is_whole,
        "bounds": bounds._asdict(),
        "bounds_by_default": by_default,
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
