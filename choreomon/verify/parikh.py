"""The Parikh image: how often actions occur in accepted traces, a necessary condition without a
search.

The vectors of counts of the accepted traces (their Parikh image) lie in a coset of a lattice, one
vector plus all integer combinations of some others. It is found from the term alone, since counts
do not depend on the order of actions:

- of a sequence, whatever the operator, the vectors are sums, so are the cosets;
- of `alt` the least coset around both also has the difference between one vector of each;
- of a loop it is everything that the body's vectors generate: it contains zero.

So the combined vectors are, for all loops anywhere in the term, a vector of the body, and for all
`alt`, the difference between those of the operands. `loopS(strict(a!m, b?m))` gives "as many a!m
as b?m", `loopP(strict(a!m, a!m))` "an even number of a!m".

Not from a paper. It is the least coset, but only a coset: counts in it need not be those of an
accepted trace ("not more b?m than a!m" is nothing that a coset can say). No accepted trace has
counts outside of it. It says nothing about prefixes, multi-prefixes and slices, whose counts may be
any smaller ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.term import LOOPS, Interaction, Operator, subterms

ACTIONS: Final = 60
"""The most different actions of an interaction whose counts are computed: the work grows with the
cube of their number."""

SYMBOLS: Final = 20_000
"""The most symbols of such an interaction."""

Vector: TypeAlias = tuple[int, ...]


class Lattice:
    """The set of all integer combinations of the vectors added; zero is always in it."""

    def __init__(self) -> None:
        self._rows: dict[int, Vector] = {}
        """Echelon form: rows that begin with as many zeros as their key says."""

    def add(self, vector: Vector) -> None:
        """Add a vector of the same length as the others."""
        for place in range(len(vector)):
            if not vector[place]:
                continue
            row = self._rows.get(place)
            if row is None:
                self._rows[place] = self._short(vector, place)
                return
            if vector[place] % row[place]:
                # Euclid's algorithm, on vectors: both together generate what they did before.
                while vector[place]:
                    row, vector = vector, _less(row, row[place] // vector[place], vector)
                self._rows[place] = self._short(row, place)
            else:
                vector = _less(vector, vector[place] // row[place], row)

    def __contains__(self, vector: Vector) -> bool:
        for place in range(len(vector)):
            if vector[place]:
                row = self._rows.get(place)
                if row is None or vector[place] % row[place]:
                    return False
                vector = _less(vector, vector[place] // row[place], row)
        return True

    def _short(self, row: Vector, place: int) -> Vector:
        """The row with smaller numbers behind its first; otherwise they would grow with every
        vector."""
        for later in range(place + 1, len(row)):
            other = self._rows.get(later)
            if other is not None and row[later]:
                row = _less(row, row[later] // other[later], other)
        return row


class Counts:
    """The least coset around the counts of the accepted traces of a term."""

    def __init__(self, places: dict[Action, int], some: Vector, differences: Lattice) -> None:
        self._places = places
        self._some = some
        self._differences = differences

    def allow(self, components: Iterable[Sequence[Action]]) -> bool:
        """Return False only if no accepted trace has as many of each action as these together."""
        counted: Counter[Action] = Counter()
        for actions in components:
            counted.update(actions)
        if not counted.keys() <= self._places.keys():
            return False
        return _less(tuple(counted[a] for a in self._places), 1, self._some) in self._differences


def counts(term: Interaction) -> Counts | None:
    """The constraints that the counts of all accepted traces meet; None for terms with more than
    `ACTIONS` actions or `SYMBOLS` symbols."""
    if term.size > SYMBOLS:
        return None
    parts = subterms(term)
    alphabet = [part.action for part in parts if part.action is not None]
    if len(alphabet) > ACTIONS:
        return None
    places = {action: place for place, action in enumerate(alphabet)}
    zero = (0,) * len(alphabet)
    of: dict[Interaction, Vector] = {}
    differences: dict[Vector, None] = {}
    for part in parts:
        if part.left is None:
            of[part] = tuple(int(action == part.action) for action in alphabet)
            continue
        left = of[part.left]
        if part.operator in LOOPS:
            differences[left] = None
            of[part] = zero
        elif part.right is None:
            of[part] = left
        elif part.operator is Operator.ALT:
            differences[_less(of[part.right], 1, left)] = None
            of[part] = left
        else:
            of[part] = _less(left, -1, of[part.right])
    lattice = Lattice()
    for vector in differences:
        lattice.add(vector)
    return Counts(places, of[term], lattice)


def _less(vector: Vector, times: int, other: Vector) -> Vector:
    return tuple([one - times * two for one, two in zip(vector, other, strict=True)])
