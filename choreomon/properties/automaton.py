"""Sequence automata (the paper, Definition 4), validated once and frozen.

`sequence_automaton` is the only way to make one that is worth its name: it classifies
the transitions, checks what the author stated, resolves self-loops and refuses with a
`PropertyError` that lists every defect it found.

Choices where the paper leaves room (docs/properties.md, "Automata"): the relation `->*` is
reflexive; self-loops range over the labels that the property names, several on one state
are a union, and a state without one ignores whatever no transition of it mentions.
Two transitions that differ in nothing are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from choreomon.core.errors import Defect, Path, PropertyError
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, Label, Message
from choreomon.core.stated_rule import RuleStates
from choreomon.core.verdict import Reference
from choreomon.properties.automaton_defects import (
    beginning_defects,
    ending_defects,
    kind_defects,
    misplaced,
    shape_defects,
    too_many,
    unreached_defects,
)
from choreomon.properties.classification import (
    Pair,
    SearchExhausted,
    forward_pairs,
    reflexive_reach,
)
from choreomon.properties.formula import Formula, labels_of, satisfies

UndecidableSelfLoop: TypeAlias = Literal["reject", "cancel"]


class Transition(NamedTuple):
    """A transition between two different states."""

    source: str
    label: Label
    target: str

    @property
    def reference(self) -> Reference:
        return Reference(self.source, self.label.process, self.target)

    def __str__(self) -> str:
        return f"({self.source}, {self.label}, {self.target})"


class StatedTransition(NamedTuple):
    """A transition as its author wrote it. `backward` is what the author stated, if
    anything; `path` is where, for error messages."""

    source: str
    label: Label
    target: str
    backward: bool | None = None
    path: Path = ()


class SelfLoop(NamedTuple):
    """A self-loop of `state` with its formula."""

    state: str
    formula: Formula
    path: Path = ()


@dataclass(frozen=True, kw_only=True)
class SequenceAutomaton:
    """`(Q, Sigma, delta_f, delta_b, Q0, F)`; states and transitions in the author's order.

    `self_loops` are kept for drawing and for explanations: they change nothing once the
    automaton is validated. So are `sequences`: how many steps each of the sequences has that it was
    written as; empty where it was written as an automaton; `carried`: the parameters behind
    each message, of a property for each instance; and `rules`: those that it was written as, in
    their order.
    """

    states: tuple[str, ...]
    initial: tuple[str, ...]
    final: tuple[str, ...]
    forward: tuple[Transition, ...]
    backward: tuple[Transition, ...]
    self_loops: tuple[SelfLoop, ...] = ()
    sequences: tuple[int, ...] = dataclass_field(default=(), compare=False)
    carried: Mapping[Message, tuple[str, ...]] = dataclass_field(
        default_factory=dict, compare=False
    )
    rules: tuple[RuleStates, ...] = dataclass_field(default=(), compare=False)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels of events that the transitions have, each once, in the author's order: that of
        the beginning is not one of them."""
        labels = dict.fromkeys(t.label for t in (*self.forward, *self.backward))
        return tuple(label for label in labels if label != BEGIN)

    @cached_property
    def begun(self) -> tuple[Transition, ...]:
        """Return what the beginning fires, before every event."""
        return tuple(t for t in self.forward if t.label == BEGIN)

    def written(self, label: Label) -> str:
        """The label as its author wrote it: with parameters, where its message carries some."""
        return str(CarryingLabel(label, self.carried.get(label.message, ())))

    @cached_property
    def ending(self) -> Mapping[str, tuple[Transition, ...]]:
        """Map each state to the forward transitions that lead to it."""
        found: dict[str, list[Transition]] = {state: [] for state in self.states}
        for t in self.forward:
            found[t.target].append(t)
        return {state: tuple(ending) for state, ending in found.items()}

    @cached_property
    def cancelling(self) -> Mapping[Pair, tuple[Transition, ...]]:
        """Map the states of a forward transition to the backward ones between whose ends it lies,
        so that they cancel it (Definition 6)."""
        return {
            (source, target): tuple(
                back
                for back in self.backward
                if source in self.reach[back.target] and back.source in self.reach[target]
            )
            for source, target in dict.fromkeys((t.source, t.target) for t in self.forward)
        }

    @cached_property
    def reach(self) -> dict[str, frozenset[str]]:
        """The reflexive `->*` over forward transitions."""
        return reflexive_reach(self.states, {(t.source, t.target) for t in self.forward})


