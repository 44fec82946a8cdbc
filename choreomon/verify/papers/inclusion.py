"""When one term can do whatever another one can do.

`includes` says so only where every accepted trace of a part is one of the whole; where it does not
say so, that may be true nevertheless. It goes by the terms alone, as all operators are monotone:

- a choice is included where all of its choices are, and in a choice where it is in one of them;
- a loop is included in a loop that is no stricter, where its body is; such a loop can do in a row
  whatever it can do;
- a sequence is included where its operands can be done one after the other. Each operand of another
  sequence may do any number of them, none only where it may stop at once.

A sequence or a loop is no stricter than a sequence where it leaves open, on its lifelines, whatever
that leaves open; `strict` leaves nothing open. This finds what steps do to terms: loops unrolled,
choices taken, parts pruned.

Terms with `open` iterations include nothing but themselves, and so do deep ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from choreomon.interaction.chain import alternatives, is_freer
from choreomon.interaction.term import EMPTY, LOOPS, Interaction, Operator

Numbers: TypeAlias = int
"""A set of numbers, as bits."""

KEPT: Final = 200_000
"""A default limit on answers: some 50 MB."""

_STRICT: Final = frozenset({Operator.STRICT, Operator.LOOP_S})

_DEEP: Final = 100
"""Terms of a larger depth are not compared: to compare them is to recurse as deep."""


class Inclusion:
    """Answers, kept. Once there are `limit` of them, all are forgotten. Not for several threads at
    once."""

    def __init__(self, limit: int = KEPT) -> None:
        self._limit = limit
        self._known: dict[tuple[Interaction, Interaction], bool] = {}
        self._leaves: dict[Interaction, Numbers] = {}
        self._number_of: dict[Interaction, int] = {}

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._known)

    def includes(self, whole: Interaction, part: Interaction) -> bool:
        """Whether every accepted trace of `part` is one of `whole`; False where that is not
        found."""
        if whole is part:
            return True
        if part.lifelines & ~whole.lifelines or whole.unavoidable & ~part.unavoidable:
            return False
        if part.terminates and not whole.terminates:
            return False
        if part is EMPTY:
            return True
        key = whole, part
        known = self._known.get(key)
        if known is None:
            known = self._may(whole, part) and self._does(whole, part)
            if len(self._known) >= self._limit:
                self._known.clear()
                self._leaves.clear()
                self._number_of.clear()
            self._known[key] = known
        return known

    def _may(self, whole: Interaction, part: Interaction) -> bool:
        """Not where the part has an action that the whole has not."""
        if max(whole.depth, part.depth) > _DEEP or whole.unserved or part.unserved:
            return False
        return not self._leaves_of(part) & ~self._leaves_of(whole)

    def _leaves_of(self, term: Interaction) -> Numbers:
        leaves = self._leaves.get(term)
        if leaves is None:
            if term is EMPTY:
                leaves = 0
            elif term.left is None:
                leaves = 1 << self._number_of.setdefault(term, len(self._number_of))
            else:
                leaves = self._leaves_of(term.left)
                if term.right is not None:
                    leaves |= self._leaves_of(term.right)
            self._leaves[term] = leaves
        return leaves

    def _does(self, whole: Interaction, part: Interaction) -> bool:
        if part.operator is Operator.ALT:
            return all(self.includes(whole, choice) for choice in alternatives(part))
        if part.operator in LOOPS:
            return self._repeats(whole, part)
        return _Sequence(part, self).is_done_by(whole)

    def _repeats(self, whole: Interaction, loop: Interaction) -> bool:
        """Whether `whole`, which may stop, does what a loop does."""
        left = whole.left
        assert loop.left is not None
        if left is None:
            return False
        if whole.operator is Operator.ALT:
            return any(self.includes(choice, loop) for choice in alternatives(whole))
        if whole.right is not None:
            return any(self.includes(operand, loop) for operand in _operands(whole))
        if whole.operator is Operator.LOOP_C and is_freer(whole.region, loop):
            return self.includes(whole, loop.left)
        same = whole.operator is loop.operator and whole.region == loop.region
        return self.includes(left, loop.left if same else loop)


def _links(sequence: Interaction) -> list[Interaction]:
    """A sequence from each of its operands on; of any other term the term."""
    links = [sequence]
    while sequence.right is not None and sequence.operator is not Operator.ALT:
        rest = sequence.right
        links.append(rest)
        if rest.operator is not sequence.operator or rest.region != sequence.region:
            break
        sequence = rest
    return links


def _operands(sequence: Interaction) -> list[Interaction]:
    *links, last = _links(sequence)
    return [*[link.left for link in links if link.left is not None], last]


class _Sequence:
    """The operands of a sequence, to be done one after the other."""

    def __init__(self, sequence: Interaction, inclusion: Inclusion) -> None:
        self._inclusion = inclusion
        self._operator, self._region = sequence.operator, sequence.region
        self._operands = _operands(sequence)
        self._known: dict[tuple[Interaction, int], Numbers] = {}

    def is_done_by(self, whole: Interaction) -> bool:
        """Whether all of them can be done by `whole`."""
        return bool(self._after(whole, 0) >> len(self._operands))

    def _after(self, whole: Interaction, number: int) -> Numbers:
        """How many of the operands may be done after `whole`, if that begins after `number`."""
        key = whole, number
        known = self._known.get(key)
        if known is None:
            known = 1 << number if whole.terminates else 0
            if number < len(self._operands):
                operand = self._operands[number]
                if operand.lifelines & whole.lifelines:
                    known |= self._after_some(whole, number)
            self._known[key] = known
        return known

    def _after_any(self, whole: Interaction, numbers: Numbers) -> Numbers:
        found = 0
        for number in _each(numbers):
            found |= self._after(whole, number)
        return found

    def _after_some(self, whole: Interaction, number: int) -> Numbers:
        """`_after`, where `whole` does some of the operands."""
        left, right = whole.left, whole.right
        if left is None:
            return self._after_one(whole, number)
        if whole.operator is Operator.ALT:
            found = self._after_one(whole, number)
            for choice in alternatives(whole):
                found |= self._after(choice, number)
            return found
        if self._is_no_freer(whole):
            if right is None:
                return self._after_iterations(whole, left, number)
            return self._after_links(whole, number)
        found = self._after_one(whole, number)
        if right is None or right.terminates:
            found |= self._after(left, number)
        if right is not None and left.terminates:
            found |= self._after(right, number)
        return found

    def _is_no_freer(self, whole: Interaction) -> bool:
        """Than operands of a sequence, or iterations of a loop, that are done in a row."""
        if whole.operator in _STRICT:
            return self._operator is Operator.STRICT
        if whole.operator is Operator.LOOP_H:
            return False
        return self._operator is Operator.STRICT or not (
            self._region & ~whole.region & whole.lifelines
        )

    def _after_one(self, whole: Interaction, number: int) -> Numbers:
        """After an operand that the whole includes as a whole. Actions are found where they are."""
        if number == len(self._operands):
            return 0
        operand = self._operands[number]
        if operand.left is None:
            return 2 << number if operand is whole else 0
        return 2 << number if self._inclusion.includes(whole, operand) else 0

    def _after_links(self, sequence: Interaction, number: int) -> Numbers:
        """One operand may need what several operands of the other sequence do, the last ones."""
        found = 0
        numbers = 1 << number
        *links, last = _links(sequence)
        for link in links:
            assert link.left is not None
            for number in _each(numbers):
                found |= self._after_one(link, number)
            numbers = self._after_any(link.left, numbers)
        return found | self._after_any(last, numbers)

    def _after_iterations(self, loop: Interaction, body: Interaction, number: int) -> Numbers:
        found = 0
        pending = 1 << number
        while pending:
            number = pending.bit_length() - 1
            more = self._after(body, number) | self._after_one(loop, number)
            pending = (pending | more & ~found) & ~(1 << number)
            found |= more
        return found


def _each(numbers: Numbers) -> Iterator[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest
