"""Live verdicts as CloudEvents 1.0 (https://cloudevents.io), in the structured mode of HTTP: one
JSON object with the attributes of the event around the verdict.

`source` and `id` together name a verdict; one that comes again has the same. `type` is
`choreomon.verdict.` and the verdict, so that brokers can tell violations from the rest without
reading the data.
"""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

from choreomon.agent_files.verdict_json import verdict_as_json
from choreomon.core.live import LiveVerdict

CONTENT_TYPE: Final = "application/cloudevents+json"
TYPE_PREFIX: Final = "choreomon.verdict."


def cloud_event_line(verdict: LiveVerdict) -> str:
    """Write a verdict as one line of ASCII, without a line end."""
    return json.dumps(cloud_event_as_json(verdict), separators=(",", ":"), allow_nan=False)


def cloud_event_as_json(verdict: LiveVerdict) -> dict[str, Any]:
    """The event as plain values. The end of a gap has no label, and so no `subject`."""
    return {
        "specversion": "1.0",
        "id": verdict.id,
        "source": f"/choreomon/{verdict.system}/{quote(verdict.process, safe='')}",
        "type": f"{TYPE_PREFIX}{verdict.verdict}",
        **({"subject": verdict.label} if verdict.label else {}),
        "time": verdict.time,
        "datacontenttype": "application/json",
        "data": verdict_as_json(verdict),
    }
