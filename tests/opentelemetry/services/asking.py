"""What services of tests say to the test, by no library that is instrumented."""

import os
import socket


def witness(said):
    """Let the test note what the agents have been told by now."""
    host, _, port = os.environ["WITNESS"].partition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"GET /{said} HTTP/1.0\r\n\r\n".encode())
        while connection.recv(4096):
            pass
