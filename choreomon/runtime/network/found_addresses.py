"""Addresses of peers that have none in the configuration: they are found beside leases.

Such an address is a hint: the agent may have gone elsewhere. So it is looked up again when its peer
is asked and has said nothing since it was asked before, as often as inquiries are repeated. Who is
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
        self._asked: dict[str, float] = {}
        """Since when a peer that was asked has said nothing."""
        self._again = now()

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
        since = self._asked.setdefault(peer, now)
        if peer in self._found:
            if now < max(since + PATIENCE, self._again):
                return False
            self._again = now + PATIENCE
        return self._look_up(self._directory, peer)

    def heard(self, peer: str) -> None:
        """The peer answered."""
        self._asked.pop(peer, None)

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
