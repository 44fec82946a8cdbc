"""Logs -> a draft of a mapping for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

import msgspec

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.recorded import RecordedEvent
from choreomon.core.templates import Templates
from choreomon.logs.drafts.fields_seen import FieldsSeen, flat
from choreomon.logs.drafts.mapping_draft import (
    Text,
    draft_of_records,
    draft_of_spans,
    draft_of_texts,
)
from choreomon.logs.drafts.roles import roles_of
from choreomon.logs.formats import FORMATS, LogFormat, MappedFormat
from choreomon.logs.readers.detection import format_of
from choreomon.logs.readers.lines import head_of, opened
from choreomon.logs.readers.reading import read_recorded

MOST_RECORDS: Final = 20_000
"""Records of each log that a draft is made from, the first ones."""

_MOST_TEMPLATES: Final = 1_000


def drafted(
    paths: Sequence[str],
    log_format: LogFormat | None = None,
    parser: str | None = None,
    delimiter: str | None = None,
) -> str:
    """A draft of a mapping for these logs. Raises DocumentError where one cannot be read, where
    they are not of one format, and where theirs needs no mapping."""
    formats = {path: log_format or _format(path, parser) for path in paths}
    first = formats[paths[0]]
    for path, other in formats.items():
        if other != first:
            told = f"is {other}, and {paths[0]} is {first}: draft a mapping for each by itself"
            raise DocumentError((Problem(path, 0, "", told),))
    if "mapping" not in FORMATS[first].fits:
        told = f"is {first}, which says what its lines mean: it needs no mapping"
        raise DocumentError((Problem(paths[0], 0, "", told),))
    logs = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    if first == "otlp":
        return draft_of_spans(logs)
    if first == "jsonl":
        return _of_records(paths, logs)
    texts = Templates(_MOST_TEMPLATES)
    for path in paths:
        read = read_recorded(path, first, parser=parser, delimiter=delimiter)
        for each in islice(read, MOST_RECORDS):
            if isinstance(each, RecordedEvent):
                texts.add(each.name)
    given = {"parser": parser, "delimiter": delimiter}
    return draft_of_texts(cast(MappedFormat, first), given, _texts(texts), logs)


def needs_mapping(paths: Sequence[str]) -> bool:
    """Return whether what the lines of these logs mean is drafted: they are lines of JSON with any
    names, or texts. Raises DocumentError for one that cannot be read, or is like none."""
    return any(_format(path, None) in ("jsonl", "shiviz", "tsviz") for path in paths)


def fields_seen(paths: Sequence[str]) -> FieldsSeen:
    """The fields of lines of JSON."""
    seen = FieldsSeen()
    for path in paths:
        for record in _records(path):
            seen.add(record)
    return seen


def _of_records(paths: Sequence[str], logs: str) -> str:
    seen = fields_seen(paths)
    texts = Templates(_MOST_TEMPLATES)
    field = roles_of(seen).text
    if field is not None:
        for path in paths:
            for record in _records(path):
                found = dict(flat(record)).get(field.path)
                if isinstance(found, str):
                    texts.add(found)
    return draft_of_records(seen, _texts(texts), logs)


def _records(path: str) -> Iterator[dict[str, Any]]:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    with opened(path, None, None) as log:
        for line in islice(log.lines(), MOST_RECORDS):
            try:
                yield decode(line)
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                continue  # reading tells of it


def _texts(templates: Templates) -> list[Text]:
    found = [Text(str(each), each.texts, each.example) for each in templates.all]
    return sorted(found, key=lambda text: (-text.events, text.template))


def _format(path: str, parser: str | None) -> LogFormat:
    return "shiviz" if parser is not None else format_of(head_of(path), path)
