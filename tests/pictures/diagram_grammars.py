"""What Mermaid and PlantUML take for a sequence diagram, as far as choreomon writes them.

From their documentation: a line is a statement; blocks have their own words between operands and
all end with `end`. Mermaid takes `#` and `;` for an entity or the end of a statement, the word
`end` for that of a block, wherever they stand, and `wrap:` before a text for an order; PlantUML
takes `<`, `[`, `'`, `!` and doubled signs for markup or commands. So text is plain signs and
codes only, and the readers here refuse whatever is not surely read as it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_MERMAID_TEXT: Final = r"(?:[\w .,:()\-→]|#\d+;)*"
_PLANTUML_TEXT: Final = r"(?:[\w .,:()]|<U\+[0-9A-F]{4,6}>)*"

_MERMAID: Final = {
    "participant": rf"participant (?P<declared>\w+)(?: as {_MERMAID_TEXT})?",
    "message": rf"(?P<first>\w+)(?:->>|-->>|-\)|-x)(?P<second>\w+): {_MERMAID_TEXT}",
    "note": rf"Note over (?P<first>\w+)(?:,(?P<second>\w+))?: {_MERMAID_TEXT}",
    "start": rf"(?P<block>alt|opt|par|loop|critical)(?: {_MERMAID_TEXT})?",
    "next": rf"(?P<between>else|and|option)(?: {_MERMAID_TEXT})?",
    "end": "end",
}
_PLANTUML: Final = {
    "participant": rf'participant (?:(?:"{_PLANTUML_TEXT}"|\w+) as )?(?P<declared>\w+)',
    "message": rf"(?:\[|(?P<first>\w+) )--?>x?(?:\]| ?(?P<second>\w+)) : {_PLANTUML_TEXT}",
    "note": rf"note over (?P<first>\w+)(?:,(?P<second>\w+))? : {_PLANTUML_TEXT}",
    "start": rf"(?P<block>alt|opt|par|(?:loop|group) {_PLANTUML_TEXT})",
    "next": r"(?P<between>else)",
    "end": "end",
}
_BETWEEN: Final = {
    "mermaid": {"alt": "else", "par": "and", "critical": "option"},
    "plantuml": {"alt": "else", "par": "else", "group": "else"},
}


def read_mermaid(text: str) -> list[str]:
    """The kinds of the statements of a Mermaid sequence diagram. Raises ValueError."""
    first, *lines = text.splitlines()
    if first != "sequenceDiagram":
        raise ValueError(first)
    for line in lines:
        if re.search(r"\bend\b", line, re.IGNORECASE) and line.strip() != "end":
            raise ValueError(f"{line!r} ends a block")
        if re.search(r"^ *(?:participant \w+ as|(?! *participant )[^:(]*:) *:?(?:no)?wrap:", line):
            raise ValueError(f"{line!r} gives an order")
    return _read(lines, _MERMAID, _BETWEEN["mermaid"])


def read_plantuml(text: str) -> list[str]:
    """The kinds of the statements of a PlantUML sequence diagram. Raises ValueError."""
    first, *lines, last = text.splitlines()
    if (first, last) != ("@startuml", "@enduml"):
        raise ValueError((first, last))
    for line in lines:
        label = line.partition('"')[2].partition('"')[0] or line.partition(" : ")[2]
        if re.search(r"__|--|//|\*\*|~~", label):
            raise ValueError(f"{line!r} formats text")
    return _read(lines, _PLANTUML, _BETWEEN["plantuml"])


def _read(lines: list[str], statements: Mapping[str, str], between: Mapping[str, str]) -> list[str]:
    kinds: list[str] = []
    declared: set[str] = set()
    blocks: list[str] = []
    for line in map(str.lstrip, lines):
        kind, found = next(
            (
                (kind, match)
                for kind, pattern in statements.items()
                if (match := re.fullmatch(pattern, line))
            ),
            (None, None),
        )
        if kind is None or found is None:
            raise ValueError(f"{line!r} is no statement")
        named = found.groupdict()
        if kind == "participant":
            if named["declared"] in declared or kinds.count("participant") < len(kinds):
                raise ValueError(f"{line!r} declares again, or too late")
            declared.add(named["declared"])
        elif kind in ("message", "note"):
            if not {named[one] for one in ("first", "second") if named[one]} <= declared:
                raise ValueError(f"{line!r} names a participant that is not declared")
        elif kind == "start":
            blocks.append(named["block"].split()[0])
        elif kind == "next":
            if not blocks or between.get(blocks[-1]) != named["between"]:
                raise ValueError(f"{line!r} within {blocks[-1:]}")
        elif not blocks:
            raise ValueError("an end too many")
        else:
            blocks.pop()
        kinds.append(kind)
    if blocks:
        raise ValueError(f"{blocks} do not end")
    return kinds
