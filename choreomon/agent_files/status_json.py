"""The state of an agent at `/status`: to JSON, and back.

The fields, and their order, are those of `choreomon.core.live.AgentStatus`; verdicts in it are as
`choreomon.agent_files.verdict_json` has them.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

import msgspec

from choreomon.agent_files.verdict_json import check_events, verdict_as_json, with_instance
from choreomon.core.errors import MalformedMessage
from choreomon.core.live import AgentStatus

_DECODER: Final = msgspec.json.Decoder()


def status_json(status: AgentStatus) -> bytes:
    """Write a status as one line of ASCII, with a line end."""
    text = json.dumps(status_as_json(status), separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode("ascii")


def status_as_json(status: AgentStatus) -> dict[str, Any]:
    """The state as plain values."""
    plain: dict[str, Any] = {
        each.name: msgspec.to_builtins(getattr(status, each.name))
        for each in fields(status)
        if each.name != "verdicts"
    }
    for each in plain["properties"]:
        if each["instances"] is None:
            del each["instances"]
        if not each["rules"]:
            del each["rules"]
    plain["verdicts"] = [verdict_as_json(verdict) for verdict in status.verdicts]
    return plain


def _with_instances(plain: object) -> object:
    verdicts = plain.get("verdicts") if isinstance(plain, dict) else None
    if not isinstance(plain, dict) or not isinstance(verdicts, list):
        return plain
    return {**plain, "verdicts": [with_instance(each) for each in verdicts]}


def decode_status_untrusted(data: str | bytes) -> AgentStatus:
    """The status in a text; fields that are not known are passed over.

    Raises `MalformedMessage`, and nothing else, for what is no status.
    """
    try:
        status = msgspec.convert(_with_instances(_DECODER.decode(data)), AgentStatus)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise MalformedMessage(f"no status of an agent: {error}") from None
    for verdict in status.verdicts:
        check_events(verdict)
    return status
