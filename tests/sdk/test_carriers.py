"""What travels with messages, on carriers of all kinds."""

from __future__ import annotations

from collections.abc import ItemsView
from email.message import Message
from typing import Any, NamedTuple
from wsgiref.util import setup_testing_defaults

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.clocks.text import Carried
from choreomon.core.errors import MalformedMessage
from choreomon.sdk.carriers import (
    Carrying,
    extract_baggage_untrusted,
    extract_untrusted,
    grpc_metadata,
    header,
    inject,
    inject_baggage,
    kafka_headers,
    wsgi_headers,
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


OTHERS: list[Any] = [
    [("a", b"1"), ("CHOREOMON", b"old")],
    (("a", b"1"), ("choreomon", b"old")),
    {"a": b"1", "Choreomon": b"old"},
    iter([("a", b"1")]),
]
"""What may stand beside the header, and an old one."""


@pytest.mark.parametrize("headers", OTHERS)
def test_clients_of_kafka_take_a_list_of_names_and_bytes(headers: Any) -> None:
    made = kafka_headers(CARRIED, headers)
    assert made == [("a", b"1"), ("choreomon", TEXT.encode())]
    assert extract_untrusted(made) == extract_untrusted(tuple(made)) == CARRIED


def test_without_other_headers_names_are_text_all_the_same() -> None:
    assert kafka_headers(CARRIED) == kafka_headers(CARRIED, []) == [("choreomon", TEXT.encode())]
    assert grpc_metadata(CARRIED) == grpc_metadata(CARRIED, ()) == (("choreomon", TEXT),)
    assert wsgi_headers(CARRIED) == wsgi_headers(CARRIED, []) == [("choreomon", TEXT)]


def test_calls_of_grpc_take_a_tuple_and_servers_give_named_ones() -> None:
    class Metadatum(NamedTuple):  # as of `invocation_metadata`
        key: str
        value: str | bytes

    given = (Metadatum("trace-bin", b"\0"), Metadatum("choreomon", "old"))
    made = grpc_metadata(CARRIED, given)
    assert made == (("trace-bin", b"\0"), ("choreomon", TEXT))
    assert extract_untrusted(tuple(Metadatum(*pair) for pair in made)) == CARRIED


def test_metadata_of_asynchronous_grpc_is_read_and_added_to() -> None:
    class Metadata:  # as of `grpc.aio`: names may come twice, and its items have lists
        def __init__(self, *pairs: tuple[str, str]) -> None:
            self.lists: dict[str, list[str]] = {}
            for name, value in pairs:
                self.lists.setdefault(name, []).append(value)

        def items(self) -> ItemsView[str, list[str]]:
            return self.lists.items()

    made = grpc_metadata(CARRIED, Metadata(("a", "1"), ("a", "2")))
    assert made == (("a", "1"), ("a", "2"), ("choreomon", TEXT))
    assert extract_untrusted(Metadata(*made)) == CARRIED


def test_responses_of_wsgi_have_a_list_of_text() -> None:
    made = wsgi_headers(CARRIED, [("Content-Type", "text/plain"), ("Choreomon", "old")])
    assert made == [("Content-Type", "text/plain"), ("choreomon", TEXT)]
    assert all(type(text) is str for pair in made for text in pair)


@pytest.mark.parametrize(
    ("made", "nothing"),
    [(kafka_headers, []), (grpc_metadata, ()), (wsgi_headers, [])],
)
def test_a_process_that_is_not_monitored_adds_nothing(made: Any, nothing: Any) -> None:
    assert made(NOTHING) == nothing
    assert list(made(NOTHING, [("a", "1")])) == [("a", "1")]


def environment(**variables: str) -> dict[str, Any]:
    """As of a server of WSGI, which may have the variables of its process in it."""
    made: dict[str, Any] = {"CHOREOMON": "/run/choreomon/agent.sock", **variables}
    setup_testing_defaults(made)
    return made


def test_the_environment_of_wsgi_is_read() -> None:
    assert extract_untrusted(environment(HTTP_CHOREOMON=TEXT)) == CARRIED
    baggage = environment(HTTP_BAGGAGE=f"a=1,choreomon={TEXT}")
    assert extract_baggage_untrusted(baggage) == CARRIED


def test_a_variable_of_the_process_is_no_header() -> None:
    assert extract_untrusted(environment()) is None
    process = Carrying()
    process.extract(environment(HTTP_CHOREOMON="rubbish"))
    assert process.malformed == 1


@pytest.mark.parametrize("version", ["(1, 0)", "1", ["1", "0"], (1, "0")])
def test_a_header_that_is_called_as_in_wsgi_is_another_one(version: Any) -> None:
    """Whoever strips `choreomon` at the edge must not be gone round by it."""
    carrier = {"wsgi.version": version, "HTTP_CHOREOMON": TEXT}
    assert extract_untrusted(carrier) is None
    assert extract_untrusted([(b"http_choreomon", TEXT.encode())]) is None


@pytest.mark.parametrize("carrier", [(), (("a", "1"),), None])
def test_what_cannot_be_changed_is_told_with_what_to_use(carrier: Any) -> None:
    with pytest.raises(TypeError, match="`kafka_headers`, `grpc_metadata` or `wsgi_headers`"):
        inject(carrier, CARRIED)
    inject(carrier, NOTHING)


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
        [("choreomon", TEXT), ("Choreomon", TEXT)],
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
