"""Stores from which a peer speaks. Two agents with one name and key, and a store each, are two
processes that use the same counts: what either says of the process lacks what the other knows.

A peer whose store was lost speaks from a new one, and never again from the old one; that is let
through. One that speaks from a store, then from another, and then from the first again, is two, and
from then on neither is believed, while both speak: to be silent costs certainty, as if an agent is
unavailable, and to believe one of them could cost a violation.

It is kept in memory, for one life of the agent that hears. What it does not see: two that never
speak to the same agent, what came before the second one spoke for the second time, and a copy of
one store in two places.
"""

from __future__ import annotations

from typing import Final, NamedTuple

QUIET: Final = 60.0
"""Seconds after which one of two that has said nothing counts as stopped."""
MOST: Final = 8
"""Stores of one peer that are remembered, those that it spoke from last."""


class _Heard(NamedTuple):
    """Frames heard from a store: the numbers of the first and the last one, and the time of the
    last."""

    first: int
    last: int
    at: float


class PeerStores:
    """The stores of all peers, as heard. Times are monotonic seconds."""

    def __init__(self, quiet: float = QUIET) -> None:
        self._quiet = quiet
        self._number = 0
        self._latest: dict[str, bytes] = {}
        self._heard: dict[str, dict[bytes, _Heard]] = {}

    def refused(self, peer: str, store: bytes, now: float) -> bytes | None:
        """A frame of a peer came that names this store. Where it is not to be believed, another
        store from which the peer speaks, too."""
        self._number += 1
        heard = self._heard.setdefault(peer, {})
        mine = heard.pop(store, None)
        first = self._number if mine is None else mine.first
        heard[store] = _Heard(first, self._number, now)  # the last one is at the end
        if len(heard) > MOST:
            del heard[next(iter(heard))]
        before = self._latest.get(peer, store)
        self._latest[peer] = store
        for other, spoke in heard.items():
            # Also where it was quiet for long: of two that seldom speak each is to be noticed.
            recently = other == before or spoke.at > now - self._quiet
            if other != store and spoke.last > first and recently:
                return other
        return None

    def doubled(self, now: float) -> list[str]:
        """The peers that are not believed now."""
        return [peer for peer, heard in self._heard.items() if self._is_doubled(heard, now)]

    def _is_doubled(self, heard: dict[bytes, _Heard], now: float) -> bool:
        speaking = [each for each in heard.values() if each.at > now - self._quiet]
        return any(
            one.first < other.last and other.first < one.last
            for place, one in enumerate(speaking)
            for other in speaking[:place]
        )
