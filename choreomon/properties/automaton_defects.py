"""What is wrong with an automaton as its author wrote it. `choreomon.properties.automaton` asks
step by step, since much follows from one mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from choreomon.core.errors import Defect
from choreomon.core.message import BEGIN
from choreomon.core.suggestion import closest, one_letter_apart
from choreomon.properties.classification import Pair, reflexive_reach

if TYPE_CHECKING:
    from choreomon.properties.automaton import SelfLoop, StatedTransition

MAX_STATES: Final = 256
MAX_TRANSITIONS: Final = 4096
MAX_STATES_OF_RULES: Final = 4096
"""Of all rules of a document together; each has at most `MAX_STATES`."""


def shape_defects(
    states: tuple[str, ...],
    initial: Sequence[str],
    final: Sequence[str],
    transitions: Sequence[StatedTransition],
    self_loops: Sequence[SelfLoop],
) -> Iterator[Defect]:
    """Check states and counts."""
    if not initial:
        yield Defect(("initial",), "names no state: list at least one initial state")
    if not final:
        yield Defect(("final",), "names no state: list at least one final state")
    for transition in transitions:
        if transition.source == transition.target:
            yield Defect(
                transition.path,
                f"{transition.source} -> {transition.target} ({transition.label}) is a self-loop: "
                "give it as a self-loop with a formula",
            )
    for field, named in (("initial", initial), ("final", final)):
        for position, state in enumerate(named):
            if state not in states:
                yield Defect(
                    (field, position),
                    f"unknown state {state!r}: no transition mentions it; "
                    f"the states are {', '.join(states) or '(none)'}",
                )
    if len(states) > MAX_STATES:
        yield Defect((), f"has {len(states)} states; at most {MAX_STATES} are supported")
    yield from too_many(len(transitions) + len(self_loops))


def too_many(transitions: int) -> Iterator[Defect]:
    if transitions > MAX_TRANSITIONS:
        yield Defect((), f"has {transitions} transitions; at most {MAX_TRANSITIONS} are supported")


def unreached_defects(
    initial: Sequence[str], stated: Sequence[StatedTransition]
) -> Iterator[Defect]:
    """Told before what follows from it: that no sequence ends, or that transitions are neither
    forward nor backward."""
    reach = reflexive_reach(initial, {(t.source, t.target) for t in stated})
    reached = frozenset[str]().union(*reach.values())
    # The first one of each state.
    unreached = [t for q, t in {t.source: t for t in reversed(stated)}.items() if q not in reached][
        ::-1
    ]
    targets = {t.target for t in stated}
    # Those that only follow from another one are left out, unless they lead to each other.
    for transition in [t for t in unreached if t.source not in targets] or unreached:
        source = transition.source
        earlier = stated[: stated.index(transition)]
        # Most automata are written down along their ways, so the last state was probably meant.
        likely = dict.fromkeys(t.target for t in reversed(earlier) if t.target in reached)
        likely |= dict.fromkeys(initial)
        likely.pop(transition.target, None)
        meant = next((q for q in likely if one_letter_apart(source, q)), closest(source, likely))
        fix = (
            f"; did you mean {meant!r}?"
            if meant
            else f": let one lead there, or name {source} as initial"
        )
        yield Defect(
            transition.path,
            f"{_text(transition)} can never be taken, since no transitions lead from an initial "
            f"state to {source}{fix}",
        )


def ending_defects(final: Sequence[str], forward: frozenset[Pair]) -> Iterator[Defect]:
    """Told alone: that no transition is forward or backward then only follows from it."""
    if not any(target in final for _, target in forward):
        yield Defect(
            ("final",),
            f"no forward transition leads into {' or '.join(dict.fromkeys(final))}, so the "
            "sequence can never be formed (starting in a final state does not form it): let "
            "transitions lead from an initial state to another one that is final",
        )


def beginning_defects(
    initial: Sequence[str],
    final: Sequence[str],
    stated: Sequence[StatedTransition],
    forward: frozenset[Pair],
) -> Iterator[Defect]:
    """Check that the beginning is the first step of sequences."""
    for transition in stated:
        if transition.label != BEGIN:
            continue
        source, target = transition.source, transition.target
        if source not in initial:
            yield Defect(
                transition.path,
                f"begin leaves {source}, which is not initial, and nothing happens before the "
                "beginning: let it be the first step",
            )
        elif (source, target) not in forward or target in final:
            yield Defect(
                transition.path,
                f"begin leads from {source} to {target}, and that is no beginning of a sequence: "
                "let other steps follow it",
            )


def kind_defects(
    stated: Sequence[StatedTransition],
    forward: frozenset[Pair],
    reach: Mapping[str, frozenset[str]],
) -> Iterator[Defect]:
    """Check that each transition is forward or backward, and as its author says."""
    for transition in stated:
        on_simple_path = (transition.source, transition.target) in forward
        returns = transition.source in reach[transition.target]
        if on_simple_path and transition.backward is True:
            yield Defect(
                transition.path,
                f"{_text(transition)} is stated to be backward, but lies on a simple path from an "
                "initial to a final state, which only forward transitions may (Definition 4)",
            )
        elif not on_simple_path and transition.backward is False:
            yield Defect(
                transition.path,
                f"{_text(transition)} is stated to be forward, but lies on no simple path from an "
                "initial to a final state",
            )
        elif not on_simple_path and not returns:
            yield Defect(
                transition.path,
                f"{_text(transition)} is neither forward (on no simple path from an initial to a "
                f"final state) nor backward (no forward transitions lead from {transition.target} "
                f"to {transition.source}); let it lead towards a final state, or back to a "
                f"state from which {transition.source} is reached",
            )


def misplaced(added: Sequence[StatedTransition], forward: frozenset[Pair]) -> Iterator[Defect]:
    """Tell of cancellations that self-loops would add where only steps may be."""
    for transition in added:
        if (transition.source, transition.target) in forward:
            yield Defect(
                transition.path,
                f"the self-loop of {transition.source} forbids {transition.label}, but a "
                f"cancellation from there to {transition.target} would lie on a simple path from "
                "an initial to a final state, which only forward transitions may (Definition 4): "
                f"allow {transition.label} in the loop, or leave the loop out",
            )


def _text(transition: StatedTransition) -> str:
    return f"{transition.source} -> {transition.target} ({transition.label})"
