"""Digests, which take the place of values wherever another agent sees them.

A digest is keyed by the split, so that agents of one split agree, and nobody else can find a value
by trying; who has the key can. It is of one parameter by itself, its name in it, so that a binding
can be restricted, and equal values of two parameters do not look alike.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

DIGEST_BYTES: Final = 16
KEY_BYTES: Final = 16


def digest(key: bytes, name: str, value: str) -> str:
    """The digest of the value of a parameter, 32 hex digits. `key`: that of the split, `KEY_BYTES`
    bytes."""
    told = f"{name}\0{value}".encode()
    return blake2b(told, digest_size=DIGEST_BYTES, key=key).hexdigest()
