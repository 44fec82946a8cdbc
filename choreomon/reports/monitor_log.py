"""Events of a monitor as lines of JSON (`--trace-monitors` of `choreomon simulate`).

A trace says what the application did, this file what its monitors did in the same run
(docs/simulation.md). Times and clocks are written as in traces, verdicts as in the results.
"""

from __future__ import annotations

import json
from typing import Any

from choreomon.core.monitor_log import LogEntry, MessageSent, MessageTaken, VerdictDeclared
from choreomon.core.vector_clock import by_name
from choreomon.logs.trace import milliseconds
from choreomon.reports.results import verdict_as_json


def monitor_line(entry: LogEntry, processes: tuple[str, ...]) -> str:
    """Write an entry as one line of ASCII, without a line end; `processes` in the order of
    clocks."""
    return json.dumps(
        {"time": milliseconds(entry.time), "events": entry.events, **_rest(entry, processes)},
        separators=(",", ":"),
        allow_nan=False,
    )


def _rest(entry: LogEntry, processes: tuple[str, ...]) -> dict[str, Any]:
    match entry:
        case MessageSent():
            return {
                "what": "sent",
                "number": entry.number,
                "kind": entry.kind,
                "sender": entry.sender,
                "receiver": entry.receiver,
                "arrives": milliseconds(entry.arrives),
                "bytes": entry.size,
                "event_index": entry.event_index,
                **({"for": dict(entry.binding)} if entry.binding else {}),
                **({} if entry.inspected is None else {"inspected": [*entry.inspected]}),
                "references": [[*reference] for reference in entry.references],
                "clock": by_name(entry.clock, processes),
            }
        case MessageTaken():
            return {"what": "taken", "number": entry.number}
        case VerdictDeclared():
            return {"what": "declared", "provisional": entry.provisional, **_verdict(entry)}


def _verdict(declared: VerdictDeclared) -> dict[str, Any]:
    if declared.verdict is not None:
        return verdict_as_json(declared.verdict)
    return {
        "verdict": None,
        "monitor": declared.monitor,
        "event_index": declared.event_index,
        "transitions": [],
        "label": declared.label,
        **({"for": dict(declared.binding)} if declared.binding else {}),
        **({} if declared.rule is None else {"rule": declared.rule.plain()}),
        "because": [],
    }
