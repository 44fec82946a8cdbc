"""What travels with messages, on carriers of all kinds."""

from __future__ import annotations

from email.message import Message
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.errors import MalformedMessage
from choreomon.formats.clock_text import Carried
from choreomon.sdk.carriers import (
    Carrying,
    extract_baggage_untrusted,
    extract_untrusted,
    header,
    inject,
    inject_baggage,
)
from choreomon.sdk.process import NOTHING

CARRIED = Carried("shop", "parcel", "AQIDBAEB")
TEXT = "1/shop/parcel/AQIDBAEB"


@pytest.mark.parametrize(
    ("carrier", "expected"),
    [
        ({}, {"choreomon": TEXT}),
        ({"Choreomon": "old", "x": "y"}, {"x": "y", "choreomon": TEXT}),
        ([], [(b"choreomon", TEXT.encode())]),
        (
            [(b"x", b"y"), (b"CHOREOMON", b"old")],
            [(b"x", b"y"), (b"choreomon", TEXT.encode())],
        ),
        ([("x", b"y")], [("x", b"y"), ("choreomon", TEXT.encode())]),
        ([("x", "y")], [("x", "y"), ("choreomon", TEXT)]),
    ],
)
def test_headers_are_written_as_the_carrier_has_them(carrier: Any, expected: Any) -> None:
    inject(carrier, CARRIED)
    assert carrier == expected
    assert extract_untrusted(carrier) == CARRIED


def test_headers_of_http_clients_are_carriers() -> None:
    headers = httpx.Headers({"Accept": "*/*", "CHOREOMON": "old"})
    inject(headers, CARRIED)
    assert headers["choreomon"] == TEXT
    assert len(headers) == 2
    assert extract_untrusted(headers) == CARRIED


def test_headers_of_the_servers_of_the_standard_library_can_be_read() -> None:
    headers = Message()  # as of `http.server`: no mapping, and its iterator gives names alone
    headers["Host"] = "shop:80"
    headers["CHOREOMON"] = TEXT
    assert extract_untrusted(headers) == CARRIED
    assert Carrying().extract(Message()) is None


@pytest.mark.parametrize(
    "carrier",
    [
        {"ChoreoMon": TEXT},
        {"choreomon": TEXT.encode()},
        {b"choreomon": TEXT.encode()},
        {"choreomon": [TEXT]},
        ((b"Choreomon", TEXT.encode()),),
        iter([["other", None], ["choreomon", TEXT]]),
        [("choreomon", TEXT), ("choreomon", "1/late/x/")],
    ],
)
def test_headers_are_found_however_they_are_written(carrier: Any) -> None:
    assert extract_untrusted(carrier) == CARRIED


@pytest.mark.parametrize("carrier", [None, {}, [], {"other": TEXT}, {"choreomon": []}, {3: TEXT}])
def test_no_header_is_nothing(carrier: Any) -> None:
    assert extract_untrusted(carrier) is None
    assert Carrying().extract(carrier) is None


@pytest.mark.parametrize("value", ["", "rubbish", b"\xff\xfe", 17, None, "1/a/b/AA, 1/a/b/AA"])
def test_headers_that_cannot_be_read_are_counted_and_disturb_nobody(value: Any) -> None:
    with pytest.raises(MalformedMessage):
        extract_untrusted({"choreomon": value})
    process = Carrying()
    assert process.extract({"choreomon": value}) is None
    assert process.malformed == 1


def test_a_process_that_is_not_monitored_writes_no_header() -> None:
    carrier: dict[str, str] = {}
    inject(carrier, NOTHING)
    inject_baggage(carrier, NOTHING)
    assert carrier == {}


def test_other_transports_get_name_and_value() -> None:
    assert header(CARRIED) == ("choreomon", TEXT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, f"choreomon={TEXT}"),
        ({"Baggage": "a=1;p=x, b=%20"}, f"a=1;p=x,b=%20,choreomon={TEXT}"),
        ({"baggage": "choreomon=1/old/x/,a=1"}, f"a=1,choreomon={TEXT}"),
        ({"baggage": " choreomon = 1/old/x/ ;p , choreomons=1,"}, f"choreomons=1,choreomon={TEXT}"),
    ],
)
def test_baggage_of_others_stays(before: dict[str, str], after: str) -> None:
    inject_baggage(before, CARRIED)
    assert before == {"baggage": after}
    assert extract_baggage_untrusted(before) == CARRIED


def test_several_baggage_headers_become_one() -> None:
    carrier = [(b"baggage", b"a=1"), (b"x", b"y"), (b"Baggage", b"b=2")]
    inject_baggage(carrier, CARRIED)
    assert carrier == [(b"x", b"y"), (b"baggage", f"a=1,b=2,choreomon={TEXT}".encode())]


@pytest.mark.parametrize(
    "value",
    [
        f"choreomon={TEXT}",
        f"a=1, choreomon = {TEXT} ;p=1,b=2",
        "choreomon=1%2Fshop%2Fparcel%2FAQIDBAEB",
    ],
)
def test_baggage_is_read_as_other_propagators_write_it(value: str) -> None:
    assert Carrying().extract_baggage({"baggage": value}) == CARRIED


@pytest.mark.parametrize("value", ["choreomon", "choreomon=", "choreomon=%ff", "choreomon=1/a"])
def test_baggage_that_cannot_be_read_is_counted(value: str) -> None:
    process = Carrying()
    assert process.extract_baggage({"baggage": value}) is None
    assert process.malformed == 1


@given(st.dictionaries(st.sampled_from(["choreomon", "baggage", "x"]), st.text() | st.binary()))
def test_no_header_raises_anything_else(carrier: dict[str, Any]) -> None:
    process = Carrying()
    process.extract(carrier)
    process.extract_baggage(carrier)


others = st.lists(
    st.builds("{}={}".format, st.sampled_from("abc"), st.text("0123456789;", max_size=4)),
    max_size=4,
)


@given(others)
def test_every_baggage_keeps_its_members_and_carries_ours(members: list[str]) -> None:
    carrier = {"baggage": ",".join(members)}
    inject_baggage(carrier, CARRIED)
    assert carrier["baggage"].split(",")[:-1] == members
    assert extract_baggage_untrusted(carrier) == CARRIED
