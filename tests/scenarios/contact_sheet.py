"""Draw every picture of the docs again, make a page of each kind, and show all on one sheet.

    python -m tests.scenarios.contact_sheet [FOLDER]

writes `docs/pictures` anew, and into FOLDER (`build/pictures`) the pages and `index.html`, the
sheet, which shows in both colour schemes all that a change to a drawing changed. It names what
differs from before. Browsers show each picture in the scheme that its frame asks for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path

from tests.scenarios.console_blocks import PICTURES, ROOT, drawn, run, workplace

WIDTHS = (1400, 400)

REPORTS = {
    "run.html": "choreomon simulate scenarios/smart-home-violating.yaml",
    "conforming.html": "choreomon simulate scenarios/lock-conforming.yaml",
    "runs.html": "choreomon simulate scenarios/lock-violating.yaml --runs 20",
    "several-sequences.html": "choreomon simulate scenarios/payment-saga-violating.yaml",
    "logs-of-runs.html": (
        "choreomon simulate scenarios/lock-violating.yaml --runs 3 --verify accept"
    ),
    "audit.html": "choreomon audit scenarios/payment-saga-violating.yaml runs/run-0.jsonl",
    "verify.html": "choreomon verify -i order.hif logs/late.htf",
}
"""Pages of reports, and the commands that make them, on the page of docs that has their files."""

_RECORDED = "choreomon simulate scenarios/payment-saga-violating.yaml --trace runs"


def made() -> dict[str, str]:
    """Every page of a report, as it is made now."""
    pages: dict[str, str] = {}
    with workplace(ROOT / "docs" / "verify.md") as place:
        run(_RECORDED)
        for name, line in REPORTS.items():
            printed = run(f"{line} --report {name}")
            if printed.code not in (0, 1, 3):
                raise ValueError(f"{line}: {printed.text}")
            pages[name] = (place / name).read_text(encoding="utf-8")
    return pages


def sheet(pictures: Iterable[tuple[str, str]], pages: Iterable[str]) -> str:
    """The contact sheet. Pictures are given by their names and where they are, pages by their
    names; each stands there twice, by day and at night, pages at each width, too."""
    parts = []
    for name, where in pictures:
        shown = "".join(
            f'<img src="{escape(where)}" alt="{escape(name)}, {scheme}" '
            f'style="color-scheme:{scheme};max-width:48%">'
            for scheme in ("light", "dark")
        )
        parts.append(f"<h2>{escape(name)}</h2>{shown}")
    for name in pages:
        shown = "".join(
            f'<iframe src="{escape(name)}" title="{escape(name)}, {scheme}, {width}" '
            f'width="{width}" height="900" style="color-scheme:{scheme}"></iframe>'
            for scheme in ("light", "dark")
            for width in WIDTHS
        )
        parts.append(f"<h2>{escape(name)}</h2>{shown}")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Contact sheet</title>'
        f"</head><body><h1>Contact sheet</h1>{''.join(parts)}</body></html>\n"
    )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        path = ROOT / "docs" / "pictures" / name
        before, now = path.read_bytes(), drawn(name)
        if now != before:
            path.write_bytes(now)
            print(f"changed: {path}")
        (folder / name).write_bytes(now)
    pages = made()
    for name, text in pages.items():
        path = folder / name
        if path.exists() and path.read_text(encoding="utf-8") != text:
            print(f"changed: {path}")
        path.write_text(text, encoding="utf-8")
    index = folder / "index.html"
    index.write_text(sheet([(name, name) for name in PICTURES], pages), encoding="utf-8")
    print(index)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "pictures")
