from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from diagram_grammars import read_mermaid, read_plantuml
from interactions_to_draw import FIGURE_2, a, looped, nested, passing, random_interactions

from choreomon.core.action import Action
from choreomon.interaction.diagram import Arrow, Start, statements_of
from choreomon.interaction.lifelines import NONE, mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_h,
    loop_s,
    make,
    par,
    seq,
    strict,
)
from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence
from tests.diagrams.samples import HOSTILE

Writer = Callable[[Interaction], str]
Reader = Callable[[str], list[str]]
BOTH = [mermaid_sequence, plantuml_sequence]


def test_figure_2_of_the_slices_paper_in_mermaid() -> None:
    assert mermaid_sequence(FIGURE_2).splitlines() == [
        "sequenceDiagram",
        "    participant l1",
        "    participant l2",
        "    participant l3",
        "    par coreg(l2)",
        "        opt",
        "            l1->>l2: m1",
        "            l1-->>l3: m1 (the same message)",
        "        end",
        "    and",
        "        loop loopW",
        "            alt",
        "                l1->>l2: m2",
        "            else",
        "                l2->>l3: m3",
        "            end",
        "        end",
        "    end",
        "    loop loopP",
        "        l3->>l2: m4",
        "        l2->>l3: m5",
        "    end",
    ]


def test_figure_2_of_the_slices_paper_in_plantuml() -> None:
    assert plantuml_sequence(FIGURE_2).splitlines() == [
        "@startuml",
        "participant l1",
        "participant l2",
        "participant l3",
        "    group coreg(l2)",
        "        opt",
        "            l1 -> l2 : m1",
        "            l1 --> l3 : m1 (the same message)",
        "        end",
        "    else",
        "        loop loopW",
        "            alt",
        "                l1 -> l2 : m2",
        "            else",
        "                l2 -> l3 : m3",
        "            end",
        "        end",
        "    end",
        "    loop loopP",
        "        l3 -> l2 : m4",
        "        l2 -> l3 : m5",
        "    end",
        "@enduml",
    ]


def test_the_environment_is_a_participant_in_mermaid_and_a_border_in_plantuml() -> None:
    term = seq(a("c!out"), a("d?into"))
    assert mermaid_sequence(term).splitlines()[1:] == [
        "    participant env as environment",
        "    participant c",
        "    participant d",
        "    c->>env: out",
        "    env->>d: into",
    ]
    assert plantuml_sequence(term).splitlines()[3:-1] == ["    c ->] : out", "    [-> d : into"]


def test_strict_and_par_have_the_blocks_that_come_closest() -> None:
    one, other = passing("x", "m", "y"), passing("y", "n", "x")
    assert "    critical strict" in mermaid_sequence(strict(one, other)).splitlines()
    assert "    option" in mermaid_sequence(strict(one, other)).splitlines()
    assert "    group strict" in plantuml_sequence(strict(one, other)).splitlines()
    assert "    par" in mermaid_sequence(par(one, other)).splitlines()
    assert "    par" in plantuml_sequence(par(one, other)).splitlines()


def test_nothing_at_all_is_a_note_beside_the_environment() -> None:
    assert mermaid_sequence(EMPTY).splitlines()[1:] == [
        "    participant env as environment",
        "    Note over env: nothing",
    ]
    assert plantuml_sequence(EMPTY).splitlines()[1:-1] == [
        "participant environment as env",
        "    note over env : nothing",
    ]


@pytest.mark.parametrize("name", ["end", "x", "note", "two words", "a-b", "_a", "1a", "a__b"])
@pytest.mark.parametrize("write", BOTH)
def test_lifelines_that_could_be_read_as_words_get_ids(write: Writer, name: str) -> None:
    between = strict(act(Action(name, "?", "m")), act(Action(name, "!", "m")))
    lines = write(strict(a("p0!m"), between, a("p1?m"))).splitlines()
    lines = [line for line in lines if "environment" not in line]
    assert lines[1].split() == ["participant", "p0"]
    assert lines[2].split()[-1 if write is plantuml_sequence else 1] == "p1_"
    assert lines[3].split() == ["participant", "p1"]


@pytest.mark.parametrize("write", BOTH)
def test_empty_names_cannot_be_written(write: Writer) -> None:
    with pytest.raises(ValueError, match="an empty name cannot be written"):
        write(act(Action("", "!", "m")))


@pytest.mark.parametrize("write", BOTH)
def test_marks_of_searches_cannot_be_written(write: Writer) -> None:
    with pytest.raises(ValueError, match="an open iteration"):
        write(make(Operator.OPEN, NONE, a("l1!m"), None))


