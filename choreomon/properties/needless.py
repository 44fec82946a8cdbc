"""Rules that say nothing, since another one implies them: a question about all orders of events,
answered by a search over what may be live. It is given up where that are too many states.

That a rule can never be formed is no question: the labels of its steps, one after the other, form
it, whatever these cancel, since an event is judged by what was live before it. What leads nowhere
is refused where automata are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import begun, live_stepper

MAX_STATES: Final = 2_000
"""Sets of live transitions, of two rules together, that are looked at."""


def implies(one: SequenceAutomaton, other: SequenceAutomaton, most: int = MAX_STATES) -> bool:
    """Tell whether `one` is formed at every event, of any order, at which `other` is. Not where
    that is too much to find out."""
    ends = {t.label for t in other.forward if t.target in other.final}
    if not ends <= {t.label for t in one.forward if t.target in one.final}:
        return False
    steps = live_stepper(one), live_stepper(other)
    labels = dict.fromkeys((*one.labels, *other.labels))
    known = frozenset(one.labels), frozenset(other.labels)
    first = begun(one), begun(other)
    reached = {first}
    pending = [first]
    for live in pending:
        for label in labels:
            (after, formed), (after_other, formed_other) = (
                step(label, before) if label in own else (before, False)
                for step, before, own in zip(steps, live, known, strict=True)
            )
            if formed_other and not formed:
                return False
            following = after, after_other
            if following not in reached:
                if len(reached) >= most:
                    return False
                reached.add(following)
                pending.append(following)
    return True


def implied(rules: Sequence[SequenceAutomaton]) -> dict[int, int]:
    """Map the place of a rule to that of an earlier or later one which implies it, where there is
    one; of two that imply each other the later one is implied."""
    found: dict[int, int] = {}
    for place, other in enumerate(rules):
        for at, one in enumerate(rules):
            if at == place or found.get(at) == place:
                continue
            if implies(one, other) and (at < place or not implies(other, one)):
                found[place] = at
                break
    return found
