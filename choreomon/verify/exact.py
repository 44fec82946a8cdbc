"""Slices decided, not guessed; and every other mode over any co-localization.

The slices paper answers "inconclusive" where its bounded simulation finds nothing. Here every
answer is definite (docs/adr/010-exact-slices.md has the argument). Pass means exactly accepted,
WeakPass what the mode asks for, Fail neither; Inconc appears only where a limit that was passed in
cut the search, with that reason.

Five ways to the same answer, the cheapest that is exact is taken:

- one component that has every lifeline of the interaction, or the only one that recorded anything
  where nothing may be missing: a walk through a subset automaton (`choreomon.verify.views`);
- the discrete partition, where strict operators may be weakened (`choreomon.interaction.order`),
  and any partition where there are none: for acceptance such a walk too, in whatever order of the
  components leaves the fewest possibilities; slices and multi-prefixes one component after the
  other (`choreomon.verify.one_by_one`), where that is soon enough;
- where some components were not observed all the time: a search over what may remain after each
  observed action, with nothing decided about unobserved ones that need not be
  (`choreomon.verify.late_search`);
- logs of thousands of actions: layer by layer, as far as layers that are kept narrow tell
  (`choreomon.verify.layers`; `choreomon.verify.late_layers` where components began late);
- anything else: a search over interactions in which loop iterations that were entered unobserved
  are marked until an observed action comes from them, cut where more of these are open than
  observed actions are left, or where a component's own view of what remains does not fit.

With many lifelines, one way to go on is tried before all are made: a yes of it is believed.

Deviation from the slices paper, Definition 7: there the observed part of a component may be
preceded and followed by simulated actions while a measure lasts; here by any number of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, reduce
from operator import or_
from typing import Final

from choreomon.interaction.lifelines import bit, each, is_single, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import Interaction, Operator, forget_steps, subterms
from choreomon.interaction.weakening import weakened
from choreomon.multitrace.coded import LONG
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.exact_discrete import Discrete
from choreomon.verify.exact_search import (
    STOPPED,
    ExactMode,
    Exhausted,
    Limits,
    Observed,
    Search,
)
from choreomon.verify.late_layers import LateLayers
from choreomon.verify.late_search import LateSearch
from choreomon.verify.layered_walk import TRIES, LayeredWalk
from choreomon.verify.layers import Layers
from choreomon.verify.quick.counting import Counts, counts
from choreomon.verify.verdict import Answer, Verdict
from choreomon.verify.views import State, Views

_REMEMBERED: Final = 500_000
"""After so many late terms and projections, what earlier multi-traces left behind is dropped."""

MANY: Final = 64
"""More components without actions are taken together: one by one, of hundreds of lifelines, they
take longer than all that was recorded."""

FEW: Final = 4
"""Where an interaction has more lifelines, ways to go on multiply with them, and one of them is
tried before all are made."""

_SOON: Final = 2_000
"""How many terms and states a look at one component of a long log may find out. With more it is
not worth it, and the layers are asked at once."""


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
    return (*parts, *(Observed(lifeline, ()) for lifeline in each(silent)))


class ExactDecider:
    """Decides multi-traces of one interaction in one mode; what was computed for one is kept for
    the next. Not for several threads at once."""

    _walks: tuple[LayeredWalk, ...] = ()
    """What has to be taken apart in the end: nothing where making this failed."""

    def __init__(self, interaction: Interaction, mode: ExactMode) -> None:
        self.interaction = interaction
        self.mode = mode
        self.views = Views()
        self.greedy = Views(greedy=True)
        self._normal = normal(interaction)
        self._removable = is_exact_to_weaken(self._normal)
        self._weak = normal(weakened(self._normal)) if self._removable else self._normal
        self._heads = any(
            part.operator is Operator.LOOP_H and not is_single(part.lifelines)
            for part in subterms(self._normal)
        )
        self._layers = Layers()
        self._late_layers = LateLayers()
        self._walks = (self._layers, self._late_layers)

    def __del__(self) -> None:
        for walk in self._walks:
            walk.forget()

    def decide(self, multitrace: MultiTrace, limits: Limits = Limits()) -> Answer:  # noqa: B008
        """The verdict, of a multi-trace over any partition."""
        if self.views.remembered + self.greedy.remembered > _REMEMBERED:
            self.views = Views()
            self.greedy = Views(greedy=True)
            forget_steps()
        parts = observed_parts(self._normal, multitrace)
        if parts is None:
            return Answer(Verdict.FAIL)
        silent = [part for part in parts if not len(part.actions)]
        if len(silent) > MANY:
            # Whoever recorded nothing need not be looked at alone.
            mute = Observed(reduce(or_, (part.lifelines for part in silent)), ())
            parts = (*(part for part in parts if len(part.actions)), mute)
        ask = None if limits.should_stop is None else _asking(limits.should_stop)
        self._layers.ask = self._late_layers.ask = ask
        self.views.asking(ask)
        self.greedy.asking(ask)
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
        views = self.views
        if (len(active) <= 1 and mode in ("accept", "prefix")) or (
            len(parts) == 1 and not (self._heads and mode == "slice")
        ):
            if not active:
                return mode != "accept" or self._normal.terminates, 0
            begun = mode == "slice"
            actions = active[0].actions
            for lifeline in each(active[0].lifelines):
                own = (action for action in actions if bit(action.lifeline) == lifeline)
                if views.walk(views.local(self._normal, lifeline, begun), own) is None:
                    return False, 0
            start = views.begun(self._normal) if begun else views.plain(self._normal)
            return views.allows(start, actions, mode == "accept"), 0
        weak = (
            self._removable
            and mode != "prefix"
            and (
                self._weak is self._normal
                or all(is_single(part.lifelines) or not len(part.actions) for part in parts)
            )
        )
        if mode == "accept" and not self._may_be_whole(parts):
            return False, 0
        long = sum(len(part.actions) for part in parts) >= LONG
        if mode in ("slice", "multiprefix") and (long or not weak):
            for part in active:
                if not self._may_see(part, mode == "slice", _SOON if long else None):
                    return False, 0
        if long:
            # What a search keeps of every action is too much for logs of thousands.
            answer = self._layered(parts, mode, weak=weak)
            if answer is not None:
                return answer
        term, heads = self._normal, self._heads
        count = 0
        greedy = self.greedy if self._normal.lifelines.bit_count() > FEW else None
        if weak:
            holds, count = Discrete(views, self._weak, limits, greedy).holds(parts, mode)
            if holds is not None:
                return holds, count
            if heads:
                term, heads = self._weak, False
        if mode in ("slice", "multiprefix"):
            before, found = mode == "slice", False
            if greedy is not None:
                found, more = LateSearch(greedy, parts, before, limits).goes_through(term)
                count += more
            if not found:
                found, more = LateSearch(views, parts, before, limits).run(term)
                count += more
            if not found or not heads:
                return found, count
        found, more = Search(views, parts, mode, limits).run(self._normal)
        return found, count + more

    def _may_see(self, part: Observed, begun: bool, most: int | None) -> bool:
        """Whether a component may see what it recorded: a necessary condition. Also true where
        more than `most` terms and states would have to be found out in order to tell."""
        views = self.views
        limit = None if most is None else len(views) + views.remembered + most
        state: State | None = views.local(self._normal, part.lifelines, begun)
        for action in part.actions:
            assert state is not None
            state = state.next.get(action) or views.next(state, action)
            if state is None:
                return False
            if limit is not None and len(views) + views.remembered > limit:
                return True
        return True

    def _layered(
        self, parts: tuple[Observed, ...], mode: ExactMode, *, weak: bool
    ) -> tuple[bool, int] | None:
        """`_holds` by layers; None where they are too wide to tell. Where operators may be
        weakened, some questions are easy with, and others without."""
        count = 0
        terms = dict.fromkeys((self._normal, self._weak) if weak else (self._normal,))
        for bounds in TRIES:
            for term in terms:
                holds: bool | None
                if mode in ("accept", "prefix"):
                    holds, more = self._layers.holds(term, parts, mode, bounds)
                elif mode == "multiprefix" and not self._heads:
                    holds, more = self._late_layers.holds(term, parts, bounds, before=False)
                else:
                    # Multi-prefixes are slices, too.
                    holds, more = self._layers.holds(term, parts, "multiprefix", bounds)
                    if mode == "slice" and not holds:
                        holds = None
                        if not self._heads:
                            count += more
                            holds, more = self._late_layers.holds(term, parts, bounds, before=True)
                count += more
                if holds is not None:
                    return holds, count
        return None

    def _may_be_whole(self, parts: tuple[Observed, ...]) -> bool:
        """Whether as many of each action were recorded as an accepted trace may have."""
        return self._counts is None or self._counts.allow(part.actions for part in parts)

    @cached_property
    def _counts(self) -> Counts | None:
        return counts(self._normal)


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
