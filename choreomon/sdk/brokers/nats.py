"""NATS, with nats-py, for its core and for JetStream.

publish = publishing(process, client.publish, {"orders": "billing"})     # subject: process
await publish("orders", b"...")

await client.subscribe("orders", "billing", cb=handling(process, on_message))
async for message in handled(process, subscription.messages):
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
    publish: Callable[..., Awaitable[Any]],
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[..., Awaitable[Any]]:
    """`publish` or `request` of a client, or `publish` of JetStream, which tells of a message
    before it leaves. `values_of` by the payload."""

    async def told(subject: str, payload: bytes = b"", *args: Any, **options: Any) -> Any:
        carried = await sent(
            process, receivers, subject, name_of=name_of, values=values_of(payload)
        )
        if carried is not None:
            options["headers"] = without(options.get("headers"))
            process.inject(options["headers"], carried)
        return await publish(subject, payload, *args, **options)

    return told


def taken(message: Any) -> Taken:
    """Return what a message says of itself. JetStream says in the address of the answer how often
    it was delivered."""
    words = (message.reply or "").split(".")
    deliveries = ""
    if words[:2] == ["$JS", "ACK"]:
        deliveries = words[4] if len(words) == 9 else words[6] if len(words) > 9 else ""
    return Taken(message.headers, message.subject, deliveries not in ("", "1"))


def handling(
    process: Process,
    callback: Callable[[Any], Awaitable[Any]],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[[Any], Awaitable[Any]]:
    """The callback of a subscription."""
    return taking(process, callback, taken, name_of, values_of)


def handled(
    process: Process,
    messages: AsyncIterable[Any],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> AsyncIterator[Any]:
    """The messages of a subscription."""
    return told_of(process, messages, taken, name_of, values_of)
