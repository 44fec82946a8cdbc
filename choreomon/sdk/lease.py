"""Leases: promises of a service to its agent to let nothing leave unanswered for a while.

The promise and what an agent may conclude from it are in `choreomon.agent_files.local`. Here the
service is the careful side: it keeps still after every grant that it received, whether it could
confirm it or not. Times are monotonic, in seconds.
"""

from __future__ import annotations

from typing import Final

from choreomon.agent_files.local import Renew

NEVER: Final = float("inf")

GREETING_SECONDS: Final = 5.0
"""Time for a hello to be answered before another connection is tried."""

RENEWALS: Final = 3
"""Renewals in a lease: one that is answered late does not end it."""


class Lease:
    """A lease: until `until`, nothing leaves unanswered. Before the first grant that is for
    ever."""

    __slots__ = ("_grant", "_promises", "_renew_at", "_renewing", "until")

    def __init__(self, *, promises: bool) -> None:
        self._promises = promises
        self._grant = 0
        self._renew_at = NEVER
        self._renewing = False
        self.until = NEVER

    def welcomed(self, seconds: float, grant: int, now: float) -> None:
        """The first grant of a connection: it is confirmed as soon as that is true."""
        self.granted(seconds, grant, now)
        self._renew_at = now

    def granted(self, seconds: float, grant: int, now: float) -> None:
        """The agent granted `seconds`, which begin `now`, when that was received."""
        self.until = now + seconds
        self._grant = grant if self._promises else 0
        self._renew_at = now + seconds / RENEWALS
        self._renewing = False

    def broken(self) -> None:
        """Note that the connection is gone: grants that it had stay valid, but are not renewed."""
        self._renew_at = NEVER
        self._renewing = False

    def wants_renewal(self, now: float) -> bool:
        return now >= self._renew_at and not self._renewing

    def renewal(self) -> Renew:
        """The renewal to send when all that ever left was told before."""
        self._renewing = True
        return Renew(self._grant)

    def due(self, now: float) -> float:
        """The time when a renewal is wanted, if one is not wanted already, or the lease ends."""
        if self._renewing or self._renew_at <= now:
            return self.until
        return min(self.until, self._renew_at)
