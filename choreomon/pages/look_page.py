"""Build the page about the contents of logs: tables, and a chosen part as a space-time diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.core.contents import Contents
from choreomon.core.run import RunEvent
from choreomon.pages.page import Section, figure, header, page, section, table
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.window import View
from choreomon.sentences.wording import counted, with_arrow
from choreomon.terminal.contents_tables import advice, contents_rows, headline

MAX_ROWS: Final = 200


def look_page(
    title: str,
    facts: Sequence[tuple[str, str]],
    found: Contents,
    events: Sequence[RunEvent],
    processes: Sequence[str],
    left_out: int,
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """A whole HTML page. The `events` of these `processes` are drawn; `left_out` counts further
    ones that might have been."""
    told = headline(found)
    body: list[str | Section] = [
        header("quiet", title, told, advice(found)),
        section("Part of it", _diagram(events, processes, left_out)) if events else "",
    ]
    for heading, columns, rows in contents_rows(found):
        cells = [
            tuple(f"{cell:,}" if isinstance(cell, int) else with_arrow(cell) for cell in row)
            for row in rows[:MAX_ROWS]
        ]
        parts = [table(columns, cells)]
        if len(rows) > MAX_ROWS:
            parts.append(f"<p>{counted(len(rows) - MAX_ROWS, 'more row')}.</p>")
        body.append(section(heading, parts))
    return page(f"{told} {title}", body, (*facts, *made_with))


def _diagram(events: Sequence[RunEvent], processes: Sequence[str], left_out: int) -> list[str]:
    picture = space_time_picture(events, processes, timed=False, view=View(everything=True))
    more = (
        f"{counted(left_out, 'more event')} of the chosen part {'is' if left_out == 1 else 'are'} "
        "not drawn: --skip and --limit draw others."
        if left_out
        else ""
    )
    return [figure(picture, more)]
