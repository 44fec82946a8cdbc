"""An agent that may open no more files: who comes is sent away, who is there is served, and when
there is room again everybody is."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from benchmarks.fuzz.premises import prepare
from benchmarks.fuzz.siege import ROOT
from choreomon.agent_files import local

SECONDS = 300.0
"""After which the test has failed."""
MOST = 80
MORE = 120

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="counts files in /proc, and sets others' limits"
)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end


def page_of(port: int) -> bytes:
    answer = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), SECONDS) as stream:
        stream.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        while came := stream.recv(65536):
            answer += came
    return answer


def connected(path: str) -> socket.socket:
    stream = socket.socket(socket.AF_UNIX)
    stream.settimeout(SECONDS)
    # Where many come at once they have to try again: the kernel keeps so many and no more.
    until(lambda: stream.connect_ex(path) == 0)
    return stream


def said(stream: socket.socket, message: local.ClientMessage) -> bytes:
    stream.sendall(local.encode(message))
    return stream.recv(65536)


def test_no_descriptors_left_is_no_reason_to_stop(tmp_path: Path) -> None:
    premises = prepare(tmp_path, seed=0, curve=True)
    port, path = premises.pages["target"], str(premises.local("target"))
    with (tmp_path / "log").open("wb") as log, ExitStack() as opened:
        opened.callback(premises.ports.let_go)
        command = [sys.executable, "-m", "choreomon", "agent"]
        agent = opened.enter_context(
            subprocess.Popen(
                [*command, "--config", str(premises.config("target"))],
                stdout=log,
                stderr=log,
                cwd=ROOT,
            )
        )
        opened.callback(agent.kill)
        until(lambda: page_of(port).startswith(b"HTTP/1.1 200"))

        def files() -> int:
            return len(os.listdir(f"/proc/{agent.pid}/fd"))

        resource.prlimit(agent.pid, resource.RLIMIT_NOFILE, (MOST, MOST))
        good = opened.enter_context(closing(connected(path)))
        assert b"welcome" in said(good, local.Hello("block"))
        crowd = [opened.enter_context(closing(connected(path))) for _ in range(MORE)]
        until(lambda: files() >= MOST - 1)
        assert page_of(port) == b""
        answer = said(good, local.Report(1, 0, "send", "good", "b"))
        assert b'"clock"' in answer
        for stream in crowd:
            stream.close()
        until(lambda: files() < MOST // 2)
        assert page_of(port).startswith(b"HTTP/1.1 200")
        again = opened.enter_context(closing(connected(path)))
        assert b"welcome" in said(again, local.Hello("block"))
        agent.send_signal(signal.SIGTERM)
        assert agent.wait(SECONDS) == 0
    assert b"Traceback" not in (tmp_path / "log").read_bytes()
