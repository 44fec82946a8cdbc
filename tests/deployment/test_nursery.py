"""Processes are forked, heard, and never left."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from choreomon.core.errors import InternalError
from choreomon.deployment.crew import Crew, TimeIsUp
from choreomon.deployment.instructions import Begin, Begun, End, Ended
from choreomon.deployment.nursery import Nursery
from tests.deployment.roles import Echoes, EndsBadly, Fails, FailsInACallback

SOON = 20.0
"""Seconds after which a test has failed."""


def until() -> float:
    return time.monotonic() + SOON


@dataclass
class Heard:
    """What was told so far."""

    crew: Crew

    def next(self) -> object:
        (heard,) = self.crew.hear(until())
        return heard.message


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_plays_its_role_and_ends(nursery: Nursery) -> None:
    with Crew(nursery) as crew:
        crew.start("one")
        crew.play("one", Echoes(0.5))
        heard = Heard(crew)
        crew.tell("one", Begin())
        assert heard.next() == Begun(0.5)
        crew.tell("one", End())
        assert heard.next() == Ended()
        crew.dismiss("one")


def test_processes_run_beside_each_other(nursery: Nursery) -> None:
    with Crew(nursery) as crew:
        names = [f"process {number}" for number in range(10)]
        for number, name in enumerate(names):
            crew.start(name)
            crew.play(name, Echoes(float(number)))
        for name in reversed(names):
            crew.tell(name, Begin())
        heard = []
        while len(heard) < len(names):
            heard += crew.hear(until())
        assert dict(heard) == {name: Begun(float(number)) for number, name in enumerate(names)}


def test_at_the_end_of_a_crew_none_of_it_is_there(nursery: Nursery) -> None:
    numbers: list[int] = []

    def mistaken() -> None:
        with Crew(nursery) as crew:
            for name in ("waits for its role", "plays it"):
                crew.start(name)
            crew.play("plays it", Echoes(1.0))
            numbers.extend(forked.number for forked in crew._crew.values())
            assert all(map(is_there, numbers))
            raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        mistaken()
    assert len(numbers) == 2
    assert not any(map(is_there, numbers))


def test_what_takes_too_long_is_given_up(nursery: Nursery) -> None:
    with Crew(nursery) as crew:
        crew.start("silent")
        crew.play("silent", Echoes(1.0))
        with pytest.raises(TimeIsUp):
            crew.hear(time.monotonic() + 0.01)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        (Fails("a mistake"), "ValueError: a mistake"),
        (FailsInACallback("a mistake"), "ValueError: a mistake"),
        (EndsBadly(7), "one is gone, with exit code 7"),
    ],
    ids=["in its role", "in a callback", "without a word"],
)
def test_a_process_that_fails_says_why(nursery: Nursery, role: Echoes, told: str) -> None:
    with Crew(nursery) as crew:
        crew.start("one")
        crew.play("one", role)
        crew.tell("one", Begin())
        with pytest.raises(InternalError, match=told):
            crew.hear(until())


def test_a_process_that_is_killed_is_missed(nursery: Nursery) -> None:
    with Crew(nursery) as crew:
        crew.start("one")
        os.kill(crew._crew["one"].number, signal.SIGKILL)
        with pytest.raises(InternalError, match="one is gone, with exit code -9"):
            crew.hear(until())


def test_without_its_nursery_no_process_stays_and_none_can_be_made() -> None:
    with Nursery() as nursery, Crew(nursery) as crew:
        crew.start("one")
        crew.play("one", Echoes(1.0))
        nursery._process.kill()
        with pytest.raises(InternalError, match="the nursery of processes is gone"):
            crew.start("two")
    assert not nursery.folder.exists()


class Interrupted:
    """A socket at which a Ctrl-C comes while something is received."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    def recv(self, size: int) -> bytes:
        raise KeyboardInterrupt

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


def test_an_interrupted_exchange_ends_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would know what the next answer of the nursery is to."""
    with Nursery() as nursery, Crew(nursery) as crew:
        crew.start("one")
        monkeypatch.setattr(nursery, "_socket", Interrupted(nursery._socket))
        with pytest.raises(KeyboardInterrupt):
            crew.start("two")
        assert nursery._process.returncode is not None
    assert not nursery.folder.exists()


def test_only_the_user_can_enter_the_folder(nursery: Nursery) -> None:
    assert nursery.folder.stat().st_mode & 0o777 == 0o700


def test_where_names_of_temporary_files_are_long_sockets_still_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("long" * 25)
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with Nursery() as nursery:
        assert nursery.folder.parent == Path("/tmp")
    monkeypatch.setattr(tempfile, "tempdir", "/var/tmp")
    with Nursery() as nursery:
        assert nursery.folder.parent == Path("/var/tmp")
    assert not nursery.folder.exists()
