"""The joint verdict about an event from what its final transitions came to.

Several final transitions of one event are judged together: the property is formed there
when one of them fired, so the verdict must not look possible where it is certain.
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import (
    FRM,
    FRM_P,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    Judgement,
    MonitorVerdict,
    Reason,
    Reference,
    VerdictKind,
)


def joint_verdict(
    process: str,
    event: VectorClock,
    judged: Sequence[tuple[Reference, Judgement]],
    told: VerdictKind | None = None,
    silent: tuple[str, ...] = (),
    waiting_for: tuple[str, ...] = (),
    *,
    surely: bool = False,
) -> MonitorVerdict | None:
    """`violated` where one final transition certainly fired, or `surely` one of several did;
    `possibly-violated` where one possibly did, else `withdrawn` where something else was told
    before, else `None`.

    The verdict rests on what fired or may have; a withdrawal on all that was judged. Final
    transitions out of one state share their reasons, which are given once.
    """
    kind: VerdictKind | None = VIOLATED if surely else None if told is None else WITHDRAWN
    for _, judgement in judged:
        if judgement.result == FRM:
            kind = VIOLATED
        elif judgement.result == FRM_P and kind != VIOLATED:
            kind = POSSIBLY_VIOLATED
    if kind is None:
        return None
    transitions: list[Reference] = []
    because: dict[Reason, None] = {}
    for reference, judgement in judged:
        if kind == WITHDRAWN or judgement.result is not None:
            transitions.append(reference)
            because.update(dict.fromkeys(judgement.because))
    return MonitorVerdict(
        kind=kind,
        process=process,
        clock=event,
        transitions=tuple(transitions),
        because=tuple(because),
        silent=silent,
        waiting_for=waiting_for,
    )
