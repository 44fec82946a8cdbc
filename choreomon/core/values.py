"""Values of parameters that messages carry: of an order, a tenant, a session.

A value is text of 1 to `MOST_BYTES` bytes of UTF-8; an integer stands for its decimal text. Two
values are the same where their texts are: nothing is normalised.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Carried: TypeAlias = tuple[tuple[str, str], ...]
"""Names of parameters with the values that a message carries of them, sorted by name."""

MOST_BYTES: Final = 256
"""Of a value in UTF-8."""

_BEYOND: Final = 10**MOST_BYTES
"""Python refuses to write integers of many digits, and takes long before it does."""


def value_text(value: object) -> str | None:
    """The text of a value; None for what can be none: anything but text and integers, and what is
    empty, too long, or not to be written in UTF-8."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _BEYOND:
        value = str(value)
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_BYTES:
        return None
    try:
        return value if len(value.encode()) <= MOST_BYTES else None
    except UnicodeEncodeError:
        return None
