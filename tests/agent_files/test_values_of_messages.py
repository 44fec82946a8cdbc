"""Values of messages: which are taken, and the digests that others see of them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.digests import DIGEST_BYTES, digest
from choreomon.agent_files.values import checked_values
from choreomon.core.binding import MAX_VALUE, checked_value

KEY, OTHER = bytes(16), bytes(range(16))
CARRIED = ("tenant", "order")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "send refund carries tenant, order: give it tenant=..., order=..."),
        ({"order": "7"}, "give it tenant=..."),
        ({"tenant": "t", "order": ""}, "order should have 1 to 256 bytes of UTF-8, and has 0"),
        ({"tenant": "t", "order": "é" * 129}, "1 to 256 bytes of UTF-8, and has 258"),
        ({"tenant": "t", "order": "\ud800"}, "text that can be written in UTF-8"),
        ({"tenant": "t", "order": 10**5000}, "order should"),
        ({"tenant": "t", "order": 1.5}, "a string or an integer, not a float: 1.5"),
        ({"tenant": "t", "order": True}, "not a bool"),
        ({"tenant": "t", "order": None}, "not a NoneType"),
        ({"tenant": "t", "order": b"7"}, "not a bytes"),
    ],
)
def test_what_is_no_value_or_missing_is_told_with_what_would_be_right(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=r"carries|takes values|should") as raised:
        checked_values(given, CARRIED, "send refund")
    assert said in str(raised.value)


def test_values_that_are_not_asked_for_are_not_looked_at() -> None:
    assert checked_values({}, (), "send resume") == {}
    assert checked_values({"size": 1.5}, (), "send resume") == {}  # type: ignore[dict-item]
    assert checked_values({"order": 1, "size": ""}, ("order",), "") == {"order": "1"}


def test_values_are_in_the_order_of_the_label_and_integers_in_decimals() -> None:
    checked = checked_values({"order": -17, "tenant": "t1"}, CARRIED, "")
    assert [*checked.items()] == [("tenant", "t1"), ("order", "-17")]


@given(st.text(min_size=1, max_size=MAX_VALUE))
def test_every_text_of_so_many_bytes_is_a_value(text: str) -> None:
    try:
        fits = len(text.encode()) <= MAX_VALUE
    except UnicodeEncodeError:
        fits = False
    if fits:
        assert checked_value(text, "order") == text
    else:
        with pytest.raises(ValueError, match="order should"):
            checked_value(text, "order")


def test_a_digest_is_blake2b_of_name_and_value_with_the_key_of_the_split() -> None:
    told = blake2b(b"order\0A-17", digest_size=DIGEST_BYTES, key=OTHER).hexdigest()
    assert digest(OTHER, "order", "A-17") == told
    assert len({digest(KEY, "order", "7"), digest(OTHER, "order", "7")}) == 2


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_equal_digests_are_of_equal_parameters_and_values(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    names = {"a": "tenant", "b": "order"}
    first, second = [(names.get(name, "tenant"), value) for name, value in (one, other)]
    try:
        digests = [digest(KEY, *each) for each in (first, second)]
    except UnicodeEncodeError:
        return  # no values
    assert (digests[0] == digests[1]) is (first == second)
