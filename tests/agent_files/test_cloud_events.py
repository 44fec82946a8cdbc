"""Verdicts as CloudEvents: the attributes that the specification wants, and the verdict as data."""

from __future__ import annotations

import dataclasses
import json
import re

from hypothesis import given

from choreomon.agent_files.delivered.cloud_events import cloud_event_as_json, cloud_event_line
from choreomon.agent_files.verdict_json import verdict_as_json
from choreomon.core.live import LiveVerdict
from tests.agent_files.live_verdicts import BY_HAND, SYSTEM, live_verdicts


def test_the_attributes_say_which_verdict_it_is() -> None:
    assert cloud_event_as_json(BY_HAND) == {
        "specversion": "1.0",
        "id": BY_HAND.id,
        "source": f"/choreomon/{SYSTEM}/P2",
        "type": "choreomon.verdict.possibly-violated",
        "subject": BY_HAND.label,
        "time": "2026-01-31T12:00:00.250Z",
        "datacontenttype": "application/json",
        "data": verdict_as_json(BY_HAND),
    }


def test_the_end_of_a_gap_has_no_subject() -> None:
    assert "subject" not in cloud_event_as_json(dataclasses.replace(BY_HAND, label=None))


@given(live_verdicts)
def test_every_verdict_is_an_event_on_one_line_of_ascii(verdict: LiveVerdict) -> None:
    verdict = dataclasses.replace(verdict, system=SYSTEM)
    line = cloud_event_line(verdict)
    assert line.isascii()
    assert line.isprintable()
    event = json.loads(line)
    assert event["data"] == json.loads(json.dumps(verdict_as_json(verdict)))
    attributes = event.keys() - {"data"}
    assert attributes >= {"specversion", "id", "source", "type"}
    # Names of attributes are lower-case letters and digits; a source is a reference by RFC 3986.
    assert all(re.fullmatch("[a-z0-9]+", name) for name in attributes)
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", event["source"])
    assert all(event[name] for name in attributes if name not in ("id", "time"))
