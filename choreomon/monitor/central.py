"""The strategy `central`: one monitor that knows the whole property and is told of every
labelled event, and declares for the monitor of the event.

Processes send it notices; it sends nothing back, so no clock learns anything from it.
Notices of different processes may overtake each other, so its verdicts are provisional as
those of `push` are; the last one counts once the network is quiet.
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.message import Event
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.effects import Declared
from choreomon.monitor.messages import Notice
from choreomon.monitor.push import JointVerdicts
from choreomon.monitor.record_by_record import RecordByRecord
from choreomon.monitor.reevaluation import Reevaluation
from choreomon.properties.tables import TransitionTable


class CentralMonitor:
    """The one monitor. Grows with the run; see `Reevaluation`."""

    def __init__(
        self, tables: Sequence[TransitionTable], processes: tuple[str, ...], rules: RecordByRecord
    ) -> None:
        self._reevaluation = Reevaluation(tables, processes, rules)
        self._verdicts = JointVerdicts()

    @property
    def records(self) -> int:
        return self._reevaluation.records

    @property
    def remembered(self) -> tuple[object, ...]:
        """Return all that grows with the run, as plain values."""
        return self._reevaluation.remembered + self._verdicts.remembered

    def receive(self, notice: Notice) -> list[tuple[str, Declared]]:
        """Judge the event of a notice, and again each event that it concerns. Return the new
        verdicts, each with the process of its event."""
        return self._verdicts.revise(self._reevaluation.observe(Event(notice.label, notice.event)))

    def explained(self, verdict: MonitorVerdict) -> MonitorVerdict:
        """Return one of its verdicts with the reasons of now; see `Reevaluation.explained`."""
        return self._reevaluation.explained(verdict)
