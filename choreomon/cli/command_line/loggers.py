"""Output of the loggers of a configuration: pictures of graphs, multi-traces, and their paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from choreomon.hibou.configuration import (
    GraphicLogger,
    Logger,
    TraceGenerationLogger,
)

if TYPE_CHECKING:
    from choreomon.interaction.term import Interaction
    from choreomon.pictures.graphs.search_graph import GraphPicture
    from choreomon.pictures.shapes.drawing import Picture

PLAIN: Final = GraphicLogger(draw_sd=False)
"""The default way to draw graphs."""


MOST_DIAGRAMS: Final = 40
"""Nodes of a graph that are drawn as diagrams where nobody said how; above that they are terms."""


def with_nodes(logger: GraphicLogger, nodes: str | None) -> GraphicLogger:
    """The logger with nodes as an option wants them; `None`: as it says."""
    return logger if nodes is None else logger._replace(draw_sd=nodes == "diagram", draw_tt=False)


def graphic_loggers(loggers: Iterable[Logger]) -> tuple[GraphicLogger, ...]:
    """The loggers that draw."""
    return tuple(one for one in loggers if isinstance(one, GraphicLogger))


def trace_loggers(loggers: Iterable[Logger]) -> tuple[TraceGenerationLogger, ...]:
    """The loggers that write multi-traces."""
    return tuple(one for one in loggers if isinstance(one, TraceGenerationLogger))


def refuse(config: str, problem: str) -> NoReturn:
    """Raises DocumentError: the configuration asks for something that does not exist here."""
    from choreomon.core.errors import DocumentError, Problem

    raise DocumentError((Problem(config, 0, "", problem),))


def picture_path(logger: GraphicLogger, name: str) -> Path:
    """The file of a logger; `name` is what it is called where the logger does not say so."""
    return Path(logger.folder) / f"{logger.name or name}.{logger.format}"


def check_different(paths: Iterable[Path], config: str) -> None:
    """Raises DocumentError where one file would be written twice."""
    written: set[str] = set()
    for path in paths:
        target = os.path.realpath(path)
        if target in written:
            refuse(config, f"two pictures would be {path}: give loggers a folder or a name")
        written.add(target)


def graph_picture(
    graph: GraphPicture, root: Interaction, logger: GraphicLogger, legend: Sequence[str]
) -> Picture:
    """The graph, which begins with `root`, as a logger wants it to look; where nobody said how, its
    nodes are diagrams as long as they are few.

    Raises ChoreomonError for interactions that are too large to be drawn in its nodes.
    """
    from choreomon.pictures.graphs.folded_lines import with_folded_lines
    from choreomon.pictures.graphs.search_graph import graph_svg
    from choreomon.pictures.graphs.search_legend import GLOSSARY
    from choreomon.pictures.graphs.search_pictures import illustrations

    if logger is PLAIN and len(graph.nodes) <= MOST_DIAGRAMS:
        logger = logger._replace(draw_sd=True)
    return graph_svg(
        with_folded_lines(graph),
        vertical=logger.layout == "vertical",
        illustrate=illustrations(root, sequence_diagrams=logger.draw_sd, term_trees=logger.draw_tt),
        legend=legend if logger.draw_legend else (),
        glossary=GLOSSARY if logger.draw_legend else {},
    )


def stated(settings: Any) -> str:
    """The fields of a named tuple that differ from their defaults, in words."""
    usual = type(settings)()._asdict()
    return ", ".join(
        f"{name} = {value}" for name, value in settings._asdict().items() if value != usual[name]
    )
