"""Names that some format, shell or screen has a meaning for."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from choreomon.core.names import MAX_NAME, PLAIN_PATTERN

HARD_NAMES: Final = (
    "a -> b",
    "a:b",
    '"',
    "\\",
    '\\"',
    "<script>alert(1)</script>",
    "</svg>",
    "]]>",
    "{id}",
    "POST /orders/{id}",
    "10.0.0.7:8080",
    "$x",
    "$(touch x)",
    "`x`",
    "*",
    "%s",
    "%41",
    "~41",
    "..",
    "a/b",
    "-x",
    "'",
    " x ",
    "a,b;c=d",
    "a|b",
    "[red]b[/red]",
    ":smile:",
    "end",
    "#",
    "@enduml",
    "handle",
    "handle a",
    "\u00e4\u03bb\u4e2d",
    "\U0001f600",
    MAX_NAME * "\U0001f600",
    MAX_NAME * "x",
    MAX_NAME * '"',
)


def names() -> st.SearchStrategy[str]:
    """Printable names of every kind."""
    signs = st.sampled_from(""" "\\<>&'%~{}$*->:/""")
    characters = st.characters(exclude_categories=["C", "Z"]) | signs
    anything = st.text(characters.filter(str.isprintable), min_size=1, max_size=MAX_NAME)
    return st.one_of(
        anything, st.sampled_from(HARD_NAMES), st.from_regex(PLAIN_PATTERN, fullmatch=True)
    )
