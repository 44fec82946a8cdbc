"""The signature of what is posted, by Standard Webhooks 1.0 (https://www.standardwebhooks.com): an
HMAC-SHA256 over the id, the time of the attempt and the body, for which receivers have libraries
in most languages.

What is *not* guaranteed by it: that a request comes once. Receivers refuse old times, and pass over
an id that they know.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Final

ID_HEADER: Final = "webhook-id"
TIMESTAMP_HEADER: Final = "webhook-timestamp"
SIGNATURE_HEADER: Final = "webhook-signature"
SCHEME: Final = "v1"


def signature_headers(
    id: str, timestamp: int, body: bytes, secrets: Sequence[bytes]
) -> Mapping[str, str]:
    """The three headers. `id` has no full stop in it, which ends it in what is signed; `timestamp`
    is in seconds since 1970. There is one signature for each of the secrets: a receiver that
    knows one of them is content, so that secrets can be changed on one side after the other."""
    signed = f"{id}.{timestamp}.".encode("ascii") + body
    signatures = (b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in secrets)
    return {
        ID_HEADER: id,
        TIMESTAMP_HEADER: str(timestamp),
        SIGNATURE_HEADER: " ".join(f"{SCHEME},{signature}" for signature in signatures),
    }
