"""Clocks as text: what is written comes back, and nothing else gets in."""

from __future__ import annotations

import string
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks.text import (
    MAX_CARRIED_TEXT,
    MAX_CLOCK_TEXT,
    MAX_ENTRIES,
    MAX_ENTRY,
    MAX_SYSTEMS,
    Carried,
    Clocks,
    decode_carried_untrusted,
    decode_clocks_untrusted,
    encode_carried,
    encode_clocks,
    is_short,
    merge_clocks,
    merge_texts,
)
from choreomon.core.errors import MalformedMessage
from choreomon.core.names import MAX_NAME
from choreomon.core.vector_clock import VectorClock
from tests.core.names_for_tests import names as any_names

KEY = b"\x01\x02\x03\x04"

W3C_BAGGAGE_BYTES = 8192

keys = st.binary(min_size=4, max_size=4)
entries = st.integers(0, 3) | st.integers(0, 2**20) | st.integers(0, MAX_ENTRY)
clocks = st.lists(entries, min_size=1, max_size=20).map(tuple)
sets_of_clocks = st.dictionaries(keys, clocks, max_size=4)
names = any_names()


def slow_text(clocks: Clocks) -> str:
    """The format, digit by digit."""

    def number(value: int) -> bytes:
        if value < 128:
            return bytes([value])
        return bytes([value % 128 + 128]) + number(value // 128)

    blocks = [
        key + number(len(clocks[key])) + b"".join(number(entry) for entry in clocks[key])
        for key in sorted(clocks)
    ]
    return urlsafe_b64encode(b"".join(blocks)).decode().rstrip("=")


def text_of(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def refused(text: str) -> str:
    with pytest.raises(MalformedMessage) as raised:
        decode_clocks_untrusted(text)
    return str(raised.value)


@given(sets_of_clocks)
@example({KEY: (127, 128)})
@example({KEY: (MAX_ENTRY,)})
@example({})
def test_clocks_come_back_and_are_written_as_the_format_says(clocks: Clocks) -> None:
    text = encode_clocks(clocks)
    assert text == slow_text(clocks)
    assert decode_clocks_untrusted(text) == clocks


def test_no_clocks_are_no_text() -> None:
    assert encode_clocks({}) == ""
    assert decode_clocks_untrusted("") == {}


def test_one_text_is_as_the_documentation_shows_it() -> None:
    assert encode_clocks({KEY: (0, 5, 300)}) == "AQIDBAMABawC"


long_clocks = st.lists(st.just(0) | entries, min_size=1, max_size=60).map(tuple)


@given(st.dictionaries(keys, clocks | long_clocks, min_size=1, max_size=4))
def test_short_clocks_come_back(clocks: Clocks) -> None:
    text = encode_clocks(clocks, short=True)
    assert is_short(text)
    assert not is_short(encode_clocks(clocks))
    assert decode_clocks_untrusted(text) == clocks
    assert len(text) <= len(encode_clocks(clocks)) + 3 * len(clocks) + 1


def test_the_clock_of_a_role_of_200_slots_is_short_while_25_are_used() -> None:
    clock = tuple(number % 100 + 1 if number % 8 == 0 else 0 for number in range(200))
    assert len(encode_clocks({KEY: clock})) == 275
    assert len(encode_clocks({KEY: clock}, short=True)) <= 87


def test_what_is_merged_with_short_clocks_is_short() -> None:
    one, other = {KEY: (1,) * 30}, {KEY: (0,) * 29 + (2,)}
    short, long = encode_clocks(one, short=True), encode_clocks(other)
    both = encode_clocks({KEY: (1,) * 29 + (2,)}, short=True)
    assert merge_texts(short, encode_clocks(other, short=True)) == both
    assert merge_texts(short, long) == both


def test_a_short_header_is_of_another_version() -> None:
    clock = encode_clocks({KEY: (0,) * 30}, short=True)
    carried = Carried("shop", "order", clock)
    assert encode_carried(carried) == f"2/shop/order/{clock}"
    assert decode_carried_untrusted(f"2/shop/order/{clock}") == carried
    for wrong in (f"1/shop/order/{clock}", f"2/shop/order/{clock[1:]}", "2/shop/order/"):
        with pytest.raises(MalformedMessage):
            decode_carried_untrusted(wrong)


def accepted_texts_are_canonical(text: str) -> None:
    """Either the documented error, or clocks that are written in just this way."""
    try:
        clocks = decode_clocks_untrusted(text)
    except MalformedMessage:
        return
    assert encode_clocks(clocks, short=is_short(text)) == text
    assert len(clocks) <= MAX_SYSTEMS
    assert all(0 <= entry <= MAX_ENTRY for clock in clocks.values() for entry in clock)


@settings(max_examples=300)
@given(st.text(max_size=60))
@example("A")
@example("AQIDBAMABawC=")
@example("AQIDBAMABawC\n")
@example("\ud800")
def test_random_text_raises_nothing_but_malformed_message(text: str) -> None:
    accepted_texts_are_canonical(text)


@settings(max_examples=500)
@given(st.binary(max_size=60))
def test_random_bytes_raise_nothing_but_malformed_message(data: bytes) -> None:
    accepted_texts_are_canonical(text_of(data))
    accepted_texts_are_canonical("~" + text_of(data))


@settings(max_examples=500)
@given(sets_of_clocks, st.data())
def test_damaged_texts_raise_nothing_but_malformed_message(
    clocks: Clocks, data: st.DataObject
) -> None:
    text = list(encode_clocks(clocks))
    for _ in range(data.draw(st.integers(0, 3)) if text else 0):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.characters())
    end = data.draw(st.integers(0, len(text)))
    accepted_texts_are_canonical("".join(text[:end]) + data.draw(st.text(max_size=3)))


@settings(max_examples=300)
@given(sets_of_clocks, st.data())
def test_damaged_bytes_raise_nothing_but_malformed_message(
    clocks: Clocks, data: st.DataObject
) -> None:
    text = encode_clocks(clocks)
    damaged = bytearray(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    for _ in range(data.draw(st.integers(1, 3)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    accepted_texts_are_canonical(text_of(bytes(damaged)))
    accepted_texts_are_canonical("~" + text_of(bytes(damaged)))


@settings(max_examples=300)
@given(st.dictionaries(keys, long_clocks, min_size=1, max_size=3), st.data())
def test_damaged_short_bytes_raise_nothing_but_malformed_message(
    clocks: Clocks, data: st.DataObject
) -> None:
    text = encode_clocks(clocks, short=True)[1:]
    damaged = bytearray(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    accepted_texts_are_canonical("~" + text_of(bytes(damaged)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A" * (MAX_CLOCK_TEXT + 1), f"at most {MAX_CLOCK_TEXT}"),
        (text_of(KEY[:3]), "key is cut off"),
        (text_of(KEY), "cut off within a number"),
        (text_of(KEY + b"\x00"), "0 entries"),
        (text_of(KEY + b"\x02\x00"), "cut off within a number"),
        (text_of(KEY + b"\x01\x80"), "cut off within a number"),
        (text_of(KEY + b"\x01\x80\x00"), "written too long"),
        (text_of(KEY + b"\x01" + b"\xff" * 8 + b"\x40"), "too large"),
        (text_of(KEY + b"\x01" + b"\xff" * 2000 + b"\x01"), "too large"),
        (text_of(KEY + b"\x81\x08" + bytes(1025)), f"1 to {MAX_ENTRIES}"),
        (text_of((KEY + b"\x01\x00") * 2), "repeated"),
        (text_of(b"\x02" + KEY[1:] + b"\x01\x00" + KEY + b"\x01\x00"), "out of order"),
        (encode_clocks({bytes([0, 0, 0, n]): (0,) for n in range(MAX_SYSTEMS + 1)}), "64 systems"),
        ("AQIDBAMABaw+", "base64url"),
        ("AQIDBAMABaw=", "base64url"),
        ("AQIDBAMABaw", "cut off"),
        ("AQIDBAEAB", "base64url"),
        ("AQIDBAEB\x80", "base64url"),
        ("ÄQIDBAEB", "base64url"),
    ],
)
def test_what_nobody_writes_is_refused_with_the_reason(text: str, said: str) -> None:
    assert said in refused(text)


@pytest.mark.parametrize(("entries", "surplus"), [(2, 4), (3, 2)])
def test_surplus_bits_of_the_last_sign_are_refused(entries: int, surplus: int) -> None:
    """There would be several texts for the same clocks otherwise."""
    signs = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    text = encode_clocks({KEY: (0,) * entries})
    accepted = []
    for sign in signs:
        try:
            accepted.append(decode_clocks_untrusted(text[:-1] + sign)[KEY][-1])
        except MalformedMessage:
            continue
    assert accepted == list(range(64 >> surplus))


@pytest.mark.parametrize("character", ["x", "\U0001f600"])
def test_a_hundred_processes_fit_into_baggage(character: str) -> None:
    """With a million events each, and names of the longest."""
    text = encode_clocks({KEY: (1_000_000,) * 100})
    assert len(text) == 407
    longest = encode_carried(Carried(200 * character, 200 * character, text))
    assert len(f"choreomon={longest}") < W3C_BAGGAGE_BYTES


def test_the_longest_text_is_accepted() -> None:
    name = MAX_NAME * "\U0001f600"
    text = encode_carried(Carried(name, name, MAX_CLOCK_TEXT * "A"))
    assert len(text) == MAX_CARRIED_TEXT
    assert decode_carried_untrusted(text) == Carried(name, name, MAX_CLOCK_TEXT * "A")
    assert text.isascii()
    assert not {*text} & {*'%," ;\\'}


def test_what_is_said_to_fit_always_does() -> None:
    """340 entries, in one system or in as many as there may be."""
    one = {KEY: (MAX_ENTRY,) * 340}
    many = {bytes([0, 0, 0, n]): (MAX_ENTRY,) * 4 for n in range(MAX_SYSTEMS)}
    for clocks in (one, many):
        text = encode_clocks(clocks)
        assert len(text) <= MAX_CLOCK_TEXT
        assert decode_clocks_untrusted(text) == clocks
    assert encode_carried(Carried("s" * 200, "n" * 200, "A" * MAX_CLOCK_TEXT)) == (
        "1/" + "s" * 200 + "/" + "n" * 200 + "/" + "A" * MAX_CLOCK_TEXT
    )


aligned = st.dictionaries(
    st.sampled_from([KEY, b"abcd", b"efgh"]), st.tuples(entries, entries, entries)
)


def at(clocks: Clocks, key: bytes, index: int) -> int:
    return clocks.get(key, (0, 0, 0))[index]


@given(aligned, aligned)
def test_merging_knows_what_either_knows(left: Clocks, right: Clocks) -> None:
    merged = merge_clocks(left, right)
    assert set(merged) == set(left) | set(right)
    for key in merged:
        for index in range(3):
            assert at(merged, key, index) == max(at(left, key, index), at(right, key, index))
    assert merge_texts(encode_clocks(left), encode_clocks(right)) == encode_clocks(merged)


def test_clocks_of_different_lengths_are_not_merged() -> None:
    left: VectorClock = (1, 2)
    with pytest.raises(MalformedMessage, match="2 and 3 entries for system 01020304"):
        merge_texts(encode_clocks({KEY: left}), encode_clocks({KEY: (1, 2, 3)}))


@given(names, names, sets_of_clocks)
def test_headers_come_back(sender: str, name: str, clocks: Clocks) -> None:
    carried = Carried(sender, name, encode_clocks(clocks))
    text = encode_carried(carried)
    assert text.isascii()
    assert decode_carried_untrusted(text) == carried


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1/SENDER/NAME/CLOCK"),
        ("2/a/b/", "1/SENDER/NAME/CLOCK"),
        ("3/a/b/", "version '3'"),
        ("1/a/b", "1/SENDER/NAME/CLOCK"),
        ("1//b/", "1/SENDER/NAME/CLOCK"),
        ("1/a/b/+", "1/SENDER/NAME/CLOCK"),
        ("1/a/b/AA\n", "1/SENDER/NAME/CLOCK"),
        ("1/a b/b/AA", "1/SENDER/NAME/CLOCK"),
        ("1/a/b/" + "A" * (MAX_CLOCK_TEXT + 1), "1/SENDER/NAME/CLOCK"),
        ("1/" * MAX_CARRIED_TEXT, "1/SENDER/NAME/CLOCK"),
    ],
)
def test_other_headers_are_refused(text: str, said: str) -> None:
    with pytest.raises(MalformedMessage) as raised:
        decode_carried_untrusted(text)
    assert said in str(raised.value)


@settings(max_examples=500)
@given(st.text(max_size=40) | st.builds("1/{}/{}/{}".format, names, names, st.text(max_size=9)))
def test_random_headers_raise_nothing_but_malformed_message(text: str) -> None:
    try:
        carried = decode_carried_untrusted(text)
    except MalformedMessage:
        return
    assert encode_carried(carried) == text
