"""Counts of verdicts declared since the store was made, as a part of the state: after a restart
earlier verdicts are still visible, even if nobody looked in between.

It is counted where a verdict is declared, so that rows that are replayed count what they did, each
verdict once however often it is delivered.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind

PROVISIONAL: Final = "provisional"


class VerdictCounts(NamedTuple):
    """Counts of one property: last verdicts by kind, provisional verdicts, and last
    `possibly-violated` verdicts not proven unavoidable."""

    violated: int = 0
    possibly_violated: int = 0
    withdrawn: int = 0
    provisional: int = 0
    unsettled: int = 0

    def with_one(self, kind: VerdictKind, *, provisional: bool) -> VerdictCounts:
        if provisional:
            return self._replace(provisional=self.provisional + 1)
        if kind == VIOLATED:
            return self._replace(violated=self.violated + 1)
        if kind == POSSIBLY_VIOLATED:
            return self._replace(possibly_violated=self.possibly_violated + 1)
        return self._replace(withdrawn=self.withdrawn + 1)

    def with_one_unsettled(self) -> VerdictCounts:
        return self._replace(unsettled=self.unsettled + 1)

    @property
    def last(self) -> dict[VerdictKind, int]:
        """Last verdicts, of every kind."""
        return {
            VIOLATED: self.violated,
            POSSIBLY_VIOLATED: self.possibly_violated,
            WITHDRAWN: self.withdrawn,
        }
