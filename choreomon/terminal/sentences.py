"""Words for what a property forbids, what a monitor just said, and what really happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rich.text import Text

from choreomon.core.run import Run, RunVerdict
from choreomon.core.slot_ranges import with_ranges
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.parts import restricted
from choreomon.properties.relations import cancels
from choreomon.properties.sequences import Step, steps_of
from choreomon.sentences.forbidden_sequences import MAX_SEQUENCES, first_sequences, in_words
from choreomon.sentences.summary import missed
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, milliseconds, times
from choreomon.terminal.text import STYLES

MAX_FORMATIONS: Final = 10

MAX_OF_RULE: Final = 3
"""Sequences of one rule that are listed, and cancellations: its pattern says the same."""


def property_sentences(
    automaton: SequenceAutomaton, *, verbose: bool = False, said: Sequence[str] = ()
) -> list[str]:
    """Sentences on what must not happen, and what cancels it; at most `MAX_SEQUENCES` sequences, or
    rules. States are named if the property was written as an automaton, and with `verbose`. `said`:
    of each rule what its pattern says, instead of what its author does."""
    if automaton.rules:
        return _of_rules(automaton, verbose=verbose, said=said)
    lines = ["What must not happen, in this order, with anything else in between:"]
    lines += _sequences(automaton, MAX_SEQUENCES, numbered=True)
    if automaton.backward:
        lines.append("unless it is cancelled in between:")
    return lines + _cancellations(automaton, verbose=verbose)


def _of_rules(automaton: SequenceAutomaton, *, verbose: bool, said: Sequence[str]) -> list[str]:
    lines = ["What must not happen, with anything else in between:"]
    for place, (stated, states) in enumerate(automaton.rules[:MAX_SEQUENCES]):
        told = (said[place] if said else "") or stated.description or "an automaton"
        lines.append(f"{stated.name}: {told}")
        part = replace(restricted(automaton, states), sequences=())
        most = MAX_SEQUENCES if verbose else MAX_OF_RULE
        lines += _sequences(part, most, numbered=False)
        cancelled = _cancellations(part, verbose=verbose, named=verbose)
        lines += cancelled[:most]
        if len(cancelled) > most:
            lines.append(f"  and {counted(len(cancelled) - most, 'further cancellation')}")
    if len(automaton.rules) > MAX_SEQUENCES:
        lines.append(f"and {counted(len(automaton.rules) - MAX_SEQUENCES, 'further rule')}")
    return lines


def _sequences(automaton: SequenceAutomaton, most: int, *, numbered: bool) -> list[str]:
    sequences = first_sequences(automaton)
    lines = [
        f"  {f'{number}. ' if numbered else ''}{in_words(automaton, sequence)}"
        for number, sequence in enumerate(sequences[:most], 1)
    ]
    if len(sequences) > most:
        lines.append("  and further ones, which are not listed")
    return lines


def _cancellations(automaton: SequenceAutomaton, *, verbose: bool, named: bool = True) -> list[str]:
    """`named`: with the state in which it is, where steps have no numbers."""
    lines: list[str] = []
    steps = steps_of(automaton.sequences)
    for back in automaton.backward:
        undone = [t for t in automaton.forward if cancels(automaton, back, t)]
        if steps:
            lines.append(f"  {_taken_back(automaton, back, undone, steps, verbose=verbose)}")
        else:
            labels = ", ".join(dict.fromkeys(automaton.written(t.label) for t in undone))
            where = f" in {back.source}" if named else ""
            lines.append(f"  {automaton.written(back.label)}{where} takes back {labels}")
    return [*dict.fromkeys(lines)]


def _taken_back(
    automaton: SequenceAutomaton,
    back: Transition,
    undone: Iterable[Transition],
    steps: Mapping[tuple[str, str], Step],
    *,
    verbose: bool,
) -> str:
    """Say, for example, `b -> a : undo after step 2 of sequence 1 takes back steps 1 and 2`."""
    after = next(step for (_, target), step in steps.items() if target == back.source)
    numbers = sorted({steps[t.source, t.target].number for t in undone})
    *first, last = map(str, numbers)
    back_to = f"steps {', '.join(first)} and {last}" if first else f"step {last}"
    states = f" ({back.source} -> {back.target})" if verbose else ""
    begun = {(t.source, t.target) for t in automaton.begun}
    again = any(t.label == back.label and (t.source, t.target) in begun for t in undone)
    return (
        f"{automaton.written(back.label)} after step {after.number} of sequence {after.sequence}"
        f"{states} takes back {back_to}{', and begins anew' if again else ''}"
    )


def word_line(verdict: RunVerdict) -> Text:
    """The line of a verdict at the moment when it is given, in virtual time."""
    line = Text(f"{milliseconds(verdict.declared_at):>12}  {verdict.monitor} ")
    line.append(VERDICT_IN_WORDS[verdict.verdict], STYLES[verdict.verdict])
    line.append(verdict.instance)
    about = "" if verdict.rule is None else f": {verdict.rule.name}"
    line.append(f" at event {verdict.event_index} ({verdict.label}){about}")
    if verdict.silent:
        line.append(f", for now: no answer from {', '.join(with_ranges(verdict.silent))}")
    elif verdict.early:
        line.append(", for now: an earlier event of the same process is not decided")
    return line


def formed_text(run: Run, automaton: SequenceAutomaton | None = None) -> Text:
    """Text on what the reference found in the real order of the run, which no monitor knows. The
    events that formed a sequence are left out if they are not known. The `automaton` says whether
    there are several."""
    order = "Checked against the real order, which only the simulator knows,"
    rules = () if automaton is None else automaton.rules
    formed = "violated" if rules else "formed"
    if not run.formed:
        return Text(f"{order} none was {formed}.")
    several = automaton is not None and len(rules or first_sequences(automaton)) > 1
    text = Text(f"{order} {'one' if several else 'it'} was {formed} {times(len(run.formed))}:")
    for index, sequence, rule in run.formed[:MAX_FORMATIONS]:
        by = f", by events {', '.join(map(str, sequence))}" if sequence else ""
        text.append(f"\n  at event {index}{by}{'' if rule is None else f': {rule.name}'}")
    if len(run.formed) > MAX_FORMATIONS:
        text.append(f"\n  and {counted(len(run.formed) - MAX_FORMATIONS, 'more time')}")
    if unseen := missed(run):
        told = ", ".join(
            f"{index}{'' if rule is None else f' ({rule.name})'}" for index, _, rule in unseen
        )
        text.append(f"\nMissed by the monitors: event {told}", "bold red")
    return text
