"""The ports that a page names, for whoever follows it."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_PORT = re.compile(r"127\.0\.0\.1(?::|\", )(\d+)")


def ports_in(text: str) -> list[int]:
    """Those of loopback, in order: after a colon, and in Python."""
    return sorted({int(port) for port in _PORT.findall(text)})


@contextmanager
def on_ports_of_its_own(text: str) -> Iterator[str]:
    """The text of a page with other ports in place of those that it names, which nobody else is
    given meanwhile: each is bound here, without listening. Who names it and sets `SO_REUSEADDR`,
    as libzmq, asyncio and servers of Python do, may listen there."""
    with ExitStack() as held:
        for port in ports_in(text):
            holder = held.enter_context(socket.socket())
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(("127.0.0.1", 0))
            text = re.sub(rf"\b{port}\b", f"port-{holder.getsockname()[1]}", text)
        yield text.replace("port-", "")
