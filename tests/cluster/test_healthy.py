"""The health check of containers: whom it calls healthy, and that it starts nothing."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "cluster" / "healthy.sh"
BASH = shutil.which("bash") or "bash"
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
CHECKS = {
    name: service["healthcheck"]
    for name, service in SERVICES.items()
    if "cluster/healthy.sh" in service["healthcheck"].get("test", ())
}

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@contextmanager
def answering(answer: bytes | None) -> Iterator[tuple[int, list[bytes]]]:
    """A port where one request is answered so; `None`: never."""
    asked: list[bytes] = []
    unread: list[bytes] = []
    over = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                request += connection.recv(4096)
            asked.append(request)
            if answer is None:
                over.wait()
            else:
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)
                unread.append(connection.recv(1))  # raises where the answer was not read

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1], asked
        finally:
            over.set()
            thread.join()
    assert unread == ([] if answer is None else [b""])


def exit_code(port: int, *more: str) -> int:
    """Of the check, where no program can be found."""
    command = [BASH, str(SCRIPT), str(port), "/readyz", *more]
    ended = subprocess.run(command, env={"PATH": "/nonexistent"}, stderr=subprocess.PIPE)
    assert b"not found" not in ended.stderr
    return ended.returncode


def test_who_answers_200_is_healthy() -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as (port, asked):
        assert exit_code(port) == 0
    assert asked == [b"GET /readyz HTTP/1.0\r\n\r\n"]


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 503 Service Unavailable\r\n\r\n200", b"", b"HTTP/1.1 2000 x\r\n", b"\r\n"]
)
def test_who_answers_anything_else_is_not(answer: bytes) -> None:
    with answering(answer) as (port, _):
        assert exit_code(port) != 0


def test_who_does_not_answer_is_not() -> None:
    with answering(None) as (port, _):
        assert exit_code(port, "0.05") != 0


def test_where_nobody_listens_nobody_is_healthy() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert exit_code(bound.getsockname()[1]) != 0


def test_every_agent_and_service_is_checked_by_it() -> None:
    assert set(SERVICES) - set(CHECKS) == {"prepare", "prometheus"}


@pytest.mark.parametrize("name", CHECKS)
def test_a_container_starts_no_interpreter_to_be_checked(name: str) -> None:
    form, shell, script, *_ = CHECKS[name]["test"]
    assert (form, shell, script) == ("CMD", "bash", "cluster/healthy.sh")
