"""FastStream, whatever its broker: a middleware.

    broker = RabbitBroker(URL, middlewares=[middleware(process, {"orders": "billing"})])

`process` may be a function that gives it, as one that is connected when the application starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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

_DESTINATIONS: Final = ("routing_key", "topic", "subject")


def middleware(
    process: Process | Callable[[], Process],
    receivers: Receivers,
    *,
    name_of: Named = same,
    values_of: ValuesOf = no_values,
) -> Any:
    """A class of FastStream's middlewares. `receivers` by routing key, subject, topic or channel;
    `values_of` by what FastStream has of a message: its `PublishCommand`, or `StreamMessage`."""
    from faststream import BaseMiddleware

    def found() -> Process:
        return process() if callable(process) else process

    class Monitoring(BaseMiddleware):  # type: ignore[misc]
        async def publish_scope(self, call_next: Any, cmd: Any) -> Any:
            own = found()
            carried = await sent(
                own, receivers, cmd.destination, name_of=name_of, values=values_of(cmd)
            )
            if carried is not None:
                cmd.headers = without(cmd.headers)
                own.inject(cmd.headers, carried)
            return await call_next(cmd)

        async def consume_scope(self, call_next: Any, msg: Any) -> Any:
            await tell(found(), taken(msg), name_of=name_of, values=values_of(msg))
            return await call_next(msg)

    return Monitoring


def taken(message: Any) -> Taken:
    """Return what a message says of itself."""
    raw = message.raw_message
    if isinstance(raw, dict):  # of Redis
        return Taken(message.headers, str(raw.get("channel", "")))
    destination = next((getattr(raw, each) for each in _DESTINATIONS if hasattr(raw, each)), "")
    return Taken(message.headers, destination, bool(getattr(raw, "redelivered", False)))
