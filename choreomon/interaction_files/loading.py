"""Interactions, signatures, multi-traces and configurations by the path of their file.

A name that ends in `.json` is JSON (`choreomon.interaction_files.offline_json`), one that ends in
`.jsonl` the events of a run (`choreomon.logs.event_log`); one that ends in `.mmd` or `.mermaid` is
a sequence diagram in Mermaid, in `.puml` or `.plantuml` one in PlantUML, and an interaction
(`choreomon.diagrams`). Any other one is HIBOU's format.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from choreomon.files.input_files import PIECES, TEXT, WHOLE, PathLike, lines, pieces, whole
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.hibou.multitrace import CHUNK, reader_of
from choreomon.hibou.scanner import refusal
from choreomon.hibou.signature import Signature
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace

if TYPE_CHECKING:
    from choreomon.hibou.configuration import Configuration

_MERMAID: Final = (".mmd", ".mermaid")
_PLANTUML: Final = (".puml", ".plantuml")
"""Suffixes of files with an interaction as a sequence diagram."""

_SMALL: Final = 1 << 16
"""The most bytes of a file that is read at once."""


def load_signature(path: PathLike) -> Signature:
    """The signature in a file. Raises DocumentError, also for a file that cannot be read."""
    file, text = text_of(path)
    if _suffix(file) == ".json":
        from choreomon.interaction_files.offline_json import read_signature_json

        return read_signature_json(text, file)
    return read_signature(text, file)


def load_interaction(path: PathLike, signature: Signature | None = None) -> Interaction:
    """The interaction in a file; with a `signature`, names that it does not declare are refused.
    Documents that state one are read by `choreomon.documents.interactions`.

    Raises DocumentError, also for a file that cannot be read.
    """
    file, text = text_of(path)
    if _suffix(file) == ".json":
        from choreomon.interaction_files.offline_json import read_interaction_json

        return read_interaction_json(text, signature, file)
    if _suffix(file) in _MERMAID:
        from choreomon.diagrams.mermaid import read_mermaid

        return read_mermaid(text, signature, file)
    if _suffix(file) in _PLANTUML:
        from choreomon.diagrams.plantuml import read_plantuml

        return read_plantuml(text, signature, file)
    return read_interaction(text, signature, file)


def load_configuration(path: PathLike) -> Configuration:
    """The configuration in a file. Raises DocumentError, also for a file that cannot be read."""
    file, text = text_of(path)
    if _suffix(file) == ".json":
        from choreomon.interaction_files.configuration_json import read_configuration_json

        return read_configuration_json(text, file)
    from choreomon.hibou.configuration_reader import read_configuration

    return read_configuration(text, file)


def load_multi_trace(
    path: PathLike,
    lifelines: Iterable[str] = (),
    signature: Signature | None = None,
    partition: Iterable[Iterable[str]] = (),
) -> MultiTrace:
    """The multi-trace in a file. `lifelines` are known without it, and get an empty component
    where it has none for them; so do those of the `signature`, and what that does not declare is
    refused. `partition` are groups of processes that share a clock, for event logs only: the other
    formats say so themselves. Logs of millions of actions are not held in memory as text.

    Raises DocumentError, also for a file that cannot be read.
    """
    file = os.fspath(path)
    suffix = _suffix(file)
    if suffix == ".json":
        from choreomon.interaction_files.offline_json import read_multi_trace_json

        return read_multi_trace_json(text_of(file, WHOLE)[1], lifelines, signature, file)
    if suffix == ".jsonl":
        from choreomon.logs.event_log import multi_trace_of_events

        return multi_trace_of_events(
            lines(file),
            partition=partition,
            lifelines=lifelines,
            signature=signature,
            file=file,
        )
    reader = reader_of(tuple(lifelines), signature)
    if _is_small(file):
        return reader.read(text_of(file, PIECES)[1], file)
    return reader.read_chunks(_chunks(file), file)


def _suffix(file: str) -> str:
    return PurePath(file).suffix.lower()


def text_of(path: PathLike, most: int = TEXT) -> tuple[str, str]:
    """The name of a file, and what is in it, of at most this many bytes or what the environment
    allows (`choreomon.files.input_files`). Raises DocumentError for one that cannot be read or is
    larger, and for one that is not UTF-8."""
    file = os.fspath(path)
    content = whole(file, most)
    try:
        return file, content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise refusal(file, line, _NOT_UTF8) from None


def _is_small(file: str) -> bool:
    """Return whether it can be read at once; of a pipe, and of what cannot be looked at, nobody
    knows."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _SMALL


def _chunks(file: str) -> Iterator[str]:
    """The text of a file in pieces."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for piece in pieces(file, CHUNK):
            yield decoder.decode(piece)
        yield decoder.decode(b"", True)
    except UnicodeDecodeError:
        raise refusal(file, 0, _NOT_UTF8) from None


_NOT_UTF8: Final = "is not UTF-8: save it as UTF-8"
