"""The automaton whose states are sets of residuals, built as logs are read.

It is the subset construction over residuals, done lazily (a lazy DFA): a state, and what an
observed action leads to from it, are made when a log first needs them, and kept for the next log.
The projection of an interaction onto a few lifelines has an automaton, too, and it must accept
their logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask
from choreomon.interaction.loop_heads import without_heads
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction, forget_steps, observed
from choreomon.verify.derivative import Derivatives
from choreomon.verify.persistent_set import PersistentSets
from choreomon.verify.residual import PLAIN, Decided, Residual, Residuals


class Observation:
    """The facts that a search knows when it moves on by an action of one component. Equal
    observations are one object (`LazyAutomaton.observation`).

    - `component`: the lifelines that share the clock of the action;
    - `unobserved`: those on which anything may happen unobserved after the action;
    - `silent`: those on which nothing may happen at all after it.
    """

    __slots__ = ("component", "silent", "unobserved")

    def __init__(self, component: Mask, unobserved: Mask, silent: Mask) -> None:
        self.component = component
        self.unobserved = unobserved
        self.silent = silent


class State:
    """A set of residuals, never empty. `next` and `moves` are filled in as they are needed:
    what an action leads to when nothing is unobserved, and what it does in an observation.
    `size`: symbols of the largest residual."""

    __slots__ = ("moves", "next", "residuals", "size", "terminates")

    def __init__(self, residuals: tuple[Residual, ...]) -> None:
        self.residuals = residuals
        self.size = max([one.size for one in residuals])
        self.terminates = any(one.kind == PLAIN and one.term.terminates for one in residuals)
        self.next: dict[Action, State | None] = {}
        self.moves: dict[Observation, dict[Action, Move]] = {}


class Move(NamedTuple):
    """The state that an action of a component leads to, None where it is impossible. `persistent`:
    no action of another component has to be tried in its place
    (`choreomon.verify.persistent_set`)."""

    state: State | None
    persistent: bool


class LazyAutomaton:
    """States over one set of residuals. They must not be used after this object is gone. Not for
    several threads at once."""

    def __init__(self) -> None:
        self.residuals = Residuals()
        self.derivatives = Derivatives(self.residuals)
        self._persistent_sets = PersistentSets()
        self._states: dict[frozenset[Residual], State] = {}
        self._starts: dict[tuple[Interaction, Mask, bool], State] = {}
        self._projections: dict[tuple[Residual, Mask, bool], State] = {}
        self._observations: dict[tuple[Mask, Mask, Mask], Observation] = {}
        self._check_budget: Callable[[], None] | None = None

    def __del__(self) -> None:
        # States lead to each other, and to themselves; taken apart they need no garbage collector.
        self._take_apart()

    @property
    def remembered(self) -> int:
        """The number of residuals, states, local views and persistent sets that are held."""
        views = len(self._starts) + len(self._projections)
        return len(self.residuals) + len(self._states) + views + len(self._persistent_sets)

    def checking(self, check_budget: Callable[[], None] | None) -> None:
        """Call `check_budget` before anything new is computed, and now and then meanwhile. It may
        raise to stop; what is known stays right."""
        self._check_budget = check_budget
        self.residuals.check_budget = check_budget
        self.derivatives.check_budget = check_budget
        self.derivatives.completions.check_budget = check_budget

    def forget(self, states: Iterable[State]) -> list[State]:
        """Forget all but these states, and compute the rest again when needed: only time is
        lost."""
        kept = [state.residuals for state in states]
        self._take_apart()
        self._states.clear()
        self._starts.clear()
        self._projections.clear()
        self.derivatives.forget()
        self._persistent_sets.forget()
        self.residuals.forget([one for residuals in kept for one in residuals])
        forget_steps()
        return [self.state(residuals) for residuals in kept]

    def _take_apart(self) -> None:
        for state in self._states.values():
            state.next.clear()
            state.moves.clear()

    def state(self, residuals: Iterable[Residual]) -> State:
        """The state with these residuals, at least one."""
        key = frozenset(residuals)
        known = self._states.get(key)
        if known is None:
            ordered = sorted(key, key=_smallest_first) if len(key) > 1 else key
            known = self._states[key] = State(tuple(ordered))
        return known

    def observation(self, component: Mask, unobserved: Mask, silent: Mask) -> Observation:
        """The observation with these lifelines."""
        key = (component, unobserved, silent)
        known = self._observations.get(key)
        if known is None:
            known = self._observations[key] = Observation(component, unobserved, silent)
        return known

    def start(self, term: Interaction, lifelines: Mask, begun: bool) -> State:
        """The initial state of a term as these lifelines see it, before anything is observed.
        `begun` if anything may have happened before that. `loopH` is `loopW` there."""
        key = (term, lifelines, begun)
        known = self._starts.get(key)
        if known is None:
            if self._check_budget is not None:
                self._check_budget()
            seen = normal(project(without_heads(term), lifelines))
            residuals = self.residuals
            known = self.state([residuals.undecided_past(seen) if begun else residuals.plain(seen)])
            self._starts[key] = known
        return known

    def projection(self, residual: Residual, lifelines: Mask, begun: bool) -> State:
        """The local view of a residual for these lifelines from now on: a necessary condition.
        `begun`: something may still happen there before their first observed action."""
        key = (residual, lifelines, begun)
        known = self._projections.get(key)
        if known is None:
            seen = self.residuals.seen(residual, lifelines)
            if begun:
                seen = self.residuals.opened(seen, lifelines)
            known = self._projections[key] = self.state([seen])
        return known

    def next(self, state: State, action: Action) -> State | None:
        """Return the state after an action, with nothing unobserved in between; None if the action
        is impossible."""
        try:
            return state.next[action]
        except KeyError:
            pass
        if self._check_budget is not None:
            self._check_budget()
        leaf = observed(action)
        after = self.derivatives.after
        found = {rest for one in state.residuals for rest, _ in after(one, leaf)}
        reached = state.next[action] = self.state(found) if found else None
        return reached

    def move(self, state: State, action: Action, how: Observation) -> Move:
        """The move by an action of a component."""
        known = state.moves.get(how)
        if known is None:
            known = state.moves[how] = {}
        elif action in known:
            return known[action]
        if self._check_budget is not None:
            self._check_budget()
        found = {rest for one in state.residuals for _, rest in self.rests(one, action, how)}
        leaf = observed(action)
        may_be_first = self._persistent_sets.may_be_first
        persistent = all(may_be_first(one, leaf, how.component) for one in state.residuals)
        move = known[action] = Move(self.state(found) if found else None, persistent)
        return move

    def rests(
        self, residual: Residual, action: Action, how: Observation
    ) -> Iterator[tuple[Decided, Residual]]:
        """The derivatives of a residual by an action, each with what remains of it then."""
        for decided in self.derivatives.after(residual, observed(action)):
            rest: Residual | None = decided[0]
            assert rest is not None
            if how.silent:
                # Only where everything is observed, so that nothing is undecided.
                pruned = prune(rest.term, how.silent)
                rest = None if pruned is None else self.residuals.plain(pruned)
            elif how.unobserved:
                rest = self.residuals.opened(rest, how.unobserved)
            if rest is not None:
                yield decided, rest


def _smallest_first(residual: Residual) -> tuple[int, int]:
    return residual.size, residual.order
