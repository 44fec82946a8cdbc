"""Contents of logs as tables, with advice on what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from choreomon.core.contents import Contents
from choreomon.core.names import written
from choreomon.core.ordered_pairs import OrderedPairs
from choreomon.core.templates import VARIABLE
from choreomon.sentences.wording import counted

UNKNOWN = "?"
"""The sign for an end of a message that logs do not name."""


def contents_parts(found: Contents, most: int) -> Iterator[RenderableType]:
    """Sentences and tables, each of at most `most` rows."""
    yield Text(headline(found))
    for title, columns, rows in contents_rows(found):
        yield _table(title, columns, rows, most)
    for sentence in advice(found):
        yield Text(sentence)


Rows: TypeAlias = Sequence[tuple[str | int, ...]]


def contents_rows(found: Contents) -> Iterator[tuple[str, tuple[str, ...], Rows]]:
    """The tables that are not empty: the title, the columns, and the rows, most frequent first."""
    processes: Rows = [
        (
            each.process,
            *(each.events, each.sent, each.handled, each.local),
            *(each.with_clock, each.with_number, each.missing),
        )
        for each in found.processes
    ]
    messages = [
        (
            f"{_end(each.sender)} -> {_end(each.receiver)} : {written(each.name)}",
            each.sent,
            each.handled,
        )
        for each in found.messages
    ]
    local = [
        (
            f"{each.process}: {each.template}",
            each.example if VARIABLE in each.template else "",
            each.events,
        )
        for each in found.local
    ]
    strange = [
        (f"{each.kind.replace('-', ' ')}: {each.message}", each.first, each.events)
        for each in found.strange
    ]
    counts: tuple[str, ...] = ("events", "sent", "handled", "local", "with clock", "numbered")
    if any(each.missing for each in found.processes):
        counts = (*counts, "missing")
    processes = [row[: len(counts) + 1] for row in processes]
    tables: tuple[tuple[str, tuple[str, ...], Rows], ...] = (
        ("Processes", ("process", *counts), processes),
        ("Messages", ("message", "sent", "handled"), messages),
        ("Other events", ("event", "example", "times"), local),
        ("Strange", ("what", "first", "times"), strange),
    )
    yield from (each for each in tables if each[2])


def headline(found: Contents) -> str:
    """A sentence on how much there is."""
    told = (
        f"{counted(found.events, 'event')} of "
        f"{counted(len(found.processes), 'process', 'processes')} in "
        f"{counted(found.sessions, 'session')}"
    )
    if found.uncounted:
        told += f"; {found.uncounted:,} of them are not in these tables, as too many differ"
    return f"{told}."


def advice(found: Contents) -> list[str]:
    """Sentences on how much of the order of events is known, and what would make more of it
    known."""
    if not found.events:
        return []
    told = []
    if found.with_clock == found.events:
        told.append("All events have vector clocks.")
    elif found.with_clock:
        told.append(f"{found.with_clock:,} of {found.events:,} events have a vector clock.")
    elif found.ends:
        told.append(
            f"No event has a vector clock; {found.with_id:,} of {found.ends:,} sends and handles "
            "have a message id. What messages tell is what is known of the order."
        )
    if not found.ends:
        told.append(
            "No event is a send or a handle. A mapping says which are: -o mapping.yaml drafts one."
        )
    told += _order_sentences(found.ordered)
    unknown = sum(
        each.sent + each.handled for each in found.messages if None in (each.sender, each.receiver)
    )
    if unknown:
        told.append(f"{unknown:,} of {found.ends:,} do not say the other end of their message.")
    return told


def _order_sentences(ordered: OrderedPairs) -> list[str]:
    """Sentences on how much is known of the order of the first events."""
    pairs = ordered.pairs
    if not pairs:
        return []
    told = [f"of {_share(ordered.by_process, pairs)} as they are of one process"]
    if ordered.by_messages > ordered.by_process:
        told.append(f"of {_share(ordered.by_messages, pairs)} with messages")
    if ordered.by_clocks > ordered.by_messages:
        told.append(f"of {_share(ordered.by_clocks, pairs)} with clocks")
    return [
        f"Of the pairs of the first {ordered.events:,} events the order is known {', '.join(told)}."
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _table(title: str, columns: tuple[str, ...], rows: Rows, most: int) -> Table:
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in columns:
        text = column in ("process", "message", "event", "example", "what", "first")
        table.add_column(column, overflow="fold", justify="left" if text else "right")
    for row in rows[:most]:
        table.add_row(
            *(Text(f"{cell:,}" if isinstance(cell, int) else _shown(cell)) for cell in row)
        )
    if len(rows) > most:
        table.caption = Text(f"{len(rows) - most:,} more: --most {len(rows)} shows all")
    return table


def _end(name: str | None) -> str:
    return written(name) if name else UNKNOWN


def _shown(text: str) -> str:
    return text if text.isprintable() else ascii(text)
