"""The grammar `[handle] SENDER -> RECEIVER : NAME`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.label_hints import label_meant
from choreomon.core.labels import NAME_PATTERN, parse_label
from choreomon.core.message import Label, Message

names = st.from_regex(NAME_PATTERN, fullmatch=True)
labels = st.builds(
    Label, st.sampled_from(["send", "handle"]), st.builds(Message, names, names, names)
)


@given(labels)
def test_what_str_writes_is_read_back(label: Label) -> None:
    assert parse_label(str(label)) == label


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P1 -> P2 : m", Label("send", Message("P1", "m", "P2"))),
        ("handle P1 -> P2 : m", Label("handle", Message("P1", "m", "P2"))),
        ("  P1->P2:m\t", Label("send", Message("P1", "m", "P2"))),
        ("handle -> P : m", Label("send", Message("handle", "m", "P"))),
        (
            "handle handle -> handle : handle",
            Label("handle", Message("handle", "handle", "handle")),
        ),
        ("handler -> P : m", Label("send", Message("handler", "m", "P"))),
        ("a- -> b.c : _d-e", Label("send", Message("a-", "_d-e", "b.c"))),
        ("1 -> 2 : 3", Label("send", Message("1", "3", "2"))),
    ],
)
def test_blanks_are_optional_and_a_process_may_be_named_handle(text: str, expected: Label) -> None:
    assert parse_label(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P1 -> P2",
        "P1 -> P2 : ",
        "-> P2 : m",
        "P1 > P2 : m",
        "P1 -> P2 : m n",
        "send P -> Q : m",
        "P1 -> P2 : m\n",
        "P1 ->\nP2 : m",
        ".a -> b : c",
        "a -> b : -c",
        "\u00e4 -> b : c",
        "a -> b -> c : d",
        "Handle a -> b : c",
        f"a -> b : {'c' * 201}",
    ],
)
def test_anything_else_is_no_label(text: str) -> None:
    assert parse_label(text) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("A => B : m1", "A -> B : m1"),
        ("A \u2192 B : m1", "A -> B : m1"),
        ("handle A\u2192B:m1", "handle A -> B : m1"),
        ("A \u2013> B : m1", "A -> B : m1"),
        ("A > B : m1", "A -> B : m1"),
        ("B <- A : m1", "A -> B : m1"),
        ("handle B \u2190 A : m1", "handle A -> B : m1"),
        ("Handle A -> B : m1", "handle A -> B : m1"),
        ("[handle] A -> B : m1", "handle A -> B : m1"),
        ("receive A -> B : m1", "handle A -> B : m1"),
        ("handle: A -> B : m1", "handle A -> B : m1"),
        ("send A -> B : m1", "A -> B : m1"),
        ("A -- m1 -> B", "A -> B : m1"),
        ("A--m1-->B", "A -> B : m1"),
        ("A -> B m1", "A -> B : m1"),
        ("A -> B, m1", "A -> B : m1"),
        ("A -> B :: m1", "A -> B : m1"),
        ("A ->\n  B : m1\n", "A -> B : m1"),
        ("m1: A -> B", "A -> B : m1"),
        ("my-A \u2192 my-B : my-m", "my-A -> my-B : my-m"),
        ("A!m1", "A -> RECEIVER : m1"),
        ("B?m1", "handle SENDER -> B : m1"),
    ],
)
def test_what_a_label_in_another_notation_means_is_found_but_it_is_no_label(
    text: str, meant: str
) -> None:
    assert parse_label(text) is None
    assert label_meant(text) == meant
    assert parse_label(meant) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A : m1",
        "A -> B",
        "my-A -> B",
        "A -> B -> C : m1",
        "A -> B : m1 m2",
        "A -> B : ",
        "\u00e4 => B : m1",
        f"A => B : {'m' * 201}",
        "!m",
        "=" * 100_000,
    ],
)
def test_where_what_is_meant_is_not_clear_nothing_is_suggested(text: str) -> None:
    assert label_meant(text) == ""


@given(st.text(alphabet="aA1-=>.<:!? \u2192handle", max_size=60))
def test_what_is_suggested_is_always_a_label(text: str) -> None:
    meant = label_meant(text)
    assert not meant or parse_label(meant) is not None
