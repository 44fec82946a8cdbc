"""Common part of services on asyncio and with threads: the connection to an agent."""

from __future__ import annotations

import os
from typing import Final

from choreomon.agent_files.local import Policy
from choreomon.sdk.address import Address, Backoff, given_address, read_token
from choreomon.sdk.carriers import Carrying
from choreomon.sdk.session import Session


def asked_for(
    address: str | os.PathLike[str] | None,
    policy: Policy,
    deadline: float | None,
    buffer: int,
    token_file: str | os.PathLike[str] | None,
) -> tuple[Address, Session] | None:
    """Find the address of the agent, and prepare a session with it; `None` if monitoring is off.
    Raises as `choreomon.sdk.asynchronous.connect` does."""
    where = given_address(address, os.environ)
    if where is None:
        return None
    session = Session(policy=policy, deadline=deadline, buffer=buffer)
    session.token = read_token(where, token_file, os.environ)
    return where, session


class Connected(Carrying):
    """A process with a session at its agent. `lost` counts the events that the monitor was never
    told, `malformed` and `refused_clocks` what came with messages and could not be read."""

    on: Final = True

    def __init__(
        self,
        address: Address,
        session: Session,
        *,
        token_file: str | os.PathLike[str] | None,
        backoff: Backoff,
    ) -> None:
        super().__init__()
        self._address = address
        self._session = session
        self._token_file = token_file
        self._backoff = backoff
        self._forked = False

    @property
    def name(self) -> str:
        return self._session.process

    @property
    def lost(self) -> int:
        return self._session.lost

    @property
    def refused_clocks(self) -> int:
        return self._session.knowledge.refused
