"""Sentences for the terminal on why multi-traces passed or failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from choreomon.pictures.interactions.failure_diagram import ComponentReached
from choreomon.sentences.fault_sentences import blame_words, fault_sentences
from choreomon.terminal.explanation_sentences import (
    failure_sentences,
    other_readings_sentence,
    witness_sentences,
)
from choreomon.terminal.outcomes_grid import STYLE_OF
from choreomon.verify.explanation import EXPLAINED_AS
from choreomon.verify.outcome import Outcome

if TYPE_CHECKING:
    from choreomon.verify.explanation import Explanation, Reached
    from choreomon.verify.fault import Fault


def explanation_text(outcome: Outcome) -> Text:
    """Sentences on the outcome of one multi-trace, and why; empty if nothing is explained."""
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
    """Sentences on the witness, or on where the explanation breaks."""
    if explanation.witness is not None:
        return witness_sentences(explanation.witness)
    if explanation.failure is not None:
        sentences = failure_sentences(map(component_reached, explanation.failure))
        others = [(one.next_action, one.logs, one.actions) for one in explanation.others]
        return [*sentences, *([other_readings_sentence(others)] if others else [])]
    return [f"Not explained: {explanation.reason}."]


def component_reached(reached: Reached, fault: Fault | None = None) -> ComponentReached:
    """Convert what an explanation says about a component for pictures and sentences, with its part
    of the fault."""
    blame = "" if fault is None else blame_words(fault, reached.component.lifelines)
    return ComponentReached(
        component=reached.component,
        position=reached.position,
        allowed=reached.allowed,
        obstacle=reached.obstacle,
        meant=reached.meant,
        blame=blame,
        rank=reached.rank,
        sent=reached.sent,
    )
