"""RabbitMQ, with aio-pika.

publish = publishing(process, exchange, {"orders": "billing"})     # routing key: process
await publish(Message(b"..."), "orders")

await queue.consume(handling(process, on_message))
async with queue.iterator() as messages:
    async for message in handled(process, messages):
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
    taking,
    told_of,
    without,
)
from choreomon.sdk.process import Process


def publishing(
    process: Process,
    exchange: Any,
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[..., Awaitable[Any]]:
    """`exchange.publish`, which tells of a message before it leaves. `receivers` by routing key;
    `values_of` by the message."""

    async def publish(message: Any, routing_key: str, **options: Any) -> Any:
        carried = await sent(
            process, receivers, routing_key, name_of=name_of, values=values_of(message)
        )
        if carried is not None:
            message.headers = without(message.headers)
            process.inject(message.headers, carried)
        return await exchange.publish(message, routing_key, **options)

    return publish


def taken(message: Any) -> Taken:
    """Return what a message says of itself."""
    return Taken(message.headers, message.routing_key or "", bool(message.redelivered))


def handling(
    process: Process,
    callback: Callable[[Any], Awaitable[Any]],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[[Any], Awaitable[Any]]:
    """The callback for `queue.consume`."""
    return taking(process, callback, taken, name_of, values_of)


def handled(
    process: Process,
    messages: AsyncIterable[Any],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> AsyncIterator[Any]:
    """The messages of `queue.iterator()`."""
    return told_of(process, messages, taken, name_of, values_of)
