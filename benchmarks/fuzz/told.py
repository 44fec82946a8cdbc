"""What a rogue tells of itself at its end."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Told:
    """See `benchmarks.fuzz.rogue`. `seen`: what it was answered, by reason or status."""

    sent: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    answered: int = 0
    longest: float = 0.0
    sizes: int = 0

    def refuses(self, reason: str) -> None:
        self.refused[reason] = self.refused.get(reason, 0) + 1

    def sees(self, what: str) -> None:
        self.seen[what] = self.seen.get(what, 0) + 1

    def took(self, seconds: float) -> None:
        """It was answered."""
        self.answered += 1
        self.longest = max(self.longest, seconds)
