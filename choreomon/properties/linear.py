"""The reference semantics in one pass: the same formations in time linear in the events; or only
where they are, event by event, in the space that the automaton takes.

Cancellations remove by transition, whenever it fired; so of each forward transition it is
enough to remember the last time that it fired and is live. `formations` of `reference` is
the definition; they agree to the last sequence (tests/properties/test_linear.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import NamedTuple

from choreomon.core.message import Label
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.reference import Formation
from choreomon.properties.relations import cancels, pre_transitions


class _Fired(NamedTuple):
    """A transition fired at event number `position`, and what it continued."""

    position: int
    transition: Transition
    continued: _Fired | None


class _Reaction(NamedTuple):
    """The effect of a label: the forward transitions that it labels with whether they start a
    sequence and with their pre-transitions, and the pre-transitions and the victims of the backward
    ones."""

    fires: tuple[tuple[Transition, bool, tuple[Transition, ...]], ...]
    cancels: tuple[tuple[tuple[Transition, ...], tuple[Transition, ...]], ...]


def linear_formations(
    automaton: SequenceAutomaton, labels: Iterable[Label | None]
) -> list[Formation]:
    """Find where the property is formed in this order of events, as `formations` does."""
    reactions = {label: _reaction(automaton, label) for label in automaton.labels}
    live = {transition: _Fired(-1, transition, None) for transition in automaton.begun}
    found = []
    for position, label in enumerate(labels):
        reaction = reactions.get(label) if label is not None else None
        if reaction is None:
            continue
        fired = []
        for transition, starts, pre in reaction.fires:
            before = [live[p] for p in pre if p in live]
            if before or starts:
                last = max(before, key=_recent, default=None)
                fired.append(_Fired(position, transition, last))
        cancelled = [victims for pre, victims in reaction.cancels if any(p in live for p in pre)]
        finals = sorted((f for f in fired if f.transition.target in automaton.final), key=_recent)
        if finals:
            transitions = tuple(f.transition for f in finals)
            found.append(Formation(position, transitions, tuple(map(_sequence, finals))))
        for victims in cancelled:
            for victim in victims:
                live.pop(victim, None)
        for each in fired:
            live[each.transition] = each
    return found


class FormationRules:
    """Rules for any number of `FormationWatch` of one automaton: for each label what it fires, as
    the bit of a transition and the bits of those of which one must be live, and what it cancels, as
    bits of which one must be live and all bits that stay. `finals`: of each rule of the automaton,
    or of all of it where it has none, the bits of what completes it."""

    def __init__(self, automaton: SequenceAutomaton) -> None:
        bits = {t: 2 << number for number, t in enumerate(automaton.forward)}

        def mask(transitions: Iterable[Transition]) -> int:
            return sum({bits[t] for t in transitions})

        self.begun = mask(automaton.begun)
        ends = [{*automaton.final} & states for _, states in automaton.rules]
        self.finals = [
            mask(t for t in automaton.forward if t.target in own)
            for own in ends or [{*automaton.final}]
        ]
        self.reactions = {}
        for label in automaton.labels:
            fires, cancels = _reaction(automaton, label)
            self.reactions[label] = (
                tuple((bits[t], mask(pre) | starts) for t, starts, pre in fires),
                tuple((mask(pre), ~mask(victims)) for pre, victims in cancels),
            )


class FormationWatch:
    """Notices where the property is formed, for events that come one after the other. It keeps only
    which transitions are live, as bits, so it does not know by which events."""

    def __init__(self, rules: FormationRules) -> None:
        self._reactions = rules.reactions
        self._finals = rules.finals
        self._any = reduce(or_, rules.finals)
        # The lowest bit is always live: what starts a sequence continues it.
        self._live = 1 | rules.begun

    def formed_at(self, label: Label) -> tuple[int, ...]:
        """Return the places of the rules that the next event forms, which is 0 where the property
        is not written as rules. The event has one of the automaton's labels; others need not be
        told."""
        fires, cancels = self._reactions[label]
        live = left = self._live
        fired = 0
        for bit, needed in fires:
            if live & needed:
                fired |= bit
        for needed, spared in cancels:
            if live & needed:
                left &= spared
        self._live = left | fired
        if not fired & self._any:
            return ()
        return tuple([place for place, final in enumerate(self._finals) if fired & final])


def _reaction(automaton: SequenceAutomaton, label: Label) -> _Reaction:
    return _Reaction(
        fires=tuple(
            (t, t.source in automaton.initial, pre_transitions(automaton, t))
            for t in automaton.forward
            if t.label == label
        ),
        cancels=tuple(
            (
                pre_transitions(automaton, t),
                tuple(f for f in automaton.forward if cancels(automaton, t, f)),
            )
            for t in automaton.backward
            if t.label == label
        ),
    )


def _recent(fired: _Fired) -> tuple[int, Transition]:
    return fired.position, fired.transition


def _sequence(last: _Fired) -> tuple[int, ...]:
    positions = [last.position]
    while last.continued is not None:
        last = last.continued
        positions.append(last.position)
    return tuple(position for position in reversed(positions) if position >= 0)
