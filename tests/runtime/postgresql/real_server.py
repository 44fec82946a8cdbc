"""A PostgreSQL of its own on loopback, in a temporary folder, killed and stopped at will."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

USER = "postgres"


def _programs() -> tuple[str, str] | None:
    """Its programs, where they are installed, with psycopg."""
    pytest.importorskip("psycopg", reason="needs psycopg: choreomon[postgresql]")
    initdb, postgres = (
        shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *_folders()]))
        for name in ("initdb", "postgres")
    )
    return (initdb, postgres) if initdb and postgres else None


def _folders() -> list[str]:
    return [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]


class RealServer:
    """A server with a new database; tests are skipped where there is none."""

    def __init__(self) -> None:
        programs = _programs()
        if programs is None:
            pytest.skip("there is no PostgreSQL: initdb and postgres are needed")
        initdb, self._postgres = programs
        # It refuses to run as root. Paths of sockets have to be short, so none of pytest's.
        self._as: dict[str, Any] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        if getpass.getuser() == "root":
            self._as = {"user": USER, "group": USER, "extra_groups": []}
            try:
                shutil.chown(self.folder, USER, USER)
            except LookupError:
                pytest.skip(f"PostgreSQL does not run as root, and there is no user {USER}")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._data = self.folder / "data"
        subprocess.run(
            [
                initdb,
                "-D",
                self._data,
                "-U",
                "choreomon",
                "--auth=trust",
                "--no-sync",
                "-E",
                "UTF8",
            ],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **self._as,
        )
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return f"postgresql://choreomon@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start, and wait until it takes connections."""
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [
                *(self._postgres, "-D", self._data, "-p", str(self.port)),
                *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
                *("-c", "max_connections=40", "-c", "shared_buffers=16MB"),
            ],
            stdout=log,
            stderr=log,
            cwd=self.folder,
            start_new_session=True,
            **self._as,
        )
        log.close()
        from choreomon.runtime.stores.postgresql.connection import Connection, OutOfReach

        while True:
            assert self._process.poll() is None, (self.folder / "log").read_text()
            try:
                Connection(self.url, 10.0).close()
            except OutOfReach:
                continue
            return

    def kill(self) -> None:
        """Kill all of its processes at once."""
        assert self._process is not None
        self._signal(signal.SIGKILL)
        self._process.wait()

    def freeze(self) -> None:
        """Let all of it stand still: the kernel takes what is sent, and nobody answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        """Its backends have sessions of their own."""
        assert self._process is not None
        for pid in (self._process.pid, *self._children()):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _children(self) -> list[int]:
        assert self._process is not None
        found = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(pid) for pid in found.read_text().split()]

    def close(self) -> None:
        self.thaw()
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
