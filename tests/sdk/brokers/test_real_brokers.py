"""Each helper with its client and a real broker: what is published is told before, what is taken is
told before it is there, and what comes again is handled again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from choreomon.core.errors import AgentUnavailable
from tests.sdk.brokers.real_brokers import broker
from tests.sdk.recording import AsyncRecording

SECONDS = 120.0
"""After which a test has failed."""
TO = {"orders": "billing"}
SENT = ("send", "billing", "orders")
HANDLED = ("handle", "shop", "orders", "AAAA")
OUTSIDE = ("handle", "env", "orders")


def run(main: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(SECONDS):
            await main

    asyncio.run(bounded())


class Both(AsyncRecording):
    """The process at both ends, and what is wrong where it is away."""

    async def refuses(self, publishing: Any) -> None:
        self.away = True
        with pytest.raises(AgentUnavailable):
            await publishing
        self.away = False


def test_rabbitmq(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    aio_pika = pytest.importorskip("aio_pika", reason="aio-pika is not installed")
    from choreomon.sdk.brokers.rabbitmq import handled, handling, publishing

    async def main(port: int) -> None:
        both = Both()
        connection = await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{port}/")
        async with connection, await connection.channel() as channel:
            queue = await channel.declare_queue("orders")
            publish = publishing(both, channel.default_exchange, TO)
            await both.refuses(publish(aio_pika.Message(b"never"), "orders"))
            await publish(aio_pika.Message(b"1", headers={"kept": "x"}), "orders")
            await publish(aio_pika.Message(b"1"), "nobody")
            assert both.events == [SENT]
            async with queue.iterator() as messages:
                async for message in handled(both, messages):
                    assert both.events[-1] == HANDLED
                    assert message.headers["kept"] == "x"
                    if message.redelivered:
                        await message.ack()
                        break
                    await message.nack(requeue=True)
            assert both.events == [SENT, HANDLED, HANDLED]
            assert both.redelivered == 1
            # What others publish has no header of ours, or none that can be read.
            taken: asyncio.Queue[Any] = asyncio.Queue()
            await queue.consume(handling(both, taken.put), no_ack=True)
            for headers in ({}, {"choreomon": "rubbish"}, {"choreomon": 7}):
                message = aio_pika.Message(b"2", headers=headers)
                await channel.default_exchange.publish(message, "orders")
                await taken.get()
                assert both.events[-1] == OUTSIDE
            assert both.malformed == 2

    with broker("rabbitmq", tmp_path) as port, caplog.at_level(logging.WARNING, "choreomon"):
        run(main(port))
    assert [each.getMessage() for each in caplog.records if each.name == "choreomon"] == [
        "orders: a message was delivered again, and is handled again; told once"
    ]


def test_nats(tmp_path: Path) -> None:
    nats = pytest.importorskip("nats", reason="nats-py is not installed")
    from choreomon.sdk.brokers.nats import handled, handling, publishing

    async def main(port: int) -> None:
        both = Both()
        client = await nats.connect(f"nats://127.0.0.1:{port}")
        taken: asyncio.Queue[Any] = asyncio.Queue()
        await client.subscribe("orders", "billing", cb=handling(both, taken.put))
        publish = publishing(both, client.publish, TO)
        await both.refuses(publish("orders", b"never"))
        await publish("orders", b"1", headers={"kept": "x", "Choreomon": "old"})
        assert (await taken.get()).headers["kept"] == "x"
        assert both.events == [SENT, HANDLED]
        await client.publish("orders", b"2")
        await taken.get()
        assert both.events[-1] == OUTSIDE
        # JetStream delivers again what was not acknowledged.
        stream = client.jetstream()
        await stream.add_stream(name="kept", subjects=["kept.*"])
        subscription = await stream.subscribe("kept.orders", durable="billing")
        both.events.clear()
        await publishing(both, stream.publish, {"kept.orders": "billing"})("kept.orders", b"3")
        async for message in handled(both, subscription.messages):
            if message.metadata.num_delivered == 2:
                await message.ack()
                break
            await message.nak()
        again = ("handle", "shop", "kept.orders", "AAAA")
        assert both.events == [("send", "billing", "kept.orders"), again, again]
        assert both.redelivered == 1
        await client.close()

    with broker("nats", tmp_path) as port:
        run(main(port))


def test_mqtt(tmp_path: Path) -> None:
    aiomqtt = pytest.importorskip("aiomqtt", reason="aiomqtt is not installed")
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties

    from choreomon.sdk.brokers.mqtt import handled, publishing

    async def main(port: int) -> None:
        both = Both()
        five = aiomqtt.ProtocolVersion.V5
        async with aiomqtt.Client("127.0.0.1", port, protocol=five) as client:
            await client.subscribe("orders", qos=1)
            publish = publishing(both, client.publish, TO)
            await both.refuses(publish("orders", b"never"))
            properties = Properties(PacketTypes.PUBLISH)
            properties.UserProperty = [("kept", "x"), ("choreomon", "old")]
            await publish("orders", b"1", qos=1, properties=properties)
            await publish("orders", b"2", qos=1)
            await client.publish("orders", b"3", qos=1)
            messages = handled(both, client.messages)
            first = await anext(messages)
            assert ("kept", "x") in first.properties.UserProperty
            assert both.events == [SENT, SENT, HANDLED]
            await anext(messages)
            await anext(messages)
            assert both.events[3:] == [HANDLED, OUTSIDE]

    with broker("mqtt", tmp_path) as port:
        run(main(port))


def test_kafka(tmp_path: Path) -> None:
    aiokafka = pytest.importorskip("aiokafka", reason="aiokafka is not installed")
    from aiokafka.admin import AIOKafkaAdminClient, NewTopic

    from choreomon.sdk.brokers.kafka import handled, publishing

    @asynccontextmanager
    async def started(client: Any) -> AsyncIterator[Any]:
        await client.start()
        try:
            yield client
        finally:
            await (client.close if hasattr(client, "create_topics") else client.stop)()

    async def main(port: int) -> None:
        both = Both()
        place = {"bootstrap_servers": f"127.0.0.1:{port}"}
        async with started(AIOKafkaAdminClient(**place)) as admin:
            await admin.create_topics([NewTopic("orders", 1, 1)])
        async with started(aiokafka.AIOKafkaProducer(**place)) as producer:
            send = publishing(both, producer.send_and_wait, TO)
            await both.refuses(send("orders", b"never"))
            await send("orders", b"1", headers=[("kept", b"x")])
            await producer.send_and_wait("orders", b"2")
        earliest = {"group_id": "billing", "auto_offset_reset": "earliest"}
        async with started(aiokafka.AIOKafkaConsumer("orders", **place, **earliest)) as consumer:
            records = handled(both, consumer)
            assert ("kept", b"x") in (await anext(records)).headers
            assert both.events == [SENT, HANDLED]
            await anext(records)
            assert both.events[-1] == OUTSIDE
            await consumer.seek_to_beginning()
            await anext(records)
            assert both.events[-1] == HANDLED
            assert both.redelivered == 1

    with broker("kafka", tmp_path) as port:
        run(main(port))


def test_redis_streams(tmp_path: Path) -> None:
    redis = pytest.importorskip("redis.asyncio", reason="redis is not installed")
    from choreomon.sdk.brokers.redis_streams import handled, publishing

    async def main(port: int) -> None:
        both = Both()
        async with redis.Redis(host="127.0.0.1", port=port) as client:
            await client.xgroup_create("orders", "billing", "0", mkstream=True)
            xadd = publishing(both, client.xadd, TO)
            await both.refuses(xadd("orders", {"total": 7}))
            await xadd("orders", {"total": 7})
            await client.xadd("orders", {"total": 8})
            reply = await client.xreadgroup("billing", "worker", {"orders": ">"})
            ((_, entries),) = await handled(both, reply)
            assert entries[0][1][b"total"] == b"7"
            assert both.events == [SENT, HANDLED, OUTSIDE]
            pending = await client.xreadgroup("billing", "worker", {"orders": "0"}, count=1)
            await handled(both, pending, again=True)
            assert both.events[-1] == HANDLED
            assert both.redelivered == 1
            assert await handled(both, None) == ()

    with broker("redis", tmp_path) as port:
        run(main(port))


def test_faststream(tmp_path: Path) -> None:
    pytest.importorskip("faststream", reason="faststream is not installed")
    from faststream.nats import NatsBroker

    from choreomon.sdk.brokers.faststream import middleware

    async def main(port: int) -> None:
        both = Both()
        address = f"nats://127.0.0.1:{port}"
        broker = NatsBroker(address, middlewares=[middleware(lambda: both, TO)])
        taken: asyncio.Queue[str] = asyncio.Queue()

        @broker.subscriber("orders", queue="billing")
        async def on_order(text: str) -> None:
            await taken.put(text)

        async with broker:
            await broker.start()
            await both.refuses(broker.publish("never", "orders"))
            await broker.publish("1", "orders", headers={"kept": "x"})
            assert await taken.get() == "1"
            assert both.events == [SENT, HANDLED]
            await broker.publish("2", "elsewhere")
            assert both.events == [SENT, HANDLED]

    with broker("nats", tmp_path) as port:
        run(main(port))
