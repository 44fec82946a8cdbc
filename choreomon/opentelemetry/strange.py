"""Counts of what could not be told, or should not have come; each is told once."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import Any, Final, Literal, TypeAlias

Strange: TypeAlias = Literal[
    "no message",
    "no peer",
    "no name",
    "no value",
    "mapping stopped",
    "bad header",
    "no header",
    "agent away",
    "closed",
    "another name",
    "failed",
]

LOGGER: Final = logging.getLogger("choreomon")

MOST: Final = 200
"""Different things of which each is told once; more are only counted."""

SENTENCES: Final[dict[Strange, str]] = {
    "no message": "%s is no message by the mapping; nothing is told of such spans",
    "no peer": "%s goes to nobody that the mapping knows, and is not told: give `processes` what "
    "is there",
    "no name": "%s has no name that a message may have, and is not told",
    "no value": "%s; by the mapping there is none, so that it was told as one that is missing",
    "mapping stopped": "%s was told as one that is missing: the mapping took too long",
    "bad header": "what came as `choreomon` with %s is no such header, and was not believed",
    "no header": "%s came with a trace and without `choreomon`: its sender is not monitored, or "
    "somebody has taken the header off; it counts as one from outside",
    "agent away": "%s was refused: the agent did not answer in time",
    "closed": "%s was not told: the service is about to end",
    "another name": "%s: recorded spans will say so, and its agent says otherwise",
    "failed": "%s could not be told, which is a mistake of choreomon",
}


class Counts:
    """Counts of how often each happened. What is told goes to the logger `choreomon`, and the
    counter `choreomon.strange` of OpenTelemetry's metrics counts it, by `kind`."""

    def __init__(self) -> None:
        self.counted: Counter[Strange] = Counter()
        self._told: set[tuple[Strange, str]] = set()
        self._lock = threading.Lock()
        self._counter: Any = None

    def add(self, kind: Strange, what: str, error: BaseException | None = None) -> None:
        """Count it; `what` is the span, or the message, that it is about."""
        with self._lock:
            self.counted[kind] += 1
            new = (kind, what) not in self._told and len(self._told) < MOST
            if new:
                self._told.add((kind, what))
            counter = self._counter = self._counter or _counter()
        counter.add(1, {"kind": kind})
        if new:
            level = logging.DEBUG if kind == "no message" else logging.WARNING
            LOGGER.log(level, SENTENCES[kind], what, exc_info=error)


def _counter() -> Any:
    from opentelemetry import metrics

    return metrics.get_meter("choreomon").create_counter(
        "choreomon.strange", description="what an agent could not be told, or should not have come"
    )
