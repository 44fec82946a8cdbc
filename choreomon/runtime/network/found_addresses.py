"""Addresses of peers that have none in the configuration: they are found beside leases.

Such an address is a hint: the agent may have gone elsewhere. So it is looked up again when its peer
is asked and has said nothing since it was asked before, as often as inquiries are repeated, and
once a second meanwhile, so that one which moved is asked at once. Who is
found at an old one is not believed (`choreomon.runtime.network.security`; a message names its
receiver, too).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from choreomon.agent_files.addresses import ANY_HOST, parse_tcp
from choreomon.runtime.ports import CommitFailed

PATIENCE: Final = 0.2
"""Seconds that a peer may say nothing before its address is looked up again; and from one time to
the next. The first repetition of an inquiry comes later."""


SECONDS: Final = 1.0
"""Seconds from one look at those who say nothing to the next, whether they are asked or not."""
FORGOTTEN: Final = 10.0
"""Seconds since a peer was last asked after which nothing is expected of it: inquiries are repeated
more often than that."""


class Directory(Protocol):
    """A directory of agents, for one of them."""

    def announce(self, endpoint: str) -> None:
        """Tell that the own agent listens there. Raises `CommitFailed`, `DocumentError`, and
        `choreomon.runtime.leases.ends.Fenced`."""

    def look_up(self, processes: Iterable[str]) -> Mapping[str, str]:
        """The addresses of the agents of these processes, as far as they have any. Raises
        `CommitFailed`."""


class FoundAddresses:
    """Addresses that are found in a directory, where there is one. Times are monotonic seconds."""

    def __init__(self, directory: Directory | None, now: Callable[[], float]) -> None:
        self._directory = directory
        self._now = now
        self._found: dict[str, str] = {}
        """By peer that was looked up; empty where nobody is."""
        self._asked: dict[str, tuple[float, float]] = {}
        """The times at which a peer that has said nothing since was asked first, and last."""
        self._again = self._looked = now()

    def announce(self, endpoint: str) -> None:
        """See `Directory`."""
        if self._directory is not None:
            self._directory.announce(endpoint)

    def beside(self, known: Mapping[str, str]) -> dict[str, str]:
        """The addresses that are known, and those that were found for others."""
        return {**{peer: found for peer, found in self._found.items() if found}, **known}

    def asks(self, peer: str) -> bool:
        """A peer is about to be asked; tell whether other addresses were found than before."""
        if self._directory is None:
            return False
        now = self._now()
        since, _ = self._asked.get(peer, (now, now))
        self._asked[peer] = (since, now)
        if peer in self._found:
            if now < max(since + PATIENCE, self._again):
                return False
            self._again = now + PATIENCE
        return self._look_up(self._directory, peer)

    def heard(self, peer: str) -> None:
        """The peer answered."""
        self._asked.pop(peer, None)

    @property
    def due(self) -> float | None:
        """The time to call `moved` next; `None`: nobody is waited for."""
        since = [first for first, _ in self._asked.values()]
        return max(self._looked, min(since)) + SECONDS if since and self._directory else None

    def moved(self) -> list[str]:
        """The peers that say nothing and are elsewhere by now: it is time to ask them again."""
        now, due = self._now(), self.due
        if self._directory is None or due is None or now < due:
            return []
        self._looked = now
        for peer in [each for each, (_, last) in self._asked.items() if now - last >= FORGOTTEN]:
            del self._asked[peer]
        try:
            told = self._directory.look_up(self._asked)
        except CommitFailed:
            return []
        there = {peer: _usable(told.get(peer, "")) for peer in self._asked}
        return [peer for peer, address in there.items() if address not in ("", self._found[peer])]

    def _look_up(self, directory: Directory, peer: str) -> bool:
        """Look up the peer, and all others that say nothing."""
        asked = {peer, *self._asked} & {peer, *self._found}
        before = {each: self._found.setdefault(each, "") for each in asked}
        try:
            told = directory.look_up(asked)
        except CommitFailed:
            return False
        self._found |= {each: _usable(told.get(each, "")) for each in asked}
        return any(self._found[each] != address for each, address in before.items())


def _usable(text: str) -> str:
    """The address; empty where nobody can be reached at it, whoever wrote it."""
    address = parse_tcp(text)
    return text if address and address.port and address.host != ANY_HOST else ""
