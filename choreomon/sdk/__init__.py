"""Tools of a service to tell its agent of events, and to carry clocks with messages.

    process = await choreomon.sdk.connect("/run/choreomon/shop.sock")

    carried = await process.sending("customer", "parcel")      # before the message leaves
    process.inject(headers, carried)

    carried = process.extract(headers)                         # when a message is taken
    if carried is not None:
        await process.handling(carried)

For threads `choreomon.sdk.blocking.connect` gives the same without `await`.

For services:

    asynchronous    asyncio
    blocking        threads
    process         what both are, and what there is where nothing is monitored
    carriers        headers of all kinds
    asgi            middleware for web applications
    http_hooks      event hooks for httpx; http_names of requests without a name
    zeromq          sockets of pyzmq
    brokers         RabbitMQ, NATS, MQTT, Kafka, Redis streams, FastStream

How it works:

    session         the protocol, without sockets, loops or clocks
    journal         what was not answered yet
    knowledge       what is known of the clocks
    lease           what was promised to the agent
    mentioned       which events need a report
    address         where the agent is, and how soon to look for it again
    complaints      what a service is told when something cannot be done
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from choreomon.agent_files.clocks.text import Carried
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.sdk.carriers import inject
from choreomon.sdk.process import BLOCKING_OFF, OFF, BlockingProcess, Process

if TYPE_CHECKING:
    from choreomon.sdk.asynchronous import connect

__all__ = [
    "BLOCKING_OFF",
    "OFF",
    "AgentUnavailable",
    "BlockingProcess",
    "Carried",
    "Process",
    "ProcessClosed",
    "connect",
    "inject",
]


def __getattr__(name: str) -> Any:
    # A service of threads has no use for asyncio.
    if name == "connect":
        from choreomon.sdk.asynchronous import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