@pytest.mark.parametrize("name", ['say "x"', "a;b", "a#b", "%%{init}%%", "[x]", "a\nend"])
@pytest.mark.parametrize("write", BOTH)
def test_hostile_names_are_encoded(write: Writer, name: str) -> None:
    named = act(Action(name, "!", name))
    text = write(alt(named, coreg(mask([name]), named, EMPTY)))
    assert name not in text
    assert [line.strip() for line in text.splitlines()].count("end") == 2


@pytest.mark.parametrize("name", ["end", "End", "the end"])
def test_the_word_that_ends_blocks_is_encoded_in_mermaid(name: str) -> None:
    lines = mermaid_sequence(loop_s(act(Action(name, "!", name)))).splitlines()
    assert [line for line in lines if re.search(r"\bend\b", line, re.IGNORECASE)] == ["    end"]


def test_doubled_signs_format_nothing_in_plantuml() -> None:
    assert "__" not in plantuml_sequence(act(Action("__b__", "!", "a_b__")))
    assert "a_b" in plantuml_sequence(act(Action("l1", "!", "a_b")))


def test_a_name_does_not_end_a_plantuml_diagram() -> None:
    assert plantuml_sequence(act(Action("@enduml", "!", "@enduml"))).count("@enduml") == 1


@pytest.mark.parametrize("write", BOTH)
def test_names_can_be_read_back(write: Writer) -> None:
    name = 'a "#;<%|_-/ name'
    text = write(act(Action("l1", "!", name)))
    read = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text)
    read = re.sub(r"<U\+([0-9A-F]+)>", lambda code: chr(int(code[1], 16)), read)
    assert name in read


@pytest.mark.parametrize(
    ("write", "read"),
    [(mermaid_sequence, read_mermaid), (plantuml_sequence, read_plantuml)],
    ids=["mermaid", "plantuml"],
)
class TestGrammar:
    """What is written is a diagram of the language; `diagram_grammars` says of which."""

    def test_every_interaction_is_written_as_a_diagram(self, write: Writer, read: Reader) -> None:
        for term in [EMPTY, FIGURE_2, *random_interactions(8, 100)]:
            kinds = read(write(term))
            frames = sum(isinstance(one, Start) for one in statements_of(term))
            assert kinds.count("start") == kinds.count("end") == frames

    def test_every_message_is_written_once_for_each_receiver(
        self, write: Writer, read: Reader
    ) -> None:
        for term in random_interactions(9, 50):
            arrows = sum(isinstance(one, Arrow) for one in statements_of(term))
            assert read(write(term)).count("message") == arrows

    @pytest.mark.parametrize("name", HOSTILE)
    def test_no_name_changes_the_diagram(self, write: Writer, read: Reader, name: str) -> None:
        def of(name: str) -> Interaction:
            named = act(Action(name, "!", name))
            passed = strict(named, act(Action("b", "?", name)))
            return seq(passed, alt(named, coreg(mask([name]), passed, EMPTY)), loop_s(named))

        assert read(write(of(name))) == read(write(of("harmless")))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("participant p as x\np->>q: m", "not declared"),
        ("participant p as x\np->>p: m\nparticipant q as y", "too late"),
        ("participant p as x\nparticipant p as y", "declares again"),
        ("loop x", "do not end"),
        ("end", "an end too many"),
        ("par x\nelse y\nend", "within"),
        ("loop x\nand y\nend", "within"),
        ("participant p as the end", "ends a block"),
        ("participant p as a;b", "no statement"),
        ("participant p as wrap:x", "gives an order"),
        ("participant p as a#b", "no statement"),
    ],
)
def test_the_reader_of_mermaid_refuses_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_mermaid(f"sequenceDiagram\n{text}\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('participant "x" as p\np -> q : m', "not declared"),
        ('participant "a"b" as p', "no statement"),
        ('participant "__a__" as p', "formats text"),
        ("group x\nelse", "do not end"),
        ("loop x\nelse\nend", "within"),
        ("!include x", "no statement"),
    ],
)
def test_the_reader_of_plantuml_refuses_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_plantuml(f"@startuml\n{text}\n@enduml\n")


@pytest.mark.parametrize("write", BOTH)
def test_any_nesting_can_be_written(write: Writer) -> None:
    for loop in (loop_s, loop_h):
        text = write(looped(loop, 5000))
        assert text.count(" loop ") == 5000
        assert len(text) < 1_000_000
    assert write(nested(alt, 5000, True)).count("else") == 4999


@pytest.mark.parametrize("write", [mermaid_sequence, plantuml_sequence])
def test_given_lifelines_come_first(write: Callable[..., str]) -> None:
    text = write(passing("x", "m", "y"), lifelines=["silent"])
    assert re.findall(r"silent|\bx\b|\by\b", text)[:3] == ["silent", "x", "y"]
