"""Slices decided, not guessed; and every other mode over any co-localization.

Paper 001 answers "inconclusive" where its bounded simulation finds nothing. Here every answer is
definite (docs/adr/010-exact-slices.md has the argument). Pass means exactly accepted, WeakPass
what the mode asks for, Fail neither; Inconc appears only where a limit that was passed in cut the
search, with that reason.

Three ways to the same answer, the cheapest that is exact is taken:

- one component that has every lifeline of the interaction, or the only one that recorded anything
  where nothing may be missing: a walk through a subset automaton (`choreomon.verify.views`);
- the discrete partition, where strict operators may be weakened (`choreomon.interaction.order`):
  such a walk too, in whatever order of the components leaves the fewest possibilities;
- anything else: a search over interactions in which loop iterations that were entered unobserved
  are marked until an observed action comes from them, cut where more of these are open than
  observed actions are left, or where a component's own view of what remains does not fit.

Deviation from paper 001, Definition 7: there the observed part of a component may be preceded and
followed by simulated actions while a measure lasts; here by any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit, is_single, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.removal import project
from choreomon.interaction.step import after, simulated
from choreomon.interaction.term import Interaction, Operator, act, subterms
from choreomon.interaction.weakening import weakened
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.late import without_heads
from choreomon.verify.verdict import Answer, Verdict
from choreomon.verify.views import State, Views

ExactMode: TypeAlias = Literal["accept", "prefix", "multiprefix", "slice"]

TOO_MANY_VERTICES: Final = "the limit on vertices was reached"
STOPPED: Final = "the search was stopped"

_REMEMBERED: Final = 500_000
"""After so many late terms and projections, what earlier multi-traces left behind is dropped."""

_AT_ONCE: Final = (16, 256)
"""How many terms each component's try at being first is given."""


class Limits(NamedTuple):
    """When to give up: after so many vertices of the search, or once `should_stop()` is true
    (asked at every vertex and at every new state of an automaton)."""

    vertices: int | None = None
    should_stop: Callable[[], bool] | None = None


class Exhausted(Exception):
    """A limit was reached; the text says which."""


class Observed(NamedTuple):
    """What one clock recorded: the interaction's lifelines it is about, and the actions."""

    lifelines: Mask
    actions: Sequence[Action]


def observed_parts(interaction: Interaction, multitrace: MultiTrace) -> tuple[Observed, ...] | None:
    """The components that have lifelines of the interaction; lifelines that no component is about
    get one of their own. None where something was recorded of others."""
    parts: list[Observed] = []
    silent = interaction.lifelines
    for lifelines, actions in multitrace.components:
        own = mask(lifelines) & interaction.lifelines
        silent &= ~own
        if own:
            parts.append(Observed(own, actions))
        elif len(actions):
            return None
    while silent:
        lowest = silent & -silent
        silent ^= lowest
        parts.append(Observed(lowest, ()))
    return tuple(parts)


