"""The middleware, with applications and servers that are functions."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from choreomon.sdk.asgi import Application, Message, MonitoringMiddleware, Receive, Scope, Send
from choreomon.sdk.complaints import checked_name
from choreomon.sdk.http_hooks import hooks
from choreomon.sdk.http_names import request_name
from choreomon.sdk.process import OFF, Process
from tests.sdk.recording import AsyncRecording, OnlyOn

pytestmark = pytest.mark.asyncio


class Answering:
    """An application that answers 200, and remembers its scopes."""

    def __init__(self, process: AsyncRecording | None = None) -> None:
        self.scopes: list[Scope] = []
        self.process = process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        if self.process is not None:
            self.process.note("application")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b"done"})


async def asked(
    app: Application, headers: dict[str, str] | None = None, path: str = "/orders/new"
) -> httpx.Response:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        return await client.post(path, headers=headers)


async def test_a_request_is_handled_before_the_application_sees_it() -> None:
    process = AsyncRecording()
    app = MonitoringMiddleware(Answering(process), process)
    response = await asked(app, {"choreomon": "1/customer/order/AAAA"})
    assert response.text == "done"
    assert process.events == [("handle", "customer", "order", "AAAA"), ("application",)]
    assert "choreomon" not in response.headers


async def test_a_request_without_a_clock_comes_from_outside() -> None:
    process = AsyncRecording()
    await asked(MonitoringMiddleware(Answering(), process))
    assert process.events == [("handle", "env", "POST.orders.new")]


async def test_the_server_may_name_requests() -> None:
    process = AsyncRecording()

    def name_of(scope: Scope) -> str | None:
        return "order" if scope["path"] == "/orders/new" else None

    app = MonitoringMiddleware(Answering(), process, name_of=name_of)
    await asked(app, {"choreomon": "1/customer/whatever/AAAA"})
    await asked(app, {"choreomon": "1/customer/whatever/AAAA"}, "/other")
    await asked(app)
    assert process.events == [
        ("handle", "customer", "order", "AAAA"),
        ("handle", "customer", "whatever", "AAAA"),
        ("handle", "env", "order"),
    ]


async def test_responses_are_messages_back_where_they_are_named() -> None:
    process = AsyncRecording()
    app = MonitoringMiddleware(
        Answering(), process, answer_of=lambda scope, status: f"answer-{status}"
    )
    response = await asked(app, {"choreomon": "1/customer/order/AAAA"})
    assert process.events[1:] == [("send", "customer", "answer-200")]
    assert response.headers["choreomon"] == "1/shop/answer-200/AAAA"
    assert response.headers["a"] == "b"
    assert "choreomon" not in (await asked(app)).headers


async def test_responses_without_a_name_are_none() -> None:
    process = AsyncRecording()
    app = MonitoringMiddleware(Answering(), process, answer_of=lambda scope, status: None)
    response = await asked(app, {"choreomon": "1/customer/order/AAAA"})
    assert len(process.events) == 1
    assert "choreomon" not in response.headers


async def test_the_application_finds_its_process() -> None:
    process = AsyncRecording()
    app = Answering()
    await asked(MonitoringMiddleware(app, process))
    assert app.scopes[0]["choreomon"] is process


async def test_while_the_agent_does_not_answer_requests_are_refused() -> None:
    process = AsyncRecording()
    process.away = True
    app = Answering()
    response = await asked(MonitoringMiddleware(app, process))
    assert response.status_code == 503
    assert app.scopes == []


async def test_what_is_switched_off_is_asked_once_and_nothing_else() -> None:
    process = OnlyOn()
    off: Any = process
    app = MonitoringMiddleware(Answering(), off, answer_of=lambda scope, status: "x")
    response = await asked(app, {"choreomon": "1/customer/order/AAAA"})
    assert response.text == "done"
    assert process.asked == 1


async def served(app: Application, messages: list[Message]) -> None:
    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        pass

    await app({"type": "lifespan"}, receive, send)


async def test_the_process_lives_as_long_as_the_server() -> None:
    made: list[AsyncRecording] = []
    inside: list[int] = []

    async def connected() -> Process:
        made.append(AsyncRecording())
        return made[-1]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "lifespan.startup"
        inside.append(len(made))
        assert (await receive())["type"] == "lifespan.shutdown"
        inside.append(made[0].closed)

    await served(
        MonitoringMiddleware(app, connected),
        [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}],
    )
    assert inside == [1, True]


async def test_without_a_lifespan_the_first_request_connects_once() -> None:
    made: list[AsyncRecording] = []

    async def connected() -> Process:
        made.append(AsyncRecording())
        await asyncio.sleep(0)
        return made[-1]

    app = MonitoringMiddleware(Answering(), connected)
    await asyncio.gather(asked(app), asked(app), asked(app))
    assert [len(process.events) for process in made] == [3]


async def test_an_application_may_run_without_a_monitor() -> None:
    async def connected() -> Process:
        return OFF

    assert (await asked(MonitoringMiddleware(Answering(), connected))).text == "done"


async def test_two_services_pass_the_clock_there_and_back() -> None:
    """The client's hooks and the server's middleware."""
    shop, warehouse = AsyncRecording(), AsyncRecording()
    warehouse.name = "warehouse"
    app = MonitoringMiddleware(Answering(), warehouse, answer_of=lambda scope, status: "reserved")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        event_hooks=hooks(shop, {"warehouse": "warehouse"}, lambda request: "reserve"),
    ) as client:
        await client.post("http://warehouse/reservations")
    assert shop.events == [
        ("send", "warehouse", "reserve"),
        ("handle", "warehouse", "reserved", "AAAA"),
    ]
    assert warehouse.events == [
        ("handle", "shop", "reserve", "AAAA"),
        ("send", "shop", "reserved"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/orders/new", "POST.orders.new"),
        ("GET", "/", "GET"),
        ("GET", "//a b/ü/", "GET.a_b._"),
        ("GET", "/" + "x" * 300, "GET." + "x" * 196),
        ("-", "/" + "x" * 300, "_-." + "x" * 197),
        (".GET", "/", "_.GET"),
        ("", "/x", "_.x"),
    ],
)
async def test_requests_have_names_of_the_documented_form(
    method: str, path: str, expected: str
) -> None:
    assert request_name(method, path) == expected
    assert checked_name(expected) == expected
