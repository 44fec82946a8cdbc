"""Multi-traces of interactions that do not order actions across lifelines.

Without `strict`, `loopS` and `loopH` the accepted traces are closed under swapping neighbours on
different lifelines, hence neighbours of different components, whatever the partition. So

- the next action of *any one* component with actions left may be taken first, and the others
  need not be tried: if it cannot happen now, nothing explains the multi-trace. This is the sound
  reduction that stands beside the removal paper, Definition 11. The component with the fewest
  follow-ups is taken; among those with at most one, the one that was taken last, then the shortest;
  but once the term has grown `GROWN` times as large, the one that leaves the smallest: whoever
  runs ahead of the others leaves behind all that they have still to do, and traces of millions of
  actions would leave terms of millions;
- a component of which everything was seen can be closed at once: by lifeline removal (the removal
  paper, Definition 4) where it may have gone on unseen, by pruning (the slices paper, Definition 4)
  where not;
- every component alone must be a prefix of a word of the projection onto it, or such a word where
  all was seen (local analyses, the removal paper, Definition 12). This is asked of all components
  at the start, and where a search branches often, at every branch: a choice that was made for one
  component may be wrong for another;
- what is accepted must have every action as often as accepted traces have it, which is asked once
  where a search branches often (`choreomon.verify.quick.counting`).

Nothing here says why a multi-trace is none of those asked for: paths through terms with removed
lifelines are no traces of the specification (`choreomon.verify.explanation` makes explanations).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, Literal, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project, remove
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import Interaction, act
from choreomon.interaction.weakening import has_strict_like
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.quick.counting import Counts, counts
from choreomon.verify.quick.words import MOST_TERMS, Stopped, TooManyTerms, Word, Words

Closing: TypeAlias = Literal["remove", "prune", "keep"]
"""What is done with a component of which everything was seen: `remove` it, since more of it may
have happened anywhere (multi-prefixes); `prune` it, since nothing more did (acceptance); `keep` it,
since whatever it does next comes after all that was seen (prefixes)."""

SITUATIONS: Final = 20_000
"""A default limit: some 100 MB, as far as terms of a hundred symbols go."""


EASY: Final = 16
"""A search that branches more often than that counts actions, and looks at the components one by
one: before, that costs more than it saves (docs/adr/011-where-the-time-goes.md)."""


GROWN: Final = 2
"""How many times larger than at the start a term may become before components that lag behind
have their turn."""

AHEAD: Final = 4096
"""How many actions of a component are looked at where a search branches: all that are left would
make the time grow with the square of their number."""


BRANCHES: Final = 10_000
"""A search that branches more often starts anew with all that may remain at once, as far as that is
not too much: then there is nothing to come back to, and nothing to keep for it."""


class Situation(dict[Action, "tuple[Situation, ...]"]):
    """A term, and the situations that actions lead to, as far as anybody asked.

    Situations are compared by their terms: as dictionaries they would be by what was asked.
    """

    __slots__ = ("_closed", "_decider", "_views", "term")

    def __init__(self, decider: CommutingDecider, term: Interaction) -> None:
        self._decider = decider
        self.term = term
        self._closed: dict[tuple[str, ...], Situation | None] = {}
        self._views: dict[tuple[str, ...], Word] = {}

    def __missing__(self, action: Action) -> tuple[Situation, ...]:
        leaf = act(action)
        rests = after(self.term, leaf) if leaf.lifelines & self.term.lifelines else ()
        # Equals are met where there is a choice; a single follow-up is not worth a normal form.
        forms = dict.fromkeys(map(normal, rests)) if len(rests) > 1 else rests
        found = self[action] = tuple(map(self._decider.situation, forms))
        return found

    def closed(self, lifelines: tuple[str, ...]) -> Situation | None:
        """What remains when everything on `lifelines` was seen; None where that cannot be."""
        if lifelines in self._closed:
            return self._closed[lifelines]
        rest = self._decider.close(self.term, mask(lifelines))
        found = None if rest is None else self._decider.situation(normal(rest))
        self._closed[lifelines] = found
        return found

    def view(self, lifelines: tuple[str, ...]) -> Word:
        """What `lifelines` may still see, each alone or all with one clock."""
        found = self._views.get(lifelines)
        if found is None:
            seen = project(self.term, mask(lifelines))
            found = self._views[lifelines] = self._decider.words.of(seen)
        return found

    def forget(self) -> None:
        """Drops everything that was found out."""
        self.clear()
        self._closed.clear()
        self._views.clear()


class CommutingDecider:
    """Decides multi-traces of one term without strict-like operators, over any partition.

    With `closing` "remove" it decides whether there is an accepted multi-trace of whose components
    those given are prefixes, with "keep" whether there is one such that all that was seen may
    happen before all that was not, with "prune" whether the multi-trace is accepted. Lifelines of
    the term that no component is about count as components without actions.

    More than `limit` situations, or states of views, are not kept, neither for the next multi-trace
    nor for the rest of this one: then all are forgotten, and found anew as they are needed.

    Memory: what is kept within `limit`, and what a search may come back to, some hundred bytes for
    each of its branches; nothing for an action that leaves no choice. Branches beyond `BRANCHES`
    need memory only where more than `MOST_TERMS` terms may remain at once.

    Raises ValueError for a term with a strict-like operator.
    """

    def __init__(self, term: Interaction, closing: Closing, limit: int = SITUATIONS) -> None:
        if has_strict_like(term):
            raise ValueError("the term orders actions across lifelines; weaken it, where allowed")
        self.closing: Closing = closing
        self.limit = limit
        self.words = Words(limit)
        self.visited = 0
        """Situations visited since the beginning."""
        self.branched = 0
        """Of those, the ones with several follow-ups of the component that was chosen."""
        self.forgotten = 0
        """How often everything was forgotten."""
        self._term = normal(term)
        self._situations: dict[Interaction, Situation] = {}
        self._starts: dict[tuple[tuple[str, ...], ...], Situation | None] = {}
        self._should_stop: Callable[[], bool] | None = None

    @cached_property
    def _counts(self) -> Counts | None:
        """What the counts of accepted traces have in common; None where that takes too long."""
        return counts(self._term)

    def __len__(self) -> int:
        """How many situations are kept."""
        return len(self._situations)

    def situation(self, term: Interaction) -> Situation:
        """The one situation of a term."""
        found = self._situations.get(term)
        if found is None:
            found = self._situations[term] = Situation(self, term)
        return found

    def close(self, term: Interaction, lifelines: Mask) -> Interaction | None:
        """The term when everything on `lifelines` was seen; None where that cannot be."""
        if self.closing == "remove":
            return remove(term, lifelines)
        return prune(term, lifelines) if self.closing == "prune" else term

    def decide(self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None = None) -> bool:
        """Whether the multi-trace is one of those that the decider is for.

        Raises `Stopped` once `should_stop()` is true; it is asked at every situation, and at every
        state of a view that is made.
        """
        self._bound()
        self.words.should_stop = self._should_stop = should_stop
        parts = [part for part in multitrace.components if len(part.actions)]
        start = self._start(tuple([part.lifelines for part in parts]))
        if start is None:
            return False
        return self._fits(start, parts, [0] * len(parts)) and self._search(start, parts)

    def _bound(self) -> None:
        """Forgets everything where too much is kept."""
        if len(self._situations) > self.limit or len(self.words) > self.limit:
            self._forget()

    def _forget(self) -> None:
        # Situations lead to each other; taken apart they need no garbage collector.
        for situation in self._situations.values():
            situation.forget()
        self._situations.clear()
        self._starts.clear()
        self.words.forget()
        self.forgotten += 1

    def _start(self, active: tuple[tuple[str, ...], ...]) -> Situation | None:
        """The situation after closing all lifelines but those of the components `active`."""
        if active in self._starts:
            return self._starts[active]
        seen = mask(name for lifelines in active for name in lifelines)
        rest = self.close(self._term, self._term.lifelines & ~seen)
        start = None if rest is None else self.situation(normal(rest))
        self._starts[active] = start
        return start

    def _fits(
        self, situation: Situation, components: Sequence[Component], positions: Sequence[int]
    ) -> bool:
        """Whether every component with actions left alone may go on with them, as far as that can
        be told soon."""
        for number, (lifelines, actions) in enumerate(components):
            position = positions[number]
            if position:
                if position == len(actions):
                    continue
                end = position + AHEAD
                whole = end >= len(actions)
                actions = actions[position:end]
            else:
                whole = True
            try:
                word = situation.view(lifelines).after(actions)
            except TooManyTerms:
                continue
            if not word.terms or (whole and self.closing == "prune" and not word.is_accepted):
                return False
        return True

    def _counts_fit(self, components: Sequence[Component]) -> bool:
        """Whether there are as many of each action as there may be, as far as that can be told;
        of what may have gone on unseen, it cannot."""
        if self.closing != "prune" or self._counts is None:
            return True
        return self._counts.allow(part.actions for part in components)

    def _search(self, start: Situation, components: Sequence[Component]) -> bool:
        """Depth first, over what may remain of the term and how much of each component."""
        parts = [part.actions for part in components]
        owners = [part.lifelines for part in components]
        ends = list(map(len, parts))
        order = sorted(range(len(parts)), key=ends.__getitem__)
        known: set[tuple[Interaction, tuple[int, ...]]] = set()
        pending = [(start, [0] * len(parts))]
        branches = 0
        large = GROWN * start.term.size
        while pending:
            situation, positions = pending.pop()
            while True:
                self.visited += 1
                if len(self._situations) > self.limit:
                    self._bound()
                if self._should_stop is not None and self._should_stop():
                    raise Stopped
                chosen = -1
                steps: tuple[Situation, ...] = ()
                for number in order:
                    position = positions[number]
                    if position < ends[number]:
                        found = situation[parts[number][position]]
                        if chosen < 0 or len(found) < len(steps):
                            chosen, steps = number, found
                            if not found or (len(found) == 1 and found[0].term.size <= large):
                                break
                        elif len(found) == len(steps) == 1 and (
                            found[0].term.size < steps[0].term.size
                        ):
                            chosen, steps = number, found
                if chosen < 0:
                    return True
                if order[0] != chosen:
                    order.remove(chosen)
                    order.insert(0, chosen)
                positions[chosen] += 1
                if positions[chosen] == ends[chosen]:
                    steps = _closed(steps, owners[chosen])
                if len(steps) > 1:
                    self.branched += 1
                    branches += 1
                    if branches == EASY + 1 and not self._counts_fit(components):
                        return False
                    if branches == BRANCHES:
                        answer = self._together(start, components)
                        if answer is not None:
                            return answer
                    key = tuple(positions)
                    fresh = [step for step in steps if (step.term, key) not in known]
                    known.update((step.term, key) for step in fresh)
                    if branches > EASY:
                        self._bound()
                        fresh = [step for step in fresh if self._fits(step, components, positions)]
                    pending += [(step, positions.copy()) for step in reversed(fresh[1:])]
                    steps = tuple(fresh[:1])
                if not steps:
                    break
                situation = steps[0]
        return False

    def _together(self, start: Situation, components: Sequence[Component]) -> bool | None:
        """What `_search` answers, from all situations that some consumed actions may lead to. None
        where these are more than `MOST_TERMS`."""
        waiting = [(part.lifelines, part.actions) for part in components]
        positions = [0] * len(waiting)
        here = [start]
        large = GROWN * start.term.size
        while waiting:
            self.visited += 1
            if self._should_stop is not None and self._should_stop():
                raise Stopped
            self._bound()
            least: tuple[int, int] | None = None
            chosen = 0
            steps: list[Situation] = []
            for number, (_, actions) in enumerate(waiting):
                found = self._distinct(
                    [step for one in here for step in one[actions[positions[number]]]]
                )
                weight = len(found), sum(step.term.size for step in found)
                if least is None or weight < least:
                    least, chosen, steps = weight, number, found
                    if not found or (len(found) <= len(here) and weight[1] <= large * len(found)):
                        break
            positions[chosen] += 1
            lifelines, actions = waiting[chosen]
            if positions[chosen] == len(actions):
                steps = list(_closed(tuple(steps), lifelines))
                del waiting[chosen], positions[chosen]
            elif chosen:
                waiting.insert(0, waiting.pop(chosen))
                positions.insert(0, positions.pop(chosen))
            if not steps:
                return False
            if len(steps) > MOST_TERMS:
                return None
            here = steps
        return True

    def _distinct(self, situations: list[Situation]) -> list[Situation]:
        """Those with different normal forms."""
        if len(situations) < 2:
            return situations
        forms = dict.fromkeys(normal(one.term) for one in situations)
        return [self.situation(form) for form in forms]


def _closed(steps: tuple[Situation, ...], lifelines: tuple[str, ...]) -> tuple[Situation, ...]:
    """What remains of each when everything on `lifelines` was seen, without repetitions."""
    if len(steps) == 1:
        only = steps[0].closed(lifelines)
        return () if only is None else (only,)
    closed = [step.closed(lifelines) for step in steps]
    return tuple({step.term: step for step in closed if step is not None}.values())
