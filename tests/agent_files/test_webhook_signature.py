"""Signatures are those of Standard Webhooks: its own example, and a receiver that checks them."""

from __future__ import annotations

from base64 import b64decode

from choreomon.agent_files.delivered.webhook_signature import signature_headers

SECRET = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
"""What the reference libraries of Standard Webhooks have of these three at 1614265330."""


def test_the_signature_is_that_of_the_reference() -> None:
    assert signature_headers(ID, 1614265330, BODY, [SECRET]) == {
        "webhook-id": ID,
        "webhook-timestamp": "1614265330",
        "webhook-signature": SIGNATURE,
    }


def test_each_secret_signs_so_that_either_side_can_change_first() -> None:
    other = bytes(32)
    both = signature_headers(ID, 1614265330, BODY, [other, SECRET])["webhook-signature"]
    first, second = both.split(" ")
    assert second == SIGNATURE
    assert first.startswith("v1,")
    assert first != second


def test_whatever_is_changed_changes_the_signature() -> None:
    signatures = {
        signature_headers(id, at, body, [SECRET])["webhook-signature"]
        for id, at, body in ((ID, 1, BODY), (ID, 2, BODY), (ID[:-1], 1, BODY), (ID, 1, BODY[:-1]))
    }
    assert len(signatures) == 4
