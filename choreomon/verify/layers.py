"""Long logs, one layer after the other: what explains a multi-trace without keeping the way there.

A consuming step brings a vertex (a term, and how much of each component was consumed) from one
layer, those that consumed equally much, to the next. So breadth first no vertex is met again once
its layer is done, and all that has to be kept is one layer. The memory that this needs does not
grow with the logs, as long as components do not run ahead of each other; where they do, layers grow
wide, and it gives up and leaves the multi-trace to the searches that keep what they have visited
(`choreomon.verify.exact_search`, `choreomon.verify.search`).

Steps that consume nothing stay within their layer. They are few after the first component was
used up (`multiprefix`); before that they are not (`slice`), which is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit, mask, names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, simulated
from choreomon.interaction.term import Interaction, act, forget_steps
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.exact_search import Observed
from choreomon.verify.verdict import Answer, Verdict

WIDE: Final = 64
"""How many vertices a layer may have: with more of them, a search that goes deep first is sooner
where it wants to be."""

KEPT: Final = 20_000
"""After so many terms, what was found out of them is forgotten."""


class TooWide(Exception):
    """A layer has more than `WIDE` vertices."""


class _Rest(dict[Action, "tuple[_Rest, ...]"]):
    """A term in normal form, and what actions leave of it, as far as anybody asked. There is one
    for each term until all are forgotten."""

    __slots__ = ("_layers", "term", "unobserved")

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, layers: Layers, term: Interaction) -> None:
        self._layers = layers
        self.term = term
        self.unobserved: tuple[tuple[Mask, _Rest], ...] | None = None
        """What unobserved actions leave, with the lifelines of these; None until asked."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __missing__(self, action: Action) -> tuple[_Rest, ...]:
        found = self[action] = self._layers.follow_ups(self.term, action)
        return found


Vertex: TypeAlias = tuple[_Rest, tuple[int, ...]]


class End(NamedTuple):
    """Where the layers ended: `terms` are what may remain after all that was recorded (empty where
    nothing explains it), `lacks` says whether on some way there a component was used up where no
    other one could go on, `visited` is the number of vertices."""

    terms: tuple[Interaction, ...]
    lacks: bool
    visited: int