def sequence_automaton(
    *,
    initial: Sequence[str],
    final: Sequence[str],
    transitions: Sequence[StatedTransition],
    self_loops: Sequence[SelfLoop] = (),
    undecidable_self_loop: UndecidableSelfLoop = "reject",
) -> SequenceAutomaton:
    """The validated automaton.

    Raises `PropertyError` for: no initial or final state, a state that no transition
    mentions, more than `MAX_STATES` states or `MAX_TRANSITIONS` transitions (with those
    that self-loops add), a self-loop among `transitions`, a transition from a state to which no
    transitions lead from an initial one, final states into which no
    forward transition leads, a transition that is neither forward nor backward, a statement
    about `backward` that Definition 4 contradicts, a self-loop that cannot be split among
    monitors.
    """
    states = _states(transitions, self_loops)
    _refuse(shape_defects(states, initial, final, transitions, self_loops))
    _refuse(unreached_defects(initial, transitions))
    pairs = _forward_pairs(initial, final, transitions)
    _refuse(ending_defects(final, pairs))
    _refuse(beginning_defects(initial, final, transitions, pairs))
    reach = reflexive_reach(states, pairs)
    _refuse(kind_defects(transitions, pairs, reach))
    added = _cancellations(initial, transitions, self_loops, reach, undecidable_self_loop)
    stated = (*transitions, *added)
    if added:
        # A new simple path would contain an added transition, so `pairs` stays right.
        _refuse(misplaced(added, _forward_pairs(initial, final, stated)))
    forward = tuple(
        dict.fromkeys(
            Transition(t.source, t.label, t.target) for t in stated if (t.source, t.target) in pairs
        )
    )
    backward = tuple(
        dict.fromkeys(
            Transition(t.source, t.label, t.target)
            for t in stated
            if (t.source, t.target) not in pairs
        )
    )
    return SequenceAutomaton(
        states=states,
        initial=tuple(dict.fromkeys(initial)),
        final=tuple(dict.fromkeys(final)),
        forward=forward,
        backward=backward,
        self_loops=tuple(self_loops),
    )


def _refuse(defects: Iterable[Defect]) -> None:
    found = tuple(defects)
    if found:
        raise PropertyError(found)


def _states(
    transitions: Iterable[StatedTransition], self_loops: Iterable[SelfLoop]
) -> tuple[str, ...]:
    states: dict[str, None] = {}
    for transition in transitions:
        states[transition.source] = states[transition.target] = None
    for loop in self_loops:
        states[loop.state] = None
    return tuple(states)


def _forward_pairs(
    initial: Sequence[str], final: Sequence[str], stated: Sequence[StatedTransition]
) -> frozenset[Pair]:
    try:
        return forward_pairs(
            initial, final, tuple(dict.fromkeys((t.source, t.target) for t in stated))
        )
    except SearchExhausted as stopped:
        raise PropertyError((Defect((), str(stopped)),)) from None


def _cancellations(
    initial: Sequence[str],
    stated: Sequence[StatedTransition],
    self_loops: Sequence[SelfLoop],
    reach: Mapping[str, frozenset[str]],
    undecidable_self_loop: UndecidableSelfLoop,
) -> list[StatedTransition]:
    """Backward transitions for the messages that self-loops forbid and nothing else
    handles; a `PropertyError` where they are not asked for or lead nowhere."""
    alphabet = dict.fromkeys(t.label for t in stated)
    for loop in self_loops:
        alphabet |= dict.fromkeys(sorted(labels_of(loop.formula)))
    by_state: dict[str, list[SelfLoop]] = {}
    for loop in self_loops:
        by_state.setdefault(loop.state, []).append(loop)
    added: list[StatedTransition] = []
    defects: list[Defect] = []
    for state, loops in by_state.items():
        leaving = {t.label for t in stated if t.source == state}
        starts = [q for q in dict.fromkeys(initial) if q != state and state in reach[q]]
        for label in alphabet:
            if label in leaving or any(satisfies(label, loop.formula) for loop in loops):
                continue
            if undecidable_self_loop == "reject":
                defects.append(
                    Defect(
                        loops[0].path,
                        f"the self-loop of {state} forbids {label}, for which {state} has no other "
                        "transition, so no monitor could tell what it does: allow it in the loop, "
                        f"give {state} a transition on it, or set undecidable_self_loop: cancel",
                    )
                )
                continue
            if not starts:
                defects.append(
                    Defect(
                        loops[0].path,
                        f"the self-loop of {state} forbids {label}, but there is no other "
                        f"initial state to cancel back to: allow {label} in the loop, or leave "
                        "the loop out",
                    )
                )
            added += [StatedTransition(state, label, q, True, loops[0].path) for q in starts]
        _refuse(too_many(len(stated) + len(self_loops) + len(added)))
    _refuse(defects)
    return added
