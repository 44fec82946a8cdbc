"""`.hsf` files, those of old that hold an interaction and options as well included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError
from choreomon.hibou.configuration import Configuration, ExploreOptions
from choreomon.hibou.model import read_interaction, read_model, read_signature
from choreomon.hibou.signature import Signature, write_signature
from choreomon.interaction.term import text
from choreomon.verify.papers.heuristics import Filters
from tests.hibou.samples import FIGURE_14

OLD = """@message{ m1;m2 }
@lifeline{ a;b }
@explore_option{ loggers = [graphic = png]; strategy = DFS; pre_filters = [max_depth = 3] }
loop_seq(
    seq(a -- m1 -> b, m2 -> a)
)
"""


def test_figure_14_of_the_slices_paper() -> None:
    assert read_signature(FIGURE_14) == Signature(
        ("l1", "l2", "l3"), ("m1", "m2", "m3", "m4", "m5")
    )


def test_sections_may_repeat_be_empty_and_end_in_a_semicolon() -> None:
    written = "@lifeline{a;} /* x */ @message{} @lifeline{b;c}"
    assert read_signature(written) == Signature(("a", "b", "c"), ())


def test_an_old_file_holds_signature_options_and_interaction() -> None:
    model = read_model(OLD)
    assert model.signature == read_signature(OLD) == Signature(("a", "b"), ("m1", "m2"))
    assert model.interaction is read_interaction(OLD)
    assert text(read_interaction(OLD)) == "loopH(seq(strict(a!m1,b?m1),a?m2))"
    assert isinstance(model.configuration, Configuration)
    explore = model.configuration.explore
    assert isinstance(explore, ExploreOptions)
    assert (explore.strategy, explore.filters) == ("dfs", Filters(max_depth=3))
    with pytest.raises(DocumentError, match="unknown lifeline 'c'"):
        read_interaction(OLD.replace("m2 -> a", "m2 -> c"))
    with pytest.raises(DocumentError, match="unknown lifeline 'c'"):
        read_signature(OLD.replace("m2 -> a", "m2 -> c"))


@pytest.mark.parametrize(
    ("written", "lines", "said"),
    [
        ("", [0], "is empty: expected `@message{..}` or `@lifeline{..}`"),
        ("\nseq(a!m,o)", [2], "expected `@message` or `@lifeline`, found 'seq'"),
        ("@messages{a}", [1], "expected `@message` or `@lifeline`, found '@messages'"),
        ("@lifeline a", [1], "expected `{` after `@lifeline`, found 'a'"),
        ("@lifeline{a b}", [1], "expected `;` or `}`, found 'b'"),
        ("@lifeline{\na;;b}", [2], "expected the name of a lifeline, found ';'"),
        ("@message{a;", [1], "expected the name of a message, found the end of the file"),
        ("@lifeline{a;\na;\na}", [2, 3], "'a' is declared twice"),
        ("@lifeline{a} @gate{g}", [1], "`@gate` is not supported"),
        ("@lifeline{a} @analyze_option{", [1], "expected an option, found the end of the file"),
        ("@lifeline{a} }", [1], "expected an interaction, found '}'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(
    written: str, lines: list[int], said: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        read_signature(written, "x.hsf")
    assert [problem.line for problem in caught.value.problems] == lines
    assert all(problem.message.startswith(said) for problem in caught.value.problems)


def test_at_the_end_of_a_file_no_name_is_broken() -> None:
    with pytest.raises(DocumentError) as caught:
        read_signature("@message{a", "x.hsf")
    assert str(caught.value) == "x.hsf:1: expected `;` or `}`, found the end of the file"


names = st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}", fullmatch=True), unique=True)


@given(names, names)
def test_reading_what_was_written_gives_the_signature_back(
    lifelines: list[str], messages: list[str]
) -> None:
    signature = Signature(tuple(lifelines), tuple(messages))
    if signature == ((), ()):
        with pytest.raises(ValueError, match="needs a lifeline or a message"):
            write_signature(signature)
    else:
        assert read_signature(write_signature(signature)) == signature
        swapped = Signature(signature.messages, signature.lifelines)
        assert swapped == signature or read_signature(write_signature(swapped)) != signature


def test_names_that_the_files_cannot_express_are_not_written() -> None:
    with pytest.raises(ValueError, match="'a-b' cannot be written"):
        write_signature(Signature(("a-b",), ()))
