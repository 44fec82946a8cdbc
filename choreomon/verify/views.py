"""Subset automata of late terms, built as they are walked and kept for the next multi-trace.

A state is the set of everything that may remain; an observed action leads to one other state.
They decide multi-traces of one component, and, one component after the other, those of the
discrete partition; of an interaction as a co-localization sees it they are the local analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask
from choreomon.interaction.removal import remove
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction, Operator, act, combined
from choreomon.verify.late import COREG, LATE, PLAIN, LateTerm, LateTerms


class State:
    """A set of late terms; `next` is filled in by `Views.step`, None is the empty set."""

    __slots__ = ("begun", "gone", "next", "terminates", "terms")

    def __init__(self, terms: tuple[LateTerm, ...]) -> None:
        self.terms = terms
        self.terminates = any(one.kind == PLAIN and one.term.terminates for one in terms)
        self.next: dict[Action, State | None] = {}
        self.begun: dict[Mask, State] = {}
        self.gone: dict[Mask, State] = {}


class Views:
    """The automata over one set of late terms."""

    def __init__(self) -> None:
        self.late_terms = LateTerms()
        self._states: dict[frozenset[LateTerm], State] = {}
        self._begun: dict[tuple[Interaction, Mask], State] = {}
        self._plain: dict[Interaction, State] = {}

    def __len__(self) -> int:
        """How many states there are."""
        return len(self._states)

    def plain(self, term: Interaction) -> State:
        """The automaton of prefixes: nothing happened before the observation."""
        known = self._plain.get(term)
        if known is None:
            known = self._plain[term] = self._state([self.late_terms.plain(term)])
        return known

    def begun(self, term: Interaction, forbidden: Mask) -> State:
        """The automaton of slices: anything on lifelines outside `forbidden` may have happened
        before the first observed action."""
        key = (term, forbidden)
        known = self._begun.get(key)
        if known is None:
            known = self._begun[key] = self._state([self.late_terms.late(term, forbidden)])
        return known

    def step(self, state: State, action: Action) -> State | None:
        """The state after an observed action, None where it cannot be."""
        leaf = act(action)
        found = {rest for one in state.terms for rest, _ in self.late_terms.after(one, leaf)}
        reached = state.next[action] = self._state(found) if found else None
        return reached

    def walk(
        self, state: State, actions: Sequence[Action], ask: Callable[[], None] | None = None
    ) -> State | None:
        """The state after several observed actions, None where they cannot be.

        `ask` is called before each step that is not known yet; it may raise, to stop.
        """
        here: State | None = state
        for action in actions:
            assert here is not None
            try:
                here = here.next[action]
            except KeyError:
                if ask is not None:
                    ask()
                here = self.step(here, action)
            if here is None:
                return None
        return here

    def open_past(self, state: State, lifeline: Mask) -> State:
        """The same terms, with an undecided past on one lifeline. All of them are PLAIN."""
        known = state.begun.get(lifeline)
        if known is None:
            known = state.begun[lifeline] = self._state(
                {self.late_terms.late(one.term, ~lifeline) for one in state.terms}
            )
        return known

    def without(self, state: State, lifeline: Mask) -> State:
        """The terms once a lifeline is exhausted, whatever it still does unobserved.

        The lifeline is the only one with an undecided past; sound in the discrete partition,
        in terms whose lifelines may be removed (`choreomon.interaction.weakening`).
        """
        known = state.gone.get(lifeline)
        if known is None:
            made: dict[LateTerm, Interaction] = {}
            known = state.gone[lifeline] = self._state(
                {self.late_terms.plain(_without(one, lifeline, made)) for one in state.terms}
            )
        return known

    def _state(self, terms: Iterable[LateTerm]) -> State:
        key = frozenset(terms)
        known = self._states.get(key)
        if known is None:
            ordered = tuple(sorted(key, key=lambda one: one.number))
            known = self._states[key] = State(ordered)
        return known


def _without(node: LateTerm, lifeline: Mask, made: dict[LateTerm, Interaction]) -> Interaction:
    pending = [node]
    while pending:
        top = pending[-1]
        if top in made:
            pending.pop()
        elif top.kind == PLAIN:
            made[top] = remove(top.term, lifeline)
        elif top.kind == LATE:
            term: Interaction | None = top.term
            if top.forbidden & lifeline:
                term = prune(top.term, top.pruned)
            assert term is not None
            made[top] = remove(term, lifeline)
        else:
            assert top.kind == COREG  # such terms have no strict sequences
            if top.left in made and top.right in made:
                made[top] = combined(
                    Operator.COREG, top.forbidden, made[top.left], made[top.right]
                )
            else:
                pending += [top.right, top.left]
    return made[node]
