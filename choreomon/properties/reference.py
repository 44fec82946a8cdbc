"""The reference: what a property means over a total order of events.

See docs/properties.md, "What a property means". Slow and obvious; everything clever is
held against it. It follows the transition tables and the proof of the paper's Theorem 1,
*not* the acceptance of the underlying automaton, and the two differ: with
q0 -a-> q1 -b-> q2 -c-> q3 and the cancellation (q2, v, q0), an automaton library accepts
`a b a v b c` through the second `a`, while here `v` cancels every `a` that is live, so
the property is not formed. Do not test against the acceptance of an automaton library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from choreomon.core.message import BEGIN, Label
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.relations import pre_transitions, vio_transitions


@dataclass(frozen=True, order=True, slots=True)
class Live:
    """A forward transition that fired at event number `index` and was not cancelled."""

    transition: Transition
    index: int


@dataclass(frozen=True, slots=True)
class Formation:
    """The property was formed at event `index`: these final transitions fired there.
    `sequences` are, for each of them, one way to it: event numbers from a start of the
    sequence to `index`."""

    index: int
    transitions: tuple[Transition, ...]
    sequences: tuple[tuple[int, ...], ...]


def formations(automaton: SequenceAutomaton, labels: Iterable[Label | None]) -> list[Formation]:
    """Find where the property is formed in this order of events; `None` stands for an event that
    the property does not mention. `BEGIN` is an event before all of them, and in no sequence."""
    pre = {t: set(pre_transitions(automaton, t)) for t in automaton.forward + automaton.backward}
    vio = {t: set(vio_transitions(automaton, t)) for t in automaton.forward}
    live: set[Live] = set()
    continued: dict[Live, Live | None] = {}  # whatever fired: one that it continued
    found = []
    for index, label in enumerate((BEGIN, *labels), -1):
        fired = set()
        for transition in automaton.forward:
            if transition.label != label:
                continue
            before = [r for r in live if r.transition in pre[transition]]
            if before or transition.source in automaton.initial:
                fired.add(Live(transition, index))
                continued[Live(transition, index)] = max(before, key=_recent, default=None)
        cancelling = {
            t
            for t in automaton.backward
            if t.label == label and any(r.transition in pre[t] for r in live)
        }
        finals = sorted(r for r in fired if r.transition.target in automaton.final)
        if finals:
            transitions = tuple(r.transition for r in finals)
            sequences = tuple(_sequence(final, continued) for final in finals)
            found.append(Formation(index, transitions, sequences))
        if cancelling:
            live = {r for r in live if not cancelling & vio[r.transition]}
        live |= fired
    return found


def _recent(live: Live) -> tuple[int, Transition]:
    return live.index, live.transition


def _sequence(last: Live, continued: dict[Live, Live | None]) -> tuple[int, ...]:
    sequence = [last.index]
    while (previous := continued[last]) is not None:
        sequence.append(previous.index)
        last = previous
    return tuple(index for index in reversed(sequence) if index >= 0)
