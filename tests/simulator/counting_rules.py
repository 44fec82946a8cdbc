"""Rules that count how often they judge."""

from __future__ import annotations

from typing import Any

from choreomon.core.verdict import Judgement
from choreomon.monitor.record_by_record import Sound


class Counting(Sound):
    """The `sound` rules, counting what they judge."""

    def __init__(self) -> None:
        self.judgements = 0

    def judge(self, *given: Any, **named: Any) -> Judgement:
        self.judgements += 1
        return super().judge(*given, **named)
