"""Properties as tests write them."""

from __future__ import annotations

from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)


def automaton_of(
    initial: str, final: str, *transitions: tuple[str, Label | Message, str]
) -> SequenceAutomaton:
    """Names of states are separated by blanks. A message stands for its being sent."""
    return sequence_automaton(
        initial=initial.split(),
        final=final.split(),
        transitions=[
            StatedTransition(source, Label(SEND, of) if isinstance(of, Message) else of, target)
            for source, of, target in transitions
        ],
    )
