"""Logs of an agent: records with fields, as JSON or text, a line each, on the standard error.

It is the logging of the standard library: `configure` is for an agent in a process of its own, and
a monitor inside of a service logs to `choreomon` as the service has it. What others cause as often
as they like is logged once per interval, with how often it was left out.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import Any, Final, TextIO

from choreomon.agent_files.agent_config import LogSettings
from choreomon.agent_files.verdict_json import rfc3339

NAME: Final = "choreomon"
INTERVAL: Final = 60.0
MAX_VALUE: Final = 500
"""Characters of a field that are logged; some of it is what others sent."""
MAX_KEYS: Final = 1024
_OTHERS: Final = "other"

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class OncePerInterval:
    """Lets one thing of a kind through in this many seconds, and counts the others. Of more than
    `MAX_KEYS` kinds in one interval the last ones count as one."""

    def __init__(self, interval: float = INTERVAL) -> None:
        self._interval = interval
        self._left_out: dict[str, tuple[float, int]] = {}

    def passes(self, key: str, now: float) -> int | None:
        """Return `None` to leave it out, otherwise how many of its kind were left out since the
        last one. `now` is in seconds of a clock that does not run backwards."""
        if key not in self._left_out and len(self._left_out) >= MAX_KEYS:
            self._forget(now)
            if len(self._left_out) >= MAX_KEYS:
                key = _OTHERS
        since, left_out = self._left_out.get(key, (None, 0))
        if since is not None and now - since < self._interval:
            self._left_out[key] = (since, left_out + 1)
            return None
        self._left_out[key] = (now, 0)
        return left_out

    def _forget(self, now: float) -> None:
        """Forget the kinds that need no further log message."""
        self._left_out = {
            key: (since, left_out)
            for key, (since, left_out) in self._left_out.items()
            if left_out or now - since < self._interval
        }

    def rest(self) -> dict[str, int]:
        """The numbers of each kind left out and not yet reported; they count as reported now."""
        rest = {key: left_out for key, (_, left_out) in self._left_out.items() if left_out}
        self._left_out.clear()
        return rest


class Log:
    """Logs things with fields. `now`: seconds that do not run backwards, for what is logged
    seldom; `always` are fields of everything."""

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.monotonic,
        interval: float = INTERVAL,
        logger: logging.Logger | None = None,
        **always: object,
    ) -> None:
        self._logger = logger or logging.getLogger(NAME)
        self._now = now
        self._seldom = OncePerInterval(interval)
        self._always = always

    def of(self, process: str) -> None:
        """Log as this process from now on."""
        self._always["process"] = process

    def debug(self, message: str, **fields: object) -> None:
        self._log(logging.DEBUG, message, fields)

    def info(self, message: str, **fields: object) -> None:
        self._log(logging.INFO, message, fields)

    def warning(self, message: str, **fields: object) -> None:
        self._log(logging.WARNING, message, fields)

    def error(self, message: str, *, cause: BaseException | None = None, **fields: object) -> None:
        """Log an error; with `cause`, its traceback is a field, too."""
        self._log(logging.ERROR, message, fields, cause)

    def seldom(self, key: str, message: str, **fields: object) -> None:
        """A warning, at most once an interval for each key."""
        left_out = self._seldom.passes(key, self._now())
        if left_out is not None:
            self.warning(message, **fields, **({"left_out": left_out} if left_out else {}))

    def failed(self, message: str, cause: BaseException | None) -> None:
        """Log an unexpected error with its traceback, at most once an interval for each place that
        raises it."""
        key = f"error {_place(cause)}"
        left_out = self._seldom.passes(key, self._now())
        if left_out is not None:
            fields = {"left_out": left_out} if left_out else {}
            self.error(message, cause=cause, **fields)

    def close(self) -> None:
        """Say how much was left out and not told of."""
        for key, left_out in self._seldom.rest().items():
            self.warning("more of it was left out", about=key, left_out=left_out)

    def _log(
        self,
        level: int,
        message: str,
        fields: dict[str, object],
        cause: BaseException | None = None,
    ) -> None:
        extra = {"fields": {**self._always, **fields}}
        self._logger.log(level, "%s", message, extra=extra, exc_info=cause)


def configure(
    settings: LogSettings,
    *,
    stream: TextIO | None = None,
    wall: Callable[[], float] = time.time,
) -> Callable[[], None]:
    """Log all of this process to `stream`, by default the standard error; what undoes that. Of
    what is not choreomon's own, warnings and errors are logged alone. `wall` gives the time that
    is printed."""
    handler = _Quiet(stream or sys.stderr)
    handler.setFormatter(_JsonLines(wall) if settings.format == "json" else _TextLines(wall))
    root, own = logging.getLogger(), logging.getLogger(NAME)
    before = own.level
    root.addHandler(handler)
    own.setLevel(_LEVELS[settings.level])

    def undo() -> None:
        root.removeHandler(handler)
        own.setLevel(before)

    return undo


def _place(cause: BaseException | None) -> str:
    """The type of what was raised, and the place."""
    if cause is None:
        return ""
    place = cause.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
    return f"{type(cause).__name__} {where}"


class _Quiet(logging.StreamHandler[TextIO]):
    """Handler that ignores errors: an agent must not fail because nobody reads its logs."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        pass


class _JsonLines(logging.Formatter):
    """`{"time": ..., "level": ..., "message": ..., FIELDS}`; records of others name their
    `logger`."""

    def __init__(self, wall: Callable[[], float]) -> None:
        super().__init__()
        self._wall = wall

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": rfc3339(self._wall()),
            "level": record.levelname.lower(),
            "message": _cut(record.getMessage()),
        }
        return json.dumps({**line, **_fields(self, record)}, default=str)


class _TextLines(logging.Formatter):
    """`TIME LEVEL message field=value`."""

    def __init__(self, wall: Callable[[], float]) -> None:
        super().__init__()
        self._wall = wall

    def format(self, record: logging.LogRecord) -> str:
        traceback = ""
        words = [rfc3339(self._wall()), f"{record.levelname.lower():7}", _plain(record)]
        for name, value in _fields(self, record).items():
            if name == "traceback":
                traceback = f"\n{value}"
            else:
                words.append(f"{name}={_word(value)}")
        return " ".join(words) + traceback


def _fields(formatter: logging.Formatter, record: logging.LogRecord) -> dict[str, Any]:
    fields = {name: _cut(value) for name, value in getattr(record, "fields", {}).items()}
    if record.name != NAME:
        fields["logger"] = record.name
    if record.exc_info and record.exc_info[1] is not None:
        fields["traceback"] = formatter.formatException(record.exc_info)
    return fields


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MAX_VALUE:
        return f"{value[:MAX_VALUE]}... ({len(value)} characters)"
    return value


def _plain(record: logging.LogRecord) -> str:
    text = str(_cut(record.getMessage()))
    return text if text.isprintable() else json.dumps(text)


def _word(value: object) -> str:
    """The value without blanks and control characters, or in quotes."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    plain = text.isascii() and text.isprintable() and not set(text) & set(' "=')
    return text if plain and text else json.dumps(text)