class ExactDecider:
    """Decides multi-traces of one interaction in one mode; what was computed for one is kept for
    the next. Not for several threads at once."""

    def __init__(self, interaction: Interaction, mode: ExactMode) -> None:
        self.interaction = interaction
        self.mode = mode
        self._normal = normal(interaction)
        self._removable = is_exact_to_weaken(self._normal)
        self._weak = normal(weakened(self._normal)) if self._removable else self._normal
        self._heads = any(
            part.operator is Operator.LOOP_H and not is_single(part.lifelines)
            for part in subterms(self._normal)
        )
        self._views = Views()
        self._local: dict[tuple[Interaction, Mask, bool], State] = {}

    def decide(self, multitrace: MultiTrace, limits: Limits = Limits()) -> Answer:  # noqa: B008
        """The verdict, of a multi-trace over any partition."""
        if len(self._local) + len(self._views.late_terms) > _REMEMBERED:
            self._views = Views()
            self._local = {}
        parts = observed_parts(self._normal, multitrace)
        if parts is None:
            return Answer(Verdict.FAIL)
        count = 0
        try:
            if self.mode != "accept":
                holds, count = self._holds(parts, self.mode, limits)
                if not holds:
                    return Answer(Verdict.FAIL, "", count)
            accepted, more = self._holds(parts, "accept", limits)
        except Exhausted as cut:
            return Answer(Verdict.INCONC, str(cut), count)
        if accepted:
            return Answer(Verdict.PASS, "", count + more)
        weaker = Verdict.FAIL if self.mode == "accept" else Verdict.WEAK_PASS
        return Answer(weaker, "", count + more)

    def _holds(
        self, parts: tuple[Observed, ...], mode: ExactMode, limits: Limits
    ) -> tuple[bool, int]:
        """Whether the mode's question is answered with yes, and the vertices of the search."""
        active = [part for part in parts if len(part.actions)]
        views = self._views
        stop = None if limits.should_stop is None else _asking(limits.should_stop)
        if (len(active) <= 1 and mode in ("accept", "prefix")) or (
            len(parts) == 1 and not (self._heads and mode == "slice")
        ):
            begun = mode == "slice" and len(active)
            start = views.begun(self._normal, NONE) if begun else views.plain(self._normal)
            reached = views.walk(start, active[0].actions, stop) if active else start
            if reached is None:
                return False, 0
            return reached.terminates or mode != "accept", 0
        if self._removable and mode != "prefix" and all(is_single(p.lifelines) for p in parts):
            return self._one_at_a_time(parts, mode, stop), 0
        return Search(self, parts, mode, limits).run()

    def _one_at_a_time(
        self, parts: tuple[Observed, ...], mode: ExactMode, ask: Callable[[], None] | None
    ) -> bool:
        """In the discrete partition, of a term without strict-like operators: its traces are
        closed under swapping neighbours on different lifelines, so it does not matter whose
        action is consumed next. It matters for how many terms have to be remembered: a lifeline
        in the middle may decide what is undecided on all others. So each component has a try at
        being first, with few terms, then with more, then without a bound."""
        views = self._views
        start = views.plain(self._weak)
        active: list[Observed] = []
        for part in parts:
            if len(part.actions):
                active.append(part)
                continue
            rest = self._exhausted(start, part.lifelines, mode)
            if rest is None:
                return False
            start = rest
        for lifelines, actions in active:
            own = self.view(self._weak, lifelines, mode == "slice")
            if views.walk(own, actions, ask) is None:
                return False
        if not active:
            return start.terminates or mode != "accept"
        if mode == "slice":
            start = views.open_past(start)
        best = (-1, 0)
        for most in _AT_ONCE:
            for first in range(len(active)):
                consumed, answer = self._attempt(start, active, first, most, mode, ask)
                if answer is not None:
                    return answer
                best = max(best, (consumed, -first))
        _, answer = self._attempt(start, active, -best[1], None, mode, ask)
        assert answer is not None
        return answer

    def _exhausted(self, state: State, lifeline: Mask, mode: ExactMode) -> State | None:
        if mode == "accept":
            return self._views.silent(state, lifeline)
        return self._views.without(state, lifeline)

    def _attempt(
        self,
        here: State,
        active: list[Observed],
        first: int,
        most: int | None,
        mode: ExactMode,
        ask: Callable[[], None] | None,
    ) -> tuple[int, bool | None]:
        """How many actions were consumed with at most `most` terms at once, and the answer, None
        where they did not suffice. One component goes first; of the others it is the last one's
        turn again as long as that leaves no more terms than before, else whoever leaves the
        fewest has it."""
        views = self._views
        waiting = [active[first], *active[:first], *active[first + 1 :]]
        places = [0] * len(waiting)
        current = consumed = 0
        led = True
        while waiting:
            reached = views.next(here, waiting[current].actions[places[current]], ask)
            if not led and reached is not None and len(reached.terms) > len(here.terms):
                for number, other in enumerate(waiting):
                    if number == current:
                        continue
                    instead = views.next(here, other.actions[places[number]], ask)
                    if instead is None:
                        return consumed, False
                    if len(instead.terms) < len(reached.terms):
                        current, reached = number, instead
            if reached is None:
                return consumed, False
            if most is not None and len(reached.terms) > most:
                return consumed, None
            here = reached
            consumed += 1
            places[current] += 1
            lifelines, actions = waiting[current]
            if places[current] == len(actions):
                rest = self._exhausted(here, lifelines, mode)
                if rest is None:
                    return consumed, False
                here = rest
                del waiting[current], places[current]
                current = 0
                led = False
        return consumed, here.terminates or mode != "accept"

    def view(self, term: Interaction, lifelines: Mask, begun: bool) -> State:
        """What a component may see of a term from now on: a necessary condition."""
        key = (term, lifelines, begun)
        known = self._local.get(key)
        if known is None:
            seen = normal(project(without_heads(term), lifelines))
            known = self._views.begun(seen, NONE) if begun else self._views.plain(seen)
            self._local[key] = known
        return known

    def next(self, state: State, action: Action) -> State | None:
        """One step of such a view."""
        return self._views.next(state, action)


class SliceDecider(ExactDecider):
    """`ExactDecider` of the mode `slice`."""

    def __init__(self, interaction: Interaction) -> None:
        super().__init__(interaction, "slice")


def decide_exact(
    interaction: Interaction,
    multitrace: MultiTrace,
    mode: ExactMode,
    limits: Limits = Limits(),  # noqa: B008
) -> Answer:
    """The verdict on one multi-trace. For many, keep an `ExactDecider`."""
    return ExactDecider(interaction, mode).decide(multitrace, limits)


def _asking(should_stop: Callable[[], bool]) -> Callable[[], None]:
    def ask() -> None:
        if should_stop():
            raise Exhausted(STOPPED)

    return ask


Places: TypeAlias = tuple[int, ...]
Vertex: TypeAlias = tuple[Interaction, Places]
"""A normal term, and how much of each component was consumed."""


