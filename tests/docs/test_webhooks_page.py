"""What the page about webhooks shows is so: its configuration, its receiver, its answers."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
import yaml

from choreomon.agent_files.agent_document import WebhookTargetDocument
from choreomon.agent_files.delivered import cloud_events
from choreomon.agent_files.delivered.webhook_signature import signature_headers
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.files.shape_reading import read_shape
from choreomon.files.shape_schema import json_schema
from choreomon.runtime.delivery.webhook import refuses_for_good
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "webhooks.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECRETS = [bytes(range(24)), bytes(range(32))]
BODY = b'{"id":"a"}\n'


@pytest.fixture
def is_genuine() -> Any:
    names: dict[str, Any] = {}
    (block,) = blocks_of(PAGE, "python")
    exec(block, names)
    return names["is_genuine"]


def whsec(secret: bytes) -> str:
    return f"whsec_{base64.b64encode(secret).decode()}"


def test_the_receiver_on_the_page_takes_what_an_agent_signs_and_nothing_else(
    is_genuine: Any,
) -> None:
    headers = dict(signature_headers("9f/P/1/violated", 1000, BODY, SECRETS))
    for secret in SECRETS:
        assert is_genuine(headers, BODY, whsec(secret), now=lambda: 1001)
    assert not is_genuine(headers, BODY, whsec(bytes(24)), now=lambda: 1001)
    assert not is_genuine(headers, BODY + b" ", whsec(SECRETS[0]), now=lambda: 1001)
    assert not is_genuine(headers, BODY, whsec(SECRETS[0]), now=lambda: 2001)
    later = {**headers, "webhook-timestamp": "2000"}
    assert not is_genuine(later, BODY, whsec(SECRETS[0]), now=lambda: 2001)


def test_the_configuration_on_the_page_is_one() -> None:
    (block,) = blocks_of(PAGE, "yaml")
    (sink,) = yaml.safe_load(block)["verdicts"]
    assert read_shape(WebhookTargetDocument, sink["webhook"])[0].format == "cloudevents"


def test_formats_and_types_are_those_of_the_code() -> None:
    formats = {row[0].strip("`"): row for row in table_under(TEXT, "What is posted")}
    schema = json_schema(WebhookTargetDocument)["properties"]["format"]
    assert list(formats) == schema["enum"]
    row = formats["cloudevents"]
    assert row[1].strip("`") == cloud_events.CONTENT_TYPE
    for kind in (VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN):
        assert f".{kind}`" in row[2]


def test_answers_that_are_not_for_good_are_named() -> None:
    (told,) = re.findall(r"\| (4xx but .*?) \|", TEXT)
    named = {int(each) for each in re.findall(r"\b\d{3}\b", told)}
    assert {status for status in range(400, 500) if not refuses_for_good(status)} == named
    assert not any(map(refuses_for_good, (*range(100, 400), *range(500, 600))))
