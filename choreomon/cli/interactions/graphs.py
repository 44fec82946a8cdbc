"""The graphs that searches visited, as the loggers of a configuration want them drawn."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli.command_line.pictures import check_picture, write_picture
from choreomon.cli.command_line.writing import make_directory

if TYPE_CHECKING:
    from choreomon.hibou.configuration import GraphicLogger
    from choreomon.interaction.term import Interaction
    from choreomon.pictures.shapes.drawing import Picture
    from choreomon.verify.fault import Fault
    from choreomon.verify.papers.graph import SearchResult
    from choreomon.verify.papers.options import Analysis


@dataclass(frozen=True)
class SearchPictures:
    """Draws what was searched for each multi-trace: as the `loggers` say, to the `files` of its
    path, in their order."""

    analysis: Analysis
    loggers: tuple[GraphicLogger, ...]
    files: dict[str, tuple[Path, ...]]

    def __call__(self, path: str, interaction: Interaction, found: SearchResult) -> None:
        """Raises ChoreomonError for a picture that is too large, or cannot be written."""
        from choreomon.core.errors import ChoreomonError

        for logger, output in zip(self.loggers, self.files[path], strict=True):
            try:
                picture = search_picture(interaction, self.analysis, found, logger)
            except ChoreomonError as error:
                raise ChoreomonError(f"{output}: cannot be drawn: {error}") from None
            try:
                write_picture(output, picture)
            except click.ClickException as error:
                raise ChoreomonError(error.message) from None

    @property
    def folders(self) -> list[Path]:
        return sorted({one.parent for files in self.files.values() for one in files})


def search_pictures(
    analysis: Analysis,
    loggers: tuple[GraphicLogger, ...],
    paths: Sequence[str],
    *,
    interaction: str,
    signature: str | None,
    config: str | None,
) -> SearchPictures | None:
    """Pictures for the loggers of a configuration; None where there are none. A logger's name is
    that of the file, or, where there are several multi-traces, what the names of the files begin
    with. Folders are made.

    Raises `UsageError` where one of the files is read, and `ClickException` for a folder that
    cannot be made.
    """
    from choreomon.cli.command_line.loggers import check_different, picture_path

    if not loggers:
        return None
    for logger in loggers:
        check_picture(picture_path(logger, "any"))
    files = _named(loggers, paths, interaction)
    written = [one for drawings in files.values() for one in drawings]
    read = {os.path.realpath(path) for path in (interaction, signature, config, *paths) if path}
    for one in written:
        if os.path.realpath(one) in read:
            raise click.UsageError(f"{one}: is read, too: name another file")
    check_different(written, config or "")
    made = SearchPictures(analysis, loggers, files)
    for folder in made.folders:
        make_directory(folder)
    return made


def _named(
    loggers: tuple[GraphicLogger, ...], paths: Sequence[str], interaction: str
) -> dict[str, tuple[Path, ...]]:
    """The files for each multi-trace. Of those of one name in several folders the later ones are
    numbered."""
    from choreomon.cli.command_line.loggers import picture_path
    from choreomon.cli.command_line.written_traces import stem

    given: Counter[str] = Counter()
    found: dict[str, tuple[Path, ...]] = {}
    for path in dict.fromkeys(paths):
        given[stem(path)] += 1
        again = f"-again-{given[stem(path)]}" if given[stem(path)] > 1 else ""
        drawn: list[Path] = []
        for logger in loggers:
            own = f"{logger.name or stem(interaction)}-{stem(path)}{again}"
            if len(paths) > 1 and logger.name:
                logger = logger._replace(name=own)
            drawn.append(picture_path(logger, own))
        found[path] = tuple(drawn)
    return found


def search_picture(
    interaction: Interaction,
    analysis: Analysis,
    found: SearchResult,
    logger: GraphicLogger,
    fault: Fault | None = None,
) -> Picture:
    """The graph of a search that was recorded; its legend says what was asked and how, and who is
    to blame, where that is known.

    Raises ChoreomonError for interactions that are too large to be drawn in its nodes.
    """
    from choreomon.cli.command_line.loggers import graph_picture, stated
    from choreomon.pictures.graphs.search_pictures import picture_of_search
    from choreomon.sentences.fault_sentences import fault_sentences

    search = analysis.search
    assert search is not None
    assert found.graph is not None
    local = "none" if search.local is None else search.local.select
    legend = [
        f"{analysis.mode}: {found.verdict.value}{f' ({found.reason})' if found.reason else ''}",
        *(() if fault is None else fault_sentences(fault)),
        f"strategy: {search.strategy}; reduction: {search.reduction}; local analyses: {local}",
        f"priorities: {stated(search.priorities) or 'none'}",
        f"filters: {stated(search.filters) or 'none'}",
    ]
    graph = picture_of_search(found.graph, found.path, local_analyses=logger.draw_sub_processes)
    return graph_picture(graph, interaction, logger, legend)
