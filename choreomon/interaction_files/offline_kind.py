"""Kinds of files, by the suffix and, for JSON, by what the file says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import did_you_mean
from choreomon.files.input_files import whole

Kind: TypeAlias = Literal[
    "interaction", "signature", "multi-trace", "configuration", "automaton", "locations"
]

_KINDS: Final[dict[str, Kind]] = {
    ".hif": "interaction",
    ".mmd": "interaction",
    ".mermaid": "interaction",
    ".puml": "interaction",
    ".plantuml": "interaction",
    ".hsf": "signature",
    ".htf": "multi-trace",
    ".jsonl": "multi-trace",
    ".hcf": "configuration",
    ".timbuk": "automaton",
}

_KINDS_OF_JSON: Final[tuple[Kind, ...]] = get_args(Kind)


def offline_kind(file: str) -> Kind | None:
    """The kind of a file; None for documents, and for what is unknown. A signature may hold an
    interaction, too.

    Raises `DocumentError` for JSON that says of itself to be something else, that cannot be read or
    is too large.
    """
    suffix = Path(file).suffix.lower()
    return _kind_of_json(file) if suffix == ".json" else _KINDS.get(suffix)


def _kind_of_json(file: str) -> Kind | None:
    from choreomon.files.json_documents import stated_kind

    named = stated_kind(whole(file))
    if named is None:
        return None  # its reader says what is wrong with it
    for kind in _KINDS_OF_JSON:
        if named == kind:
            return kind
    meant = did_you_mean(named, _KINDS_OF_JSON) if isinstance(named, str) else ""
    told = f"should be {', '.join(_KINDS_OF_JSON)}, or not there in a document{meant}"
    raise DocumentError((Problem(file, 0, "kind", told),))
