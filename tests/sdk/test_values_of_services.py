"""Values that a service says with its events: checked before anything happens, kept as long as the
event is not told, and asked of every way to tell of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.local import (
    VERSION_WITH_VALUES,
    Clock,
    FrameSplitter,
    Gap,
    Refused,
    Report,
    decode_client_untrusted,
)
from choreomon.sdk.asgi import MonitoringMiddleware
from choreomon.sdk.asynchronous import connect
from choreomon.sdk.blocking import connect as connect_blocking
from choreomon.sdk.http_hooks import blocking_hooks, hooks
from choreomon.sdk.mentioned import mentioned
from choreomon.sdk.process import BLOCKING_OFF, OFF
from choreomon.sdk.session import OPEN, Session
from choreomon.sdk.zeromq import BlockingMonitoredSocket, MonitoredSocket
from tests.sdk.fake_agent import fake_agent
from tests.sdk.recording import AsyncRecording, BlockingRecording
from tests.sdk.test_blocking import threaded_agent
from tests.sdk.test_session import WELCOME, said, text
from tests.sdk.test_zeromq import Awaited, Plain
from tests.sdk.virtual_time import in_virtual_time

LABELS = (
    "shop -> bank : refund(tenant, order)",
    "shop -> bank : resume",
    "handle customer -> shop : order(order)",
    "handle env -> shop : start(order)",
)
OF_INSTANCES = msgspec.structs.replace(WELCOME, labels=LABELS, version=VERSION_WITH_VALUES)
VALUES = {"tenant": "t1", "order": 17}
TEXTS = {"tenant": "t1", "order": "17"}


def opened(**options: Any) -> Session:
    session = Session(policy=options.pop("policy", "block"), **options)
    session.opened(0.0)
    session.receive(OF_INSTANCES, 0.0)
    session.output()
    return session


def again(session: Session, now: float, **changed: object) -> list[Any]:
    session.opened(now)
    session.output()
    session.receive(msgspec.structs.replace(OF_INSTANCES, **changed), now)
    return said(session)


# --- sessions -----------------------------------------------------------------------


def test_values_are_reported_with_the_event() -> None:
    session = opened()
    session.event("send", "bank", "refund", "", 0.0, VALUES)
    session.event("handle", "customer", "order", text(0, 4), 0.0, {"order": "A-17"})
    assert said(session) == [
        Report(1, 0, "send", "bank", "refund", values={**TEXTS}),
        Report(2, 0, "handle", "customer", "order", text(0, 4), {"order": "A-17"}),
    ]


@pytest.mark.parametrize(
    ("event", "values"),
    [
        (("send", "bank", "refund"), {}),
        (("send", "bank", "refund"), {"order": 1}),
        (("send", "bank", "refund"), {**VALUES, "order": ""}),
        (("send", "bank", "refund"), {**VALUES, "order": 1.5}),
        (("handle", "customer", "order"), {}),
    ],
)
def test_of_an_event_with_wrong_values_nothing_has_happened(event: Any, values: Any) -> None:
    session = opened()
    before = session.clock()
    with pytest.raises(ValueError, match=r"takes values|carries|should"):
        session.event(*event, text(0, 9), 0.0, values)
    assert said(session) == []
    assert session.clock() == before
    assert session.idle
    session.event("send", "bank", "resume", "", 0.0)
    (told,) = said(session)
    assert (told.number, told.heard) == (1, "")


def test_values_that_no_property_asks_for_are_not_looked_at() -> None:
    session = opened()
    session.event("send", "bank", "resume", "", 0.0, {"order": 1.5})  # type: ignore[dict-item]
    session.event("send", "bank", "refund", "", 0.0, {**VALUES, "size": 1.5})  # type: ignore[dict-item]
    assert [each.given for each in said(session) if isinstance(each, Report)] == [{}, TEXTS]
    assert session.event("send", "bank", "other", "", 0.0, {"size": 1.5}) is None  # type: ignore[dict-item]
    assert said(session) == []


def test_what_left_without_an_answer_keeps_its_values() -> None:
    session = opened(policy="buffer", buffer=10)
    session.broken()
    session.expire(1000.0)
    session.event("send", "bank", "refund", "", 1000.0, VALUES)
    told = [each for each in again(session, 1001.0) if isinstance(each, Report)]
    assert [each.given for each in told] == [TEXTS]


def test_where_more_values_are_wanted_than_were_said_the_event_is_lost_and_who_waits_goes_on() -> (
    None
):
    session = opened()
    ticket = session.event("handle", "customer", "order", "", 0.0, {"order": 1})
    session.receive(Refused(1, "malformed", "it carries tenant"), 0.0)
    assert session.lost == 1
    session.opened(1.0)
    session.receive(msgspec.structs.replace(OF_INSTANCES, session="s2"), 1.0)
    told = said(session)
    assert session.phase == OPEN
    gaps = [each for each in told if isinstance(each, Gap)]
    if gaps:
        session.receive(Clock(gaps[0].number, text(1, 0)), 1.0)
    assert session.settled() == [ticket]


def test_events_are_mentioned_with_what_they_carry() -> None:
    assert mentioned((*LABELS, "a label of a later kind [order]")) == {
        ("send", "bank", "refund"): ("tenant", "order"),
        ("send", "bank", "resume"): (),
        ("handle", "customer", "order"): ("order",),
        ("handle", "env", "start"): ("order",),
    }


# --- every way to tell of an event --------------------------------------------------


@in_virtual_time
async def test_on_asyncio(tmp_path: Path) -> None:
    async with fake_agent(tmp_path / "a.sock") as agent:
        agent.model.labels = LABELS
        async with await connect(agent.address) as process:
            with pytest.raises(ValueError, match="give it tenant"):
                await process.sending("bank", "refund")
            with pytest.raises(ValueError, match="order"):
                await process.handling(Carried("customer", "order"))
            await process.sending("bank", "refund", **VALUES)
            await process.handling(Carried("customer", "order"), order="A-17")
            await process.handling_from_outside("start", order="A-18")
            assert agent.taken == ["refund", "order", "start"]
            assert agent.model.values == [TEXTS, {"order": "A-17"}, {"order": "A-18"}]


def test_in_threads(tmp_path: Path) -> None:
    with threaded_agent(tmp_path / "a.sock") as agent:
        agent.do(lambda: setattr(agent.agent.model, "labels", LABELS))
        process = connect_blocking(agent.agent.address, deadline=300.0)
        with pytest.raises(ValueError, match="give it tenant"):
            process.sending("bank", "refund")
        process.sending("bank", "refund", **VALUES)
        process.handling(Carried("customer", "order"), order="A-17")
        process.handling_from_outside("start", order="A-18")
        process.close()
        assert agent.taken == ["refund", "order", "start"]
        assert agent.agent.model.values == [TEXTS, {"order": "A-17"}, {"order": "A-18"}]


@pytest.mark.asyncio
async def test_of_what_is_not_monitored_values_are_not_looked_at() -> None:
    assert (await OFF.sending("bank", "refund", order=1.5)).sender == ""  # type: ignore[arg-type]
    await OFF.handling(Carried("customer", "order"), order="A-17")
    await OFF.handling_from_outside("start", to="a parameter may be called so", name="or so")
    assert BLOCKING_OFF.sending("bank", "refund", order="A-17").sender == ""
    BLOCKING_OFF.handling(Carried("customer", "order"), carried="and so")
    BLOCKING_OFF.handling_from_outside("start", order="A-17")


def order_of(headers: Any) -> dict[str, str]:
    return {"order": headers["x-order"]}


@pytest.mark.asyncio
async def test_of_requests_and_responses_a_function_says_the_values() -> None:
    def answered(request: httpx.Request) -> httpx.Response:
        headers = {"choreomon": "1/warehouse/reserved/BBBB", "x-order": "A-18"}
        return httpx.Response(200, headers=headers)

    expected = [
        ("send", "warehouse", "reserve", "order=A-17"),
        ("handle", "warehouse", "reserved", "BBBB", "order=A-18"),
    ]
    told = {
        "values_of": lambda request: order_of(request.headers),
        "answer_values_of": lambda response: order_of(response.headers),
    }
    transport = httpx.MockTransport(answered)
    blocking, peers = BlockingRecording(), {"warehouse": "warehouse"}
    with httpx.Client(
        transport=transport,
        event_hooks=blocking_hooks(blocking, peers, lambda request: "reserve", **told),
    ) as client:
        client.get("http://warehouse/", headers={"x-order": "A-17"})
    assert blocking.events == expected
    process = AsyncRecording()
    async with httpx.AsyncClient(
        transport=transport, event_hooks=hooks(process, peers, lambda request: "reserve", **told)
    ) as other:
        await other.get("http://warehouse/", headers={"x-order": "A-17"})
    assert process.events == expected


@pytest.mark.asyncio
async def test_of_requests_to_a_web_application_a_function_says_the_values() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    process = AsyncRecording()
    app = MonitoringMiddleware(
        application,
        process,
        answer_of=lambda scope, status: "answered",
        values_of=lambda scope: {"order": scope["path"].rpartition("/")[2]},
        answer_values_of=lambda scope, status: {"status": status},
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        await client.get("/orders/A-17")
        await client.get("/orders/A-18", headers={"choreomon": "1/customer/order/AAAA"})
    assert process.events == [
        ("handle", "env", "GET.orders.A-17", "order=A-17"),
        ("handle", "customer", "order", "AAAA", "order=A-18"),
        ("send", "customer", "answered", "status=200"),
    ]


@pytest.mark.asyncio
async def test_of_messages_of_zeromq_the_sender_says_the_values_and_a_function_those_received() -> (
    None
):
    def values_of(frames: list[bytes]) -> dict[str, str]:
        return {"order": frames[-1].decode()}

    expected = [
        ("send", "warehouse", "reserve", "order=A-17"),
        ("handle", "shop", "reserve", "AAAA", "order=A-17"),
        ("handle", "env", "outside", "order=A-18"),
    ]
    blocking = BlockingRecording()
    plain = Plain()
    socket = BlockingMonitoredSocket(plain, blocking, lambda frames: "outside", values_of)
    socket.send_multipart([b"A-17"], to="warehouse", name="reserve", values={"order": "A-17"})
    plain.messages.append([b"A-18"])
    assert [socket.recv_multipart() for _ in range(2)] == [[b"A-17"], [b"A-18"]]
    assert blocking.events == expected
    process, awaited = AsyncRecording(), Awaited()
    other = MonitoredSocket(awaited, process, lambda frames: "outside", values_of)
    await other.send_multipart([b"A-17"], to="warehouse", name="reserve", values={"order": "A-17"})
    awaited.messages.append([b"A-18"])
    assert [await other.recv_multipart() for _ in range(2)] == [[b"A-17"], [b"A-18"]]
    assert process.events == expected


def test_what_a_session_writes_can_be_read() -> None:
    session = opened()
    session.event("send", "bank", "refund", "", 0.0, {"tenant": "ü" * 128, "order": 10**200})
    (frame,) = FrameSplitter().feed(session.output())
    told = decode_client_untrusted(frame)
    assert isinstance(told, Report)
    assert told.given == {"tenant": "ü" * 128, "order": str(10**200)}
