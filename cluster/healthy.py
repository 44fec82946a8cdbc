"""The health check of every container: exit 0 where an HTTP server within answers 200, else 1.

    python -I -S cluster/healthy.py PORT PATH

It runs every few seconds in each of many containers, so it imports next to nothing.
"""

import socket
import sys


def answers(port: int, path: str, timeout: float = 2.0) -> bool:
    """Whether `GET path` at this machine's `port` is answered with 200."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode("ascii"))
            with connection.makefile("rb") as answer:
                return answer.readline(256).split(None, 2)[1:2] == [b"200"]
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(not answers(int(sys.argv[1]), sys.argv[2]))
