"""Where words go: every one to every sink at least once, whatever happens to a sink."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from choreomon.core.live import LiveVerdict
from choreomon.formats.agent_config import Sink as SinkSettings
from choreomon.runtime.asking import BackOff

PATIENT: Final = BackOff(0.25, 30.0)


class SinkFailed(Exception):
    """A sink did not take what it was given, and is to be given it again. The message says why."""


class Sink(Protocol):
    """Somewhere words go. `name` is for logs; `at_once`: how many lines it takes in one go."""

    name: str
    at_once: int

    async def take(self, lines: Sequence[str]) -> None:
        """Take all of them. Raises `SinkFailed` where it has not, or not surely."""

    async def close(self) -> None:
        """Nothing more comes."""


class FileLines:
    """Lines at the end of a file; see `Sink`. `sync`: each batch is on the disk, too."""

    def __init__(self, path: Path, *, sync: bool = False) -> None:
        raise NotImplementedError


class DescriptorLines:
    """Lines to an open descriptor, as 1 for the standard output."""

    def __init__(self, descriptor: int = 1, name: str = "stdout") -> None:
        raise NotImplementedError


class Webhook:
    """Each line is posted to a URL, until the answer is 2xx."""

    def __init__(self, url: str, timeout: float = 2.0) -> None:
        raise NotImplementedError


class Callback:
    """A function of Python, sync (on the loop, and to be short) or async."""

    def __init__(
        self, function: Callable[[LiveVerdict], Awaitable[None] | None], name: str = "callback"
    ) -> None:
        raise NotImplementedError


def make_sinks(settings: Sequence[SinkSettings], *, sync: bool = False) -> list[Sink]:
    """The sinks of a configuration. `sync`: files are on the disk (durability: power)."""
    raise NotImplementedError


class Sinks:
    """All of them. Made and used on the loop's thread."""

    def __init__(
        self,
        sinks: Sequence[Sink],
        *,
        delivered: Callable[[list[str]], None],
        room: Callable[[], None],
        failed: Callable[[str, str], None],
        most: int = 1024,
        back_off: BackOff = PATIENT,
    ) -> None:
        """- `delivered(ids)`: these words were taken by all sinks. Never called from within `tell`.
        - `room()`: a sink that had no room has some: offer again what `wants`, oldest first.
        - `failed(sink, why)`: each time; log seldom.
        - `most`: words that wait for one sink."""
        raise NotImplementedError

    def wants(self, id: str) -> bool:
        """Whether some sink neither has the word nor waits with it."""
        raise NotImplementedError

    def tell(self, line: str, id: str) -> bool:
        """Give a word to all sinks that do not have it. False: for some there was no room; it is
        to be offered again after `room`."""
        raise NotImplementedError

    @property
    def waiting(self) -> int:
        """Words that some sink is still to take, as far as they are kept here."""
        raise NotImplementedError

    @property
    def failing(self) -> Mapping[str, str]:
        """Of the sinks that failed when last tried, why."""
        raise NotImplementedError

    async def close(self, grace: float = 2.0) -> None:
        """Give the sinks so many seconds to take what waits, then end."""
        raise NotImplementedError
