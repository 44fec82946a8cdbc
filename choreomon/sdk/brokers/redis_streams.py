"""Redis streams, with redis.asyncio: the clock is a field of the entry, as entries have no headers.

    xadd = publishing(process, client.xadd, {"orders": "billing"})     # stream: process
    await xadd("orders", {"total": 7})

    reply = await client.xreadgroup("billing", "worker-1", {"orders": ">"})
    for stream, entries in await handled(process, reply):

Who takes an entry is the consumer group. What is read again, by another id than `>` or after
`XAUTOCLAIM`, is handled again: say `again=True`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from choreomon.sdk.brokers.messages import (
    Named,
    Receivers,
    Taken,
    ValuesOf,
    no_values,
    same,
    sent,
    tell,
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
    """`client.xadd`, which tells of an entry before it is added. `values_of` by the fields."""

    async def told(name: str, fields: Mapping[Any, Any], *args: Any, **options: Any) -> Any:
        carried = await sent(process, receivers, name, name_of=name_of, values=values_of(fields))
        if carried is not None:
            own = without(fields)
            process.inject(own, carried)
            fields = own
        return await publish(name, fields, *args, **options)

    return told


async def handled(
    process: Process,
    reply: Any,
    *,
    again: bool = False,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Any:
    """Return the reply of `xread` or `xreadgroup` after reporting its entries in order."""
    found = reply.items() if isinstance(reply, Mapping) else reply or ()
    for stream, entries in found:
        name = stream.decode(errors="replace") if isinstance(stream, bytes) else str(stream)
        for _, fields in entries:  # without fields where an entry was deleted meanwhile
            taken = Taken(fields, name, again)
            await tell(process, taken, name_of=name_of, values=values_of(fields))
    return found
