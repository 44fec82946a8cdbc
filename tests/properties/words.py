"""A tiny language for automata and words over one-letter labels.

`automaton("q0 a q1, q1 b q2, q2 v q0", final="q2")`: triples of source, letter and
target. A letter is the sending of a message of that name to `PEER`, by `P1` or by the
process that `watchers` names; `q2 v q0!` states that the transition is backward.
A dot in a word is an event that the property does not mention.
"""

from __future__ import annotations

from collections.abc import Mapping

from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import (
    SelfLoop,
    SequenceAutomaton,
    StatedTransition,
    UndecidableSelfLoop,
    sequence_automaton,
)
from choreomon.properties.reference import formations

PEER = "P9"


def letter(name: str, watcher: str = "P1") -> Label:
    return Label(SEND, Message(watcher, name, PEER))


def stated(triples: str, watchers: Mapping[str, str] | None = None) -> list[StatedTransition]:
    transitions = []
    for number, triple in enumerate(triples.split(",")):
        backward = True if triple.strip().endswith("!") else None
        source, name, target = triple.replace("!", "").split()
        label = letter(name, (watchers or {}).get(name, "P1"))
        path = ("transitions", number)
        transitions.append(StatedTransition(source, label, target, backward, path))
    return transitions


def automaton(
    triples: str,
    *,
    final: str,
    initial: str = "q0",
    watchers: Mapping[str, str] | None = None,
    self_loops: tuple[SelfLoop, ...] = (),
    undecidable_self_loop: UndecidableSelfLoop = "reject",
) -> SequenceAutomaton:
    """`initial` and `final` are lists of states, separated by blanks."""
    return sequence_automaton(
        initial=initial.split(),
        final=final.split(),
        transitions=stated(triples, watchers),
        self_loops=self_loops,
        undecidable_self_loop=undecidable_self_loop,
    )


def formed(automaton: SequenceAutomaton, word: str) -> list[int]:
    """The positions in the word at which the property is formed."""
    return [formation.index for formation in formations(automaton, labels(automaton, word))]


def labels(automaton: SequenceAutomaton, word: str) -> list[Label | None]:
    by_name = {label.message.name: label for label in automaton.labels}
    return [None if name == "." else by_name[name] for name in word.replace(" ", "")]


def pairs(automaton: SequenceAutomaton, kind: str) -> set[str]:
    """The forward or backward transitions, as `q0 a q1`."""
    return {
        f"{t.source} {t.label.message.name} {t.target}"
        for t in (automaton.forward if kind == "forward" else automaton.backward)
    }
