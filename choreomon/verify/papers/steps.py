"""The steps from a vertex: the slices paper, Definition 7, and the removal paper, Definition 10.

The same steps are computed in two ways. With positions, as papers and pictures show them: for
graphs that are recorded, and for everything that depends on where in the term an action is.
Without positions, only for actions that can be consumed, and with follow-ups in normal form, so
that more of them are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.lifelines import NONE, known_mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import remove
from choreomon.interaction.step import Position, after, simulated
from choreomon.interaction.term import Interaction, forget_steps, observed
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.graph import Rule, State
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.options import Reduction
from choreomon.verify.papers.reduction import one_unambiguous
from choreomon.verify.papers.rules import Rules


class Step:
    """A step to `state`; `component` is -1 for a removal.

    The state of a step with a position is computed when it is read: all states behind the steps
    from a deep term together are quadratic in its depth, and few of the steps are taken.
    """

    __slots__ = ("_enabled", "_state", "action", "component", "rule")

    def __init__(
        self,
        rule: Rule,
        component: int,
        action: Action | None,
        state: State | Callable[[], State],
        enabled: Enabled | None = None,
    ) -> None:
        self.rule: Rule = rule
        self.component = component
        self.action = action
        self._state = state
        self._enabled = enabled

    @property
    def position(self) -> Position | None:
        return None if self._enabled is None else self._enabled.position()

    @property
    def entered(self) -> int:
        """The number of loops around the action, 0 where the step has no position."""
        return 0 if self._enabled is None else self._enabled.loops

    @property
    def state(self) -> State:
        if not isinstance(self._state, State):
            self._state = self._state()
        return self._state


FOLLOW_UPS: Final = 20_000
"""A default limit on terms and actions: some 100 MB, as far as terms of a hundred symbols go."""


class FollowUps:
    """Normal forms of follow-ups, without repetitions. Once there are `limit` of them, all are
    forgotten, and computed anew when needed. `check_budget` may raise, to stop."""

    def __init__(
        self, limit: int = FOLLOW_UPS, check_budget: Callable[[], None] | None = None
    ) -> None:
        self._limit = limit
        self._check_budget = check_budget
        self._known: dict[tuple[Interaction, Interaction], tuple[Interaction, ...]] = {}

    def __len__(self) -> int:
        """The number of terms with an action whose follow-ups are kept."""
        return len(self._known)

    def of(self, term: Interaction, leaf: Interaction) -> tuple[Interaction, ...]:
        """The terms that may remain after the action of `leaf`."""
        key = term, leaf
        known = self._known.get(key)
        if known is None:
            rests = after(term, leaf, self._check_budget)
            if len(self._known) >= self._limit:
                self._known.clear()
                forget_steps()
            known = self._known[key] = tuple(dict.fromkeys(map(normal, rests)))
        return known


class Stepper:
    """The steps of one multi-trace under one set of rules.

    `traces` are the local traces of the components, actions as terms. Steps have positions where
    `positioned`; else follow-ups come from `follow_ups`, which are kept from one multi-trace of an
    interaction for the next. The reduction `sound` must be sound for these rules.
    """

    def __init__(
        self,
        rules: Rules,
        multitrace: MultiTrace,
        *,
        measures: Measures,
        follow_ups: FollowUps,
        positioned: bool,
        reduction: Reduction,
        check_budget: Callable[[], None] | None,
    ) -> None:
        self.traces = [list(map(observed, part.actions)) for part in multitrace.components]
        self.lifelines = [known_mask(part.lifelines) for part in multitrace.components]
        self._owners = {
            name: number
            for number, part in enumerate(multitrace.components)
            for name in part.lifelines
        }
        self._length = multitrace.length
        self._rules = rules
        self._measures = measures
        self._follow_ups = follow_ups
        self._positioned = positioned
        self._reduction = reduction
        self._check_budget = check_budget

    def left(self, positions: tuple[int, ...]) -> int:
        """The number of actions not yet consumed."""
        return self._length - sum(positions)

    def used_up(self, positions: tuple[int, ...]) -> int:
        """The components that are used up, as bits."""
        return sum(
            1 << number for number, at in enumerate(positions) if at == len(self.traces[number])
        )

    def steps(self, state: State) -> Sequence[Step]:
        """List every step from a vertex whose multi-trace is not consumed."""
        if self._rules.removal:
            gone = self.used_up(state.positions) & ~state.removed
            if gone:
                return [self._removal(state, gone)]
        steps = self._at_positions(state) if self._positioned else self._consuming(state)
        if self._rules.simulation == "exact":
            steps += self._simulating(state)
        return self._of_one_component(state, steps) if self._reduction == "sound" else steps

    def _removal(self, state: State, gone: int) -> Step:
        lifelines = NONE
        for number, own in enumerate(self.lifelines):
            if gone >> number & 1:
                lifelines |= own
        rest = self._as_kept(remove(state.term, lifelines))
        following = state._replace(term=rest, removed=state.removed | gone)
        return Step("remove", -1, None, following)

    def _as_kept(self, term: Interaction) -> Interaction:
        return term if self._positioned else normal(term)

    def _at_positions(self, state: State) -> list[Step]:
        """Consuming steps, and those that the measure bounds, in the order of positions."""
        found: list[Step] = []
        left = self.left(state.positions)
        for one in enabled(state.term):
            if self._check_budget is not None:
                self._check_budget()
            action = one.action
            number = self._owners.get(action.lifeline)
            if number is None:
                continue
            at, trace = state.positions[number], self.traces[number]
            if at < len(trace) and trace[at].action == action:
                make = partial(self._consumed, state, number, one)
                step = Step("execute", number, action, make, one)
                # Consuming opens no iterations, so without open ones nothing has to be checked.
                if not state.term.unserved or step.state.term.unserved < left:
                    found.append(step)
            if self._may_simulate(state, number, one.loops):
                make = partial(self._simulated, state, one)
                found.append(Step("simulate", number, action, make, one))
        return found

    def _may_simulate(self, state: State, number: int, loops: int) -> bool:
        measure = state.measure
        if measure is None or not self._may_be_unobserved(state, number):
            return False
        return self._measures.allows(measure, loops)

    def _consumed(self, state: State, number: int, one: Enabled) -> State:
        positions = _advanced(state.positions, number)
        rest, measure = one.follow_up(), state.measure
        if measure is not None:
            measure = self._measures.consumed(measure, rest, self.left(positions))
        return State(rest, positions, state.removed, measure)

    def _simulated(self, state: State, one: Enabled) -> State:
        assert state.measure is not None
        rest, left = one.follow_up(), self.left(state.positions)
        measure = self._measures.simulated(state.measure, one.loops, rest, left)
        return state._replace(term=rest, measure=measure)

    def _consuming(self, state: State) -> list[Step]:
        found: list[Step] = []
        left = self.left(state.positions) - 1
        for number, at in enumerate(state.positions):
            if at == len(self.traces[number]):
                continue
            leaf = self.traces[number][at]
            rests = self._follow_ups.of(state.term, leaf)
            positions = _advanced(state.positions, number) if rests else ()
            for rest in rests:
                if self._rules.simulation != "exact" or rest.unserved <= left:
                    following = State(rest, positions, state.removed, state.measure)
                    found.append(Step("execute", number, leaf.action, following))
        return found

    def _simulating(self, state: State) -> list[Step]:
        """Unobserved steps that leave no more iterations to serve than there are actions."""
        found: list[Step] = []
        left = self.left(state.positions)
        for action, rest in simulated(state.term, self._check_budget):
            number = self._owners.get(action.lifeline)
            if number is not None and self._may_be_unobserved(state, number):
                following = state._replace(term=self._as_kept(rest))
                if following.term.unserved <= left:
                    found.append(Step("simulate", number, action, following))
        return found

    def _may_be_unobserved(self, state: State, number: int) -> bool:
        """Tell whether an action of the component may happen outside of its observation."""
        at = state.positions[number]
        return at == len(self.traces[number]) or (at == 0 and self._rules.before)

    def _of_one_component(self, state: State, steps: list[Step]) -> Sequence[Step]:
        of: dict[int, list[Step]] = {
            number: [] for number, at in enumerate(state.positions) if at < len(self.traces[number])
        }
        for step in steps:
            if step.component in of:
                of[step.component].append(step)
        return min(of.values(), key=len)

    def reduced(self, state: State, steps: Sequence[Step]) -> Sequence[Step]:
        """The steps after the removal paper's reduction, if it is chosen: in the order in which
        steps are to be taken, the first consuming step that is one-unambiguous replaces all
        consuming ones."""
        if self._reduction != "paper":
            return steps
        for step in steps:
            if step.rule != "execute" or step.action is None:
                continue
            if one_unambiguous(state.term, step.action, self.lifelines[step.component]):
                return [step, *(other for other in steps if other.rule == "simulate")]
        return steps


def _advanced(positions: tuple[int, ...], number: int) -> tuple[int, ...]:
    return (*positions[:number], positions[number] + 1, *positions[number + 1 :])
