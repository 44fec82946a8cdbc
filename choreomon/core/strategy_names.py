"""The strategies of monitors, by name."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

StrategyName: TypeAlias = Literal["pull", "push", "central"]
STRATEGIES: Final[tuple[StrategyName, ...]] = get_args(StrategyName)

ASKING: Final = frozenset[StrategyName](("pull",))
"""Strategies whose monitors ask each other: only they can ask a second time, and wait."""
