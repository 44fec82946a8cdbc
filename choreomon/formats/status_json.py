"""What an agent says of itself at `/status`, as JSON, and back."""

from __future__ import annotations

from choreomon.core.live import AgentStatus


def status_json(status: AgentStatus) -> bytes:
    """One line of ASCII, with a line end. The fields are those of the value; verdicts are as
    `choreomon.formats.verdict_json` has them."""
    raise NotImplementedError


def decode_status_untrusted(data: str | bytes) -> AgentStatus:
    """Raises `MalformedMessage`, and nothing else, for what is no status."""
    raise NotImplementedError
