"""The grammar `[handle] SENDER -> RECEIVER : NAME`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.message import Label, Message
from choreomon.formats.labels import NAME_PATTERN, parse_label

names = st.from_regex(NAME_PATTERN, fullmatch=True)
labels = st.builds(
    Label, st.sampled_from(["send", "handle"]), st.builds(Message, names, names, names)
)


@settings(deadline=None)
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
