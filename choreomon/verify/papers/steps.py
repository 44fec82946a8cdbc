"""The steps from a vertex.

Two ways to the same steps. With positions, as papers and pictures show them; this is needed
where a graph is recorded, and by everything that asks where in the term an action is. Without,
which asks the interaction only for actions that can be consumed, and puts follow-ups in normal
form, so that more of them are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import remove
from choreomon.interaction.step import Position, after, simulated
from choreomon.interaction.term import Interaction, forget_steps
from choreomon.verify.papers.graph import Measure, Rule
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.reduction import one_unambiguous
from choreomon.verify.papers.rules import Rules


class State(NamedTuple):
    """What makes a vertex: two with the same state are one.

    `removed` has bit n set where the lifelines of component n were removed. The flags of the slices
    paper say which positions are not 0, so they are no field.
    """

    term: Interaction
    positions: tuple[int, ...]
    removed: int
    measure: Measure | None


class Step(NamedTuple):
    """A step to `state`. `entered`: how many loops are around the action, 0 where not computed."""

    rule: Rule
    component: int
    action: Action | None
    position: Position | None
    entered: int
    state: State


class DeferredStep:
    """A step of which the state is worked out only where somebody looks at it: all states behind
    the steps from a deep term together are quadratic in its depth, and few of the steps are
    taken."""

    __slots__ = ("_enabled", "_make", "_state", "component", "entered", "rule")

    def __init__(
        self, rule: Rule, component: int, enabled: Enabled, make: Callable[[Interaction], State]
    ) -> None:
        self.rule = rule
        self.component = component
        self.entered = enabled.loops
        self._enabled = enabled
        self._make = make
        self._state: State | None = None

    @property
    def action(self) -> Action:
        return self._enabled.action

    @property
    def position(self) -> Position:
        return self._enabled.position()

    @property
    def state(self) -> State:
        if self._state is None:
            self._state = self._make(self._enabled.follow_up())
        return self._state


AnyStep: TypeAlias = Step | DeferredStep


FOLLOW_UPS: Final = 20_000
"""A default limit on terms and actions: some 100 MB, as far as terms of a hundred symbols go."""


class FollowUps:
    """Normal forms of follow-ups, without repetitions. Once there are `limit` of them, all are
    forgotten, and found anew as they are needed."""

    def __init__(self, limit: int = FOLLOW_UPS) -> None:
        self._limit = limit
        self._known: dict[tuple[Interaction, Interaction, Mask], tuple[Interaction, ...]] = {}

    def __len__(self) -> int:
        """Of how many terms and actions they are kept."""
        return len(self._known)

    def of(
        self,
        term: Interaction,
        leaf: Interaction,
        gone: Mask,
        ask: Callable[[], None] | None = None,
    ) -> tuple[Interaction, ...]:
        """What may remain after the action of `leaf`, without the lifelines `gone`. `ask` may
        raise, to stop, as in `choreomon.interaction.step.after`."""
        key = term, leaf, gone
        known = self._known.get(key)
        if known is None:
            rests = after(term, leaf, ask)
            if gone:
                rests = tuple([remove(rest, gone) for rest in rests])
            if len(self._known) >= self._limit:
                self._known.clear()
                forget_steps()
            known = self._known[key] = tuple(dict.fromkeys(map(normal, rests)))
        return known


class Stepper:
    """The steps of one multi-trace under one set of rules.

    `words` are the components, actions as terms; `owners` says which component a lifeline
    belongs to; `one_component` asks for the sound reduction, `one_action` for the removal paper's.
    `removes_at_once` makes the removal of a component a part of the step that used it up, rather
    than a step of its own: nothing else can be done in between. `follow_ups` are kept from
    one multi-trace of an interaction for the next.
    """

    def __init__(
        self,
        rules: Rules,
        words: Sequence[Sequence[Interaction]],
        lifelines: Sequence[Mask],
        owners: dict[str, int],
        *,
        measures: Measures,
        positioned: bool,
        one_component: bool,
        one_action: bool,
        removes_at_once: bool,
        follow_ups: FollowUps,
    ) -> None:
        self._rules = rules
        self._words = words
        self._lifelines = lifelines
        self._owners = owners
        self._ends = tuple(len(word) for word in words)
        self._length = sum(self._ends)
        self._measures = measures
        self._positioned = positioned
        self._one_component = one_component
        self._one_action = one_action
        self._removes_at_once = removes_at_once and rules.removal and not positioned
        self._follow_ups = follow_ups
        self._blanked: dict[Mask, dict[Interaction, Interaction]] = {}

    def steps(self, state: State, ask: Callable[[], None] | None = None) -> Sequence[AnyStep]:
        """Every step from a vertex whose multi-trace is not used up. `ask` is called again and
        again while they are worked out: it may raise, to stop."""
        if self._rules.removal:
            gone = self._used_up(state) & ~state.removed
            if gone:
                return (self._removal(state, gone),)
        found = self._located(state, ask) if self._positioned else self._consuming(state, ask)
        if self._rules.simulation == "exact":
            found += self._simulating(state, ask)
        if self._one_component:
            return self._of_one_component(state, found)
        return found

    def _used_up(self, state: State) -> int:
        gone = 0
        for number, position in enumerate(state.positions):
            if position == self._ends[number]:
                gone |= 1 << number
        return gone

    def _removal(self, state: State, gone: int) -> Step:
        lifelines = 0
        for number, own in enumerate(self._lifelines):
            if gone >> number & 1:
                lifelines |= own
        rest = remove(state.term, lifelines)
        if not self._positioned:
            rest = normal(rest)
        following = State(rest, state.positions, state.removed | gone, state.measure)
        return Step("remove", -1, None, None, 0, following)

    def _located(self, state: State, ask: Callable[[], None] | None) -> list[AnyStep]:
        """Consuming steps, and those that the measure bounds, in the order of positions."""
        found: list[AnyStep] = []
        measured = self._rules.simulation == "measured"
        left = self.left(state.positions)
        consuming: dict[int, Callable[[Interaction], State]] = {}
        for one in enabled(state.term):
            if ask is not None:
                ask()
            action = one.action
            number = self._owners.get(action.lifeline)
            if number is None:
                continue
            at = state.positions[number]
            word = self._words[number]
            if at < len(word) and word[at].action == action:
                make = consuming.setdefault(number, partial(self._consumed, state, number))
                step = DeferredStep("execute", number, one, make)
                # Consuming opens no iterations, so without open ones nothing has to be asked.
                if not state.term.unserved or step.state.term.unserved < left:
                    found.append(step)
            if measured and self._unobserved(state, number):
                assert state.measure is not None
                if self._measures.allows(state.measure, one.loops):
                    make = partial(self._simulated, state, one.loops, left)
                    found.append(DeferredStep("simulate", number, one, make))
        return found

    def _simulated(self, state: State, entered: int, left: int, rest: Interaction) -> State:
        assert state.measure is not None
        measure = self._measures.after(state.measure, entered, rest, left)
        assert measure is not None
        return State(rest, state.positions, state.removed, measure)

    def _consuming(self, state: State, ask: Callable[[], None] | None) -> list[AnyStep]:
        found: list[AnyStep] = []
        term, at, _, measure = state
        exact = self._rules.simulation == "exact"
        left = self._length - sum(at) - 1
        for number, position in enumerate(at):
            end = self._ends[number]
            if position == end:
                continue
            leaf = self._words[number][position]
            used_up = position + 1 == end and left > 0 and self._removes_at_once
            gone = self._lifelines[number] if used_up else NONE
            rests = self._follow_ups.of(term, leaf, gone, ask)
            if not rests:
                continue
            positions = (*at[:number], position + 1, *at[number + 1 :])
            removed = state.removed | 1 << number if used_up else state.removed
            for rest in rests:
                if not exact or rest.unserved <= left:
                    following = State(rest, positions, removed, measure)
                    found.append(Step("execute", number, leaf.action, None, 0, following))
        return found

    def _consumed(self, state: State, number: int, rest: Interaction) -> State:
        at = state.positions
        positions = (*at[:number], at[number] + 1, *at[number + 1 :])
        measure = state.measure
        if measure is not None:
            measure = self._measures.consumed(measure, rest, self.left(positions))
        return State(rest, positions, state.removed, measure)

    def _simulating(self, state: State, ask: Callable[[], None] | None) -> list[AnyStep]:
        """Unobserved steps that leave no more iterations to serve than there are actions."""
        found: list[AnyStep] = []
        left = self.left(state.positions)
        for action, rest in simulated(state.term, ask):
            number = self._owners.get(action.lifeline)
            if number is None or not self._unobserved(state, number):
                continue
            if not self._positioned:
                rest = normal(rest)
            if rest.unserved <= left:
                following = State(rest, state.positions, state.removed, state.measure)
                found.append(Step("simulate", number, action, None, 0, following))
        return found

    def left(self, positions: tuple[int, ...]) -> int:
        """How many actions are not yet consumed."""
        return self._length - sum(positions)

    def _unobserved(self, state: State, number: int) -> bool:
        """Whether an action of the component may happen outside of its observation."""
        at = state.positions[number]
        return at == self._ends[number] or (at == 0 and self._rules.before)

    def _of_one_component(self, state: State, found: list[AnyStep]) -> Sequence[AnyStep]:
        mine: dict[int, list[AnyStep]] = {
            number: [] for number, at in enumerate(state.positions) if at < self._ends[number]
        }
        for step in found:
            if step.component in mine:
                mine[step.component].append(step)
        return min(mine.values(), key=len)

    def reduced(self, state: State, found: Sequence[AnyStep]) -> Sequence[AnyStep]:
        """The removal paper's reduction, where asked for: of steps in the order in which they are
        to be taken, the first consuming one that is one-unambiguous instead of all consuming
        ones."""
        if not self._one_action:
            return found
        for step in found:
            if step.rule == "execute" and step.action is not None:
                own = self._lifelines[step.component]
                blanked = self._blanked.setdefault(own, {})
                if one_unambiguous(state.term, step.action, own, blanked):
                    return [step, *(other for other in found if other.rule == "simulate")]
        return found
