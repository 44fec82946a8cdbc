"""Values of parameters, and bindings: which values parameters have in one instance of a property
(`choreomon.properties.instances`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

Values: TypeAlias = Mapping[str, str]
"""Values of parameters, by name."""

Binding: TypeAlias = tuple[tuple[str, str], ...]
"""Names of parameters with their values, sorted."""


MAX_VALUE: Final = 256
"""The most bytes of a value in UTF-8."""


def is_value(text: str) -> bool:
    """Tell whether a text can be a value."""
    try:
        return 0 < len(text.encode()) <= MAX_VALUE
    except UnicodeEncodeError:
        return False


def checked_value(value: object, name: str) -> str:
    """The text of a value of a parameter. Raises `ValueError` for what is no value."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        kind = type(value).__name__
        raise ValueError(f"{name} should be a string or an integer, not a {kind}: {value!r:.100}")
    try:
        text = str(value)
        size = len(text.encode())
    except ValueError:  # half a surrogate pair, or an integer of thousands of digits
        raise ValueError(f"{name} should be text that can be written in UTF-8") from None
    if not 0 < size <= MAX_VALUE:
        raise ValueError(f"{name} should have 1 to {MAX_VALUE} bytes of UTF-8, and has {size:,}")
    return text


def agree(one: Binding, other: Binding) -> bool:
    """Tell whether two bindings agree on the parameters that both have."""
    known = dict(one)
    return all(known.get(name, value) == value for name, value in other)


def joined(one: Binding, other: Binding) -> Binding:
    """The union of two bindings that agree."""
    return tuple(sorted({**dict(one), **dict(other)}.items()))


def in_words(binding: Binding) -> str:
    """`order=A-17, tenant=t1`."""
    return ", ".join(f"{name}={value}" for name, value in binding)