class Layers:
    """Walks through the layers of one multi-trace after the other. Follow-ups are kept for the
    next one, those of `kept` terms at most. Not for several threads at once."""

    def __init__(
        self,
        ask: Callable[[], None] | None = None,
        *,
        wide: int = WIDE,
        kept: int = KEPT,
    ) -> None:
        """`ask` is called for every layer and every new follow-up; it may raise, to stop."""
        self.ask = ask
        self._wide = wide
        self._kept = kept
        self._rests: dict[Interaction, _Rest] = {}

    def end(self, start: Interaction, logs: Sequence[Observed], *, afterwards: bool = False) -> End:
        """Where the layers end for `start`, a term in normal form.

        With `afterwards` lifelines that are used up may go on unobserved. Logs without lifelines
        of the interaction do not count in `lacks`. Raises `TooWide`.
        """
        ends = [len(log.actions) for log in logs]
        words = [log.actions for log in logs]
        left = sum(ends)
        layer: list[Vertex] = [(self._rest(start), (0,) * len(logs))]
        lacks = False
        visited = 1
        while left:
            if self.ask is not None:
                self.ask()
            if len(self._rests) > self._kept:
                layer = self._renewed(layer)
            left -= 1
            following: dict[Vertex, None] = {}
            for vertex in self._closed(layer, logs, ends, left + 1) if afterwards else layer:
                rest, places = vertex
                stuck = True
                for number, place in enumerate(places):
                    if place == ends[number]:
                        continue
                    for then in rest[words[number][place]]:
                        stuck = False
                        if then.term.unserved <= left:
                            at = (*places[:number], place + 1, *places[number + 1 :])
                            following[then, at] = None
                if stuck and not lacks:
                    lacks = any(
                        place == end and log.lifelines
                        for place, end, log in zip(places, ends, logs, strict=True)
                    )
            if len(following) > self._wide:
                raise TooWide
            visited += len(following)
            if not following:
                return End((), lacks, visited)
            layer = list(following)
        return End(tuple([rest.term for rest, _ in layer]), lacks, visited)

    def follow_ups(self, term: Interaction, action: Action) -> tuple[_Rest, ...]:
        """What may remain of a term after an observed action, without repetitions."""
        leaf = act(action)
        if not leaf.lifelines & term.lifelines:
            return ()
        if self.ask is not None:
            self.ask()
        return self._distinct(after(term, leaf, self.ask))

    def _closed(
        self, layer: Iterable[Vertex], logs: Sequence[Observed], ends: Sequence[int], left: int
    ) -> Iterator[Vertex]:
        """The vertices of a layer, and those that unobserved actions on lifelines that are used
        up lead to from there."""
        known = dict.fromkeys(layer)
        pending = list(known)
        while pending:
            vertex = pending.pop()
            yield vertex
            rest, places = vertex
            free = NONE
            for place, end, log in zip(places, ends, logs, strict=True):
                if place == end:
                    free |= log.lifelines
            if not free & rest.term.lifelines:
                continue
            if rest.unobserved is None:
                rest.unobserved = self._unobserved(rest.term)
            for on, then in rest.unobserved:
                if on & free and then.term.unserved <= left and (then, places) not in known:
                    known[then, places] = None
                    pending.append((then, places))
                    if len(known) > self._wide:
                        raise TooWide

    def _unobserved(self, term: Interaction) -> tuple[tuple[Mask, _Rest], ...]:
        found: dict[tuple[Mask, _Rest], None] = {}
        for action, rest in simulated(term, self.ask):
            if self.ask is not None:
                self.ask()
            found[bit(action.lifeline), self._rest(normal(rest))] = None
        return tuple(found)

    def _distinct(self, terms: Iterable[Interaction]) -> tuple[_Rest, ...]:
        return tuple([self._rest(form) for form in dict.fromkeys(map(normal, terms))])

    def _rest(self, term: Interaction) -> _Rest:
        found = self._rests.get(term)
        if found is None:
            found = self._rests[term] = _Rest(self, term)
        return found

    def _renewed(self, layer: Iterable[Vertex]) -> list[Vertex]:
        """The same layer, with everything else forgotten."""
        # They lead to each other; taken apart they need no garbage collector.
        for rest in self._rests.values():
            rest.clear()
            rest.unobserved = None
        self._rests.clear()
        forget_steps()
        return [(self._rest(rest.term), places) for rest, places in layer]


class LayeredTest:
    """Decides long multi-traces of one interaction in the mode `test`, whose graph has no steps
    but consuming ones: its ends are those of the layers."""

    def __init__(
        self, interaction: Interaction, should_stop: Callable[[], str | None] | None = None
    ) -> None:
        """A reason that `should_stop()` returns ends a decision."""
        self._term = normal(interaction)
        self._names = names(interaction.lifelines)
        self._should_stop = should_stop
        self._layers = Layers(None if should_stop is None else self._asked)

    def decide(self, multitrace: MultiTrace) -> Answer | None:
        """The verdict; None where a layer is too wide, Inconc with the reason to stop if there was
        one. `vertices` are those of the whole graph, also where a search would have stopped at the
        first Pass."""
        whole = multi_trace(multitrace.components, self._names)
        logs = [
            Observed(mask(own) & self._term.lifelines, actions) for own, actions in whole.components
        ]
        try:
            end = self._layers.end(self._term, logs)
        except TooWide:
            return None
        except _Stopped as stopped:
            return Answer(Verdict.INCONC, stopped.reason)
        if any(term.terminates for term in end.terms):
            return Answer(Verdict.PASS, "", end.visited)
        if end.terms:
            return Answer(Verdict.WEAK_PASS, "", end.visited)
        if end.lacks:
            return Answer(Verdict.INCONC, "LackObs", end.visited)
        return Answer(Verdict.FAIL, "", end.visited)

    def _asked(self) -> None:
        assert self._should_stop is not None
        reason = self._should_stop()
        if reason is not None:
            raise _Stopped(reason)


class _Stopped(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
