"""Decides whether logs are explained by an automaton, many multi-traces at a time.

It computes the states of Algorithm 1 (`choreomon.automata.centralized`) for thousands of
multi-traces side by side, with the states of one cut taken together. A row says for one multi-trace
how far each log was read, and the situation there (`choreomon.automata.situations`); in every round
each row is replaced by those that one more action leads to, all by a few operations of numpy on
whole columns. If it is enough to try one action (`Situations.may_be_first`), no other is tried.
Equal rows are merged.

Answers are exactly those of Algorithm 1. If a multi-trace would have more than `WIDTH` rows at a
time, the best are kept, and it is left undecided if they explain nothing; so is one that would need
too many situations.

Needs numpy (the extra `batch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from choreomon.automata.automaton import Automaton
from choreomon.automata.logs import WHOLE, Missing
from choreomon.automata.situations import DEAD, FIRST, LAST, Situations
from choreomon.core.errors import BudgetExceeded

Numbers: TypeAlias = npt.NDArray[np.int32]
Offsets: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_Entry = TypeVar("_Entry", bound=np.generic)

WIDTH: Final = 256
"""The most rows of one multi-trace at a time."""

NARROW: Final = 16
"""Rows tried first if logs may begin late: mostly enough for logs that are explained, while without
a bound there are hundreds."""

CELLS: Final = 2_000_000
"""The most entries of the tables, five bytes each, without those of the dead situation."""

MOST_LOGS: Final = 62
"""The most logs of a multi-trace decided here."""

REFUTED: Final = 0
EXPLAINED: Final = 1
UNDECIDED: Final = 2

_UNKNOWN: Final = -1


class ManyLogs:
    """Decides multi-traces over the same groups of lifelines, one log for each group. What it
    learns for some is kept for the next. Not for several threads at once."""

    def __init__(
        self, automaton: Automaton, logs: Sequence[Sequence[str]], missing: Missing = WHOLE
    ) -> None:
        self._arguments = (automaton, tuple(map(tuple, logs)), missing)
        self.widths = (NARROW, WIDTH) if missing.before else (WIDTH,)
        self._forget()

    def _forget(self) -> None:
        automaton, logs, missing = self._arguments
        wide = 4 * len(automaton.letters) + 1
        self.situations = Situations(automaton, logs, missing, max(1, CELLS // wide))
        self._end = wide - 1  # the code of what stands behind a log
        self._after = np.full((0, wide), _UNKNOWN, np.int32)
        self._only = np.full((0, wide), _UNKNOWN, np.int8)
        self._final = np.zeros(0, np.bool_)
        self._size = np.zeros(0, np.int32)
        self._ready = 0
        self.grow()

    def decide(self, letters: Numbers, ends: Offsets) -> npt.NDArray[np.int8]:
        """Decide each multi-trace: `EXPLAINED`, `REFUTED`, or `UNDECIDED`.

        `letters` has the letters of all logs, the logs of one multi-trace side by side in the order
        of the groups; `ends` says, for each multi-trace (rows) and log (columns), where in
        `letters` its log ends and the next one begins. -1 is a letter that the automaton does not
        have.
        """
        many, logs = ends.shape
        if logs > MOST_LOGS:
            return np.full(many, UNDECIDED, np.int8)
        codes, places, lengths = self._coded(letters, ends)
        found = np.full(many, REFUTED, np.int8)
        strange = np.zeros(many, np.bool_)
        if len(letters):
            bad = np.flatnonzero(letters < 0)
            strange[np.searchsorted(ends[:, -1], bad, side="right")] = True
        open_ones = ~strange
        for width in self.widths:
            found[open_ones] = REFUTED
            try:
                self._search(codes, places, lengths, open_ones, found, width)
            except BudgetExceeded:
                found[(found == REFUTED) & open_ones] = UNDECIDED
                self._forget()
            open_ones = found == UNDECIDED
            if not open_ones.any():
                break
        return found

    def _coded(self, letters: Numbers, ends: Offsets) -> tuple[Numbers, Offsets, Offsets]:
        """The codes of all logs, each with an end behind it; where each log begins there; and how
        many actions each log has."""
        flat = ends.ravel()
        begins = np.concatenate((np.zeros(1, np.int64), flat[:-1]))
        lengths = flat - begins
        number = np.arange(len(flat))
        coded = np.full(len(letters) + len(flat), self._end, np.int32)
        place = np.arange(len(letters)) + np.repeat(number, lengths)
        flags = np.zeros(len(letters), np.int32)
        held = lengths > 0
        flags[flat[held] - 1] |= LAST
        if self.situations.missing.before:
            flags[begins[held]] |= FIRST
        coded[place] = letters + flags * self.situations.letters
        return coded, (begins + number).reshape(ends.shape), lengths.reshape(ends.shape)

    def _search(
        self,
        codes: Numbers,
        places: Offsets,
        lengths: Offsets,
        wanted: Flags,
        found: npt.NDArray[np.int8],
        width: int,
    ) -> None:
        """Writes its results into `found`, even when it raises BudgetExceeded."""
        logs = places.shape[1]
        total = lengths.sum(axis=1)
        of = np.flatnonzero(wanted).astype(np.int32)
        place = places[of]
        situation = self._starts(lengths == 0)[of]
        steps = np.arange(logs)
        done = 0
        while len(of):
            alive = situation != DEAD
            at_end = total[of] == done
            if at_end.any():
                found[of[at_end & self._final[situation]]] = EXPLAINED
                alive &= ~at_end
            if not alive.all():
                of, place, situation = of[alive], place[alive], situation[alive]
            following = codes[place]
            after, only = self._looked_up(situation[:, None], following)
            taken = after != DEAD
            stuck = (only & ~taken).any(axis=1)
            first = only.argmax(axis=1)
            chosen = only[np.arange(len(of)), first]
            taken &= (~chosen[:, None] | (steps == first[:, None])) & ~stuck[:, None]
            row, log = np.nonzero(taken)
            of, place, situation = of[row], place[row], after[row, log]
            place[np.arange(len(row)), log] += 1
            done += 1
            if len(of) > 1:
                of, place, situation = self._merged(of, place, situation)
                if (of[width:] == of[:-width]).any():  # of one multi-trace there are more
                    kept = self._best(of, place, situation, places, width, found)
                    of, place, situation = of[kept], place[kept], situation[kept]

    def _merged(
        self,
        of: Numbers,
        place: Offsets,
        situation: Numbers,
    ) -> tuple[Numbers, Offsets, Numbers]:
        """Merge equal rows. Rows are in the order of the multi-traces."""
        same = of[1:] == of[:-1]
        if not same.any():
            return of, place, situation
        several = np.zeros(len(of), np.bool_)
        several[1:] |= same
        several[:-1] |= same
        at = np.flatnonzero(several)
        # Equal rows have equal digests, so sorting brings them together. If different rows with
        # equal digests alternate, a row may stay twice, which does no harm.
        digest = situation[at].astype(np.uint64) * _FACTORS[0]
        for log in range(place.shape[1]):
            digest += place[at, log].astype(np.uint64) * _FACTORS[log + 1]
        order = at[np.argsort(digest, kind="stable")]
        again = (
            (of[order[1:]] == of[order[:-1]])
            & (situation[order[1:]] == situation[order[:-1]])
            & (place[order[1:]] == place[order[:-1]]).all(axis=1)
        )
        kept = np.ones(len(of), np.bool_)
        kept[order[1:][again]] = False
        return of[kept], place[kept], situation[kept]

    def _best(
        self,
        of: Numbers,
        place: Offsets,
        situation: Numbers,
        begins: Offsets,
        width: int,
        found: npt.NDArray[np.int8],
    ) -> Flags:
        """The rows to keep, at most `width` of each multi-trace. Multi-traces that lose some become
        UNDECIDED. Rows in which more logs have begun come first, as less is unobserved then; among
        these, rows with more states."""
        begun = (place > begins[of]).sum(axis=1)
        order = np.lexsort((-self._size[situation], -begun, of))
        sorted_of = of[order]
        new = np.ones(len(of), np.bool_)
        new[1:] = sorted_of[1:] != sorted_of[:-1]
        where = np.flatnonzero(new)
        rank = np.arange(len(of)) - np.repeat(where, np.diff(np.append(where, len(of))))
        kept = np.ones(len(of), np.bool_)
        lost = order[rank >= width]
        kept[lost] = False
        found[of[lost]] = UNDECIDED
        return kept

    def _starts(self, empty: Flags) -> Numbers:
        """The first situation of each multi-trace, given which of its logs are empty."""
        bits = (empty.astype(np.int64) << np.arange(empty.shape[1])).sum(axis=1)
        masks, which = np.unique(bits, return_inverse=True)
        numbers = np.array([self.situations.start(int(mask)) for mask in masks], np.int32)
        self.grow()
        return numbers[which]

    def _looked_up(self, situation: Numbers, code: Numbers) -> tuple[Numbers, Flags]:
        """The situation to which each code leads, and whether it is enough to try that code."""
        wide = self._after.shape[1]
        at = situation * np.int64(wide) + code
        after = self._after.ravel()[at]
        unknown = after == _UNKNOWN
        if unknown.any():
            for entry in np.unique(at[unknown]).tolist():
                self._learn(*divmod(entry, wide))
            self.grow()
            after = self._after.ravel()[at]
        only: Flags = self._only.ravel()[at].view(np.bool_)
        return after, only

    def _learn(self, situation: int, code: int) -> None:
        self._after[situation, code] = self.situations.after(situation, code)
        self._only[situation, code] = self.situations.may_be_first(situation, code)

    def grow(self) -> None:
        """Makes room for all situations known by now, and for as many again, up to the limit."""
        known, room = len(self.situations.known), len(self._final)
        if known > room:
            more = min(known, self.situations.most + 1 - room)
            self._after = _longer(self._after, more, _UNKNOWN)
            self._only = _longer(self._only, more, 0)
            self._final = _longer(self._final, more, 0)
            self._size = _longer(self._size, more, 0)
            self._after[DEAD] = DEAD
            self._after[:, self._end] = DEAD
        for number in range(self._ready, known):
            self._final[number] = self.situations.is_final(number)
            self._size[number] = self.situations.known[number].states.bit_count()
        self._ready = known


def _longer(table: npt.NDArray[_Entry], more: int, filling: int) -> npt.NDArray[_Entry]:
    return np.concatenate((table, np.full((more, *table.shape[1:]), filling, table.dtype)))


_FACTORS: Final = np.random.default_rng(0).integers(1, 1 << 63, MOST_LOGS + 1, np.uint64) | 1
