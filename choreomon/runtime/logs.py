"""What an agent logs, to the standard error: a JSON object or a line of text for each thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from choreomon.formats.agent_config import LogFormat, LogLevel


class Log:
    """Things with fields. `now`: monotonic seconds, for what is logged seldom."""

    def __init__(
        self,
        level: LogLevel = "info",
        format: LogFormat = "json",
        *,
        stream: TextIO | None = None,
        wall: Callable[[], float] | None = None,
        now: Callable[[], float] | None = None,
        interval: float = 60.0,
        **always: object,
    ) -> None:
        """`always` are fields of all of them. `wall` gives wall time in seconds."""
        raise NotImplementedError

    def debug(self, message: str, **fields: object) -> None:
        raise NotImplementedError

    def info(self, message: str, **fields: object) -> None:
        raise NotImplementedError

    def warning(self, message: str, **fields: object) -> None:
        raise NotImplementedError

    def error(self, message: str, **fields: object) -> None:
        raise NotImplementedError

    def seldom(self, key: str, message: str, **fields: object) -> None:
        """A warning, at most once an interval for each key, with how many were left out."""
        raise NotImplementedError

    def close(self) -> None:
        """Say what was left out, and end."""
        raise NotImplementedError


class OncePerInterval:
    """Lets one thing of a kind through in an interval, and counts the others."""

    def __init__(self, interval: float = 60.0) -> None:
        raise NotImplementedError

    def passes(self, key: str, now: float) -> int | None:
        """`None`: leave it out. Otherwise how many were left out since the last one."""
        raise NotImplementedError
