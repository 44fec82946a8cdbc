"""Pairing of the two ends of messages by id, whatever the order of the logs, to find those that do
not match.

A reception may be read before its send if each process has a log of its own; so missing ends are
known only at the end.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

from choreomon.core.recorded import Diagnostic, Place, RecordedEvent

REMEMBERED: Final = 100_000
"""The most messages remembered after both of their ends were seen, the last ones."""


class _End(NamedTuple):
    kind: str
    process: str
    name: str
    place: Place


class Pairing:
    """Looks at events one by one. It keeps ends that wait for the other one, and the last
    `remembered` messages with both; a third end of an older message is reported as one without the
    other. Events without a message id are ignored.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._waiting: dict[tuple[str, str], _End] = {}
        self._paired: OrderedDict[tuple[str, str], tuple[Place, Place]] = OrderedDict()
        self._remembered = remembered

    @property
    def waiting(self) -> int:
        """The number of messages with one end so far."""
        return len(self._waiting)

    def take(self, event: RecordedEvent) -> Diagnostic | None:
        """Take one more event; return what is strange about it, if anything."""
        if event.message_id is None or event.kind == "local":
            return None
        key = event.session, event.message_id
        paired = self._paired.get(key)
        if paired is not None:
            return _twice(event, paired[event.kind == "handle"])
        other = self._waiting.get(key)
        if other is None:
            self._waiting[key] = _End(event.kind, event.process, event.name, event.place)
            return None
        if other.kind == event.kind:
            return _twice(event, other.place)
        del self._waiting[key]
        ends = (other.place, event.place) if other.kind == "send" else (event.place, other.place)
        self._paired[key] = ends
        if len(self._paired) > self._remembered:
            self._paired.popitem(last=False)
        return None

    def end(self) -> Iterator[Diagnostic]:
        """Yields diagnostics for the ends that still wait at the end of all logs, in the order
        read."""
        for (_, message), end in self._waiting.items():
            if end.kind == "send":
                yield Diagnostic(
                    "send-without-reception",
                    f"{end.process} sends {end.name} ({_short(message)}), and no log has its "
                    "reception: it was lost, is on its way, or its receiver is not logged",
                    end.place,
                )
            else:
                yield Diagnostic(
                    "reception-without-send",
                    f"{end.process} handles {end.name} ({_short(message)}), and no log has its "
                    "send: the log of its sender is missing, or begins too late",
                    end.place,
                )


def _twice(event: RecordedEvent, first: Place) -> Diagnostic:
    message = _short(event.message_id or "")
    if event.kind == "send":
        return Diagnostic(
            "two-sends",
            f"{event.process} sends {event.name} with the id {message}, which a message has that "
            f"was sent at {first}: ids should differ",
            event.place,
        )
    return Diagnostic(
        "two-receptions",
        f"{event.process} handles {event.name} ({message}), which was handled at {first} before: "
        "it was delivered twice, or has several receivers",
        event.place,
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
