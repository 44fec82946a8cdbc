"""What is in logs, as tables, with what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from choreomon.core.contents import Contents
from choreomon.sentences.wording import counted

UNKNOWN = "?"
"""An end of a message that logs do not say."""


def contents_parts(found: Contents, most: int) -> Iterator[RenderableType]:
    """Sentences and tables, of each at most so many rows."""
    yield Text(headline(found))
    if found.processes:
        yield _table(
            "Processes",
            ("process", *("events", "sent", "handled", "local", "with clock", "numbered")),
            [
                (
                    each.process,
                    *(each.events, each.sent, each.handled, each.local),
                    *(each.with_clock, each.with_number),
                )
                for each in found.processes
            ],
            most,
        )
    if found.messages:
        rows = [
            (
                f"{each.sender or UNKNOWN} -> {each.receiver or UNKNOWN} : {each.name}",
                each.sent,
                each.handled,
            )
            for each in found.messages
        ]
        yield _table("Messages", ("message", "sent", "handled"), rows, most)
    if found.local:
        local = [(f"{each.process}: {each.name}", each.events) for each in found.local]
        yield _table("Other events", ("event", "times"), local, most)
    if found.strange:
        strange = [
            (f"{each.kind.replace('-', ' ')}: {each.message}", each.first, each.events)
            for each in found.strange
        ]
        yield _table("Strange", ("what", "first", "times"), strange, most)
    for sentence in advice(found):
        yield Text(sentence)


def headline(found: Contents) -> str:
    """How much there is, as a sentence."""
    told = (
        f"{counted(found.events, 'event')} of "
        f"{counted(len(found.processes), 'process', 'processes')} in "
        f"{counted(found.sessions, 'session')}"
    )
    if found.uncounted:
        told += f"; {found.uncounted:,} of them are not in these tables, as too many differ"
    return f"{told}."


def advice(found: Contents) -> list[str]:
    """What is known of the order of events, and what would make more of it known."""
    if not found.events:
        return []
    told = []
    if found.with_clock == found.events:
        told.append("All events have vector clocks: it is known of any two which came first.")
    elif found.with_clock:
        told.append(f"{found.with_clock:,} of {found.events:,} events have a vector clock.")
    elif found.ends:
        told.append(
            f"No event has a vector clock; {found.with_id:,} of {found.ends:,} sends and handles "
            "have a message id. What messages tell is what is known of the order."
        )
    if not found.ends:
        told.append("No event is a send or a handle: say which are by --mapping FILE.")
    unknown = sum(
        each.sent + each.handled for each in found.messages if None in (each.sender, each.receiver)
    )
    if unknown:
        told.append(f"{unknown:,} of {found.ends:,} do not say the other end of their message.")
    return told


def _table(
    title: str, columns: tuple[str, ...], rows: Sequence[tuple[str | int, ...]], most: int
) -> Table:
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in columns:
        text = column in ("process", "message", "event", "what", "first")
        table.add_column(column, overflow="fold", justify="left" if text else "right")
    for row in rows[:most]:
        table.add_row(
            *(Text(f"{cell:,}" if isinstance(cell, int) else _shown(cell)) for cell in row)
        )
    if len(rows) > most:
        table.caption = Text(f"{len(rows) - most:,} more: --most {len(rows)} shows all")
    return table


def _shown(text: str) -> str:
    return text if text.isprintable() else ascii(text)
