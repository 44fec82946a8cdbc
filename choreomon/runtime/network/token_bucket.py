"""Token bucket: limits how often something may happen, per second and at once."""

from __future__ import annotations


class TokenBucket:
    """`rate` tokens a second drop into it, `burst` fit into it, and it begins full.

    Times are seconds of any clock that does not run backwards; they are passed in.
    """

    __slots__ = ("_burst", "_filled_at", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._filled_at = now

    def take(self, now: float) -> bool:
        """Take a token; return whether there was one."""
        tokens = self._tokens + (now - self._filled_at) * self._rate
        if tokens > self._burst:
            tokens = self._burst
        self._filled_at = now
        if tokens < 1:
            self._tokens = tokens
            return False
        self._tokens = tokens - 1
        return True
