"""The joint word about an event from what its final transitions came to.

Several final transitions of one event are judged together: the property is formed there
when one of them fired, so the word must not look possible where it is certain.
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
    Word,
)


def joint_verdict(
    process: str,
    event: VectorClock,
    judged: Sequence[tuple[Reference, Judgement]],
    told: Word | None = None,
    silent: tuple[str, ...] = (),
    waiting_for: tuple[str, ...] = (),
) -> MonitorVerdict | None:
    """`violated` where one final transition surely fired, `possibly-violated` where one
    possibly did, else `withdrawn` where something else was told before, else `None`.

    The word rests on what fired or may have; a withdrawal on all that was judged. Final
    transitions out of one state share their reasons, which are given once.
    """
    word: Word | None = None if told is None else WITHDRAWN
    for _, judgement in judged:
        if judgement.result == FRM:
            word = VIOLATED
        elif judgement.result == FRM_P and word != VIOLATED:
            word = POSSIBLY_VIOLATED
    if word is None:
        return None
    transitions: list[Reference] = []
    because: dict[Reason, None] = {}
    for reference, judgement in judged:
        if word == WITHDRAWN or judgement.result is not None:
            transitions.append(reference)
            because.update(dict.fromkeys(judgement.because))
    return MonitorVerdict(
        word, process, event, tuple(transitions), tuple(because), silent, waiting_for
    )
