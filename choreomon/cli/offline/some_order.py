"""Audits that read logs as they are, or else in the order that their numbers say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections import Counter

    from choreomon.audit.reading import Listener, Log
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.recorded import Diagnostic

_T = TypeVar("_T")
_Found_co = TypeVar("_Found_co", covariant=True)


class _Judge(Protocol[_Found_co]):
    """Judges logs, as they are or mended."""

    def __call__(self, *, mend: bool) -> _Found_co: ...


def read_through(
    auditor: Listener,
    strange: Callable[[Diagnostic], None],
    reading: LogReading,
    logs: Sequence[str],
    *,
    mend: bool,
) -> None:
    """Tell an auditor of all events of logs, to `mend` them in the order that their numbers
    say."""
    from choreomon.audit.in_order import in_order
    from choreomon.audit.reading import tell
    from choreomon.cli.offline.followed_logs import no_wait

    opened: list[Log] = [*map(reading.read, logs)]
    if mend:
        opened = [in_order(log, strange) for log in opened]
    tell(auditor, opened, strange, no_wait)


def in_some_order(
    judge: _Judge[_T],
    counts: Callable[[_T], Counter[str]],
    logs: Sequence[str],
    *,
    strict: bool,
) -> _T:
    """Judge logs as they are. Those that contradict themselves are read once more, in the order
    that their numbers say, unless it is `strict`, or a log can be read only once. Raises
    DocumentError, of what was wrong at first."""
    from choreomon.core.errors import DocumentError

    try:
        return judge(mend=False)
    except DocumentError as wrong:
        if strict or not all(Path(log).is_file() for log in logs):
            raise
        try:
            mended = judge(mend=True)
        except DocumentError:
            raise wrong from None
        if not counts(mended)["out-of-order"]:
            raise
        return mended
