"""Where gaps in a monitor's state begin and end, and the verdict at their end about what nobody
observed. Pure functions; what a gap counts as is in `choreomon.monitor.gaps`.
"""

from __future__ import annotations

from choreomon.core.errors import InternalError
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, POSSIBLY_VIOLATED, MonitorVerdict
from choreomon.monitor.effects import Declared, Effect
from choreomon.monitor.gaps import Gap, earlier, open_since, with_gap
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState


def gap_opened(monitor: MonitorSetup, state: MonitorState, since: VectorClock) -> MonitorState:
    """See `GapOpens`. A gap that is open may turn out to have begun earlier."""
    gaps = state.gaps
    if gaps and gaps[-1].until[monitor.own] == NEVER:
        if earlier(gaps[-1].since, since) == gaps[-1].since:
            return state
        gaps = gaps[:-1]
    return state._replace(gaps=(*gaps, open_since(since, monitor.own)))


def gap_ended(
    monitor: MonitorSetup,
    state: MonitorState,
    until: VectorClock | None,
    since: VectorClock | None,
) -> tuple[MonitorState, list[Effect]]:
    """See `GapEnds`. Raises `InternalError` where no gap is open and none can have been."""
    gaps = state.gaps
    if gaps and gaps[-1].until[monitor.own] == NEVER:
        opened, gaps = gaps[-1].since, gaps[:-1]
        since = opened if since is None else earlier(opened, since)
    if until is None:
        return state._replace(gaps=gaps), []
    if since is None:
        raise InternalError(f"{monitor.process}: a gap ends that never opened")
    state = state._replace(gaps=with_gap(gaps, Gap(since, until)))
    effects: list[Effect] = []
    finals = dict.fromkeys(row.transition.reference for row in monitor.table.rows if row.final)
    if finals:
        verdict = MonitorVerdict(
            POSSIBLY_VIOLATED, monitor.process, until, tuple(finals), (), unseen=True
        )
        effects.append(Declared(until, verdict, False))
    return state, effects
