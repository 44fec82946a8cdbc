"""Outcomes -> the lines of JSON that `choreomon verify --json` prints."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from choreomon.automata.semi_centralized import Kind
from choreomon.verify.outcome import Outcome
from choreomon.verify.verdict import MODES, PROCEDURES, Verdict


def outcome_line(outcome: Outcome) -> str:
    """The outcome as one line of ASCII, without a line end (docs/verify.md, "JSON").

    Of what could not be read `verdict` and `method` are null, and `reason` says why. Where an
    explanation was asked for and not found, `reason` says why, too.
    """
    answer, explanation = outcome.answer, outcome.explanation
    found = (
        {"witness": None, "failure": None, "others": []}
        if explanation is None
        else explanation.as_json()
    )
    reason = outcome.problem if answer is None else answer.reason
    if not reason and explanation is not None:
        reason = explanation.reason
    return json.dumps(
        {
            "trace": outcome.trace,
            "mode": outcome.mode,
            "verdict": None if answer is None else answer.verdict.value,
            "reason": reason,
            "strange": [*map(str, outcome.strange)],
            "fault": None if outcome.fault is None else outcome.fault.as_json(),
            "method": None if answer is None else answer.method,
            "vertices": 0 if answer is None else answer.vertices,
            "seconds": round(outcome.seconds, 9),
            **found,
        },
        separators=(",", ":"),
    )


_NAMES: Final = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_LOCATIONS: Final = {"type": "array", "items": _NAMES}
_ACTION: Final = {"type": "string", "description": "such as `a!m`, `b?m`"}


def outcome_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of such a line."""
    properties = {
        "trace": {"type": "string"},
        "mode": {"enum": list(MODES)},
        "verdict": {"enum": [*(verdict.value for verdict in Verdict), None]},
        "reason": {"type": "string"},
        "strange": {"type": "array", "items": _ACTION},
        "fault": _or_null(
            {
                "kind": {"enum": list(get_args(Kind))},
                "locations": {**_LOCATIONS, "minItems": 1},
                "pairs": {
                    "description": "of an InterError only",
                    "type": "array",
                    "items": {**_LOCATIONS, "minItems": 2, "maxItems": 2},
                },
            },
            optional=("pairs",),
        ),
        "method": {"enum": ["exact", "search", "removal", *PROCEDURES, None]},
        "vertices": {"type": "integer", "minimum": 0},
        "seconds": {"type": "number", "minimum": 0},
        "witness": {
            "type": ["array", "null"],
            "items": _object({"action": _ACTION, "observed": {"type": "boolean"}}),
        },
        "failure": {
            "type": ["array", "null"],
            "items": _object(
                {
                    "lifelines": _NAMES,
                    "position": {"type": "integer", "minimum": 0},
                    "next": {"type": ["string", "null"]},
                    "allowed": {"type": "array", "items": _ACTION},
                    "rank": {"type": ["integer", "null"], "minimum": 1},
                    "sent": {"type": ["string", "null"]},
                }
            ),
        },
        "others": {
            "type": "array",
            "items": _object(
                {
                    "lifelines": _NAMES,
                    "position": {"type": "integer", "minimum": 0},
                    "next": _ACTION,
                    "logs": {"type": "integer", "minimum": 1},
                    "actions": {"type": "integer", "minimum": 1},
                }
            ),
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_object(properties),
        "title": "choreomon outcome",
    }


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _or_null(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {**_object(properties, optional), "type": ["object", "null"]}
