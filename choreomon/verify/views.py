"""Subset automata of late terms, built as they are walked and kept for the next multi-trace.

A state is the set of everything that may remain; an observed action leads to one other state.
They decide multi-traces of one component, and, one component after the other, those of the
discrete partition; of an interaction as a co-localization sees it they are the local analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction, act, subterms
from choreomon.verify.late import PLAIN, LateTerm, LateTerms
from choreomon.verify.late_steps import LateSteps
from choreomon.verify.overestimates import without_heads
from choreomon.verify.runs import Waiting, waiting

_LARGE: Final = 64
"""Larger sets of terms are made only where a search through single terms finds nothing soon."""
_SOON: Final = 4_000
"""How many terms such a search may see."""


class State:
    """A set of late terms; None is the empty set. `next` and `gone` are filled in by
    `Views`: `gone` has what is left without a lifeline, by its mask, and what is left when it is
    silent, by the complement. `size`: symbols of the largest term."""

    __slots__ = ("gone", "next", "size", "terminates", "terms")

    def __init__(self, terms: tuple[LateTerm, ...]) -> None:
        self.terms = terms
        self.size = max((one.term.size for one in terms), default=0)
        self.terminates = any(one.kind == PLAIN and one.term.terminates for one in terms)
        self.next: dict[Action, State | None] = {}
        self.gone: dict[Mask, State | None] = {}


class Views:
    """The automata over one set of late terms. Without this object their states may not be used any
    more.

    If `greedy`, only one of the terms that may remain after an action is known: what is found with
    it is right, but nothing is told where nothing is found.
    """

    def __init__(self, *, greedy: bool = False) -> None:
        self.late_terms = LateTerms()
        self._steps = LateSteps(self.late_terms, greedy=greedy)
        self._states: dict[frozenset[LateTerm], State] = {}
        self._begun: dict[Interaction, State] = {}
        self._plain: dict[Interaction, State] = {}
        self._local: dict[tuple[Interaction, Mask, bool], State] = {}
        self._after: dict[tuple[LateTerm, Interaction, Mask], tuple[LateTerm, ...]] = {}
        self._seen: dict[tuple[LateTerm, Mask, bool], State] = {}
        self._actions: dict[Interaction, frozenset[Action]] = {}
        self._waiting: dict[Interaction, Waiting] = {}
        self._on_messages: dict[frozenset[str], dict[Interaction, Interaction]] = {}

    def __len__(self) -> int:
        """How many states there are."""
        return len(self._states)

    def __del__(self) -> None:
        # States lead to each other, and to themselves; taken apart they need no garbage collector.
        for state in self._states.values():
            state.next.clear()
            state.gone.clear()

    def plain(self, term: Interaction) -> State:
        """The automaton of prefixes: nothing happened before the observation."""
        known = self._plain.get(term)
        if known is None:
            known = self._plain[term] = self._state([self.late_terms.plain(term)])
        return known

    def begun(self, term: Interaction) -> State:
        """The automaton of slices: anything may have happened before the first observed action."""
        known = self._begun.get(term)
        if known is None:
            known = self._begun[term] = self._state([self.late_terms.late(term)])
        return known

    def asking(self, ask: Callable[[], None] | None) -> None:
        """Has `ask` called before whatever is not known yet, and now and then while it is found
        out. It may raise, to stop; what is known stays right."""
        self._steps.ask = self._steps.ends.ask = self.late_terms.ask = ask

    def _asked(self) -> None:
        if self._steps.ask is not None:
            self._steps.ask()

    @property
    def remembered(self) -> int:
        """How many late terms, and views, projections and follow-ups of terms, are held."""
        views = len(self._local) + len(self._seen) + sum(map(len, self._on_messages.values()))
        return len(self.late_terms) + views + len(self._after)

    def actions(self, term: Interaction) -> frozenset[Action]:
        """Every action of a term."""
        known = self._actions.get(term)
        if known is None:
            found = (part.action for part in subterms(term))
            known = self._actions[term] = frozenset(one for one in found if one is not None)
        return known

    def waiting(self, term: Interaction) -> Waiting:
        """Who may have to wait for whom in a term."""
        known = self._waiting.get(term)
        if known is None:
            known = self._waiting[term] = waiting(term)
        return known

    def on_messages(self, messages: frozenset[str]) -> dict[Interaction, Interaction]:
        """What `choreomon.verify.overestimates.onto_messages` has made for these messages; it adds
        to it."""
        return self._on_messages.setdefault(messages, {})

    def local(self, term: Interaction, lifelines: Mask, begun: bool) -> State:
        """What a component may see of a term from now on: a necessary condition. `begun` is true
        where something may have happened before its first observed action."""
        key = (term, lifelines, begun)
        known = self._local.get(key)
        if known is None:
            self._asked()
            seen = normal(project(without_heads(term), lifelines))
            known = self.begun(seen) if begun else self.plain(seen)
            self._local[key] = known
        return known

    def seen(self, term: LateTerm, lifelines: Mask, begun: bool) -> State:
        """What a component may see of a late term from now on: a necessary condition. `begun` is
        true where something may still happen before its first observed action: what cannot have
        happened yet, and so is not undecided, may once others have gone on."""
        key = (term, lifelines, begun)
        known = self._seen.get(key)
        if known is None:
            seen = self.late_terms.seen(term, lifelines)
            if begun:
                seen = self.late_terms.opened(seen, lifelines)
            known = self._seen[key] = self._state([seen])
        return known

    def next(self, state: State, action: Action) -> State | None:
        """The state after an observed action, None where it cannot be."""
        try:
            return state.next[action]
        except KeyError:
            pass
        self._asked()
        leaf = act(action)
        found = {rest for one in state.terms for rest, _ in self._steps.after(one, leaf)}
        reached = state.next[action] = self._state(found) if found else None
        return reached

    def after(self, term: LateTerm, leaf: Interaction, free: Mask) -> tuple[LateTerm, ...]:
        """What may remain after the observed action of `leaf`, and then whatever happens
        unobserved on the lifelines `free`."""
        key = (term, leaf, free)
        known = self._after.get(key)
        if known is None:
            opened = self.late_terms.opened
            rests = self._steps.after(term, leaf)
            known = tuple(dict.fromkeys(opened(rest, free) for rest, _ in rests))
            self._after[key] = known
        return known

    def walk(self, state: State, actions: Iterable[Action]) -> State | None:
        """The state after several observed actions, None where they cannot be."""
        here = state
        for action in actions:
            try:
                reached = here.next[action]
            except KeyError:
                reached = self.next(here, action)
            if reached is None:
                return None
            here = reached
        return here

    def allows(self, state: State, actions: Sequence[Action], complete: bool) -> bool:
        """Whether `walk` leads anywhere; if `complete`, to where nothing has to follow. Large
        sets are not made as long as a search through single terms finds a way soon."""
        here = state
        for place, action in enumerate(actions):
            reached = self.next(here, action)
            if reached is None:
                return False
            here = reached
            if len(here.terms) > _LARGE:
                if self.soon(here, actions[place + 1 :], complete):
                    return True
                last = self.walk(here, actions[place + 1 :])
                return last is not None and (last.terminates or not complete)
        return here.terminates or not complete

    def soon(self, state: State, actions: Sequence[Action], complete: bool) -> bool:
        """Whether a depth-first search finds a way before it has seen too much."""
        leaves = [act(action) for action in actions]
        known: set[tuple[LateTerm, int]] = set()
        pending = [(one, 0) for one in reversed(state.terms)]
        while pending and len(known) < _SOON:
            one, place = pending.pop()
            if place == len(leaves):
                if not complete or (one.kind == PLAIN and one.term.terminates):
                    return True
                continue
            self._asked()
            for rest, _ in reversed(self._steps.after(one, leaves[place])):
                there = (rest, place + 1)
                if there not in known:
                    known.add(there)
                    pending.append(there)
        return False

    def without(self, state: State, lifeline: Mask) -> State:
        """The terms once a lifeline is exhausted, whatever it still does unobserved.

        Sound in terms without strict-like operators, also of several lifelines.
        """
        known = state.gone.get(lifeline)
        if known is None:
            known = self._state({self.late_terms.without(one, lifeline) for one in state.terms})
            state.gone[lifeline] = known
        return known

    def silent(self, state: State, lifeline: Mask) -> State | None:
        """The terms once nothing happens on a lifeline any more, None where it has to. All of
        them are PLAIN."""
        key = ~lifeline
        if key not in state.gone:
            pruned = (prune(one.term, lifeline) for one in state.terms)
            rest = {self.late_terms.plain(term) for term in pruned if term is not None}
            state.gone[key] = self._state(rest) if rest else None
        return state.gone[key]

    def _state(self, terms: Iterable[LateTerm]) -> State:
        key = frozenset(terms)
        known = self._states.get(key)
        if known is None:
            ordered = tuple(sorted(key, key=lambda one: one.number))
            known = self._states[key] = State(ordered)
        return known


class Fits:
    """Whether what components still recorded fits what they may see of what remains. `complete`
    where nothing may have to follow."""

    def __init__(self, views: Views, logs: Sequence[Sequence[Action]], complete: bool) -> None:
        self._views = views
        self._logs = logs
        self._complete = complete
        self._known: dict[tuple[State, int, int], bool] = {}

    def allows(self, state: State, number: int, place: int) -> bool:
        """Whether a component's view allows all that this component recorded from a place on."""
        known = self._known.get((state, number, place))
        if known is not None:
            return known
        actions = self._logs[number]
        walked: list[tuple[State, int, int]] = []
        here: State | None = state
        while True:
            if here is None:
                answer = False
                break
            key = (here, number, place)
            known = self._known.get(key)
            if known is not None:
                answer = known
                break
            if place == len(actions):
                answer = here.terminates or not self._complete
                break
            walked.append(key)
            if len(here.terms) > _LARGE and self._views.soon(here, actions[place:], self._complete):
                answer = True
                break
            here = self._views.next(here, actions[place])
            place += 1
        for key in walked:
            self._known[key] = answer
        return answer
