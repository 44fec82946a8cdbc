"""The grammar `[handle] SENDER -> RECEIVER : NAME`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.label_hints import label_meant, quotes_defect
from choreomon.core.labels import parse_carrying_label, parse_label
from choreomon.core.message import Label, Message


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
        f'a -> b : "{"c" * 201}"',
        'a -> b : ""',
        '"a -> b : c',
        'a" -> b : c',
        '"a" b -> c : d',
        'a "b" -> c : d',
        'a -> b : "c"d',
        'a -> b : "c" "d"',
        r'a -> b : "\n"',
        r'a -> b : "\"',
        'a -> b : "c\x1b"',
        'a -> b : "c\td"',
        'a -> b : "\u202ec"',
        "a -> b : {c}",
        "a -> * : c",
        "$a -> b : c",
        "{a, b} -> c : d",
        "a -> b : POST /c",
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
        ("A -> B : m1 m2", 'A -> B : "m1 m2"'),
        ("handle a:80 -> B : GET /x/{id}", 'handle "a:80" -> B : "GET /x/{id}"'),
        ("api-> db: DELETE FROM t(order)", 'api -> db : "DELETE FROM t"(order)'),
        ("\u00e4 -> B : m1", '"\u00e4" -> B : m1'),
    ],
)
def test_what_a_label_in_another_notation_means_is_found_but_it_is_no_label(
    text: str, meant: str
) -> None:
    assert parse_label(text) is None
    assert label_meant(text) == meant
    assert parse_carrying_label(meant) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A : m1",
        "A -> B",
        "my-A -> B",
        "A -> B -> C : m1",
        "A -> * : m1",
        "{A, B} -> C : m1",
        '"A -> B : m1 m2',
        "A -> B : ",
        "\u00e4 => B : m1",
        f"A => B : {'m' * 201}",
        "!m",
        "=" * 100_000,
    ],
)
def test_where_what_is_meant_is_not_clear_nothing_is_suggested(text: str) -> None:
    assert label_meant(text) == ""


@given(st.text(alphabet="aA1-=>.<:!? \u2192handle()/", max_size=60))
def test_what_is_suggested_is_always_a_label(text: str) -> None:
    meant = label_meant(text)
    assert not meant or parse_carrying_label(meant) is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('a -> b : "c', 'has a quote that does not end: close it, as in "c"'),
        ('a" -> b : c', "has a quote that does not end"),
        ('a -> b : ""', 'has a name, "", that is empty'),
        (f'a -> b : "{"c" * 201}"', "that has 201 characters; a name has at most 200"),
        ('a -> b : "c\x1b"', "that has U+001B as character 2, and all characters of a name are"),
        ('a -> b : "\u202ec"', "that has U+202E as character 1"),
        (r'a -> b : "\n"', r"has \n in quotes, where only \" and \\ are escapes: write \\n"),
        ('"a" b -> c : d', 'beside the quotes of "a": write the whole name in double quotes'),
        ('a "b" -> c : d', 'beside the quotes of "b"'),
        ('a -> b : "c"d', 'beside the quotes of "c"'),
        ('a -> b : "c" "d"', 'beside the quotes of "c"'),
    ],
)
def test_what_is_wrong_with_quotes_is_told(text: str, said: str) -> None:
    assert parse_label(text) is None
    assert said in quotes_defect(text)
    assert quotes_defect(text).isprintable()


def test_in_much_longer_texts_nobody_looks_for_quotes() -> None:
    assert quotes_defect('"a"->' * 1_000_000) == ""


@given(st.text(alphabet='a"\\ ->:(){', max_size=40))
def test_a_label_has_no_defect_of_quotes(text: str) -> None:
    if parse_carrying_label(text) is not None:
        assert quotes_defect(text) == ""
