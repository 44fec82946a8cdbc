"""What diagrams mean that people wrote, as docs/diagrams.md states it, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.diagrams.mermaid import read_mermaid
from choreomon.diagrams.plantuml import read_plantuml
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.model import read_interaction
from choreomon.hibou.signature import Signature
from choreomon.interaction.term import EMPTY, Interaction, text

ROOT = Path(__file__).parents[2]
ROWS = [
    re.split(r"(?<!\\)\|", line)[1:-1]
    for line in (ROOT / "docs" / "diagrams.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
]


def mermaid(*lines: str) -> Interaction:
    return read_mermaid("\n".join(["sequenceDiagram", *lines]))


def plantuml(*lines: str) -> Interaction:
    return read_plantuml("\n".join(["@startuml", *lines, "@enduml"]))


Read = Callable[..., Interaction]
both = pytest.mark.parametrize("read", [mermaid, plantuml])


@pytest.mark.parametrize("row", ROWS, ids=[row[2].strip() for row in ROWS])
def test_the_mapping_of_the_page_holds(row: list[str]) -> None:
    in_mermaid, in_plantuml, (meant,) = (re.findall(r"`([^`]*)`", cell) for cell in row)
    assert mermaid(*in_mermaid) is read_interaction(meant)
    assert plantuml(*in_plantuml) is read_interaction(meant)


def test_the_page_has_a_row_for_each_construction() -> None:
    assert len(ROWS) == 22


M = "a -> b : m"
N = "b -> a : n"


def meant(written: str) -> Interaction:
    return read_interaction(written)


PASSED = meant("a -- m -> b")
BACK = meant("b -- n -> a")


class TestMermaid:
    @pytest.mark.parametrize("arrow", ["->", "-->", "->>", "-->>", "-)", "--)", " ->> ", "->>+"])
    def test_arrows_mean_the_same(self, arrow: str) -> None:
        assert mermaid(f"a{arrow}b: m") is PASSED

    @pytest.mark.parametrize("arrow", ["-x", "--x"])
    def test_a_message_that_is_lost_is_only_sent(self, arrow: str) -> None:
        assert mermaid(f"a{arrow}b: m") is meant("a!m")

    @pytest.mark.parametrize(
        "skipped",
        [
            "%% b->>a: n",
            "%%{init: {\n'theme': 'base'}\n}%%",
            "# b->>a: n",
            "title: Orders",
            "title Orders",
            "accTitle: x",
            "accDescr: x",
            "accDescr {\nb->>a: n\n}",
            "autonumber",
            "autonumber 10 10",
            "activate a",
            "deactivate a",
            "Note over a,b: b->>a: n",
            "note left of a: end",
            "link a: Wiki @ https://example.org",
            "links a: {}",
            "properties a: {}",
            "details a: x",
            "",
            "rect rgb(1, 2, 3)\nend",
            "box Aqua Group\nactor c\nend",
            "participant c as C the third",
            'participant c@{ "type": "database" } as C',
        ],
    )
    def test_what_is_about_looks_is_skipped(self, skipped: str) -> None:
        assert mermaid(*skipped.split("\n"), "a->>b: m", *skipped.split("\n")) is PASSED

    def test_the_text_before_is_skipped(self) -> None:
        assert read_mermaid("---\ntitle: x\n---\n\nsequenceDiagram\na->>b: m") is PASSED
        assert read_mermaid("\ufeffsequenceDiagram\r\n  a->>b: m\r\n") is PASSED

    def test_statements_may_share_a_line(self) -> None:
        assert read_mermaid("sequenceDiagram a->>b: m; b->>a: n # c->>d: o") is (
            meant("seq(a -- m -> b, b -- n -> a)")
        )

    def test_signs_may_be_written_by_their_codes(self) -> None:
        written = "a->>environment: a#59;b #quot;x#quot; #9999999; #nonesuch;"
        assert text(mermaid(written)) == 'a!a;b "x" #9999999; #nonesuch;'

    def test_line_breaks_and_orders_to_wrap_are_no_part_of_a_name(self) -> None:
        assert mermaid("a->>environment: wrap: x<br/>y<br>z\\nu") is mermaid(
            "a->>environment: x y z u"
        )

    def test_lifelines_are_called_what_the_diagram_shows(self) -> None:
        found = mermaid("participant A as Alice Smith", "Bob-Ann ->> A: hello, you")
        assert text(found) == "strict(Bob-Ann!hello, you,Alice Smith?hello, you)"

    def test_words_of_blocks_may_be_written_in_any_letters(self) -> None:
        assert mermaid("LOOP x", "a->>b: m", "END") is meant("loopW(a -- m -> b)")

    @pytest.mark.parametrize("word", ["end", "the end of it"])
    def test_the_word_end_may_stand_in_texts(self, word: str) -> None:
        assert mermaid(f"loop {word}", "a->>b: m", "end") is meant("loopW(a -- m -> b)")

    @pytest.mark.parametrize(
        ("written", "line", "said"),
        [
            ("a->>b", 2, "message: has no text, which is its name: write it behind a `:`"),
            ("a->>b:", 2, "message: has no text"),
            ("a=>b: m", 2, "arrow: unknown in 'a=>b': write `->>`"),
            ("a-|\\b: m", 2, "arrow: unknown"),
            ("a->>>b: m", 2, "arrow: unknown"),
            ("a<-b: m", 2, "arrow: unknown"),
            ("a~>b: m", 2, "arrow: unknown"),
            ("a<<->>b: m", 2, "arrow: '<<->>' is two messages: write one arrow for each"),
            ("->>b: m", 2, "sender: is missing: name it beside the `->>`"),
            ("a->>: m", 2, "receiver: is missing"),
            ("a->>()b: m", 2, "receiver: `()` has no meaning here"),
            ("end->>b: m", 2, "sender: `end` closes blocks: write `participant e as end`"),
            ("end loop", 2, "end: closes a block, and 'loop' stands behind it"),
            ("a->>end: m", 2, "receiver: `end` closes blocks"),
            ("participant end", 2, "participant: `end` closes blocks"),
            ("participant", 2, "participant: has no name"),
            ("hello", 2, "expected a message such as `a->>b: m`"),
            ("create participant b", 2, "create: `create` has no meaning here"),
            ("destroy b", 2, "destroy: `destroy` has no meaning here"),
            ("par x\noption y\nend", 3, "option: does not divide the `par` of line 2: divide it"),
            ("opt x\nelse y\nend", 3, "else: does not divide the `opt` of line 2: it has one part"),
            ("critical x\na->>b: m\noption y\nend", 4, "what it means in the `critical` of line 2"),
            ("rect x\nelse y\nend", 3, "else: does not divide the `rect` of line 2"),
        ],
    )
    def test_what_has_no_meaning_is_refused(self, written: str, line: int, said: str) -> None:
        refused(mermaid, written, line, said)

    @pytest.mark.parametrize(
        ("written", "line", "said"),
        [
            ("", 0, "is empty: expected `sequenceDiagram`"),
            ("%% x", 0, "is empty: expected `sequenceDiagram`"),
            ("\nflowchart LR", 2, "expected `sequenceDiagram`, the first word"),
            ("SequenceDiagram\n", 1, "write it `sequenceDiagram`"),
        ],
    )
    def test_what_is_no_sequence_diagram_is_refused(
        self, written: str, line: int, said: str
    ) -> None:
        with pytest.raises(DocumentError, match=re.escape(said)) as error:
            read_mermaid(written)
        assert error.value.problems[0].line == line


class TestPlantUML:
    @pytest.mark.parametrize(
        "arrow",
        [
            *("->", "-->", "->>", "-->>", "-\\", "-/", "-\\\\", "--//", "->o", "-[#red]>"),
            *("-[#red,dashed]->", "o->", "----->"),
        ],
    )
    def test_arrows_mean_the_same(self, arrow: str) -> None:
        assert plantuml(f"a {arrow} b : m") is PASSED

    @pytest.mark.parametrize("written", ["a->b:m", 'a -> "b": m', "a -> b ++ #gold : m", "b<-a: m"])
    def test_so_do_other_ways_to_write_one(self, written: str) -> None:
        assert plantuml(written) is PASSED

    @pytest.mark.parametrize("arrow", ["<-", "<--", "<<-", "/-", "\\\\--", "o<-", "<-[#red]-"])
    def test_arrows_may_point_to_the_left(self, arrow: str) -> None:
        assert plantuml(f"b {arrow} a : m") is PASSED

    @pytest.mark.parametrize("written", ["a ->x b : m", "b x<- a : m", "a ->] : m", "a ->? : m"])
    def test_messages_to_the_outside(self, written: str) -> None:
        assert plantuml(written) is meant("a!m")

    @pytest.mark.parametrize("written", ["[<- a : m", "? <- a : m", "a ->] :m", "[o<-a : m"])
    def test_borders_may_be_on_either_side(self, written: str) -> None:
        assert plantuml(written) is meant("a!m")

    @pytest.mark.parametrize("written", ["[-> a : m", "?-> a : m", "a <-] : m", "[-->>a : m"])
    def test_messages_from_the_outside(self, written: str) -> None:
        assert plantuml(written) is meant("a?m")

    @pytest.mark.parametrize(
        "skipped",
        [
            "' b -> a : n",
            "/' b -> a : n\nx '/",
            "title Orders",
            "title\nb -> a : n\nend title",
            "header x",
            "legend\nb -> a : n\nendlegend",
            "legend right\nb -> a : n\nend legend",
            "caption x",
            "autonumber 10 5",
            "autoactivate on",
            "activate a #red",
            "deactivate a",
            "note left : b -> a",
            "note over a, b: x",
            "note left of a\nb -> a : n\nend note",
            "hnote over a\nb -> a : n\nendhnote",
            "rnote across : x",
            "/ note over b : x",
            "== Phase two ==",
            "...five minutes later...",
            "|||",
            "||45||",
            "newpage",
            "hide footbox",
            "scale 2",
            "mainframe x",
            "skinparam backgroundColor red",
            "skinparam sequence {\nArrowColor red\n}",
            "<style>\nb -> a : n\n</style>",
            "!pragma teoz true",
            "!theme plain",
            'box "Group" #LightBlue\nactor c\nend box',
            "participant c <<service>> order 2 #99FF99",
            'participant c as "The third" [[https://example.org]]',
            "group some words [more]\nend",
            "",
        ],
    )
    def test_what_is_about_looks_is_skipped(self, skipped: str) -> None:
        assert plantuml(*skipped.split("\n"), M, *skipped.split("\n")) is PASSED

    def test_blocks_may_have_colors_and_ends_may_be_named(self) -> None:
        found = plantuml("alt #Gold #LightBlue x", M, "else #Pink y", N, "end alt")
        assert found is meant("alt(a -- m -> b, b -- n -> a)")
        assert plantuml("loop#Gold loopS", M, "end") is meant("loopS(a -- m -> b)")

    def test_par2_is_par(self) -> None:
        assert plantuml("par2", M, "also", N, "end") is meant("par(a -- m -> b, b -- n -> a)")

    def test_only_what_is_between_the_ends_is_read(self) -> None:
        written = f"b -> a : n\n@startuml name\n{M}\n@enduml\nb -> a : n"
        assert read_plantuml(written) is PASSED

    @pytest.mark.parametrize(
        "declared",
        [
            'participant "Alice Smith" as A',
            'actor A as "Alice Smith"',
            'database "Alice Smith" as A',
        ],
    )
    def test_lifelines_are_called_what_the_diagram_shows(self, declared: str) -> None:
        found = plantuml(declared, 'A -> "x y" : hello\\nyou <U+0041>')
        assert text(found) == "strict(Alice Smith!hello you A,x y?hello you A)"

    def test_participants_may_be_called_like_the_words_of_statements(self) -> None:
        assert plantuml("note -> loop : m") is meant("note -- m -> loop")

    @pytest.mark.parametrize(
        ("written", "line", "said"),
        [
            ("a -> b", 2, "message: has no text, which is its name: write it behind a `:`"),
            ("a -- b : m", 2, "arrow: unknown in 'a -- b': write `->`"),
            ("a ..> b : m", 2, "arrow: unknown"),
            ("a ->(10) b : m", 2, "arrow: unknown"),
            ("a x-> b : m", 2, "arrow: unknown"),
            ("a <-> b : m", 2, "arrow: points both ways: write one arrow for each message"),
            ("-> b : m", 2, "sender: is missing: name it beside the arrow"),
            ("a -> : m", 2, "receiver: is missing"),
            ("[->] : m", 2, "message: 'm' goes from nobody to nobody"),
            ("a -> b ** : m", 2, "arrow: creates or destroys its receiver"),
            ("a -> b !! : m", 2, "arrow: creates or destroys its receiver"),
            ("create b", 2, "create: `create` has no meaning here"),
            ("destroy b", 2, "destroy: `destroy` has no meaning here"),
            ("ref over a : x", 2, "ref: `ref` stands for another diagram"),
            ("return x", 2, "return: `return` says neither who sends nor to whom"),
            ("& a -> b : m", 2, "&: stands for what happens at the same time: write `par`"),
            ("!include x.puml", 2, "!include: is for PlantUML's preprocessor"),
            ("participant [", 2, "participant: expected `a`, or"),
            ("hello", 2, "expected a message such as `a -> b : m`"),
            ("group x\nelse\nend", 3, "else: does not divide the `group` of line 2: it has one"),
            ("critical x\nelse\nend", 3, "else: what it means in the `critical` of line 2"),
            ("@startuml", 2, "a second diagram begins: one is read a file"),
        ],
    )
    def test_what_has_no_meaning_is_refused(self, written: str, line: int, said: str) -> None:
        refused(plantuml, written, line, said)

    @pytest.mark.parametrize(
        ("written", "line", "said"),
        [
            ("", 0, "is no diagram of PlantUML: expected `@startuml`"),
            ("a -> b : m", 0, "is no diagram of PlantUML: expected `@startuml`"),
            ("@startuml\na -> b : m", 0, "expected `@enduml` at its end"),
            ("@startuml\nlegend\nx\n@enduml\n", 2, "does not end: expected `end legend`"),
        ],
    )
    def test_what_is_no_diagram_is_refused(self, written: str, line: int, said: str) -> None:
        with pytest.raises(DocumentError, match=re.escape(said)) as error:
            read_plantuml(written)
        assert error.value.problems[0].line == line


class TestBoth:
    """What the languages share."""

    @both
    def test_a_diagram_without_messages_is_the_empty_interaction(self, read: Read) -> None:
        assert read() is EMPTY
        assert read("participant a") is EMPTY

    @both
    @pytest.mark.parametrize("name", ["env", "environment"])
    def test_the_environment_is_no_lifeline(self, read: Read, name: str) -> None:
        assert read(f"{name} ->> a: m") is meant("a?m")
        assert read(f"participant {name}", f"a ->> {name}: m") is meant("a!m")

    @both
    def test_an_empty_part_is_the_empty_interaction(self, read: Read) -> None:
        assert read("alt", "else", "a->>b: m", "end") is meant("alt(o, a -- m -> b)")
        assert read("loop", "end") is meant("loopW(o)")

    @both
    def test_breaks_end_the_block_around_them(self, read: Read) -> None:
        m, n, p = "a->>b: m", "a->>b: n", "a->>b: p"
        assert read("alt", m, "break", n, "end", p, "else", "end") is meant(
            "alt(seq(a -- m -> b, alt(a -- n -> b, a -- p -> b)), o)"
        )
        assert read("opt", "break", n, "end", p, "end", m) is meant(
            "seq(alt(alt(a -- n -> b, a -- p -> b), o), a -- m -> b)"
        )
        assert read("break", m, "break", n, "end", p, "end") is meant(
            "alt(seq(a -- m -> b, alt(a -- n -> b, a -- p -> b)), o)"
        )
        assert read("critical", m, "break", n, "end", p, "end") is meant(
            "strict(a -- m -> b, alt(a -- n -> b, a -- p -> b))"
        )

    @both
    def test_a_loop_may_be_left_in_several_places(self, read: Read) -> None:
        m, n, p = "a->>b: m", "a->>b: n", "a->>b: p"
        assert read("loop loopS", "break", n, "end", m, "break", p, "end", "end") is meant(
            "strict(loopS(a -- m -> b), alt(alt(a -- n -> b, seq(a -- m -> b, a -- p -> b)), o))"
        )
        assert read("loop", "break", n, "end", "end") is meant("seq(loopW(o), alt(a -- n -> b, o))")

    @pytest.mark.parametrize(
        "block", [("par", "and"), ("par coreg(a)", "and"), ("critical strict", "option")]
    )
    def test_breaks_that_would_stop_others_are_refused(self, block: tuple[str, str]) -> None:
        start, between = block
        written = f"{start}\nbreak\na->>b: m\nend\n{between}\na->>b: m\nend"
        refused(
            mermaid, written, 3, f"break: would have to stop the other parts of the `{start[:3]}"
        )

    @both
    @pytest.mark.parametrize("loop", ["loopP", "loopC(a)"])
    def test_breaks_out_of_loops_at_the_same_time_are_refused(self, read: Read, loop: str) -> None:
        written = f"loop {loop}\na->>b: m\nbreak\nend\nend"
        refused(read, written, 4, "break: would have to stop the other iterations of the `loop` of")

    @both
    @pytest.mark.parametrize(
        ("written", "line", "said"),
        [
            ("loop x\na->>b: m", 2, "loop: is not closed: write `end` where it ends"),
            ("a->>b: m\nend", 3, "end: there is no block that it could close: leave it out"),
            ("else", 2, "else: there is no block that `else` could divide: leave it out"),
            ("loop strict\nend", 2, "loop: 'strict' is the operator of another block: this is"),
            ("par loopW\nend", 2, "par: 'loopW' is the operator of another block: loops are"),
            ("loop loops\nend", 2, "loop: 'loops' is no operator: write `loopS`"),
            ("loop [LoopC(a)]\nend", 2, "loop: '[LoopC(a)]' is no operator: write `loopC(a,b)`"),
            ("par coreg\nend", 2, "par: 'coreg' is no operator: write `coreg(a,b)`"),
            ("par seq(a)\nend", 2, "par: 'seq(a)' is no operator: write `seq`"),
            (
                "par coreg(bob)\nbobby->>a: m\nend",
                2,
                "lifelines: no participant is called 'bob'; did you mean 'bobby'?",
            ),
            ("env ->> environment: m", 2, "message: 'm' goes from nobody to nobody"),
            (
                "a->>b: m (the same message)",
                2,
                "message: the line above does not send 'm' from the same sender",
            ),
            ("a->>b: m\na->>c: n (the same message)", 3, "the line above does not send 'n'"),
            ("a->>b: m\nb->>c: m (the same message)", 3, "the line above does not send 'm'"),
        ],
    )
    def test_what_has_no_meaning_is_refused(
        self, read: Read, written: str, line: int, said: str
    ) -> None:
        refused(read, written, line, said)

    @pytest.mark.parametrize(
        ("read", "first", "second"),
        [
            (mermaid, "participant A as x y", "participant B as x y"),
            (plantuml, 'participant "x y" as A', 'participant "x y" as B'),
        ],
    )
    def test_two_participants_of_one_name_are_refused(
        self, read: Read, first: str, second: str
    ) -> None:
        refused(read, f"{first}\n{second}", 3, "'B' and 'A' are both called 'x y'")
        other = second.replace("B", "A").replace("x y", "z")
        refused(read, f"{first}\n{other}", 3, "'A' is already shown as 'x y'")
        assert read(first, first) is EMPTY

    @both
    def test_a_participant_that_is_called_as_another_is_shown_is_refused(self, read: Read) -> None:
        alias = "participant A as b" if read is mermaid else 'participant "b" as A'
        refused(read, f"{alias}\nA ->> b: m", 3, "'b' and 'A' are both called 'b'")

    def test_names_that_a_signature_does_not_declare_are_refused(self) -> None:
        signature = Signature(("a", "b"), ("m",))
        written = "sequenceDiagram\na->>b: m\na-->>{}: {}{}"
        assert read_mermaid(written.format("b", "m", ""), signature)
        for wrong in (("c", "m", ""), ("b", "n", ""), ("c", "m", " (the same message)")):
            with pytest.raises(DocumentError, match=r"d:3: message: unknown (lifeline|message)"):
                read_mermaid(written.format(*wrong), signature, "d")


def refused(read: Read, written: str, line: int, said: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(said)) as error:
        read(*written.split("\n"))
    assert [problem.line for problem in error.value.problems] == [line]


@pytest.mark.parametrize("suffix", [".mmd", ".mermaid", ".MMD"])
def test_files_of_mermaid_go_by_their_suffix(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"d{suffix}"
    file.write_text("sequenceDiagram\na->>b: m\n", encoding="utf-8")
    assert load_interaction(file) is PASSED


@pytest.mark.parametrize("suffix", [".puml", ".plantuml"])
def test_files_of_plantuml_go_by_their_suffix(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"d{suffix}"
    file.write_text("@startuml\na -> b : m\n@enduml\n", encoding="utf-8")
    assert load_interaction(file) is PASSED
