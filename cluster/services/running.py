"""One service as a process of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

from choreomon.agent_files.local import Policy
from choreomon.sdk.blocking import connect
from cluster.services.service import Service


def run(name: str, handlers: Callable[[Service], object], *, policy: Policy = "block") -> None:
    """Serve until SIGTERM or SIGINT.

    The address of the agent is in the environment variable CHOREOMON. `policy` says what to do
    while the agent is away; under `block` the service waits for it as long as it takes.
    """
    asked_to_stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked_to_stop.set())
    monitor = connect(policy=policy, deadline=None)
    service = Service(name, monitor)
    handlers(service)
    service.start()
    asked_to_stop.wait()
    service.stop()
    monitor.close()
