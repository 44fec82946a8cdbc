"""Processes are forked, heard, and never left."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from choreomon.core.errors import InternalError
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.instructions import Begin, Begun, End, Ended
from choreomon.deployment.process_group import ProcessGroup, TimeIsUp
from tests.deployment.roles import Echoes, EndsBadly, Fails, FailsInACallback

SOON = 300.0
"""Seconds after which a test has failed."""


def until() -> float:
    return time.monotonic() + SOON


@dataclass
class Heard:
    """What was told so far."""

    group: ProcessGroup

    def next(self) -> object:
        (heard,) = self.group.hear(until())
        return heard.message


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_plays_its_role_and_ends(fork_server: ForkServer) -> None:
    with ProcessGroup(fork_server) as group:
        group.start("one")
        group.play("one", Echoes(0.5))
        heard = Heard(group)
        group.tell("one", Begin())
        assert heard.next() == Begun(0.5)
        group.tell("one", End())
        assert heard.next() == Ended()
        group.dismiss("one")


def test_processes_run_beside_each_other(fork_server: ForkServer) -> None:
    with ProcessGroup(fork_server) as group:
        names = [f"process {number}" for number in range(10)]
        for number, name in enumerate(names):
            group.start(name)
            group.play(name, Echoes(float(number)))
        for name in reversed(names):
            group.tell(name, Begin())
        heard = []
        while len(heard) < len(names):
            heard += group.hear(until())
        assert dict(heard) == {name: Begun(float(number)) for number, name in enumerate(names)}


def test_at_the_end_of_a_group_none_of_it_is_there(fork_server: ForkServer) -> None:
    numbers: list[int] = []

    def mistaken() -> None:
        with ProcessGroup(fork_server) as group:
            for name in ("waits for its role", "plays it"):
                group.start(name)
            group.play("plays it", Echoes(1.0))
            numbers.extend(forked.number for forked in group._members.values())
            assert all(map(is_there, numbers))
            raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        mistaken()
    assert len(numbers) == 2
    assert not any(map(is_there, numbers))


def test_what_takes_too_long_is_given_up(fork_server: ForkServer) -> None:
    with ProcessGroup(fork_server) as group:
        group.start("silent")
        group.play("silent", Echoes(1.0))
        with pytest.raises(TimeIsUp):
            group.hear(time.monotonic() + 0.01)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        (Fails("a mistake"), "ValueError: a mistake"),
        (FailsInACallback("a mistake"), "ValueError: a mistake"),
        (EndsBadly(7), "one is gone, with exit code 7"),
    ],
    ids=["in its role", "in a callback", "without a word"],
)
def test_a_process_that_fails_says_why(fork_server: ForkServer, role: Echoes, told: str) -> None:
    with ProcessGroup(fork_server) as group:
        group.start("one")
        group.play("one", role)
        group.tell("one", Begin())
        with pytest.raises(InternalError, match=told):
            group.hear(until())


def test_a_process_that_is_killed_is_missed(fork_server: ForkServer) -> None:
    with ProcessGroup(fork_server) as group:
        group.start("one")
        os.kill(group._members["one"].number, signal.SIGKILL)
        with pytest.raises(InternalError, match="one is gone, with exit code -9"):
            group.hear(until())


def test_without_its_fork_server_no_process_stays_and_none_can_be_made() -> None:
    with ForkServer() as fork_server, ProcessGroup(fork_server) as group:
        group.start("one")
        group.play("one", Echoes(1.0))
        fork_server._process.kill()
        with pytest.raises(InternalError, match="the fork server is gone"):
            group.start("two")
    assert not fork_server.folder.exists()


def test_an_interrupted_exchange_ends_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would know what the next answer of the fork server is to."""

    def interrupted(self: socket.socket, size: int) -> bytes:
        raise KeyboardInterrupt

    with ForkServer() as fork_server, ProcessGroup(fork_server) as group:
        group.start("one")
        monkeypatch.setattr(socket.socket, "recv", interrupted)
        with pytest.raises(KeyboardInterrupt):
            group.start("two")
        assert fork_server._process.returncode is not None
    assert not fork_server.folder.exists()


def test_only_the_user_can_enter_the_folder(fork_server: ForkServer) -> None:
    assert fork_server.folder.stat().st_mode & 0o777 == 0o700


def test_where_names_of_temporary_files_are_long_sockets_still_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("long" * 25)
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with ForkServer() as fork_server:
        assert fork_server.folder.parent == Path("/tmp")
    monkeypatch.setattr(tempfile, "tempdir", "/var/tmp")
    with ForkServer() as fork_server:
        assert fork_server.folder.parent == Path("/var/tmp")
    assert not fork_server.folder.exists()
