"""What an agent says of itself, made of the state of its sidecar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from choreomon.core.live import AgentStatus, LiveVerdict
from choreomon.formats.table_file import SplitTable
from choreomon.runtime.sidecar import Sidecar, SidecarState


def agent_status(
    sidecar: Sidecar,
    state: SidecarState,
    tables: Sequence[SplitTable],
    *,
    time: float,
    uptime: float,
    durability: str,
    version: str = "",
    not_ready: Sequence[str] = (),
    failing: str = "",
    connected: int = 0,
    events: Sequence[int] = (),
    sinks: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
    refused: Mapping[str, int] | None = None,
    verdicts: Iterable[LiveVerdict] = (),
) -> AgentStatus:
    """`time` is wall time in seconds; `events` are those that happened, for each property."""
    raise NotImplementedError
