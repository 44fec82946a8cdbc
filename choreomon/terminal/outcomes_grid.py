"""Outcomes of verifying many multi-traces: a table, and one sentence about all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.terminal.grid import Cell, Grid
from choreomon.verify.outcome import Outcome, Tally
from choreomon.verify.verdict import Mode, Verdict

MAX_ROWS: Final = 50
"""The most rows of `outcomes_grid`."""

STYLE_OF: Final[dict[Verdict, str]] = {
    Verdict.PASS: "green",
    Verdict.WEAK_PASS: "green",
    Verdict.INCONC: "bold yellow",
    Verdict.WEAK_FAIL: "bold yellow",
    Verdict.FAIL: "bold red",
}
"""Styles of verdicts on a terminal."""


def outcomes_grid(outcomes: Sequence[Outcome], *, vertices: bool) -> Grid:
    """A line for each outcome; if there are more than `MAX_ROWS`, those that do not pass come
    first. Reasons and faults are shown if there are any, the numbers of `vertices` if asked for.
    The caption says how many outcomes are left out."""
    shown = list(outcomes)
    if len(shown) > MAX_ROWS:
        shown = sorted(shown, key=lambda outcome: outcome.conclusion == "passed")[:MAX_ROWS]
    answers = [outcome.answer for outcome in shown if outcome.answer is not None]
    with_reasons = any(answer.reason for answer in answers)
    with_faults = any(outcome.fault for outcome in shown)
    columns = ["multi-trace", "verdict"]
    columns += ["reason"] * with_reasons + ["fault"] * with_faults + ["vertices"] * vertices
    rows: list[tuple[Cell, ...]] = []
    for outcome in shown:
        answer = outcome.answer
        row = [Cell(outcome.trace)]
        if answer is None:
            row.append(Cell("bad input", "bold red"))
        else:
            row.append(Cell(answer.verdict.value, STYLE_OF[answer.verdict]))
            if with_reasons:
                row.append(Cell(answer.reason))
            if with_faults:
                row.append(Cell(_fault_in_words(outcome)))
            if vertices:
                row.append(Cell(f"{answer.vertices:,}"))
        rows.append(tuple(row))
    more = len(outcomes) - len(shown)
    caption = f"{more:,} more are not shown: --json prints all of them" if more else ""
    return Grid(tuple(columns), tuple(rows), frozenset(["vertices"]), caption)


def _fault_in_words(outcome: Outcome) -> str:
    if outcome.fault is None:
        return ""
    from choreomon.sentences.fault_sentences import fault_words

    return fault_words(outcome.fault)


def outcomes_headline(tally: Tally, mode: Mode) -> str:
    """A sentence on the result of all outcomes in a mode."""
    total = sum(tally.verdicts.values()) + tally.unreadable
    counts = [f"{tally.verdicts[word]:,} {word.value}" for word in Verdict if tally.verdicts[word]]
    if tally.unreadable:
        counts.append(f"{tally.unreadable:,} bad input")
    return f"{total:,} multi-trace{'' if total == 1 else 's'}, mode {mode}: {', '.join(counts)}"
