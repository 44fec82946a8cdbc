"""What a property forbids, what a monitor just said, and what really happened, in words."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from choreomon.core.run import Run, RunVerdict
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.relations import vio_transitions
from choreomon.render.forbidden_sequences import MAX_SEQUENCES, first_sequences, in_words
from choreomon.render.summary import missed
from choreomon.render.text import STYLES
from choreomon.render.wording import VERDICT_IN_WORDS, counted, milliseconds

MAX_FORMATIONS: Final = 10


def property_sentences(automaton: SequenceAutomaton) -> list[str]:
    """What must not happen, and what cancels it; at most `MAX_SEQUENCES` sequences."""
    sequences = first_sequences(automaton)
    lines = ["What must not happen, in this order, with anything else in between:"]
    for number, sequence in enumerate(sequences[:MAX_SEQUENCES], 1):
        lines.append(f"  {number}. {in_words(sequence)}")
    if len(sequences) > MAX_SEQUENCES:
        lines.append("  and further ones, which are not listed")
    if automaton.backward:
        lines.append("unless it is cancelled in between:")
    for back in automaton.backward:
        undone = [str(t.label) for t in automaton.forward if back in vio_transitions(automaton, t)]
        lines.append(
            f"  {back.label} in {back.source} takes back {', '.join(dict.fromkeys(undone))}"
        )
    return lines


def word_line(verdict: RunVerdict) -> Text:
    """One line for a verdict at the moment when it is given, in virtual time."""
    line = Text(f"{milliseconds(verdict.declared_at):>12}  {verdict.monitor} ")
    line.append(VERDICT_IN_WORDS[verdict.verdict], STYLES[verdict.verdict])
    line.append(f" at event {verdict.event_index} ({verdict.label})")
    if verdict.silent:
        line.append(f", for now: no answer from {', '.join(verdict.silent)}")
    elif verdict.early:
        line.append(", for now: an earlier event of its own is not decided")
    return line


def formed_text(run: Run) -> Text:
    """What the reference says of the real order of the run, which no monitor knows. By which
    events the property was formed is left out where that is not known."""
    if not run.formed:
        return Text("In the real order, which no monitor knows, the property was never formed.")
    text = Text(
        "In the real order, which no monitor knows, the property was formed "
        f"{counted(len(run.formed), 'time')}:"
    )
    for index, sequence in run.formed[:MAX_FORMATIONS]:
        by = f", by events {', '.join(map(str, sequence))}" if sequence else ""
        text.append(f"\n  at event {index}{by}")
    if len(run.formed) > MAX_FORMATIONS:
        text.append(f"\n  and {counted(len(run.formed) - MAX_FORMATIONS, 'more time')}")
    if missed(run):
        text.append(
            f"\nMissed by the monitors: event {', '.join(map(str, missed(run)))}", "bold red"
        )
    return text
