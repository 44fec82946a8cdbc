"""Event hooks of httpx, with servers that are functions."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from choreomon.core.errors import AgentUnavailable
from choreomon.sdk.http_hooks import Peers, blocking_hooks, hooks
from tests.sdk.recording import AsyncRecording, BlockingRecording, OnlyOn


class Server:
    """Answers with `headers`, and remembers the requests."""

    def __init__(self, headers: dict[str, str] | None = None) -> None:
        self.requests: list[httpx.Request] = []
        self.headers = headers

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, headers=self.headers)


PEERS: list[Peers] = [
    {"warehouse:8000": "warehouse"},
    {"warehouse": "warehouse"},
    lambda request: "warehouse" if request.url.port == 8000 else None,
]


@pytest.mark.parametrize("peers", PEERS)
def test_requests_to_processes_are_events_and_carry_the_clock(peers: Peers) -> None:
    process, server = BlockingRecording(), Server()
    with httpx.Client(
        transport=httpx.MockTransport(server), event_hooks=blocking_hooks(process, peers)
    ) as client:
        client.post("http://warehouse:8000/reservations")
        client.get("http://elsewhere:1/")
    assert process.events == [("send", "warehouse", "POST.reservations")]
    there, elsewhere = server.requests
    assert there.headers["choreomon"] == "1/shop/POST.reservations/AAAA"
    assert "choreomon" not in elsewhere.headers


def test_responses_that_carry_a_clock_are_handled() -> None:
    process, server = BlockingRecording(), Server({"choreomon": "1/warehouse/reserved/BBBB"})
    with httpx.Client(
        transport=httpx.MockTransport(server), event_hooks=blocking_hooks(process, {})
    ) as client:
        client.get("http://warehouse/")
    assert process.events == [("handle", "warehouse", "reserved", "BBBB")]


def test_the_service_may_name_requests_and_leave_some_out() -> None:
    process, server = BlockingRecording(), Server()

    def name_of(request: Any) -> str | None:
        return "reserve" if request.method == "POST" else None

    with httpx.Client(
        transport=httpx.MockTransport(server),
        event_hooks=blocking_hooks(process, {"warehouse": "warehouse"}, name_of),
    ) as client:
        client.post("http://warehouse/")
        client.get("http://warehouse/")
    assert process.events == [("send", "warehouse", "reserve")]


@pytest.mark.asyncio
async def test_nothing_is_sent_while_the_agent_does_not_answer() -> None:
    process, server = AsyncRecording(), Server()
    process.away = True
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(server), event_hooks=hooks(process, {"a": "a"})
    ) as client:
        with pytest.raises(AgentUnavailable):
            await client.get("http://a/")
    assert server.requests == []


@pytest.mark.asyncio
async def test_what_is_switched_off_is_asked_once_a_message_and_nothing_else() -> None:
    process, server = OnlyOn(), Server({"choreomon": "1/warehouse/reserved/BBBB"})
    off: Any = process
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(server), event_hooks=hooks(off, {"a": "a"})
    ) as client:
        await client.get("http://a/")
    with httpx.Client(
        transport=httpx.MockTransport(server), event_hooks=blocking_hooks(off, {"a": "a"})
    ) as blocking:
        blocking.get("http://a/")
    assert process.asked == 4
    assert all("choreomon" not in request.headers for request in server.requests)
