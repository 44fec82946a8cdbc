"""What of an interaction still matters to what is left of a multi-trace.

Long searches meet many vertices that differ only in what is left to do after the logs have ended,
or in choices that the logs rule out. Here both are cut out of a term, so that such vertices become
one. It is for multi-prefixes over the discrete partition, where lifeline removal is exact.

Each lifeline is followed through the term for itself: in front of every action stands the set of
places that its log may have got to by then. The set may be too large, never too small.

- Where the log has ended for sure, the action is no longer of interest: it becomes the empty
  interaction, as all actions of a lifeline do that is removed (the removal paper, Definition 10).
- Where the log has not ended, and cannot go on with the action, whatever the action is a part of
  explains nothing: the choice is not taken, the loop not entered. A term of which that is true as a
  whole explains nothing at all, nor does one after which the log of some lifeline cannot have
  ended.

So the term that remains has the multi-prefixes of the first one, as far as they go on with what is
left of the multi-trace. Why cutting out some actions of a lifeline is as exact as removing all of
them: the weak term that has the same multi-traces (`choreomon.interaction.weakening`) orders two
actions only if they are on one lifeline, and by what stands around the two, not by way of a third
one. It may say nothing of whether the term may stop: that is for another search.

Sets of places are the bits of one number, the end of the log included, lifeline after lifeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import Mask, each
from choreomon.interaction.normal import normal
from choreomon.interaction.term import EMPTY, Interaction, Operator, combined

Places: TypeAlias = int
"""A set of places of all logs."""

_Key: TypeAlias = tuple[Places, Places]
"""Places before a term, and those from which others may go on."""

_Found: TypeAlias = tuple[Interaction, Places] | None
"""What of a term matters, and the places on its lifelines after it; None where nothing that the
term does explains the logs."""

KEPT: Final = 400_000
"""A default limit on answers about subterms: some 100 MB."""

_DEEP: Final = 150
"""Terms in which operators alternate more often are left as they are."""


class _Fields(dict[Mask, Places]):
    """All places on some lifelines, by their mask; those of single ones are given."""

    def __missing__(self, lifelines: Mask) -> Places:
        whole = 0
        for one in each(lifelines):
            whole |= self[one]
        self[lifelines] = whole
        return whole


class _Part:
    """A term with what is asked of it again and again.

    - `fields`: all places on its lifelines, `ends` the last of each of them;
    - `moves`: the places from which its actions go on;
    - `free`: all places on the lifelines on which its operands, or its iterations, are not ordered;
    - `known`: what was found.
    """

    __slots__ = ("ends", "fields", "free", "is_chain", "known", "left", "moves", "right", "term")

    def __init__(
        self, term: Interaction, left: _Part | None, right: _Part | None, relevance: Relevance
    ) -> None:
        self.term = term
        self.left = left
        self.right = right
        self.is_chain = right is not None and term.operator is not Operator.ALT
        self.fields = relevance.fields[term.lifelines]
        self.ends = self.fields & relevance.ends
        self.moves = relevance.before.get(term, 0)
        shared = term.lifelines & term.region
        for side in (left, right):
            if side is not None:
                self.moves |= side.moves
                shared &= side.term.lifelines
        self.free = relevance.fields[shared]
        self.known: dict[_Key, _Found] = {}


class Relevance:
    """What matters to one multi-trace. `words` are the components, actions as terms; `lifelines`
    has the one lifeline of each. Once `limit` answers about subterms are kept, all are forgotten.
    """

    def __init__(
        self,
        words: Sequence[Sequence[Interaction]],
        lifelines: Sequence[Mask],
        limit: int = KEPT,
    ) -> None:
        self._limit = limit
        self._kept = 0
        self.fields = _Fields()
        self.before: dict[Interaction, Places] = {}
        self.ends: Places = 0
        self._at: list[list[Places]] = []
        first = 0
        for word, own in zip(words, lifelines, strict=True):
            end = first + len(word)
            self._at.append([1 << place for place in range(first, end + 1)])
            self.fields[own] = sum(self._at[-1])
            for place, leaf in enumerate(word, first):
                self.before[leaf] = self.before.get(leaf, 0) | 1 << place
            self.ends |= 1 << end
            first = end + 1
        self._parts: dict[Interaction, _Part] = {}

    def __len__(self) -> int:
        """How many answers about subterms are kept."""
        return self._kept

    def of_all(
        self,
        terms: Iterable[Interaction],
        positions: Sequence[int],
        ask: Callable[[], None] | None = None,
    ) -> tuple[Interaction, ...]:
        """What of each term matters when `positions` say how many actions of each component are
        consumed, in normal form, without repetitions; nothing for what cannot explain the rest.

        `ask` is called before each term: it may raise, to stop.
        """
        places = 0
        for at, position in zip(self._at, positions, strict=True):
            places |= at[position]
        found: list[Interaction] = []
        for term in terms:
            if ask is not None:
                ask()
            if self._kept >= self._limit:
                self._parts.clear()
                self._kept = 0
            part = self._parts.get(term) or self._part(term)
            one = self._followed(part, places, 0, 0)
            if one is not None:
                rest, after = one
                if not self.ends & ~(places & ~part.fields | after):
                    found.append(normal(rest))
        return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)

    def _part(self, term: Interaction) -> _Part:
        parts = self._parts
        pending = [term]
        while pending:
            top = pending[-1]
            sides = [side for side in (top.left, top.right) if side is not None]
            missing = [side for side in sides if side not in parts]
            if missing:
                pending += missing
                continue
            pending.pop()
            if top not in parts:
                left, right = ([parts[side] for side in sides] + [None, None])[:2]
                parts[top] = _Part(top, left, right, self)
        return parts[term]

    def _followed(self, part: _Part, places: Places, others: Places, depth: int) -> _Found:
        """What is found of a term that begins at these places. In between, what stands beside it
        may go on from the places of `others`."""
        own = places & part.fields
        if own == part.ends:
            return EMPTY, own
        others &= part.fields
        if part.left is None:
            after = _onward((own & part.moves) << 1 | own & part.ends, others)
            return (part.term, after) if after else None
        key = own, others
        if key in part.known:
            return part.known[key]
        if depth > _DEEP:
            return part.term, _onward(own, part.fields & ~part.ends)
        if part.is_chain:
            return self._chained(part, own, others, depth)
        followed = self._repeated if part.right is None else self._chosen
        return self._keep(part, key, followed(part, own, others, depth))

    def _chained(self, part: _Part, own: Places, others: Places, depth: int) -> _Found:
        """Of a sequence. Its links lie to the right, and there may be many."""
        links: list[tuple[_Part, _Key, Interaction, Places]] = []
        found: _Found
        while True:
            left, right, free = part.left, part.right, part.free
            assert left is not None
            assert right is not None
            key = own, others
            beside = others | right.moves & free
            first = self._followed(left, _onward(own, beside), beside, depth + 1)
            if first is None:
                found = self._keep(part, key, None)
                break
            others |= left.moves & free
            places = own & ~left.fields | first[1]
            places = places & ~free | _onward(own, others) & free
            links.append((part, key, first[0], places))
            part = right
            own, others = places & part.fields, others & part.fields
            if not part.is_chain or own == part.ends or (own, others) in part.known:
                found = self._followed(part, own, others, depth)
                break
        for part, key, left_rest, places in reversed(links):
            if found is not None:
                found = _joined(part, key, left_rest, places, found)
            self._keep(part, key, found)
        return found

    def _keep(self, part: _Part, key: _Key, found: _Found) -> _Found:
        part.known[key] = found
        self._kept += 1
        return found

    def _chosen(self, part: _Part, own: Places, others: Places, depth: int) -> _Found:
        assert part.left is not None
        assert part.right is not None
        left = self._followed(part.left, own, others, depth + 1)
        right = self._followed(part.right, own, others, depth + 1)
        if left is None and right is None:
            return None
        after = 0
        for side, found in ((part.left, left), (part.right, right)):
            if found is not None:
                after |= own & ~side.fields | found[1]
        if left is None or right is None:
            one = left or right
            assert one is not None
            return one[0], after
        return _over(part.term, left[0], right[0]), after

    def _repeated(self, part: _Part, own: Places, others: Places, depth: int) -> _Found:
        assert part.left is not None
        if part.free:
            others |= part.moves & part.free
            own = _onward(own, others)
        while True:
            found = self._followed(part.left, own, others, depth + 1)
            if found is None:
                return EMPTY, own
            body, after = found
            if not after & ~own:
                return _over(part.term, body, None), own
            own |= after


def _joined(
    part: _Part, key: _Key, left: Interaction, places: Places, found: tuple[Interaction, Places]
) -> tuple[Interaction, Places]:
    """Of a sequence, when `left` matters of its left operand, with these places after that, and
    something was found of its right operand."""
    assert part.right is not None
    own, others = key
    right, after = found
    after |= places & part.fields & ~part.right.fields
    after |= _onward(own, others | part.moves & part.free) & part.free
    return _over(part.term, left, right), after


def _over(term: Interaction, left: Interaction, right: Interaction | None) -> Interaction:
    """The term with these operands."""
    if left is term.left and right is term.right:
        return term
    return combined(term.operator, term.region, left, right)


def _onward(places: Places, others: Places) -> Places:
    """These places, and those to which others may go on from there, one place after the other: what
    is added to a row of ones is carried to its end."""
    return places | others ^ (others + (places & others))
