"""What a file is about, by its suffix and, of JSON, by what it says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["interaction", "signature", "multi-trace"]

_KINDS: Final[dict[str, Kind]] = {
    ".hif": "interaction",
    ".hsf": "signature",
    ".htf": "multi-trace",
    ".jsonl": "multi-trace",
}


def offline_kind(file: str) -> Kind | None:
    """What the file is to hold; None for documents, and for what is unknown. A signature may
    hold an interaction, too."""
    suffix = Path(file).suffix.lower()
    return _kind_of_json(file) if suffix == ".json" else _KINDS.get(suffix)


def _kind_of_json(file: str) -> Kind | None:
    try:
        found = json.loads(Path(file).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # whoever reads it says what is wrong
    kind = found.get("kind") if isinstance(found, dict) else None
    return kind if kind in _KINDS.values() else None
