"""Verdicts that a sink refused for good, kept for people: a file with a JSON object a line.

    {"time": ..., "sink": "webhook https://alerts", "why": "it answers 400", "verdict": {...}}

They count as delivered. Nothing reads the file again: whoever mended the receiver may post them
from there (docs/webhooks.md, "Dead letters").
"""

from __future__ import annotations

import json
from pathlib import Path

from choreomon.agent_files.verdict_json import rfc3339, verdict_as_json
from choreomon.core.live import LiveVerdict
from choreomon.runtime.delivery.line_sinks import FileLines


class DeadLetters:
    """The file `path`, which may be that of several sinks; with `sync`, what was put there is on
    the disk."""

    def __init__(self, path: Path, *, sync: bool = False) -> None:
        self.path = path
        self._lines = FileLines(path, sync=sync)

    async def put(self, verdict: LiveVerdict, *, sink: str, why: str, at: float) -> None:
        """Keep a verdict; `at` is wall time in seconds. Raises `SinkFailed` if it is not surely
        written."""
        line = {
            "time": rfc3339(at),
            "sink": sink,
            "why": why,
            "verdict": verdict_as_json(verdict),
        }
        await self._lines.append([json.dumps(line, separators=(",", ":"), allow_nan=False)])

    async def close(self) -> None:
        await self._lines.close()
