"""Recorded events as lines of JSON that are read without a mapping.

The keys are those of the built-in mapping of such lines (docs/logs.md), so `choreomon audit` and
the others read them back; what else a log knew of an event is in `fields`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from choreomon.core.recorded import RecordedEvent


def json_lines(events: Sequence[RecordedEvent]) -> str:
    """A line an event, in ASCII, with what is known of it."""
    return "".join(f"{json.dumps(_values(event), separators=(',', ':'))}\n" for event in events)


def _values(event: RecordedEvent) -> dict[str, Any]:
    values: dict[str, Any] = {"process": event.process, "kind": event.kind, "name": event.name}
    if event.peer is not None:
        values["peer"] = event.peer
    if event.message_id is not None:
        values["message_id"] = event.message_id
    if event.clock is not None:
        values["clock"] = dict(event.clock)
    if event.number is not None:
        values["seq"] = event.number
    if event.session:
        values["session"] = event.session
    if event.time:
        values["time"] = event.time
    if event.fields:
        values["fields"] = dict(event.fields)
    return values
