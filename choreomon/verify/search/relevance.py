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

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import Mask, each
from choreomon.interaction.normal import normal
from choreomon.interaction.term import EMPTY, Interaction, Operator, combined

Places: TypeAlias = int
"""A set of places of all logs."""

_Key: TypeAlias = tuple[Interaction, Places, Places]

_CHAINS: Final = frozenset({Operator.COREG, Operator.STRICT})

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


class Relevance:
    """What matters to one multi-trace. `words` are the components, actions as terms; `lifelines`
    has the one lifeline of each."""

    def __init__(self, words: Sequence[Sequence[Interaction]], lifelines: Sequence[Mask]) -> None:
        self._fields = _Fields()
        self._at: list[list[Places]] = []
        self._before: dict[Interaction, Places] = {}
        self._ends: Places = 0
        first = 0
        for word, own in zip(words, lifelines, strict=True):
            end = first + len(word)
            self._at.append([1 << place for place in range(first, end + 1)])
            self._fields[own] = sum(self._at[-1])
            for place, leaf in enumerate(word, first):
                self._before[leaf] = self._before.get(leaf, 0) | 1 << place
            self._ends |= 1 << end
            first = end + 1
        self._going_on: dict[Interaction, Places] = {}
        self._known: dict[_Key, tuple[Interaction, Places] | None] = {}

    def of_all(
        self, terms: Iterable[Interaction], positions: Sequence[int]
    ) -> tuple[Interaction, ...]:
        """What of each term matters when `positions` say how many actions of each component are
        consumed, in normal form, without repetitions; nothing for what cannot explain the rest."""
        places = 0
        for at, position in zip(self._at, positions, strict=True):
            places |= at[position]
        found: list[Interaction] = []
        for term in terms:
            one = self._followed(term, places, 0, 0)
            if one is not None:
                rest, after = one
                if not self._ends & ~(places & ~self._fields[term.lifelines] | after):
                    found.append(normal(rest))
        return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)

    def _followed(
        self, term: Interaction, places: Places, others: Places, depth: int
    ) -> tuple[Interaction, Places] | None:
        """What of a term matters, and the places on its lifelines after it; None where nothing
        that the term does explains the logs. In between, what stands beside the term may go on
        from the places of `others`. Chains are followed link by link."""
        known = self._known
        spine: list[tuple[_Key, Interaction, Places]] = []
        while True:
            fields = self._fields[term.lifelines]
            own = places & fields
            found: tuple[Interaction, Places] | None
            if own == self._ends & fields:
                found = EMPTY, own
                break
            others &= fields
            if term.left is None:
                after = (own & self._before.get(term, 0)) << 1 | own & self._ends
                if others:
                    after = _onward(after, others)
                found = (term, after) if after else None
                break
            key = term, own, others
            if key in known:
                found = known[key]
                break
            if depth > _DEEP:
                found = term, _onward(own, fields & ~self._ends)
                break
            if term.operator not in _CHAINS:
                found = known[key] = (
                    self._chosen(term, own, others, depth)
                    if term.operator is Operator.ALT
                    else self._repeated(term, own, others, depth)
                )
                break
            assert term.right is not None
            beside = others
            more = term.left.lifelines & term.right.lifelines & term.region
            if more:
                kept = self._fields[more]
                beside = others | self._moves(term.right) & kept
                others |= self._moves(term.left) & kept
                entry = _onward(places, beside)
            else:
                entry = places
            found = self._followed(term.left, entry, beside, depth + 1)
            if found is None:
                known[key] = None
                break
            left, after = found
            if more:
                places = _onward(places, others)
                after = after & ~kept | places & kept
            places = places & ~self._fields[term.left.lifelines] | after
            spine.append((key, left, places))
            term = term.right
        while spine:
            key, left, places = spine.pop()
            if found is not None:
                whole = key[0]
                assert whole.left is not None
                assert whole.right is not None
                rest, after = found
                more = whole.left.lifelines & whole.right.lifelines & whole.region
                if more:
                    either = key[2] | self._moves(whole) & self._fields[more]
                    after |= _onward(key[1], either) & self._fields[more]
                after |= places & self._fields[whole.lifelines & ~whole.right.lifelines]
                if left is not whole.left or rest is not whole.right:
                    whole = combined(whole.operator, whole.region, left, rest)
                found = whole, after
            known[key] = found
        return found

    def _chosen(
        self, term: Interaction, own: Places, others: Places, depth: int
    ) -> tuple[Interaction, Places] | None:
        assert term.left is not None
        assert term.right is not None
        left = self._followed(term.left, own, others, depth + 1)
        right = self._followed(term.right, own, others, depth + 1)
        if left is None and right is None:
            return None
        after = 0
        for side, found in ((term.left, left), (term.right, right)):
            if found is not None:
                after |= own & ~self._fields[side.lifelines] | found[1]
        if left is None or right is None:
            one = left or right
            assert one is not None
            return one[0], after
        return combined(Operator.ALT, term.region, left[0], right[0]), after

    def _repeated(
        self, term: Interaction, own: Places, others: Places, depth: int
    ) -> tuple[Interaction, Places]:
        assert term.left is not None
        more = term.lifelines & term.region
        if more:
            others |= self._moves(term.left) & self._fields[more]
            own = _onward(own, others)
        while True:
            found = self._followed(term.left, own, others, depth + 1)
            if found is None:
                return EMPTY, own
            body, after = found
            if not after & ~own:
                return combined(term.operator, term.region, body, None), own
            own |= after

    def _moves(self, term: Interaction) -> Places:
        """The places from which the actions of a term go on."""
        moves = self._going_on
        pending = [term]
        while pending:
            top = pending[-1]
            if top in moves:
                pending.pop()
            elif top.left is None:
                moves[top] = self._before.get(top, 0)
            else:
                sides = (top.left,) if top.right is None else (top.left, top.right)
                missing = [side for side in sides if side not in moves]
                if missing:
                    pending += missing
                else:
                    moves[top] = moves[sides[0]] | moves[sides[-1]]
        return moves[term]


def _onward(places: Places, others: Places) -> Places:
    """These places, and those to which others may go on from there."""
    while True:
        further = places | (places & others) << 1
        if further == places:
            return places
        places = further
