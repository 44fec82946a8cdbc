"""Multi-traces of interactions that do not order actions across lifelines.

Without `strict`, `loopS` and `loopH` the accepted traces are closed under swapping neighbours on
different lifelines, hence neighbours of different components, whatever the partition. So

- prefixes of accepted global traces and prefixes of every component are the same: what was seen of
  one component may be moved in front of what was not seen of the others;
- the next action of *any one* component with actions left may be taken first, and the others
  need not be tried: if it cannot happen now, nothing explains the multi-trace. This is the sound
  reduction that stands beside the removal paper, Definition 11. So the components are taken one
  after the other, always in the same order, so that multi-traces have as many situations as
  possible in common; those whose view of the term is smallest come first;
- where an action leaves a choice, the component with the fewest follow-ups is taken; among those
  with at most one, the one that was taken last, then the shortest; but once the term has grown
  `GROWN` times as large, the one that leaves the smallest: whoever runs ahead of the others leaves
  behind all that they have still to do, and traces of millions of actions would leave terms of
  millions;
- a component of which everything was seen can be closed at once: by lifeline removal (the removal
  paper, Definition 4) where it may have gone on unseen, by pruning (the slices paper, Definition 4)
  where not;
- the last component is a word of what remains, read by an automaton
  (`choreomon.verify.quick.words`);
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

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from choreomon.core.action import Action
from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project
from choreomon.interaction.term import Interaction, forget_steps
from choreomon.interaction.weakening import has_strict_like
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.quick.at_once import fits_at_once
from choreomon.verify.quick.counting import Counts, counts
from choreomon.verify.quick.situations import Closing, Situation, Situations, all_closed
from choreomon.verify.quick.words import Stopped, SubsetState, TooManyTerms, Words

SITUATIONS: Final = 20_000
"""A default limit: some 100 MB, as far as terms of a hundred symbols go."""


EASY: Final = 16
"""A search that branches more often than that counts actions, and looks at the components one by
one: before, that costs more than it saves (docs/adr/011-where-the-time-goes.md)."""


GROWN: Final = 2
"""How many times larger than at the start a term may become before components that lag behind
have their turn."""

MANY: Final = 64
"""Of more components, those without actions are not looked at one by one."""

AHEAD: Final = 4096
"""How many actions of a component are looked at where a search branches: all that are left would
make the time grow with the square of their number."""


BRANCHES: Final = 10_000
"""A search that branches more often starts anew with all that may remain at once, as far as that is
not too much: then there is nothing to come back to, and nothing to keep for it."""


class _Begin(NamedTuple):
    """How to begin with multi-traces whose components are about the same lifelines."""

    situation: Situation | None
    """What is asked when the lifelines that no component is about are closed; None where that
    cannot be."""
    order: tuple[int, ...]
    """In which order the components are taken."""
    views: tuple[SubsetState, ...]
    """What each of them may see, in this order."""


class _Place(NamedTuple):
    """Where a search begins: all components before `number` were consumed and closed, and of that
    one `position` actions were consumed; terms larger than `large` have grown."""

    situation: Situation
    number: int
    position: int
    large: int


class CommutingDecider:
    """Decides multi-traces of one term without strict-like operators, over any partition.

    With `closing` "remove" it decides whether there is an accepted multi-trace of whose components
    those given are prefixes, with "prune" whether the multi-trace is accepted. Lifelines of the
    term that no component is about count as components without actions.

    More than `limit` situations, or states of views, are not kept, neither for the next multi-trace
    nor for the rest of this one: then all are forgotten, and found anew as they are needed.

    Memory: what is kept within `limit`, and what a search may come back to, some hundred bytes for
    each of its branches; nothing for an action that leaves no choice. Branches beyond `BRANCHES`
    need memory only where more than `MOST_TERMS` terms may remain at once.

    Raises ValueError for a term with a strict-like operator.
    """

    def __init__(self, term: Interaction, closing: Closing, limit: int = SITUATIONS) -> None:
        self._situations = Situations(closing, limit)
        if has_strict_like(term):
            raise ValueError("the term orders actions across lifelines; weaken it, where allowed")
        self.closing: Closing = closing
        self.limit = limit
        self.visited = 0
        """Situations visited since the beginning."""
        self.branched = 0
        """Of those, the ones with several follow-ups of the component that was chosen."""
        self.forgotten = 0
        """How often everything was forgotten."""
        self._term = normal(term)
        self._begins: dict[tuple[tuple[str, ...], ...], _Begin] = {}
        self._should_stop: Callable[[], bool] | None = None

    def __del__(self) -> None:
        self._situations.forget()

    @property
    def words(self) -> Words:
        """What components may see alone."""
        return self._situations.words

    @cached_property
    def _counts(self) -> Counts | None:
        """What the counts of accepted traces have in common; None where that takes too long."""
        return counts(self._term)

    def __len__(self) -> int:
        """How many situations are kept."""
        return len(self._situations)

    def decide(self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None = None) -> bool:
        """Whether the multi-trace is one of those that the decider is for.

        Raises `Stopped` once `should_stop()` is true; it is asked at every situation, and at every
        state of a view that is made.
        """
        self._bound()
        self.words.should_stop = self._should_stop = should_stop
        components = multitrace.components
        if len(components) > MANY:
            # Those without actions are closed together, as if no component was about them.
            components = tuple([part for part in components if len(part.actions)])
        layout = tuple([part.lifelines for part in components])
        start, order, views = self._begins.get(layout) or self._begin(layout)
        if start is None:
            return False
        parts = [components[number] for number in order]
        if not self._fits(views, parts, [0] * len(parts)):
            return False
        return not parts or self._walk(start, parts)

    def _begin(self, layout: tuple[tuple[str, ...], ...]) -> _Begin:
        """How to begin with components about these lifelines."""
        seen = mask(name for lifelines in layout for name in lifelines)
        rest = self._situations.close(self._term, self._term.lifelines & ~seen)
        if rest is None:
            begin = _Begin(None, (), ())
        else:
            start = self._situations[normal(rest)]
            seen_by = [project(start.term, mask(lifelines)) for lifelines in layout]
            order = tuple(sorted(range(len(layout)), key=lambda number: seen_by[number].size))
            views = tuple([start.view(layout[number]) for number in order])
            begin = _Begin(start, order, views)
        self._begins[layout] = begin
        return begin

    def _walk(self, situation: Situation, components: Sequence[Component]) -> bool:
        """One component after the other, as long as every action leaves one follow-up; the last
        one, and where there is a choice, `_search`."""
        last = len(components) - 1
        while last > 0 and not len(components[last].actions):
            last -= 1
        large = GROWN * situation.term.size
        for number, (lifelines, actions) in enumerate(components):
            if number == last:
                break
            for position, action in enumerate(actions):
                self.visited += 1
                if len(self._situations) > self.limit:
                    self._bound()
                if self._should_stop is not None and self._should_stop():
                    raise Stopped
                found = situation[action]
                if len(found) != 1 or found[0].term.size > large:
                    if not found:
                        return False
                    begin = _Place(situation, number, position, large)
                    return self._search(begin, components)
                situation = found[0]
            closed = situation.closed(lifelines)
            if closed is None:
                return False
            situation = closed
        if self.closing == "prune":
            for lifelines, _ in components[last + 1 :]:
                closed = situation.closed(lifelines)
                if closed is None:
                    return False
                situation = closed
        answer = self._ends((situation,), components[last], 0)
        if answer is not None:
            return answer
        return self._search(_Place(situation, last, 0, large), components)

    def _ends(self, situations: Iterable[Situation], last: Component, position: int) -> bool | None:
        """Whether the only component with actions left may go on with them in one of these
        situations; None where that cannot be told soon."""
        lifelines, actions = last
        self.visited += 1
        if position:
            actions = actions[position:]
        for situation in situations:
            try:
                word = situation.view(lifelines).after(actions)
            except TooManyTerms:
                return None
            if word.is_accepted if self.closing == "prune" else word.terms:
                return True
        return False

    def _bound(self) -> None:
        """Forgets everything where too much is kept."""
        if len(self._situations) > self.limit or len(self.words) > self.limit:
            self._forget()

    def _forget(self) -> None:
        self._situations.forget()
        self._begins.clear()
        forget_steps()
        self.forgotten += 1

    def _fits(
        self,
        views: Iterable[SubsetState],
        components: Iterable[Component],
        positions: Iterable[int],
    ) -> bool:
        """Whether every component alone may go on with the actions that it has left, if any, as far
        as that can be told soon; `views` are what each of them may still see."""
        accepts = self.closing == "prune"
        for word, (_, actions), position in zip(views, components, positions, strict=True):
            whole = True
            if position:
                end = position + AHEAD
                whole = end >= len(actions)
                actions = actions[position:end]
            try:
                word = word.after(actions)
            except TooManyTerms:
                continue
            if not word.terms or (whole and accepts and not word.is_accepted):
                return False
        return True

    def _counts_fit(self, components: Sequence[Component]) -> bool:
        """Whether there are as many of each action as there may be, as far as that can be told;
        of what may have gone on unseen, it cannot."""
        if self.closing != "prune" or self._counts is None:
            return True
        return self._counts.allow(part.actions for part in components)

    def _search(self, place: _Place, components: Sequence[Component]) -> bool:
        """Depth first from a place in the components, over what may remain of the term and how much
        of each component."""
        start, number, position, large = place
        parts = [part.actions for part in components]
        owners = [part.lifelines for part in components]
        ends = list(map(len, parts))
        begin = [*ends[:number], position, *[0] * (len(ends) - number - 1)]
        order = [n for n in range(number, len(ends)) if ends[n]]
        for n in range(number, len(ends)):
            if not ends[n]:
                closed = start.closed(owners[n])
                if closed is None:
                    return False
                start = closed
        order.sort(key=ends.__getitem__)
        known: set[tuple[Interaction, tuple[int, ...]]] = set()
        pending = [(start, begin.copy())]
        branches = 0
        while pending:
            situation, positions = pending.pop()
            while True:
                self._visit()
                chosen, steps = _chosen(situation, order, parts, positions, ends, large)
                if chosen < 0:
                    return True
                if order[0] != chosen:
                    order.remove(chosen)
                    order.insert(0, chosen)
                positions[chosen] += 1
                if positions[chosen] == ends[chosen]:
                    steps = all_closed(steps, owners[chosen])
                    waiting = [number for number in order if positions[number] < ends[number]]
                    if len(waiting) == 1:
                        last = waiting[0]
                        answer = self._ends(steps, components[last], positions[last])
                        if answer:
                            return True
                        if answer is not None:
                            break
                if len(steps) > 1:
                    self.branched += 1
                    branches += 1
                    if branches == EASY + 1 and not self._counts_fit(components):
                        return False
                    if branches == BRANCHES:
                        answer = fits_at_once(
                            start, components, begin, GROWN * start.term.size, self._visit
                        )
                        if answer is not None:
                            return answer
                    key = tuple(positions)
                    fresh = [step for step in steps if (step.term, key) not in known]
                    known.update((step.term, key) for step in fresh)
                    if branches > EASY:
                        self._bound()
                        fresh = [
                            step
                            for step in fresh
                            if self._fits(map(step.view, owners), components, positions)
                        ]
                    pending += [(step, positions.copy()) for step in reversed(fresh[1:])]
                    steps = tuple(fresh[:1])
                if not steps:
                    break
                situation = steps[0]
        return False

    def _visit(self) -> None:
        """Counts a situation, keeps tables within their bounds, and stops where asked to. `_walk`
        does the same in place, since that is nearly all that it does for an action."""
        self.visited += 1
        if len(self._situations) > self.limit:
            self._bound()
        if self._should_stop is not None and self._should_stop():
            raise Stopped


def _chosen(
    situation: Situation,
    order: Sequence[int],
    parts: Sequence[Sequence[Action]],
    positions: Sequence[int],
    ends: Sequence[int],
    large: int,
) -> tuple[int, tuple[Situation, ...]]:
    """The component whose next action is taken, and what that leaves; -1 where all are used up.

    The first one of which nothing remains, or one term of at most `large` symbols; else the one
    with the fewest follow-ups, and among those with one, the one that leaves the smallest.
    """
    chosen = -1
    steps: tuple[Situation, ...] = ()
    for number in order:
        position = positions[number]
        if position == ends[number]:
            continue
        found = situation[parts[number][position]]
        if chosen < 0 or len(found) < len(steps):
            chosen, steps = number, found
            if not found or (len(found) == 1 and found[0].term.size <= large):
                break
        elif len(found) == len(steps) == 1 and found[0].term.size < steps[0].term.size:
            chosen, steps = number, found
    return chosen, steps
