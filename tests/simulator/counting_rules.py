"""Rules that count how often they judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Judgement
from choreomon.monitor.history import Record
from choreomon.monitor.record_by_record import Sound
from choreomon.properties.tables import Inspected


class Counting(Sound):
    """The `sound` rules, counting what they judge."""

    def __init__(self) -> None:
        self.judgements = 0

    def judge(
        self,
        inspected: Inspected,
        event: VectorClock,
        own: int,
        records: Sequence[Record],
        index_of: Mapping[str, int],
    ) -> Judgement:
        self.judgements += 1
        return super().judge(inspected, event, own, records, index_of)
