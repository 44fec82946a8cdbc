"""The ports that a page names, for whoever follows it."""

from __future__ import annotations

import fcntl
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone_with_the_ports_of(page: Path) -> Iterator[None]:
    """Of several test runs in one checkout, one at a time uses the ports of a page."""
    with page.open(encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ports = sorted({int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)", file.read())})
        taken = [port for port in ports if _is_taken(port)]
        assert taken == [], f"another program listens at ports that {page.name} uses"
        yield


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
        return False
