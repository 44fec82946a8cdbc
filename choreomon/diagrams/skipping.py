"""Skipping of parts of diagrams without losing count of lines."""

from __future__ import annotations


def without(text: str, opening: str, closing: str) -> str:
    """The text without the parts between two signs, and the signs; its line ends stay. An unclosed
    part stays, too."""
    found: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        found.append(text[at:start])
        found.append("\n" * text.count("\n", start, end))
        at = end + len(closing)
    return "".join(found) + text[at:]
