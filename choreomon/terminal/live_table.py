"""What agents would have been told of recorded spans, live: the first ones as a table, all of them
counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from choreomon.core.recorded import LiveTold
from choreomon.sentences.wording import counted

_SHOWN: Final = 20
_COLUMNS: Final = ("line", "process", "live", "name", "peer", "header", "values")


def live_table(spans: Sequence[LiveTold]) -> Table:
    """The first spans, and how many more there are."""
    table = Table(caption_justify="left")
    rows = [_row(each) for each in spans[:_SHOWN]]
    kept = [place for place in range(len(_COLUMNS)) if place < 6 or any(row[place] for row in rows)]
    for place in kept:
        table.add_column(_COLUMNS[place], overflow="fold")
    for row in rows:
        table.add_row(*(Text(row[place]) for place in kept))
    if len(spans) > _SHOWN:
        table.caption = Text(f"{len(spans) - _SHOWN:,} more spans are not shown")
    return table


def _row(span: LiveTold) -> tuple[str, ...]:
    line = str(span.place.line)
    if span.why:
        return line, span.process, f"not told: {span.why}", span.span, "", "", ""
    values = ", ".join(f"{name}={value}" for name, value in span.values.items())
    header = "yes" if span.header else "none"
    return line, span.process, span.kind, span.name, span.peer, header, values


def live_sentences(spans: Sequence[LiveTold]) -> list[str]:
    """Say how many would be told live, and of how many that are not, why."""
    told = sum(not each.why for each in spans)
    first = (
        f"Live, agents would be told of {told:,} of {counted(len(spans), 'span')} of messages; "
        "responses are never told"
    )
    reasons = Counter(each.why for each in spans if each.why)
    return [first, *(f"not told, {why}: {count:,}" for why, count in sorted(reasons.items()))]


def live_as_json(spans: Sequence[LiveTold]) -> dict[str, Any]:
    """The same for machines; nothing where there are no spans."""
    if not spans:
        return {}
    first = [{**each._asdict(), "values": dict(each.values)} for each in spans[:_SHOWN]]
    for each in first:
        each.update(each.pop("place")._asdict())
    reasons = Counter(each.why for each in spans if each.why)
    told = len(spans) - reasons.total()
    return {"live": {"told": told, "not_told": dict(reasons), "first": first}}
