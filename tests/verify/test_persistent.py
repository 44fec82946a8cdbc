"""Which actions may be taken first, by the definition: all traces are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from choreomon.core.action import Action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import Interaction, act, loop_h, loop_s, par, seq, strict
from choreomon.verify import persistent
from choreomon.verify.late import LateTerms
from choreomon.verify.persistent import FREE, NEVER, WAITS, Persistence, Standing
from tests.verify.search.questions import LIFELINES, OPERATORS, PARTITIONS, a, mask_of

LONGEST = 5
"""Standings are compared with the traces of so many actions."""


def interactions(rng: Random, number: int) -> Iterator[Interaction]:
    """Small random ones, over the whole language."""
    asked = 0
    while asked < number:
        term = random_interaction(
            rng,
            lifelines=LIFELINES,
            messages=("a", "b"),
            operators=OPERATORS,
            min_depth=3,
            min_size=4,
            max_size=11,
        )
        if 0 < len(traces(term, LONGEST)) < 2000:
            asked += 1
            yield term


def right(standing: Standing, term: Interaction, action: Action, component: frozenset[str]) -> bool:
    """Whether the accepted traces agree: those that have `action` before all others of the
    component, and what they are when it is moved to their front."""
    accepted = frozenset(traces(term, LONGEST))
    moved = []
    for trace in accepted:
        own = [place for place, one in enumerate(trace) if one.lifeline in component]
        if own and trace[own[0]] == action:
            moved.append((action, *trace[: own[0]], *trace[own[0] + 1 :]))
    if standing == NEVER:
        return not moved
    return standing == WAITS or accepted.issuperset(moved)


def mistakes(seed: int, number: int, met: Counter[Standing]) -> int:
    """How many standings the definition contradicts, of plain terms and of the same as late
    ones of which nothing has happened."""
    rng = Random(seed)
    persistence = Persistence(kept=rng.choice((10, 10_000)))
    found = 0
    for term in interactions(rng, number):
        late = LateTerms().plain(term)
        for component in (set(own) for layout in PARTITIONS for own in layout):
            own = mask(component)
            actions = {one for trace in traces(term, LONGEST) for one in trace}
            for action in sorted(one for one in actions if one.lifeline in component):
                standing = persistence.standing(term, act(action), own)
                met[standing] += 1
                found += not right(standing, term, action, frozenset(component))
                there = persistence.late_standing(late, act(action), own)
                found += not right(there, term, action, frozenset(component))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_free_can_be_moved_to_the_front_of_every_trace(seed: int) -> None:
    met: Counter[Standing] = Counter()
    assert mistakes(seed, 150, met) == 0
    assert min(met[one] for one in (NEVER, FREE, WAITS)) > 50


@pytest.mark.parametrize("planted", [(WAITS, FREE), (FREE, NEVER)])
def test_a_standing_that_says_too_much_is_noticed(
    monkeypatch: pytest.MonkeyPatch, planted: tuple[Standing, Standing]
) -> None:
    right, wrong = planted
    true = persistent._standing

    def mistaken(*args: object) -> Standing:
        found = true(*args)  # type: ignore[arg-type]
        return wrong if found == right else found

    monkeypatch.setattr(persistent, "_standing", mistaken)
    assert mistakes(1, 20, Counter())


@pytest.mark.parametrize(
    ("term", "action", "component", "expected"),
    [
        (strict(loop_s(a("l1!b")), a("l2!a")), "l2!a", "l2", WAITS),
        (strict(loop_s(a("l1!b")), a("l2!a")), "l2!a", "l1,l2", FREE),
        (strict(loop_s(a("l1!b")), a("l2!a")), "l1!b", "l1", FREE),
        (strict(a("l2!b"), a("l2!a")), "l2!a", "l2", NEVER),
        (seq(loop_s(a("l1!b")), a("l2!a")), "l2!a", "l2", FREE),
        (par(strict(a("l1!b"), a("l2!a")), a("l2!a")), "l2!a", "l2", WAITS),
        (loop_s(strict(a("l1!b"), a("l2!a"))), "l1!b", "l1", FREE),
        (loop_s(strict(a("l1!b"), a("l2!a"))), "l2!a", "l2", WAITS),
        (loop_h(seq(a("l1!b"), a("l2!a"))), "l2!a", "l2", FREE),
        (loop_h(seq(a("l1!b"), a("l2!a"))), "l2!a", "l2,l3", WAITS),
    ],
)
def test_standings(term: Interaction, action: str, component: str, expected: Standing) -> None:
    found = Persistence().standing(term, a(action), mask_of(component))
    assert found == expected