class Move(NamedTuple):
    """An edge of the search: `observed` where it consumes, and the vertex it leads to."""

    action: Action
    observed: bool
    vertex: Vertex


class Search:
    """Depth first: what can be consumed is consumed before anything unobserved is tried."""

    def __init__(
        self, decider: ExactDecider, parts: tuple[Observed, ...], mode: ExactMode, limits: Limits
    ) -> None:
        self._decider = decider
        self._parts = parts
        self._limits = limits
        self.complete = mode == "accept"
        self.before = mode == "slice"
        self.afterwards = mode in ("slice", "multiprefix")
        self._leaves = [[act(action) for action in part.actions] for part in parts]
        self._fits: dict[tuple[State, int, int], bool] = {}
        self.visited = 0

    def run(self) -> tuple[bool, int]:
        """Whether the end was reached, and how many vertices were visited."""
        start = (normal(self._decider.interaction), (0,) * len(self._parts))
        if self.is_end(start):
            return True, 1
        known = {start}
        pending = [start]
        while pending:
            vertex = pending.pop()
            self._visit()
            later = self.moves(vertex)
            for move in reversed(later):
                if move.vertex in known:
                    continue
                known.add(move.vertex)
                if self.is_end(move.vertex):
                    return True, self.visited
                if self.may_lead_on(move.vertex):
                    pending.append(move.vertex)
        return False, self.visited

    def _visit(self) -> None:
        limits = self._limits
        self.visited += 1
        if limits.vertices is not None and self.visited > limits.vertices:
            raise Exhausted(TOO_MANY_VERTICES)
        if limits.should_stop is not None and limits.should_stop():
            raise Exhausted(STOPPED)

    def is_end(self, vertex: Vertex) -> bool:
        """Whether everything is consumed, and where that is asked for, nothing has to follow.
        Without it nothing is asked: whatever remains can be completed."""
        term, places = vertex
        return all(
            place == len(leaves) for place, leaves in zip(places, self._leaves, strict=True)
        ) and (not self.complete or term.terminates)

    def free(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved now."""
        found = NONE
        for part, leaves, place in zip(self._parts, self._leaves, places, strict=True):
            if place == len(leaves):
                if self.afterwards:
                    found |= part.lifelines
            elif self.before and not place:
                found |= part.lifelines
        return found

    def moves(self, vertex: Vertex) -> list[Move]:
        """Every move of the mode, consuming ones first."""
        term, places = vertex
        found: list[Move] = []
        for number, leaves in enumerate(self._leaves):
            place = places[number]
            if place == len(leaves):
                continue
            leaf = leaves[place]
            assert leaf.action is not None
            if term.lifelines & leaf.lifelines:
                then = (*places[:number], place + 1, *places[number + 1 :])
                for rest in after(term, leaf):
                    found.append(Move(leaf.action, True, (normal(rest), then)))
        free = self.free(places)
        if free & term.lifelines:
            for action, rest in simulated(term):
                if bit(action.lifeline) & free:
                    found.append(Move(action, False, (normal(rest), places)))
        return found

    def may_lead_on(self, vertex: Vertex) -> bool:
        """False only where no end can be reached: too many iterations wait for an observed
        action, one waits for what nobody recorded, or what remains of a component does not fit
        what it sees of the term."""
        term, places = vertex
        left = wanted = 0
        for part, leaves, place in zip(self._parts, self._leaves, places, strict=True):
            if place < len(leaves):
                left += len(leaves) - place
                wanted |= part.lifelines
        if term.unserved and (term.unserved > left or not _servable(term, wanted)):
            return False
        for number, part in enumerate(self._parts):
            place = places[number]
            if place < len(self._leaves[number]) or self.complete:
                begun = self.before and not place
                state = self._decider.view(term, part.lifelines, begun)
                if not self._fit(state, number, place):
                    return False
        return True

    def _fit(self, state: State, number: int, place: int) -> bool:
        """Whether a component's view allows all that it still recorded."""
        actions = self._parts[number].actions
        walked: list[tuple[State, int, int]] = []
        here: State | None = state
        while True:
            if here is None:
                answer = False
                break
            key = (here, number, place)
            known = self._fits.get(key)
            if known is not None:
                answer = known
                break
            if place == len(actions):
                answer = here.terminates or not self.complete
                break
            walked.append(key)
            here = self._decider.next(here, actions[place])
            place += 1
        for key in walked:
            self._fits[key] = answer
        return answer


def _servable(term: Interaction, wanted: Mask) -> bool:
    """Whether every open iteration that contains no other one has a lifeline that still has
    something recorded."""
    pending = [term]
    while pending:
        top = pending.pop()
        if not top.unserved:
            continue
        assert top.left is not None
        if top.operator is Operator.OPEN and not top.left.unserved:
            if not top.lifelines & wanted:
                return False
            continue
        pending.append(top.left)
        if top.right is not None:
            pending.append(top.right)
    return True
