"""Sinks of verdicts, as a configuration names them. What takes verdicts is in
`choreomon.runtime.delivery`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

WebhookFormat: TypeAlias = Literal["verdict", "cloudevents"]


@dataclass(frozen=True, slots=True)
class StdoutSink:
    """Verdicts go to the standard output, a line each."""

    def __str__(self) -> str:
        return "the output"


@dataclass(frozen=True, slots=True)
class FileSink:
    """Verdicts are appended to a file, a line each."""

    file: Path

    def __str__(self) -> str:
        return str(self.file)


@dataclass(frozen=True, slots=True)
class WebhookSink:
    """Verdicts are posted to an `http` or `https` URL; `timeout` is in seconds. `format`: as they
    are, or as CloudEvents. `headers_file` and `secret_file` hold the agent's credentials
    (`choreomon.agent_files.delivered.webhook_credentials`); verdicts that the receiver refuses for
    good go to `dead_letter_file`."""

    url: str
    timeout: float = 2.0
    format: WebhookFormat = "verdict"
    headers_file: Path | None = None
    secret_file: Path | None = None
    dead_letter_file: Path | None = None

    def __str__(self) -> str:
        return self.url


Sink: TypeAlias = StdoutSink | FileSink | WebhookSink
