"""Which actions may be taken first, by the definition: all traces are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from types import SimpleNamespace

import pytest

from choreomon.core.action import Action
from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import NONE, Mask, bit, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import (
    Interaction,
    Operator,
    act,
    alt,
    loop_h,
    loop_s,
    par,
    seq,
    strict,
    subterms,
)
from choreomon.verify import persistent_set
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.persistent_set import FREE, NEVER, WAITS, PersistentSets, Standing
from choreomon.verify.residual import COREG, Residual, Residuals
from tests.verify.papers.questions import OPERATORS, PARTITIONS, a, mask_of, random_term

LONGEST = 5
"""Standings are compared with the traces of so many actions."""


OVERTAKING = loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l2!b"), a("l1!c"))))
"""Of `l3!p l2!b l1!a l1!c` the action `l2!b` is the first one on `l1` and `l2`. In front of `l3!p`
it begins the first iteration, and `l1!c` comes before `l1!a`."""

Traces = frozenset[tuple[Action, ...]]

KNOWN_OPERATORS = tuple(one for one in OPERATORS if one != "loopH")
"""Those that residuals know."""


def interactions(
    rng: Random, number: int, operators: Sequence[str] = OPERATORS
) -> Iterator[Interaction]:
    """Small random ones."""
    asked = 0
    while asked < number:
        term = random_term(rng, operators)
        if 0 < len(traces(term, LONGEST)) < 2000:
            asked += 1
            yield term


def contradicted(
    standing: Standing, accepted: Traces, action: Action, component: Collection[str]
) -> bool:
    """Whether a trace has `action` before all others of the component, although it is NEVER there,
    or is none when it is moved to its front, although it is FREE."""
    moved = []
    for trace in accepted:
        own = [place for place, one in enumerate(trace) if one.lifeline in component]
        if own and trace[own[0]] == action:
            moved.append((action, *trace[: own[0]], *trace[own[0] + 1 :]))
    return bool(moved) if standing == NEVER else standing == FREE and not accepted.issuperset(moved)


def mistakes(
    seed: int, number: int, met: Counter[Standing], taken_for: Mapping[Standing, Standing] = {}
) -> int:
    """How many standings the definition contradicts, of terms and of residuals of which nothing
    has happened."""
    rng = Random(seed)
    persistent = PersistentSets()
    found = 0
    for term in (OVERTAKING, *interactions(rng, number)):
        residual = Residuals().plain(term)
        accepted = frozenset(traces(term, LONGEST))
        for component in (own for layout in PARTITIONS for own in layout):
            own = mask(component)
            actions = {one for trace in accepted for one in trace}
            for action in sorted(one for one in actions if one.lifeline in component):
                standing = persistent.standing(term, act(action), own)
                met[standing] += 1
                there = persistent._standing(residual, act(action), own)
                for one in (standing, there):
                    found += contradicted(taken_for.get(one, one), accepted, action, component)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_free_can_be_moved_to_the_front_of_every_trace(seed: int) -> None:
    met: Counter[Standing] = Counter()
    assert mistakes(seed, 150, met) == 0
    assert min(met[one] for one in (NEVER, FREE, WAITS)) > 50


@pytest.mark.parametrize("taken_for", [{WAITS: FREE}, {FREE: NEVER}])
def test_a_standing_that_says_too_much_is_noticed(taken_for: Mapping[Standing, Standing]) -> None:
    assert mistakes(1, 20, Counter(), taken_for)


def test_iterations_that_overtake_each_other_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: Operator[name] for name in ("COREG", "STRICT", "LOOP_C", "OPEN")}
    monkeypatch.setattr(persistent_set, "Operator", SimpleNamespace(**known, LOOP_H=None))
    assert mistakes(1, 0, Counter())


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
    found = PersistentSets().standing(term, a(action), mask_of(component))
    assert found == expected


# -- residuals -------------------------------------------------------------------------------

AHEAD = 4
"""Standings in residuals are compared with what so many observed actions may be."""


Component = tuple[str, ...]
Begun = frozenset[Component]
NOBODY: Begun = frozenset()


class Observations:
    """What may be observed from now on of a term, by components of which some have not begun:
    these may do anything unobserved before and after every observed action."""

    def __init__(self, term: Interaction, components: Sequence[Component]) -> None:
        self.components = components
        self.leaves = [part for part in subterms(term) if part.action is not None]
        self._automaton = LazyAutomaton()
        self._known: dict[tuple[Residual, Begun, int], Traces] = {}
        terms = self._automaton.residuals
        self.start = terms.opened(terms.plain(normal(term)), self.free(NOBODY))

    def owner(self, leaf: Interaction) -> Component:
        assert leaf.action is not None
        name = leaf.action.lifeline
        return next(one for one in self.components if name in one)

    def free(self, begun: Begun) -> Mask:
        return mask(name for one in self.components if one not in begun for name in one)

    def after(self, node: Residual, leaf: Interaction, begun: Begun) -> tuple[Residual, ...]:
        assert leaf.action is not None
        own = self.owner(leaf)
        how = self._automaton.observation(mask(own), self.free(begun | {own}), NONE)
        return tuple(rest for _, rest in self._automaton.rests(node, leaf.action, how))

    def futures(self, node: Residual, begun: Begun, length: int) -> Traces:
        key = node, begun, length
        if key not in self._known:
            found: set[tuple[Action, ...]] = {()}
            for leaf in self.leaves if length else ():
                assert leaf.action is not None
                then = begun | {self.owner(leaf)}
                for rest in self.after(node, leaf, begun):
                    found |= {(leaf.action, *more) for more in self.futures(rest, then, length - 1)}
            self._known[key] = frozenset(found)
        return self._known[key]


def residual_mistakes(seed: int, number: int, met: Counter[Standing]) -> int:
    """How many standings are contradicted by what may be observed of residuals, of components
    that have begun."""
    rng = Random(seed)
    found = 0
    for term in interactions(rng, number, KNOWN_OPERATORS):
        seen = Observations(term, rng.choice(PARTITIONS))
        node, begun = seen.start, NOBODY
        for _ in range(2):
            steps = [(leaf, rest) for leaf in seen.leaves for rest in seen.after(node, leaf, begun)]
            if not steps:
                break
            leaf, node = rng.choice(steps)
            begun |= {seen.owner(leaf)}
            futures = seen.futures(node, begun, AHEAD)
            for leaf in seen.leaves:
                if seen.owner(leaf) in begun:
                    own = seen.owner(leaf)
                    standing = PersistentSets()._standing(node, leaf, mask(own))
                    met[standing] += 1
                    assert leaf.action is not None
                    found += contradicted(standing, futures, leaf.action, own)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_what_is_free_in_a_residual_can_be_observed_first(seed: int) -> None:
    met: Counter[Standing] = Counter()
    assert residual_mistakes(seed, 100, met) == 0
    assert min(met[one] for one in (NEVER, FREE, WAITS)) > 20


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("whole", lambda gaps: NONE), ("may_avoid", lambda node, lifelines: False)],
)
def test_pasts_and_left_operands_that_are_overlooked_are_noticed(
    name: str, wrong: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistent_set, name, wrong)
    assert residual_mistakes(0, 100, Counter())


@pytest.mark.parametrize(("region", "expected"), [(bit("l1"), FREE), (NONE, NEVER)])
def test_what_a_co_region_lets_overtake_is_free_in_residuals_too(
    region: Mask, expected: Standing
) -> None:
    terms = Residuals()
    earlier = terms.plain(normal(strict(a("l1!a"), a("l2!x"))))
    later = terms.undecided_past(normal(strict(a("l1!b"), a("l2!y"))))
    node = terms.coreg(region, earlier, later)
    assert node.kind == COREG
    assert PersistentSets()._standing(node, a("l1!b"), bit("l1")) == expected
