"""Outcomes of verifying many multi-traces, as tables and sentences for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from choreomon.render.explanation_sentences import (
    failure_sentences,
    other_readings_sentence,
    witness_sentences,
)
from choreomon.render.failure_diagram import ComponentReached
from choreomon.render.fault_sentences import blame_words, fault_sentences, fault_words
from choreomon.render.text import STYLE_OF
from choreomon.render.wording import counted
from choreomon.verify.explanation import EXPLAINED_AS
from choreomon.verify.outcome import Outcome, Tally
from choreomon.verify.verdict import Verdict

if TYPE_CHECKING:
    from choreomon.verify.explanation import Explanation, Reached
    from choreomon.verify.fault import Fault

MAX_ROWS: Final = 50
"""Rows of `outcomes_table`."""


def outcomes_table(outcomes: Sequence[Outcome], *, vertices: bool, limit: int = MAX_ROWS) -> Table:
    """A line for each outcome; where they are more than `limit`, first those that do not pass.
    Reasons and faults are shown where there are any, the numbers of `vertices` where they are asked
    for. The caption says how many outcomes are left out."""
    shown = list(outcomes)
    if len(shown) > limit:
        shown = sorted(shown, key=lambda outcome: outcome.conclusion == "passed")[:limit]
    answers = [outcome.answer for outcome in shown if outcome.answer is not None]
    with_reasons = any(answer.reason for answer in answers)
    with_faults = any(outcome.fault for outcome in shown)
    table = Table(title_justify="left", caption_justify="left")
    more = [*(["reason"] if with_reasons else []), *(["fault"] if with_faults else [])]
    for column in ("multi-trace", "verdict", *more):
        table.add_column(column, overflow="fold")
    if vertices:
        table.add_column("vertices", justify="right")
    for outcome in shown:
        answer = outcome.answer
        row = [Text(outcome.trace)]
        if answer is None:
            row.append(Text("bad input", "bold red"))
        else:
            row.append(Text(answer.verdict.value, STYLE_OF[answer.verdict]))
            if with_reasons:
                row.append(Text(answer.reason))
            if with_faults:
                row.append(Text("" if outcome.fault is None else fault_words(outcome.fault)))
            if vertices:
                row.append(Text(f"{answer.vertices:,}", justify="right"))
        table.add_row(*row)
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


def explanation_text(outcome: Outcome) -> Text:
    """What became of one multi-trace, and why, in sentences; empty where nothing is explained."""
    explanation = outcome.explanation
    if explanation is None:
        return Text()
    text = Text(f"{outcome.trace}: ")
    verdict = explanation.verdict if outcome.answer is None else outcome.answer.verdict
    text.append(verdict.value, STYLE_OF[verdict])
    if verdict != explanation.verdict and not explanation.verdict.inconclusive:
        question = EXPLAINED_AS[outcome.mode]
        text.append(f", explained as {question}, which says {explanation.verdict.value}")
    blamed = [] if outcome.fault is None else fault_sentences(outcome.fault)
    for sentence in (*blamed, *why(explanation)):
        text.append(f"\n  {sentence}")
    return text


def why(explanation: Explanation) -> list[str]:
    """The witness, or where the explanation breaks, in sentences."""
    if explanation.witness is not None:
        return witness_sentences(explanation.witness)
    if explanation.failure is not None:
        sentences = failure_sentences(map(component_reached, explanation.failure))
        others = [(one.next_action, one.logs, one.actions) for one in explanation.others]
        return [*sentences, *([other_readings_sentence(others)] if others else [])]
    return [f"Not explained: {explanation.reason}."]


def component_reached(reached: Reached, fault: Fault | None = None) -> ComponentReached:
    """What an explanation says of a component, as pictures and sentences take it, and what of it is
    at fault."""
    blame = "" if fault is None else blame_words(fault, reached.component.lifelines)
    return ComponentReached(
        reached.component,
        reached.position,
        reached.allowed,
        reached.obstacle,
        reached.meant,
        blame,
        reached.rank,
        reached.sent,
    )
