"""Keys that come twice in one mapping of a JSON text.

What decodes JSON into shapes keeps the last of them and says nothing, so that a log with its
components stated twice would be judged by half of what it holds.
"""

from __future__ import annotations

import json


def repeated_key(text: str | bytes, keys: int) -> str | None:
    """A key that comes twice in one mapping of a JSON text, None where each comes once.

    `keys` is how many keys there are in what was decoded from it, each counted once: where the
    text has no more colons than that, none comes twice, and nothing is read again.
    """
    colons = text.count(":") if isinstance(text, str) else text.count(b":")
    if colons <= keys:
        return None
    found: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> None:
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                found.append(name)
            names.add(name)

    # `len`: their values do not matter, and `int` refuses numbers of thousands of digits.
    json.loads(text, object_pairs_hook=look, parse_int=len, parse_float=len)
    return found[0] if found else None
