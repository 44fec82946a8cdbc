"""The ports that a page names, for whoever follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from choreomon.testing.held_ports import HeldPorts

_PORT = re.compile(r"127\.0\.0\.1(?::|\", )(\d+)")


def ports_in(text: str) -> list[int]:
    """Those of loopback, in order: after a colon, and in Python."""
    return sorted({int(port) for port in _PORT.findall(text)})


@contextmanager
def on_ports_of_its_own(text: str) -> Iterator[str]:
    """The text of a page with other ports in place of those that it names, which nobody else is
    given meanwhile."""
    named = ports_in(text)
    held = HeldPorts(len(named))
    try:
        for port, other in zip(named, held.ports, strict=True):
            text = re.sub(rf"\b{port}\b", f"port-{other}", text)
        yield text.replace("port-", "")
    finally:
        held.let_go()
