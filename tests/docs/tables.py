"""The tables of pages, as lists of cells."""

from __future__ import annotations

import re


def table_under(text: str, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without the first row and the line below it.

    Raises `ValueError` where there is none.
    """
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"no heading {heading!r}")
    # A line that begins with # inside of a block of code is no heading.
    rest = re.sub(r"^```.*?^```$", "", text[found.end() :], flags=re.MULTILINE | re.DOTALL)
    section = re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    table = re.search(r"^\|.*\n\|[-|]+\|\n((?:\|.*\n)+)", section, re.MULTILINE)
    if table is None:
        raise ValueError(f"no table under {heading!r}")
    return [
        [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        for row in table.group(1).splitlines()
    ]
