"""Filter what a page shows by buttons that need no script."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from choreomon.pages.page import as_html


def mark_of(name: str, value: str) -> str:
    """The CSS class of articles that have this value for the filter `name`."""
    return f"m{sha256(f'{name}={value}'.encode()).hexdigest()[:10]}"


def filters(by: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    """Buttons for each filter: one for each of its values, given with the mark of its articles, and
    one for all. They act on the articles of their section; in print, and in browsers without
    `:has`, all articles are there."""
    parts, rules = [], []
    for name, values in by:
        group = mark_of(name, "")
        buttons = [f'<label><input type="radio" name="{group}" checked> all</label>']
        for value, mark in values:
            buttons.append(
                f'<label><input type="radio" name="{group}" id="f{mark}"> {as_html(value)}</label>'
            )
            rules.append(f"section:has(#f{mark}:checked) article:not(.{mark}) {{ display: none; }}")
        parts.append(f"<fieldset><legend>{as_html(name)}</legend>{' '.join(buttons)}</fieldset>")
    if not parts:
        return ""
    style = "@media screen { " + " ".join(rules) + " }"
    return f'<div class="filters">{"".join(parts)}<style>{style}</style></div>'
