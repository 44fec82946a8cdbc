"""The verdicts of all instances of a property, of which the gravest and newest are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from choreomon.audit.outcome import AuditVerdict, Overall
from choreomon.core.binding import Binding
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind

MOST_VERDICTS: Final = 1_000
"""Verdicts that are kept, with what explains them; others are counted."""

_GRAVEST_FIRST: Final[tuple[VerdictKind, ...]] = (VIOLATED, POSSIBLY_VIOLATED)
_NO_EVENT: Final = -1


class InstanceVerdict(NamedTuple):
    """A verdict, and of which instance it is."""

    binding: Binding
    verdict: AuditVerdict | Overall


class InstanceVerdicts(NamedTuple):
    """Verdicts of instances: the gravest first, of equally grave ones the newest, by the order in
    which events were read; and how many there are of each kind that were not `kept`."""

    kept: tuple[InstanceVerdict, ...]
    others: tuple[tuple[VerdictKind, int], ...]


class VerdictsOfInstances:
    """Takes the verdicts of one instance after the other."""

    def __init__(self, most: int = MOST_VERDICTS) -> None:
        self._most = most
        self._kept: list[InstanceVerdict] = []
        self._counts: Counter[VerdictKind | None] = Counter()

    def add(self, binding: Binding, verdicts: Iterable[AuditVerdict | Overall]) -> None:
        """Take the verdicts of an instance."""
        for verdict in verdicts:
            self._counts[verdict.kind] += 1
            self._kept.append(InstanceVerdict(binding, verdict))
        if len(self._kept) > 2 * self._most:
            self._cut()

    def found(self) -> InstanceVerdicts:
        """The verdicts taken so far."""
        self._cut()
        kept = Counter(each.verdict.kind for each in self._kept)
        others = [(kind, self._counts[kind] - kept[kind]) for kind in _GRAVEST_FIRST]
        return InstanceVerdicts(tuple(self._kept), tuple((k, many) for k, many in others if many))

    def _cut(self) -> None:
        self._kept = sorted(self._kept, key=_gravest_and_newest)[: self._most]


def _gravest_and_newest(each: InstanceVerdict) -> tuple[bool, int, Binding]:
    verdict = each.verdict
    number = verdict.item.number if isinstance(verdict, AuditVerdict) else _NO_EVENT
    return verdict.kind != VIOLATED, -number, each.binding
