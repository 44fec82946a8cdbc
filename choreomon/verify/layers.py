"""Long logs layer by layer, of terms as they are (`choreomon.verify.layered_walk`).

Unobserved actions of components that are used up (`multiprefix`) are steps within a layer. Before
the first observed action of a component they are too many (`slice`), which is not decided here but
with late terms (`choreomon.verify.late_layers`).

Where layers are cut, this may not tell; then it is left to the searches that keep what they have
visited (`choreomon.verify.exact_search`, `choreomon.verify.papers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask, bit, mask, names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, simulated
from choreomon.interaction.term import Interaction, act, forget_steps
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.exact_search import Observed
from choreomon.verify.layered_walk import TRIES, Bounds, End, LayeredWalk, Moves, Rest, Vertex
from choreomon.verify.persistent import WAITS, Persistence
from choreomon.verify.verdict import Answer, Verdict

KEPT: Final = 20_000
"""After so many terms, what was found out of them is forgotten."""


class _Term(Rest):
    """A term in normal form. There is one for each term until all are forgotten."""

    __slots__ = ("_layers", "term", "unobserved")

    def __init__(self, layers: Layers, term: Interaction) -> None:
        self._layers = layers
        self.term = term
        self.size = term.size
        self.terminates = term.terminates
        self.unavoidable = term.unavoidable
        self.unserved = term.unserved
        self.unobserved: tuple[tuple[Mask, _Term], ...] | None = None
        """What unobserved actions leave, with the lifelines of these; None until asked."""

    def __missing__(self, action: Action) -> Moves:
        found = self[action] = self._layers.moves(self.term, action)
        return found


class Layers(LayeredWalk):
    """Follow-ups are kept for the next multi-trace, those of `kept` terms at most. Not for several
    threads at once."""

    def __init__(
        self,
        ask: Callable[[], None] | None = None,
        *,
        kept: int = KEPT,
    ) -> None:
        """`ask` is called for every layer and every new follow-up; it may raise, to stop."""
        super().__init__(kept, ask)
        self._rests: dict[Interaction, _Term] = {}
        self._persistence = Persistence()
        self._components: dict[Mask, Mask] = {}
        self._afterwards = False

    def holds(
        self,
        start: Interaction,
        logs: Sequence[Observed],
        mode: Literal["accept", "prefix", "multiprefix"],
        bounds: Bounds,
    ) -> tuple[bool | None, int]:
        """Whether the mode's question is answered with yes, None where that was not found out;
        and the number of vertices. `start` is in normal form."""
        complete = mode == "accept"
        end = self.end(start, logs, bounds, complete=complete, afterwards=mode == "multiprefix")
        if end.terminates if complete else end.rests:
            return True, end.visited
        return None if end.cut else False, end.visited

    def end(
        self,
        start: Interaction,
        logs: Sequence[Observed],
        bounds: Bounds,
        *,
        complete: bool = False,
        afterwards: bool = False,
        reduced: bool = True,
    ) -> End:
        """Where layers end for `start`, a term in normal form.

        With `complete`, only ends where nothing has to follow count. With `afterwards`, lifelines
        that are used up may go on unobserved. Without `reduced` all moves are looked at; logs
        without lifelines of the interaction do not count in `lacks`.
        """
        components = {bit(name): log.lifelines for log in logs for name in names(log.lifelines)}
        if components != self._components:
            # Whose the other actions of a clock are matters for which may be taken first.
            self.forget()
            forget_steps()
            self._components = components
        self._logs = logs
        self._ends = tuple([len(log.actions) for log in logs])
        self._afterwards = afterwards
        return self._walked(self._rest(start), bounds, complete=complete, reduced=reduced)

    def moves(self, term: Interaction, action: Action) -> Moves:
        """What may remain of a term after an observed action."""
        leaf = act(action)
        on = leaf.lifelines
        if not on & term.lifelines:
            return Moves((), (0, 0))
        if self.ask is not None:
            self.ask()
        rests = self._distinct(after(term, leaf, self.ask))
        if self._persistence.standing(term, leaf, self._components.get(on, on)) == WAITS:
            return Moves(rests, None)
        return Moves(rests, (len(rests), max([rest.size for rest in rests], default=0)))

    def _beside(self, vertex: Vertex, gone: Mask, left: int) -> Iterable[Vertex]:
        rest, places = vertex
        assert isinstance(rest, _Term)
        if not self._afterwards or not gone & rest.term.lifelines:
            return
        if rest.unobserved is None:
            rest.unobserved = self._unobserved(rest.term)
        for on, then in rest.unobserved:
            if on & gone and then.unserved <= left:
                yield then, places

    def _unobserved(self, term: Interaction) -> tuple[tuple[Mask, _Term], ...]:
        found: dict[tuple[Mask, _Term], None] = {}
        for action, rest in simulated(term, self.ask):
            if self.ask is not None:
                self.ask()
            found[bit(action.lifeline), self._rest(normal(rest))] = None
        return tuple(found)

    def _distinct(self, terms: Iterable[Interaction]) -> tuple[_Term, ...]:
        return tuple([self._rest(form) for form in dict.fromkeys(map(normal, terms))])

    def _rest(self, term: Interaction) -> _Term:
        found = self._rests.get(term)
        if found is None:
            found = self._rests[term] = _Term(self, term)
            self.known += 1
        return found

    def _renewed(self, layer: list[Vertex]) -> list[Vertex]:
        terms = [(rest.term, places) for rest, places in layer if isinstance(rest, _Term)]
        self.forget()
        forget_steps()
        return [(self._rest(term), places) for term, places in terms]

    def forget(self) -> None:
        for rest in self._rests.values():
            rest.clear()
            rest.unobserved = None
        self._rests.clear()
        self.known = 0
        self._persistence.forget()


class LayeredTest:
    """Decides long multi-traces of one interaction in the mode `test`, whose graph has no steps
    but consuming ones: its ends are those of the layers."""

    _layers: Layers | None = None

    def __init__(
        self,
        interaction: Interaction,
        should_stop: Callable[[], str | None] | None = None,
        *,
        tries: Sequence[Bounds] = TRIES,
    ) -> None:
        """A reason that `should_stop()` returns ends a decision."""
        self._term = normal(interaction)
        self._names = names(interaction.lifelines)
        self._layers = Layers(None if should_stop is None else _raising(should_stop))
        self._tries = tries

    def __del__(self) -> None:
        if self._layers is not None:  # making this may have failed
            self._layers.forget()

    def decide(self, multitrace: MultiTrace) -> Answer | None:
        """The verdict; None where layers are too wide to tell, Inconc with the reason to stop if
        there was one. `vertices` are those of the whole graph where that was looked at."""
        whole = multi_trace(multitrace.components, self._names)
        logs = [
            Observed(mask(own) & self._term.lifelines, actions) for own, actions in whole.components
        ]
        try:
            return self._decided(logs)
        except _Stopped as stopped:
            return Answer(Verdict.INCONC, stopped.reason)

    def _decided(self, logs: Sequence[Observed]) -> Answer | None:
        layers, term = self._layers, self._term
        assert layers is not None
        accepted: bool | None = None
        explained: bool | None = None
        visited = 0
        for bounds in self._tries:
            end = layers.end(term, logs, bounds)
            visited += end.visited
            if end.terminates:
                return Answer(Verdict.PASS, "", visited)
            explained = explained or bool(end.rests) or (None if end.cut else False)
            if not end.cut:
                accepted = False
            else:
                # Those that might not have had to go on may be what was cut.
                accepted, more = layers.holds(term, logs, "accept", bounds)
                visited += more
            if accepted:
                return Answer(Verdict.PASS, "", visited)
            if accepted is not None and explained is not None:
                break
        if accepted is None or explained is None:
            return None
        if explained:
            return Answer(Verdict.WEAK_PASS, "", visited)
        for bounds in self._tries:
            end = layers.end(term, logs, bounds, reduced=False)
            if end.lacks:
                return Answer(Verdict.INCONC, "LackObs", end.visited)
            if not end.cut:
                return Answer(Verdict.FAIL, "", end.visited)
        return None


def _raising(should_stop: Callable[[], str | None]) -> Callable[[], None]:
    """Raises `_Stopped` with a reason, where there is one."""

    def ask() -> None:
        reason = should_stop()
        if reason is not None:
            raise _Stopped(reason)

    return ask


class _Stopped(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
