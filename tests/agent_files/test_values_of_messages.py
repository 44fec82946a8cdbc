"""Values of messages: which are taken, and the digests that others see of them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.digests import DIGEST_BYTES, digest
from choreomon.agent_files.values import (
    TRACE,
    TRACEPARENT,
    checked_values,
    told_values,
    trace_id,
    without_trace,
)
from choreomon.core.binding import MAX_VALUE, checked_value

KEY, OTHER = bytes(16), bytes(range(16))
CARRIED = ("tenant", "order")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "send refund carries tenant, order: give it tenant=..., order=..."),
        ({"order": "7"}, "give it tenant=..."),
        ({"order": "7", "tennant": "t"}, "give it tenant=... instead of tennant="),
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


TRACED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TRACED, True),
        (TRACED[:-2] + "00", True),
        ("cc" + TRACED[2:], True),
        ("cc" + TRACED[2:] + "-what-the-future-will-be", True),
        (TRACED + "-what-the-future-will-be", False),
        ("cc" + TRACED[2:] + ".", False),
        ("ff" + TRACED[2:], False),
        (TRACED.upper(), False),
        (TRACED[:3] + "0" * 32 + TRACED[35:], False),
        (TRACED[:36] + "0" * 16 + TRACED[52:], False),
        (TRACED[3:35], False),
        (TRACED + "\n", False),
        ("", False),
        (17, False),
        (None, False),
        (["00"], False),
    ],
)
def test_a_trace_is_read_as_w3c_trace_context_has_it(text: Any, found: bool) -> None:
    assert trace_id({TRACEPARENT: text}) == (TRACED[3:35] if found else "")


@given(st.text("0123456789abcdefAF-", max_size=60) | st.from_regex(r"[0-9a-f]{2}(-[0-9a-f]+){3}"))
def test_no_trace_is_read_that_opentelemetry_does_not_read(text: str) -> None:
    """It also reads what is longer, or has other letters; ids are the same."""
    propagation = pytest.importorskip("opentelemetry.trace.propagation.tracecontext")
    trace = pytest.importorskip("opentelemetry.trace")
    context = propagation.TraceContextTextMapPropagator().extract({"traceparent": text})
    read = trace.get_current_span(context).get_span_context().trace_id
    assert trace_id({TRACEPARENT: text}) in ("", f"{read:032x}")


def test_an_agent_is_told_of_the_trace_only_with_events_that_it_has() -> None:
    given = {TRACEPARENT: TRACED, "order": 7, "more": "x"}
    assert told_values(given, (), "send a") == {TRACEPARENT: TRACED}
    assert told_values(given, ("order",), "send a") == {TRACEPARENT: TRACED, "order": "7"}
    assert told_values({TRACEPARENT: "x"}, (), "send a") == {}
    assert told_values({TRACEPARENT: "x"}, (TRACEPARENT,), "send a") == {TRACEPARENT: "x"}


def test_what_was_said_of_an_event_is_its_values_and_its_trace() -> None:
    said = (("order", "7"), (TRACE, TRACED[3:35]))
    assert without_trace(said) == (said[:1], TRACED[3:35])
    assert without_trace(said[:1]) == (said[:1], "")
