"""MQTT 5, with aiomqtt: the clock is a user property, which MQTT 3.1.1 does not have.

    publish = publishing(process, client.publish, {"orders": "billing"})     # topic: process
    await publish("orders", b"...", qos=1)

    async for message in handled(process, client.messages):

A message of QoS 1 that comes again is handled again; aiomqtt does not say that it is one.
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
from choreomon.sdk.carriers import header
from choreomon.sdk.process import Process


def publishing(
    process: Process,
    publish: Callable[..., Awaitable[Any]],
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Callable[..., Awaitable[Any]]:
    """`client.publish`, which tells of a message before it leaves. `values_of` by the payload."""

    async def told(topic: str, payload: Any = None, *args: Any, **options: Any) -> Any:
        carried = await sent(process, receivers, topic, name_of=name_of, values=values_of(payload))
        if carried is not None:
            options["properties"] = _with(options.get("properties"), header(carried))
        return await publish(topic, payload, *args, **options)

    return told


def _with(properties: Any, pair: tuple[str, str]) -> Any:
    """Return these properties, or new ones, in which ours is there once."""
    if properties is None:
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        properties = Properties(PacketTypes.PUBLISH)
    others = [each for each in getattr(properties, "UserProperty", []) if each[0] != pair[0]]
    if hasattr(properties, "UserProperty"):
        del properties.UserProperty  # what is set comes behind what is there
    properties.UserProperty = [*others, pair]
    return properties


def taken(message: Any) -> Taken:
    """Return what a message says of itself."""
    return Taken(getattr(message.properties, "UserProperty", None), str(message.topic))


def handled(
    process: Process,
    messages: AsyncIterable[Any],
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> AsyncIterator[Any]:
    """The messages of a client."""
    return told_of(process, messages, taken, name_of, values_of)
