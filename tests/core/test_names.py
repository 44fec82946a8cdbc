"""What processes and messages may be called."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choreomon.core.labels import CarryingLabel, parse_carrying_label, parse_label
from choreomon.core.message import BEGIN, HANDLE, SEND, Label, Message
from choreomon.core.names import (
    MAX_NAME,
    MAX_WORD,
    WORD_PATTERN,
    is_name,
    is_plain,
    name_defect,
    names_of_list,
    of_word,
    quoted,
    short,
    unwritten,
    word,
    written,
)
from tests.core.names_for_tests import HARD_NAMES, names


@given(names(), names(), names(), st.sampled_from([SEND, HANDLE]), st.booleans())
def test_what_a_label_writes_is_read_back(
    sender: str, name: str, receiver: str, kind: str, carries: bool
) -> None:
    label = Label(HANDLE if kind == HANDLE else SEND, Message(sender, name, receiver))
    assert parse_label(str(label)) == label
    carrying = CarryingLabel(label, ("order", "tenant") if carries else ())
    assert parse_carrying_label(str(carrying)) == carrying
    assert str(label).isprintable()


@pytest.mark.parametrize("name", HARD_NAMES)
def test_each_hard_name_may_stand_in_each_place_of_a_label(name: str) -> None:
    for message in (Message(name, "m", "b"), Message("a", name, "b"), Message("a", "m", name)):
        label = Label(HANDLE, message)
        assert parse_label(str(label)) == label
        sender, told, receiver = map(quoted, message)
        assert parse_label(f" handle\t{sender}->{receiver}:{told} ") == label


@given(names())
@example("a")
def test_quotes_stand_where_they_are_needed_and_may_stand_where_they_are_not(name: str) -> None:
    assert (written(name) == name) == bool(is_plain(name))
    assert unwritten(written(name)) == unwritten(quoted(name)) == name


@given(st.text(st.characters(exclude_categories=[]), max_size=210))
@example("")
@example("a\x1b[31m")
@example("a\n")
@example("\u202eabc")
@example("a\u200db")
@example("a\u00a0b")
@example("\ud800")
@example("a" * (MAX_NAME + 1))
def test_a_name_is_printable_and_what_is_none_is_explained_and_shown_harmlessly(text: str) -> None:
    assert is_name(text) == (not name_defect(text))
    assert is_name(text) == (text.isprintable() and 1 <= len(text) <= MAX_NAME)
    assert written(text).isprintable()
    assert name_defect(text).isprintable()


def test_a_label_of_today_is_written_as_today() -> None:
    message = Message("P1", "turn.off-2", "_P2")
    assert str(Label(SEND, message)) == "P1 -> _P2 : turn.off-2"
    assert str(Label(HANDLE, message)) == "handle P1 -> _P2 : turn.off-2"


def test_only_the_name_that_needs_quotes_has_them() -> None:
    label = Label(HANDLE, Message("10.0.0.7:8080", 'say "hi"\\', "shop"))
    assert str(label) == r'handle "10.0.0.7:8080" -> shop : "say \"hi\"\\"'


def test_nothing_is_normalised_and_blanks_in_quotes_are_kept() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert parse_label(f'a -> b : "{composed}"') != parse_label(f'a -> b : "{decomposed}"')
    assert parse_label('a -> b : " x "') == Label(SEND, Message("a", " x ", "b"))
    assert parse_label('"handle" -> b : x') == Label(SEND, Message("handle", "x", "b"))


@given(names())
@example("a")
def test_a_name_is_read_back_from_its_word(name: str) -> None:
    assert of_word(word(name)) == name
    assert re.fullmatch(WORD_PATTERN, word(name))
    assert (word(name) == name) == bool(is_plain(name))


@given(st.text("aZ9~24E.-_/", max_size=12) | st.text(max_size=8))
@example(".a")
@example("-a")
@example("~")
@example("~2e")
@example("~61")
@example("~FF")
@example("~0A")
@example("~E2~80~AE")
@example("a" * 201)
def test_only_the_word_of_a_name_is_read(text: str) -> None:
    name = of_word(text)
    assert name is None or (is_name(name) and word(name) == text)


def test_the_longest_word_is_that_of_the_longest_name() -> None:
    assert len(word(MAX_NAME * "\U0001f600")) == MAX_WORD


@given(st.lists(names(), min_size=2, max_size=2, unique=True))
@example(["a/b", "A/b"])
@example(["a/b", "a_b"])
@example(["..", "../.."])
def test_short_words_tell_names_apart(pair: list[str]) -> None:
    one, other = map(short, pair)
    assert one != other
    if not all(map(is_plain, pair)):
        assert one.casefold() != other.casefold()
    for name, told in zip(pair, (one, other), strict=True):
        assert re.fullmatch("[A-Za-z0-9_.~-]{1,200}", told)
        assert told.strip(".")
        assert "." not in told or told == name
        assert (told == name) == bool(is_plain(name))


def test_no_process_is_called_as_the_beginning_of_runs_is() -> None:
    assert name_defect(BEGIN.process) == "is reserved for the beginning of runs"
    assert not is_name(BEGIN.process)
    assert parse_label(f'"{BEGIN.process}" -> A : m') is None
    assert parse_label(str(BEGIN)) is None


@given(st.lists(names(), min_size=1, max_size=4))
@example(["a,b", " c ", '"'])
def test_names_of_a_list_are_read_back(several: list[str]) -> None:
    assert names_of_list(", ".join(map(written, several))) == several


@pytest.mark.parametrize("text", ["a,b", " a , b", "", ",", "a,", '"a,b', 'a"b,c', '"a" x,b'])
def test_a_list_without_names_in_quotes_is_divided_at_its_commas(text: str) -> None:
    assert names_of_list(text) == [part.strip() for part in text.split(",")]
