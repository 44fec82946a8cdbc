"""`.hif` files: what is read, what is refused and how, and that writing gives the term back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choreomon.core.action import Action
from choreomon.core.errors import DocumentError
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.interaction import write_interaction
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.hibou.signature import Signature
from choreomon.interaction.lifelines import NONE, mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    make,
    par,
    seq,
    strict,
    text,
)
from choreomon.interaction_files.loading import load_signature
from tests.hibou.samples import (
    FIGURE_14,
    FIGURE_15,
    MODEL_NAMES,
    MODELS,
    SIGNATURE,
    interactions,
)
from tests.interaction.drawn import a

b = a("b!m")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("o", EMPTY),
        ("∅", EMPTY),
        ("a -- m -> b", strict(a("a!m"), a("b?m"))),
        ("a--m->b", strict(a("a!m"), a("b?m"))),
        ("a -- m -> (b)", strict(a("a!m"), a("b?m"))),
        ("a -- m -> (b,c)", strict(a("a!m"), seq(a("b?m"), a("c?m")))),
        ("a -- m ->|", a("a!m")),
        ("a -- m -> |", a("a!m")),
        ("m -> a", a("a?m")),
        ("m -> (a,b)", seq(a("a?m"), a("b?m"))),
        ("a -- <asynch> m -> b", strict(a("a!m"), a("b?m"))),
        ("<asynch> m -> b", a("b?m")),
        ("a!m", a("a!m")),
        ("a ? m", a("a?m")),
        ("strict(a!m, b!m, c!m)", strict(a("a!m"), strict(a("b!m"), a("c!m")))),
        ("seq(a!m, o)", seq(a("a!m"), EMPTY)),
        ("par(a!m, b!m)", par(a("a!m"), b)),
        ("alt(a!m, b!m)", alt(a("a!m"), b)),
        ("coreg()(a!m, b!m)", seq(a("a!m"), b)),
        ("coreg ( ) (a!m)", a("a!m")),
        ("loopC()(b!m)", loop_w(b)),
        ("coreg(a,b)(a!m, b!m)", coreg(mask("ab"), a("a!m"), b)),
        ("loopS(b!m)", loop_s(b)),
        ("loopW(b!m)", loop_w(b)),
        ("loopP(b!m)", loop_p(b)),
        ("loopH(b!m)", loop_h(b)),
        ("loopC(a)(b!m)", loop_c(mask("a"), b)),
        ("loop_strict(b!m)", loop_s(b)),
        ("loop_par(b!m)", loop_p(b)),
        # The small-step paper, Definition 9: its loop_seq has no pruned copy of the loop in front.
        ("loop_seq(b!m)", loop_h(b)),
        ("seq(b!m)", b),
        ("seq -- o -> alt", strict(a("seq!o"), a("alt?o"))),
        ("o -> o", a("o?o")),
        ("/* x */ seq( // y )\n b!m, /* , */ b!m) // z", seq(b, b)),
        ("\ufeffb!m", b),
    ],
)
def test_every_construction_of_the_language_is_read(written: str, meant: Interaction) -> None:
    assert read_interaction(written) is meant


def test_figure_15_of_the_slices_paper_is_the_interaction_of_its_figure_2() -> None:
    term = read_interaction(FIGURE_15, read_signature(FIGURE_14))
    assert text(term) == (
        "seq(coreg(l2)(alt(strict(l1!m1,seq(l2?m1,l3?m1)),o),"
        "loopW(alt(strict(l1!m2,l2?m2),strict(l2!m3,l3?m3)))),"
        "loopP(seq(strict(l3!m4,l2?m4),strict(l2!m5,l3?m5))))"
    )


@pytest.mark.parametrize("name", MODEL_NAMES)
def test_published_models_are_read_and_written_back(name: str) -> None:
    signature = load_signature(MODELS / f"{name}.hsf")
    term = load_interaction(MODELS / f"{name}.hif", signature)
    assert read_interaction(write_interaction(term), signature) is term


@pytest.mark.parametrize(
    ("written", "line", "said"),
    [
        ("", 0, "is empty: expected an interaction such as `seq(l1!m, l2?m)`"),
        ("/* */ // ", 0, "is empty: expected an interaction such as `seq(l1!m, l2?m)`"),
        ("\n/* x", 2, "this comment is not closed"),
        ("seq(\na!m,\nb!m", 1, "`seq(` is not closed: expected `)`, found the end of the file"),
        ("seq(\na!m,\nb!m))", 3, "expected the end of the file after the interaction, found ')'"),
        ("seq(a!m\nb!m)", 2, "expected `,` or `)` after an operand of `seq`, found 'b'"),
        ("seq()", 1, "expected an interaction, found ')'"),
        (
            "seq(a -- m -> b-c)",
            1,
            "expected `,` or `)` after an operand of `seq`, found '-'; a name is a letter, then "
            "letters, digits and `_`; JSON has no such limit",
        ),
        (
            "a -- m -> b\u00e9",
            1,
            "expected the lifeline that receives, `(` and several, or `|`, found 'b\u00e9'; a name",
        ),
        ("seq(a!m,)", 1, "expected an interaction, found ')'"),
        ("loopS(\na!m, b!m)", 1, "`loopS` has one operand, found several"),
        ("coreg(a!m, b!m)", 1, "expected `,` or `)` after a lifeline, found '!'"),
        ("coreg(,)(a!m, b!m)", 1, "expected the name of a lifeline, found ','"),
        ("coreg(a,)(a!m, b!m)", 1, "expected the name of a lifeline, found ')'"),
        ("coreg()", 1, "expected `(` after `coreg`, found the end of the file"),
        ("a -- m -> ()", 1, "expected the name of a lifeline, found ')'"),
        ("coreg(a)", 1, "expected `(` after `coreg`, found the end of the file"),
        ("\nplus(a!m)", 2, "unknown operator 'plus'; the operators are strict, seq"),
        ("a", 1, "expected `--`, `->`, `!` or `?` after 'a', found the end of the file"),
        ("a -- m", 1, "expected `->` after `a -- m`, found the end of the file"),
        ("a -- m -> ", 1, "expected the lifeline that receives, `(` and several, or `|`"),
        ("m -> |", 1, "the message 'm' goes from nobody to nobody"),
        ("a!", 1, "expected the name of a message, found the end of the file"),
        ("é!m", 1, "expected an interaction, found 'é'"),
        ("sync(a!m)(o,o)", 1, "`sync` (rendezvous) is not supported"),
        ("sync{a!m,b!m}(o,o)", 1, "`sync` (rendezvous) is not supported"),
        ("seq(o,\nand(o,o))", 2, "`and` is not supported"),
        ("a -- <synch> m -> b", 1, "`<synch>` is not supported"),
        ("<sync> m -> b", 1, "expected `asynch`, found 'sync'"),
        ("seq(o,{a!m,b!m})", 1, "simultaneous actions `{..}` are not supported"),
        ("{a!m,b!m}", 1, "simultaneous actions `{..}` are not supported"),
        ("\n{[a] a!m}", 2, "expected an interaction; a multi-trace begins like this, found '{'"),
        ("{a!m.a!m}", 1, "expected an interaction; a multi-trace begins like this, found '{'"),
        ("[a] a!m", 1, "expected an interaction; a multi-trace begins like this, found '['"),
        ("@gate{g}\no", 1, "`@gate` is not supported"),
        ("@foo{g}\no", 1, "expected `@message`, `@lifeline`, `@analyze_option`"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(written: str, line: int, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_interaction(written, file="x.hif")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("x.hif", line)
    assert problem.message.startswith(said)


def test_all_names_that_the_signature_does_not_declare_are_told_at_once() -> None:
    with pytest.raises(DocumentError) as caught:
        read_interaction("seq(\na -- m -> c,\ncoreg(d)(n -> a, o))", Signature(("a", "b"), ("m",)))
    assert [(p.line, p.message) for p in caught.value.problems] == [
        (2, "unknown lifeline 'c'; the lifelines are a, b"),
        (3, "unknown lifeline 'd'; the lifelines are a, b"),
        (3, "unknown message 'n'; the messages are m"),
    ]


@example(strict(a("a!m"), a("b?n")))  # no message passing
@given(interactions)
def test_reading_what_was_written_gives_the_term_back(term: Interaction) -> None:
    assert read_interaction(write_interaction(term), SIGNATURE) is term


@given(interactions)
def test_the_text_of_a_term_is_a_file_too(term: Interaction) -> None:
    assert read_interaction(text(term), SIGNATURE) is term


def test_arrows_and_several_operands_are_written_as_people_write_them() -> None:
    term = seq(
        strict(a("a!m"), seq(a("b?m"), a("c?m"))), a("a!n"), alt(a("b?n"), EMPTY), loop_w(a("a!m"))
    )
    assert " ".join(write_interaction(term).split()) == (
        "seq( a -- m -> (b,c), a -- n ->|, alt( n -> b, o ), loopW( a -- m ->| ) )"
    )


@pytest.mark.parametrize("name", ["", "1a", "a b", "a-b", "é", "a.b", "_a"])
def test_names_that_the_files_cannot_express_are_not_written(name: str) -> None:
    for term in (
        act(Action(name, "!", "m")),
        act(Action("a", "!", name)),
        coreg(mask([name]), EMPTY, a("a!m")),
    ):
        with pytest.raises(ValueError, match="cannot be written in HIBOU's files"):
            write_interaction(term)


def test_marks_of_the_search_are_not_written() -> None:
    with pytest.raises(ValueError, match="open iteration"):
        write_interaction(make(Operator.OPEN, NONE, a("a!m"), None))


@pytest.mark.parametrize(
    "opening",
    ["strict", "seq", "par", "alt", "coreg(a)", "loopS", "loopW", "loopP", "loopC(a)", "loopH"],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_interactions_nested_5000_deep_are_read_and_written(opening: str, side: str) -> None:
    depth = 5000
    if opening.startswith("loop"):
        written = f"{opening}(" * depth + "a!m" + ")" * depth
    elif side == "left":
        written = f"{opening}(" * depth + "a!m" + ",b?m)" * depth
    else:
        written = f"{opening}(b?m," * depth + "a!m" + ")" * depth
    term = read_interaction(written)
    assert term.depth == depth + 1
    assert read_interaction(write_interaction(term)) is term
    with pytest.raises(DocumentError):
        read_interaction(written[:-1])


@given(st.text(max_size=60))
def test_a_comment_says_nothing(comment: str) -> None:
    comment = comment.replace("*/", "").rstrip("*")
    assert read_interaction(f"seq(/*{comment}*/a!m, o)") is seq(a("a!m"), EMPTY)
