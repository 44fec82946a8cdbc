"""One layer after the other: what explains a multi-trace without keeping the way there.

A consuming step brings a vertex (what may remain, and how much of each component was consumed)
from one layer, those that consumed equally much, to the next. So breadth first no vertex is met
again once its layer is done, and all that has to be kept is one layer. The memory that this needs
does not grow with the logs.

What keeps layers narrow:

- where the next action of one component may be taken first without looking at the others
  (`choreomon.verify.persistent`), only its follow-ups are vertices of the next layer. Of several
  such components it is the one that leaves the fewest follow-ups, then the smallest: whoever runs
  ahead leaves behind all that the others have still to do;
- a vertex is left out where that action cannot be its component's first one any more, or, where
  nothing may follow, a component that is used up still has to act.

A layer that is too wide all the same is cut down to the smallest vertices, and vertices that are
too large are left out. What is found then is right, but that nothing is found says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask
from choreomon.verify.exact_search import Observed, Places

GROWN: Final = 2
"""How many times larger than at the start a term may become before components that lag behind, and
that may have to, have their turn."""


_MORE: Final = 64
"""Symbols that any term may grow by, however small it was."""


class Bounds(NamedTuple):
    """How many vertices `wide` a layer may be, and how many times larger than at the start a term
    may become (None for any size): steps of large terms take long."""

    wide: int
    grown: int | None

    def largest(self, size: int) -> float:
        """Of how many symbols a term may be that was of `size` at the start."""
        return inf if self.grown is None else self.grown * size + _MORE


TRIES: Final = (Bounds(1, 8), Bounds(8, 8), Bounds(64, 32), Bounds(512, None))
"""With which bounds to walk, one after the other: mostly the first ones tell. Whatever they are, no
answer is wrong; with them benchmarks/results/offline_speed.md was measured."""


class Moves(NamedTuple):
    """What consuming an action leaves: `rests`, without repetitions. `order` is None where moves
    of other components may have to be looked at as well; where not, how many rests there are and
    the symbols of the largest. Moves with the smallest order will do."""

    rests: tuple[Rest, ...]
    order: tuple[int, int] | None


class Rest(dict[Action, Moves]):
    """What may remain, and what actions leave of it, as far as anybody asked: the moves that are
    missing are worked out by those who derive from this. Where equal, one object.

    - `size`: symbols; `unserved`: how many actions still have to be consumed at least;
    - `unavoidable`: lifelines that have to act;
    - `terminates`: whether nothing has to follow.
    """

    __slots__ = ("size", "terminates", "unavoidable", "unserved")

    __hash__ = object.__hash__  # type: ignore[assignment]

    size: int
    terminates: bool
    unavoidable: Mask
    unserved: int

    def __eq__(self, other: object) -> bool:
        return self is other


Vertex: TypeAlias = tuple[Rest, Places]


class End(NamedTuple):
    """Where a walk ended.

    - `rests`: what may remain after all that was recorded, empty where nothing explains it;
    - `lacks`: whether on some way a component was used up where no other one could go on (asked of
      walks that look at all moves);
    - `cut`: whether anything was left out that might have led on;
    - `visited`: the number of vertices.
    """

    rests: tuple[Rest, ...]
    lacks: bool
    cut: bool
    visited: int

    @property
    def terminates(self) -> bool:
        """Whether it may be over after all that was recorded."""
        return any(rest.terminates for rest in self.rests)


class LayeredWalk:
    """A walk through the layers of one multi-trace after the other. Those who derive from it say
    what vertices are made of."""

    def __init__(self, kept: int, ask: Callable[[], None] | None = None) -> None:
        """`ask` is called for every layer and every new follow-up; it may raise, to stop. Once
        more than `kept` is `known`, that is forgotten."""
        self.ask = ask
        self.kept = kept
        self.known = 0
        self._large = 0
        self._logs: Sequence[Observed] = ()
        self._ends: Places = ()

    def _walked(self, start: Rest, bounds: Bounds, *, complete: bool, reduced: bool) -> End:
        """Where the layers from `start` on end.

        With `complete`, components that are used up must not act any more. Without `reduced` all
        moves are looked at.
        """
        ends = self._ends
        wide, largest = bounds.wide, bounds.largest(start.size)
        # A small term is allowed an iteration or two.
        self._large = GROWN * start.size + 8
        left = sum(ends)
        layer: list[Vertex] = [(start, (0,) * len(ends))]
        lacks = cut = False
        visited = 1
        while left:
            if len(layer) == 1:
                layer[0], steps = self._straight(layer[0], largest, complete, reduced)
                visited += steps
                left -= steps
                if not left:
                    break
            if self.ask is not None:
                self.ask()
            if self.known > self.kept:
                layer = self._renewed(layer)
            left -= 1
            following: dict[Vertex, None] = {}
            beside: set[Vertex] = set()
            for vertex in layer:
                rest, places = vertex
                if rest.size > largest:
                    cut = True
                    continue
                moves, first, gone = self._moves(rest, places, None, reduced)
                if complete and rest.unavoidable & gone:
                    continue
                stuck = True
                for number, move in moves:
                    for then in move.rests:
                        stuck = False
                        if then.unserved <= left:
                            at = (*places[:number], places[number] + 1, *places[number + 1 :])
                            following[then, at] = None
                lacks = lacks or (stuck and bool(gone))
                if first is None:
                    for other in self._beside(vertex, gone, left + 1):
                        if other not in beside:
                            beside.add(other)
                            if len(layer) < wide:
                                layer.append(other)
                            else:
                                cut = True
            visited += len(following) + len(beside)
            if not following:
                return End((), lacks, cut, visited)
            layer = list(following)
            if len(layer) > wide:
                cut = True
                layer = sorted(layer, key=self._promise)[:wide]
        return End(tuple([rest for rest, _ in layer]), lacks, cut, visited)

    def _straight(
        self, vertex: Vertex, largest: float, complete: bool, reduced: bool
    ) -> tuple[Vertex, int]:
        """Where a vertex leads as long as there is one step only, and how many steps away that is.
        Most of long logs is read here."""
        rest, start = vertex
        places = list(start)
        before = sum(start)
        left = sum(self._ends) - before
        moves_of, ask = self._moves, self.ask
        fine = (1, rest.size) if reduced else None
        while left:
            if ask is not None:
                ask()
            if self.known > self.kept:
                ((rest, _),) = self._renewed([(rest, start)])
            moves, first, gone = moves_of(rest, places, fine, reduced)
            if len(moves) != 1 or (
                gone and (first is None or (complete and rest.unavoidable & gone))
            ):
                break
            number, (rests, _) = moves[0]
            if len(rests) != 1 or rests[0].unserved >= left or rests[0].size > largest:
                break
            rest = rests[0]
            places[number] += 1
            left -= 1
        return (rest, tuple(places)), sum(places) - before

    def _moves(
        self,
        rest: Rest,
        places: Sequence[int],
        fine: tuple[int, int] | None,
        reduced: bool,
    ) -> tuple[list[tuple[int, Moves]], tuple[int, int] | None, Mask]:
        """The moves from a vertex that have to be looked at, with the numbers of their components;
        their order, None where those are all there are; and the lifelines that are used up.

        Whoever may be taken first is not where that leaves much more than there was at first, as
        long as others may be next instead.

        With `fine`, moves with no larger order will do at once; then not all lifelines that are
        used up may be among those."""
        logs, ends = self._logs, self._ends
        first: tuple[int, int] | None = None
        best: tuple[int, Moves] | None = None
        every: list[tuple[int, Moves]] = []
        waits = False
        large = self._large
        gone = NONE
        for number, place in enumerate(places):
            end = ends[number]
            if place == end:
                gone |= logs[number].lifelines
                continue
            if place and place + 1 != end:
                moves = rest[logs[number].actions[place]]
            else:
                moves = self._edge(rest, places, number)
            every.append((number, moves))
            order = moves.order
            if not reduced or order is None:
                waits = True
                continue
            if order[1] > large:
                # Behind all that leave small rests only, whose orders begin with how many.
                order = order[1], order[0]
            if first is None or order < first:
                first = order
                best = number, moves
                if fine is not None and order <= fine:
                    return [best], first, gone
        if best is None or first is None or (waits and first[0] > large):
            return every, None, gone
        return [best], first, gone

    def _promise(self, vertex: Vertex) -> tuple[int, float]:
        """Those with the smallest one are kept: small ones, in which nobody lags far behind."""
        rest, places = vertex
        return rest.size, -min(
            (place / end for place, end in zip(places, self._ends, strict=True) if end)
        )

    def _edge(self, rest: Rest, places: Sequence[int], number: int) -> Moves:
        """What the first or the last action of a component leaves."""
        return rest[self._logs[number].actions[places[number]]]

    def _beside(self, vertex: Vertex, gone: Mask, left: int) -> Iterable[Vertex]:
        """Vertices of the same layer that something unobserved leads to, on lifelines `gone` that
        are used up; not with more open iterations than the `left` actions can serve."""
        return ()

    def forget(self) -> None:
        """Takes apart what was found out. Rests lead to this object: whoever drops it without
        asking for this leaves them to the garbage collector."""
        raise NotImplementedError

    def _renewed(self, layer: list[Vertex]) -> list[Vertex]:
        """The same layer, with everything else forgotten."""
        raise NotImplementedError
