"""Kafka, with aiokafka. Who takes a record is the consumer group: one process, however many
consumers it has.

    send = publishing(process, producer.send_and_wait, {"orders": "billing"})     # topic: process
    await send("orders", b"...")

    async for record in handled(process, consumer):

A record with an offset that was taken before, as after a `seek`, was delivered again. Where a group
goes on from its last commit after a restart nobody knows of that: it is handled again, and not
counted.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any

from choreomon.sdk.brokers.messages import (
    Named,
    Receivers,
    Taken,
    ValuesOf,
    no_values,
    same,
    sent,
    told_of,
)
from choreomon.sdk.carriers import kafka_headers
from choreomon.sdk.process import Process


def publishing(
    process: Process,
    publish: Callable[..., Awaitable[Any]],
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[..., Awaitable[Any]]:
    """`producer.send_and_wait` or `producer.send`, which tells of a record before it leaves.
    `values_of` by the record's value."""

    async def told(topic: str, value: Any = None, *args: Any, **options: Any) -> Any:
        carried = await sent(process, receivers, topic, name_of=name_of, values=values_of(value))
        if carried is not None:
            options["headers"] = kafka_headers(carried, options.get("headers"))
        return await publish(topic, value, *args, **options)

    return told


class Offsets:
    """Reader of what records say of themselves, with what was taken before."""

    def __init__(self) -> None:
        self._highest: dict[tuple[str, int], int] = {}

    def taken(self, record: Any) -> Taken:
        """Return what the next record that was taken says."""
        place = (record.topic, record.partition)
        highest = self._highest.get(place, -1)
        self._highest[place] = max(highest, record.offset)
        return Taken(record.headers, record.topic, record.offset <= highest)


def handled(
    process: Process,
    messages: AsyncIterable[Any],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> AsyncIterator[Any]:
    """The records of a consumer."""
    return told_of(process, messages, Offsets().taken, name_of, values_of)
