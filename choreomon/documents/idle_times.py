"""Idle times of instances, as documents write them: `30 days`, `36 hours`."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from choreomon.files.shape_words import shown
from choreomon.files.shapes import Parsed, Refused

_IDLE: Final = r"([0-9]{1,6}(?:\.[0-9]{1,3})?) ?(minutes?|m|hours?|h|days?|d)"
_SECONDS: Final = {"m": 60.0, "h": 3600.0, "d": 86400.0}

LEAST: Final = 3600.0
"""Seconds. In less, those who begin instances may not have heard of all others."""
MOST: Final = 3650 * 86400.0


def _idle_time(value: object) -> float:
    found = re.fullmatch(_IDLE, value) if isinstance(value, str) else None
    seconds = 0.0 if found is None else float(found[1]) * _SECONDS[found[2][0]]
    if not LEAST <= seconds <= MOST:
        raise Refused(
            'should be a time such as "30 days" or "36 hours", from 1 hour to 3650 days, not '
            f"{shown(value)}"
        )
    return seconds


IdleTime: TypeAlias = Annotated[
    float,
    Parsed(_idle_time, {"type": "string", "pattern": f"^{_IDLE}$"}),
]
"""Seconds, from `LEAST` to `MOST`."""
