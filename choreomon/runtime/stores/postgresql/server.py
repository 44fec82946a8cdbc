"""The server, over one connection at a time. When that breaks another one is made aside, so that an
agent whose server is out of reach waits for it once, and not at every attempt.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from choreomon.core.errors import DocumentError
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.postgresql.connection import Connection, OutOfReach
from choreomon.runtime.stores.postgresql.tables import prepare, unusable


class Address(NamedTuple):
    """The address of tables of leases and journals: `url` as libpq has it, without a password. Each
    answer is waited for `timeout` seconds."""

    url: str
    schema: str
    timeout: float

    def __str__(self) -> str:
        return f"{self.url.partition('?')[0]}, schema {self.schema}"


class AnotherServer(Exception):
    """Another server answers than before, or the same one after others went on without it, as after
    a fail-over: the last commits may not be there."""


class Server:
    """The server at an address. Raises `DocumentError` where it cannot be used, and where it is out
    of reach now."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.turn = 0
        """Counts connections: what one of them sent may still arrive after another one was made."""
        self._attempt: _Attempt | None = None
        self._connection: Connection | None = None
        attempt = _Attempt(address)
        attempt.run()
        if attempt.connection is None:
            raise attempt.refused or unusable(
                str(address),
                f"is out of reach: {attempt.why}: start it, or name the right one",
            )
        self.identity = attempt.identity
        """The server, and the history that its data has: two numbers."""
        self._follow(attempt.connection)

    def connection(self) -> Connection:
        """The connection that there is. Raises `OutOfReach` where there is none now, and
        `AnotherServer`."""
        if self._connection is not None and not self._connection.closed:
            return self._connection
        attempt, self._attempt = self._attempt, None
        if attempt is None or (attempt.is_over and attempt.connection is None):
            why = "the connection is broken" if attempt is None else attempt.why
            self._attempt = _Attempt(self.address)
            self._attempt.begin()
            raise OutOfReach(why)
        if attempt.connection is None:
            self._attempt = attempt
            raise OutOfReach(f"no answer within {self.address.timeout:g} s")
        if attempt.identity != self.identity:
            attempt.connection.close()
            raise AnotherServer(f"{self.address}: is {attempt.identity}, was {self.identity}")
        self._follow(attempt.connection)
        return attempt.connection

    def _follow(self, connection: Connection) -> None:
        self._connection = connection
        self.turn += 1

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()


@dataclass
class _Attempt:
    """An attempt to connect, and what came of it."""

    address: Address
    identity: str = ""
    why: str = ""
    refused: DocumentError | None = None
    connection: Connection | None = None
    _thread: threading.Thread | None = field(default=None, init=False)

    def begin(self) -> None:
        """Run aside."""
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return self._thread is None or not self._thread.is_alive()

    def run(self) -> None:
        url, schema, timeout = self.address
        connection = None
        try:
            connection = Connection(url, timeout)
            self.identity = prepare(connection, schema, timeout, str(self.address))
            self.connection = connection
        except CommitFailed as failed:
            self.why = str(failed)
        except DocumentError as refused:
            self.refused, self.why = refused, str(refused)
        if connection is not None and self.connection is None:
            connection.close()
