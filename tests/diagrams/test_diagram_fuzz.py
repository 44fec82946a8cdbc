"""Whatever a diagram holds, `DocumentError` is all that ever leaves the readers, and soon."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError
from choreomon.diagrams.mermaid import read_mermaid
from choreomon.diagrams.plantuml import read_plantuml
from choreomon.interaction.term import Interaction
from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence
from tests.interaction.drawn import interactions

READERS: dict[str, tuple[Callable[[str], Interaction], Callable[[Interaction], str]]] = {
    "mermaid": (read_mermaid, mermaid_sequence),
    "plantuml": (read_plantuml, plantuml_sequence),
}
each = pytest.mark.parametrize("reader", READERS)
WORDS = [
    *("sequenceDiagram", "@startuml", "@enduml", "participant", "as", "end", "else", "and", "alt"),
    *("option", "opt", "loop", "par", "break", "critical", "group", "rect", "box", "note", "->>"),
    *("->", "-->", "->x", "[->", "->]", ":", ";", "#59;", "#", '"', "coreg(a)", "loopC(", "strict"),
    *("a", "b", "m", "env", " ", "\n", "(the same message)", "%%{", "}%%", "/'", "'/", "<U+41>"),
    *("legend", "title", "{", "}", "++", "**", "<<", "[", "]", "(", ")", "nothing", "over", "\0"),
]


def outcome(reader: str, text: str) -> bool:
    """Whether it was read; what is refused says where."""
    try:
        READERS[reader][0](text)
    except DocumentError as error:
        problems = error.problems
    else:
        return True
    lines = text.count("\n") + 1
    assert all(0 <= problem.line <= lines and problem.message for problem in problems)
    return False


@each
@given(text=st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_anything_is_read_or_refused(reader: str, text: str) -> None:
    outcome(reader, text)
    outcome(reader, f"sequenceDiagram\n{text}")
    outcome(reader, f"@startuml\n{text}\n@enduml")


@each
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_changed_diagrams_are_read_or_refused(reader: str, seed: int) -> None:
    rng = Random(seed)
    write = READERS[reader][1]
    read = refused = 0
    for term in interactions(seed, 20, max_size=20):
        lines = write(term).split("\n")
        for _ in range(10):
            changed = list(lines)
            at = rng.randrange(len(changed))
            match rng.randrange(4):
                case 0:
                    del changed[at]
                case 1:
                    changed.insert(at, rng.choice(changed))
                case 2:
                    changed[at] = f"{changed[at]} {rng.choice(WORDS)}"
                case _:
                    cut = rng.randrange(len(changed[at]) + 1)
                    changed[at] = changed[at][:cut] + rng.choice(WORDS) + changed[at][cut:]
            if outcome(reader, "\n".join(changed)):
                read += 1
            else:
                refused += 1
    assert read > 20
    assert refused > 20


LONG = 300_000


@each
@pytest.mark.parametrize(
    "line",
    [
        *("a->>b" + " " * LONG + "%", "a" + " " * LONG + "%", "participant a" + " " * LONG + "%"),
        *("a -" + "-" * LONG + "%", "->>" * LONG, "#" * LONG, "#a" * LONG, "@{" * LONG),
        *("participant a " + "#a" * LONG + " %", "participant a " + "#" * LONG + " %"),
        *("%%{" * LONG, "/'" * LONG, "par " + "coreg(" * LONG, "alt" + " #a" * LONG, "[" * LONG),
        *('"' * LONG, "a -> b : " + "<U+" * LONG, "a" * LONG + "\t" * LONG, "a" * LONG + "->>"),
        *("a -[" * LONG, "participant a " + "[[" * LONG, "participant a " + "<<" * LONG),
        "a ->" + " " * LONG + "%",
        "a -> b" + " " * LONG + "++" + " " * LONG + "#a" + " " * LONG + "%",
    ],
    ids=lambda line: f"{line[:12]!r}",
)
def test_no_line_takes_long(reader: str, line: str) -> None:
    """A pattern that went back and forth over one of these would not end within days."""
    outcome(reader, f"sequenceDiagram\n{line}\n")
    outcome(reader, f"@startuml\n{line}\n@enduml\n")


@each
def test_many_receivers_of_one_message_are_read(reader: str) -> None:
    if reader == "mermaid":
        head, tail = "sequenceDiagram\na->>b: m\n", ""
        again = "a-->>c: m (the same message)\n"
    else:
        head, tail = "@startuml\na -> b : m\n", "@enduml\n"
        again = "a --> c : m (the same message)\n"
    term = READERS[reader][0](head + again * 20_000 + tail)
    assert term.size == 2 + 2 * 20_001 - 1
