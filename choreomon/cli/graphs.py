"""The graph that a search visited, as a logger of a configuration wants it drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from choreomon.cli.analysis_options import Analysis
    from choreomon.formats.hibou.configuration import GraphicLogger
    from choreomon.interaction.term import Interaction
    from choreomon.render.drawing import Picture
    from choreomon.verify.search.graph import SearchResult


def search_picture(
    interaction: Interaction, analysis: Analysis, found: SearchResult, logger: GraphicLogger
) -> Picture:
    """The graph of a search that was recorded; its legend says what was asked and how.

    Raises ChoreomonError for interactions that are too large to be drawn in its nodes.
    """
    from choreomon.cli.loggers import graph_picture, stated
    from choreomon.render.search_pictures import picture_of_search

    search = analysis.search
    assert search is not None
    assert found.graph is not None
    local = "none" if search.local is None else search.local.select
    legend = [
        f"{analysis.mode}: {found.verdict.value}{f' ({found.reason})' if found.reason else ''}",
        f"strategy: {search.strategy}; reduction: {search.reduction}; local analyses: {local}",
        f"priorities: {stated(search.priorities) or 'none'}",
        f"filters: {stated(search.filters) or 'none'}",
    ]
    graph = picture_of_search(found.graph, found.path, local_analyses=logger.draw_sub_processes)
    return graph_picture(graph, interaction, logger, legend)
