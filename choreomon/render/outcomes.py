"""Outcomes of verifying many multi-traces, as tables and sentences for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from choreomon.render.text import STYLE_OF
from choreomon.render.wording import counted
from choreomon.verify.outcome import Outcome, Tally
from choreomon.verify.verdict import Verdict

MAX_ROWS: Final = 50
"""Rows of `outcomes_table`."""


def outcomes_table(outcomes: Sequence[Outcome], limit: int = MAX_ROWS) -> Table:
    """A line for each outcome; where they are more than `limit`, first those that do not pass.
    The caption says how many are left out."""
    table = Table(title_justify="left", caption_justify="left")
    for column in ("multi-trace", "verdict", "reason"):
        table.add_column(column, overflow="fold")
    table.add_column("vertices", justify="right")
    shown = list(outcomes)
    if len(shown) > limit:
        shown = sorted(shown, key=lambda outcome: outcome.conclusion == "passed")[:limit]
    for outcome in shown:
        answer = outcome.answer
        if answer is None:
            verdict, reason, vertices = Text("bad input", "bold red"), "", ""
        else:
            verdict = Text(answer.verdict.value, STYLE_OF[answer.verdict])
            reason, vertices = answer.reason, f"{answer.vertices:,}" if answer.vertices else ""
        table.add_row(Text(outcome.trace), verdict, Text(reason), Text(vertices))
    if len(outcomes) > limit:
        table.caption = Text(
            f"{len(outcomes) - limit:,} more are not shown: --json prints all of them"
        )
    return table


def outcomes_headline(tally: Tally) -> str:
    """What all of them come to, in one sentence."""
    read = sum(tally.verdicts.values())
    counts = [f"{tally.verdicts[word]:,} {word.value}" for word in Verdict if tally.verdicts[word]]
    if tally.unreadable:
        counts.append(f"{tally.unreadable:,} bad input")
    return f"{counted(read + tally.unreadable, 'multi-trace')}: {', '.join(counts)}"
