"""Runs -> the JSON that `choreomon simulate --json` and `choreomon run --json` print.

The order of keys is fixed and everything but ASCII is escaped, so equal runs give equal
bytes on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from choreomon.core.run import (
    Exercise,
    Run,
    RunFormation,
    RunReason,
    RunVerdict,
    Verification,
)
from choreomon.logs.trace import milliseconds


def runs_json(runs: Iterable[Run]) -> str:
    """`{"runs": [...]}` on one line, without a line end."""
    return "".join(runs_json_pieces(runs))


def runs_json_pieces(runs: Iterable[Run]) -> Iterator[str]:
    """Write the runs in pieces, one for each run as it comes, so that none has to be kept."""
    yield '{"runs":['
    for number, run in enumerate(runs):
        yield ("," if number else "") + json.dumps(
            _run(run), separators=(",", ":"), allow_nan=False
        )
    yield "]}"


def _run(run: Run) -> dict[str, Any]:
    """Times of a run are whole microseconds, those of its JSON milliseconds."""
    latency = run.latency
    return {
        "seed": run.seed,
        "events": run.events,
        **({"max_events_reached": True} if run.reached_max_events else {}),
        "monitoring_messages": run.monitoring_messages,
        "monitoring_bytes": run.monitoring_bytes,
        "latency_ms": {
            key: None if value is None else milliseconds(value)
            for key, value in (("mean", latency.mean), ("p50", latency.p50), ("p99", latency.p99))
        },
        "history_records": {"mean": run.history_records.mean, "max": run.history_records.max},
        **({} if run.exercise is None else _exercise(run.exercise)),
        "verdicts": [verdict_as_json(verdict) for verdict in run.verdicts],
        **({} if run.formed is None else _formed(run.formed)),
        **({} if run.verification is None else {"verification": _verification(run.verification)}),
    }


def _formed(formed: Iterable[RunFormation]) -> dict[str, Any]:
    """The events by their indices; of a property that is written as rules also which of them."""
    found = [*formed]
    rules = [
        {"event_index": each.event_index, "rule": each.rule.name}
        for each in found
        if each.rule is not None
    ]
    return {
        "formed": [*dict.fromkeys(each.event_index for each in found)],
        **({"formed_rules": rules} if rules else {}),
    }


def _exercise(exercise: Exercise) -> dict[str, Any]:
    return {"farthest": [*exercise.far], "labels": dict(exercise.labels)}


def _verification(verification: Verification) -> dict[str, Any]:
    return {
        "mode": verification.mode,
        "verdict": verification.verdict,
        "reason": verification.reason,
        "logs": [
            {"processes": list(processes), "seen": seen, "events": events}
            for processes, seen, events in verification.logs
        ],
    }


def verdict_as_json(verdict: RunVerdict) -> dict[str, Any]:
    """Convert a verdict to plain values."""
    left_out = {
        field: count
        for field, count in (
            ("because", verdict.reasons_left_out),
            ("transitions", verdict.transitions_left_out),
        )
        if count
    }
    return {
        "verdict": verdict.verdict,
        "monitor": verdict.monitor,
        "event_index": verdict.event_index,
        "transitions": [list(transition) for transition in verdict.transitions],
        "label": verdict.label,
        **({"rule": verdict.rule.plain()} if verdict.rule else {}),
        **({"for": dict(verdict.binding)} if verdict.binding else {}),
        **({"silent": list(verdict.silent)} if verdict.silent else {}),
        "because": [_reason(reason) for reason in verdict.because],
        **({"left_out": left_out} if left_out else {}),
    }


def _reason(reason: RunReason) -> dict[str, Any]:
    return {
        "event_index": reason.event_index,
        "transition": list(reason.transition),
        "role": reason.role,
        **({} if reason.of is None else {"of": reason.of}),
        **({} if reason.of_transition is None else {"of_transition": list(reason.of_transition)}),
        "result": reason.result,
        "relation": reason.relation,
        "certain": reason.certain,
        **({} if reason.since is None else {"since": reason.since}),
    }
