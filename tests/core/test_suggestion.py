"""What somebody may have meant who wrote a name that nobody knows."""

from __future__ import annotations

import pytest

from choreomon.core.suggestion import closest, one_letter_apart


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("turnof", ("turnOn", "turnOff"), "turnOff"),
        ("a", ("B", "A"), "A"),
        ("GO", ("gone", "go"), "go"),
        ("a1", tuple(f"A{i}" for i in range(1000)), "A1"),
        ("gp", ("m4", "go"), "go"),
        ("og", ("m4", "go"), "go"),
        ("m33", ("m1", "m2", "m3"), "m3"),
    ],
)
def test_names_that_differ_in_case_or_by_a_letter_are_suggested(
    word: str, known: tuple[str, ...], meant: str
) -> None:
    assert closest(word, known) == meant


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("X", ("A", "B")),
        ("P9", ("P1", "P2", "P3")),
        ("P9", ("P1",)),
        ("go", ("no", "do")),
        ("go", ("turnOff",)),
        ("x" * 61, ("x" * 62,)),
        ("go", ()),
    ],
)
def test_where_nothing_or_too_much_is_close_nothing_is_suggested(
    word: str, known: tuple[str, ...]
) -> None:
    assert closest(word, known) == ""


@pytest.mark.parametrize(
    ("word", "name", "apart"),
    [
        ("ab", "ac", True),
        ("ab", "abc", True),
        ("abc", "ac", True),
        ("abcd", "acbd", True),
        ("ab", "ba", True),
        ("ab", "ab", False),
        ("a", "b", False),
        ("a", "ab", False),
        ("abc", "cab", False),
        ("ab", "abcd", False),
        ("abcd", "badc", False),
    ],
)
def test_one_letter_apart(word: str, name: str, apart: bool) -> None:
    assert one_letter_apart(word, name) is apart
