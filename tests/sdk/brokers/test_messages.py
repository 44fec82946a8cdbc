"""What is told of messages of brokers, without one."""

from __future__ import annotations

import asyncio
from typing import Any

from choreomon.sdk.brokers.messages import Taken, sent, tell
from choreomon.sdk.brokers.nats import taken as taken_from_nats
from choreomon.sdk.process import OFF
from tests.sdk.recording import AsyncRecording, OnlyOn


def test_each_of_several_groups_is_sent_to() -> None:
    process = AsyncRecording()
    carried = asyncio.run(sent(process, {"orders": ["billing", "audit"]}, "orders"))
    assert carried is not None
    assert [event[1] for event in process.events] == ["billing", "audit"]


def test_what_goes_elsewhere_is_left_alone() -> None:
    process = AsyncRecording()
    assert asyncio.run(sent(process, {"orders": "billing"}, "others")) is None
    assert process.events == []


def test_names_and_values_are_as_they_are_said() -> None:
    process = AsyncRecording()

    async def main() -> None:
        values = {"order": "A-17"}
        await sent(process, {"a.b": "c"}, "a.b", name_of=str.upper, values=values)
        await tell(process, Taken({}, "a.b"), name_of=str.upper, values=values)

    asyncio.run(main())
    assert process.events == [
        ("send", "c", "A.B", "order=A-17"),
        ("handle", "env", "A.B", "order=A-17"),
    ]


def test_a_process_that_is_not_monitored_is_asked_and_nothing_more() -> None:
    async def main(process: Any) -> None:
        assert await sent(process, {"orders": "billing"}, "orders") is None
        await tell(process, Taken(None, "orders", again=True))

    asyncio.run(main(OnlyOn()))
    asyncio.run(main(OFF))
    assert OFF.redelivered == 0  # type: ignore[attr-defined]


def test_two_headers_that_differ_are_none_and_counted() -> None:
    process = AsyncRecording()
    two = [("choreomon", "1/shop/orders/AAAA"), ("choreomon", "1/thief/orders/AAAA")]
    asyncio.run(tell(process, Taken(two, "orders")))
    asyncio.run(tell(process, Taken([two[0], two[0]], "orders")))
    assert process.events == [("handle", "env", "orders"), ("handle", "shop", "orders", "AAAA")]
    assert process.malformed == 1


def test_jetstream_says_how_often_it_delivered() -> None:
    class Message:
        subject, headers = "orders", None

        def __init__(self, reply: str) -> None:
            self.reply = reply

    older = "$JS.ACK.stream.billing.{}.5.6.7.8"
    newer = "$JS.ACK.domain.account.stream.billing.{}.5.6.7.8.token"
    for reply in (older, newer):
        assert not taken_from_nats(Message(reply.format(1))).again
        assert taken_from_nats(Message(reply.format(2))).again
    assert not taken_from_nats(Message("_INBOX.1")).again
    assert not taken_from_nats(Message("$JS.ACK.rubbish")).again
