"""Numbers as words in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def number(value: float | None) -> str:
    """A number to three digits, or whole if larger: `0.0123`, `12.3`, `1,234`; `–` for nothing."""
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return "0" if text == "-0" else text


def percent(share: float | None) -> str:
    """`12.3 %`; `–` for nothing."""
    return "–" if share is None else f"{100 * share:.3g} %"


def factor(before: float, after: float) -> str:
    """`1.2 to 3.4 (2.83 times)`."""
    times = f" ({number(after / before)} times)" if before else ""
    return f"{number(before)} to {number(after)}{times}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
