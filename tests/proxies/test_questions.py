"""What proxies ask, and what requests are called: each way in which a proxy says it, and what none
says."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.proxies import Route
from choreomon.core.message import HANDLE, SEND
from choreomon.proxies.questions import NoQuestion, Question, peer_of, question

FORWARDED = {
    "host": "127.0.0.1:8831",
    "x-forwarded-method": "POST",
    "x-forwarded-host": "Billing:80",
    "x-forwarded-uri": "/off/?why=tired",
}


def test_nginx_caddy_and_traefik_say_the_request_in_headers() -> None:
    asked = question("GET", "/sending", FORWARDED)
    assert asked == Question(SEND, "POST", "billing:80", "/off/")
    assert question("GET", "/handling", FORWARDED).kind == HANDLE


def test_envoy_says_it_as_its_own_request() -> None:
    asked = question("POST", "/sending/off?why=tired", {"host": "billing"})
    assert asked == Question(SEND, "POST", "billing", "/off")
    assert question("GET", "/handling/", {}) == Question(HANDLE, "GET", "", "/")


def test_headers_that_a_client_wrote_change_nothing_behind_envoy() -> None:
    asked = question("POST", "/sending/off", {**FORWARDED, "host": "billing"})
    assert asked == Question(SEND, "POST", "billing", "/off")


@pytest.mark.parametrize("missing", ["method", "host", "uri"])
def test_a_question_that_lacks_a_header_says_which(missing: str) -> None:
    headers = {**FORWARDED, f"x-forwarded-{missing}": ""}
    with pytest.raises(NoQuestion, match=f"needs x-forwarded-{missing} of") as refused:
        question("GET", "/sending", headers)
    assert refused.value.status == 400


@pytest.mark.parametrize("target", ["/", "/send", "/sendings", "/handlingx/y", "*", ""])
def test_what_is_asked_elsewhere_is_told_where_to_ask(target: str) -> None:
    with pytest.raises(NoQuestion, match="ask at /sending and /handling") as refused:
        question("GET", target, FORWARDED)
    assert refused.value.status == 404


@given(st.text(max_size=40), st.text(max_size=40), st.dictionaries(st.text(), st.text()))
def test_whatever_is_asked_it_is_a_question_or_none(
    method: str, target: str, headers: dict[str, str]
) -> None:
    with suppress(NoQuestion):
        assert question(method, target, headers).kind in (SEND, HANDLE)


def test_a_host_with_its_port_counts_more_than_without() -> None:
    peers = {"shop:81": "admin", "shop": "shop"}
    hosts = ["shop:81", "shop:80", "shop", "other:81", ""]
    assert [peer_of(peers, host) for host in hosts] == ["admin", "shop", "shop", None, None]


# Routes


def test_a_word_in_braces_is_a_value() -> None:
    route = Route("/orders/{order}/cancel", "cancel")
    assert route.values("POST", "/orders/A%2F7/cancel/", {}) == {"order": "A/7"}
    for other in ("/orders/cancel", "/orders/1/2/cancel", "/orders/1/keep", "/", ""):
        assert route.values("POST", other, {}) is None


def test_a_route_is_of_one_method_where_it_says_so() -> None:
    route = Route("/off", "off", "POST")
    assert route.values("POST", "/off", {}) == {}
    assert route.values("GET", "/off", {}) is None


def test_values_come_from_headers_too_where_they_are_there() -> None:
    route = Route("/{order}", "pay", parameters={"tenant": "X-Tenant"})
    assert route.values("POST", "/7", {"x-tenant": "t1"}) == {"order": "7", "tenant": "t1"}
    assert route.values("POST", "/7", {}) == {"order": "7"}


def test_a_path_may_be_escaped_where_its_route_is_not() -> None:
    assert Route("/off", "off").values("POST", "/%6Fff", {}) == {}
    assert Route("/%6Fff", "off").values("POST", "/%6Fff", {}) == {}
