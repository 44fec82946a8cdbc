"""Files kept of a failing test: a page with its pictures, and the log of its run."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from choreomon.core.run import Run, with_known_ends
from choreomon.documents.read import Document
from choreomon.files.whole_file import write_together
from choreomon.logs.trace import trace_line

_STRANGE: Final = re.compile(r"[^\w.-]+")

_LONGEST: Final = 150


def file_stem(test: str) -> str:
    """A name for the files of a test, different for different tests."""
    plain = _STRANGE.sub("-", test).strip("-")
    if plain == test and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"


def keep(folder: Path, test: str, run: Run, document: Document) -> Path:
    """Writes the page and, beside it, the log, as `choreomon simulate --trace` writes it; the path
    of the page. Raises `OSError`."""
    from choreomon.pages.report import report_page
    from choreomon.properties.tables import transition_tables

    assert document.property is not None
    loaded = document.property
    tables = transition_tables(loaded.automaton, document.processes, loaded.rules)
    page = report_page(
        test,
        [("document", document.file), ("test", test), ("rules", loaded.rules)],
        loaded.automaton,
        [run],
        tables=[table for table in tables.values() if table.rows],
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_stem(test)}.html"
    events = with_known_ends(run.kept_events)
    lines = [trace_line(event, run.processes) + "\n" for event in events]
    log = "".join(lines).encode("ascii")
    write_together({path: page.encode("utf-8"), path.with_suffix(".jsonl"): log})
    return path
