"""What an agent says of itself: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.status_json import decode_status_untrusted, status_json
from choreomon.core.errors import MalformedMessage
from choreomon.core.live import AgentStatus, PropertyStatus
from choreomon.core.verdict import POSSIBLY_VIOLATED
from tests.agent_files.live_verdicts import BY_HAND, live_verdicts

STATUS = AgentStatus(
    process="P2",
    version="0.1.0",
    time="2026-01-31T12:00:00.250Z",
    uptime=12.5,
    durability="process",
    not_ready=("the disk takes nothing",),
    properties=(
        PropertyStatus("two steps", "9f" * 16, 7, 2, {POSSIBLY_VIOLATED: 1}, 3, ("P1",), 1, True),
    ),
    sessions=2,
    connected=1,
    leases=1,
    untold=4,
    sinks={"file x": "no space left on device"},
    words={"violated": 1},
    refused={"malformed": 3},
    verdicts=(BY_HAND,),
)


@given(st.lists(live_verdicts, max_size=2))
def test_what_is_written_is_read_again(verdicts: list[Any]) -> None:
    status = replace(STATUS, verdicts=tuple(verdicts))
    data = status_json(status)
    assert data.isascii()
    assert data.count(b"\n") == 1
    assert decode_status_untrusted(data) == status


def test_the_fields_are_those_of_the_value() -> None:
    plain = json.loads(status_json(STATUS))
    assert [*plain] == [each.name for each in fields(AgentStatus)]
    assert plain["verdicts"][0]["because"][1]["event"] == {"process": "P1", "gap": True}
    assert plain["properties"][0]["provisional"] == {"possibly-violated": 1}


@pytest.mark.parametrize("change", [{"uptime": "long"}, {"properties": [{}]}, {"sinks": []}])
def test_what_has_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MalformedMessage):
        decode_status_untrusted(json.dumps({**json.loads(status_json(STATUS)), **change}))


def test_a_verdict_in_it_without_counts_is_refused() -> None:
    plain = json.loads(status_json(STATUS))
    plain["verdicts"][0]["because"][0]["event"] = {"process": "P1"}
    with pytest.raises(MalformedMessage, match="count"):
        decode_status_untrusted(json.dumps(plain))


@given(st.binary(max_size=40))
def test_rubbish_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode_status_untrusted(data)
