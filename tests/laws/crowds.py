"""Properties of which the same step may be taken by any of a crowd."""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.message import BEGIN, Label, Message
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton


def crowded(
    automaton: SequenceAutomaton, processes: Sequence[str], crowd: int
) -> tuple[SequenceAutomaton, tuple[str, ...]]:
    """The property with so many processes in place of the first one, each with all of its labels,
    and all processes then. Where the first one was the other end of a message, one of them is."""
    first, *others = processes
    members = [f"{first}-{number}" for number in range(crowd)]

    def owned(label: Label) -> list[Label]:
        sender, name, receiver = label.message
        if label == BEGIN:
            return [label]
        if label.process != first:
            ends = [members[0] if end == first else end for end in (sender, receiver)]
            return [Label(label.kind, Message(ends[0], name, ends[1]))]
        messages = [
            Message(each, name, receiver) if sender == first else Message(sender, name, each)
            for each in members
        ]
        return [Label(label.kind, message) for message in messages]

    found = sequence_automaton(
        initial=automaton.initial,
        final=automaton.final,
        transitions=[
            StatedTransition(t.source, label, t.target)
            for t in (*automaton.forward, *automaton.backward)
            for label in owned(t.label)
        ],
    )
    return found, (*members, *others)
