"""How many events an agent has, asked at its socket as a service would.

    python -m cluster.trial.counting SOCKET CONFIGURATION

Prints one JSON object: `process`, `events` (its own entry of its clock, of which it may have one
alone), and the `labels` that its tables mention.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

from choreomon.agent_files.clocks.text import decode_clocks_untrusted
from choreomon.agent_files.local import (
    MAX_AGENT_FRAME,
    FrameSplitter,
    Goodbye,
    Hello,
    Welcome,
    decode_agent_untrusted,
    encode,
)


def count(path: str, own: int) -> dict[str, Any]:
    """`own` is the place of the agent's process in its system."""
    splitter = FrameSplitter(MAX_AGENT_FRAME)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        connection.connect(path)
        # Under `block` nothing ever leaves untold: this session leaves no trace.
        connection.sendall(encode(Hello("block")))
        frames: list[bytes] = []
        while not frames:
            data = connection.recv(65_536)
            if not data:
                raise ConnectionError("the agent closed the connection")
            frames = splitter.feed(data)
        welcome = decode_agent_untrusted(frames[0])
        connection.sendall(encode(Goodbye()))
        connection.recv(65_536)
    if not isinstance(welcome, Welcome):
        raise ConnectionError(f"the agent says {welcome}")
    (clock,) = decode_clocks_untrusted(welcome.clock).values()
    return {"process": welcome.process, "events": clock[own], "labels": list(welcome.labels)}


if __name__ == "__main__":
    from choreomon.agent_files.agent_config import load_tables
    from choreomon.agent_files.agent_document import load_agent_config

    table = load_tables(load_agent_config(sys.argv[2]))[0]
    print(json.dumps(count(sys.argv[1], table.processes.index(table.process))))
