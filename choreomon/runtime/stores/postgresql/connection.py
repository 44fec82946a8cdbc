"""One connection to PostgreSQL, on which nothing is waited for longer than a given time: neither
libpq nor the kernel bounds how long a server that is there may say nothing.

Statements have their values apart. Columns are read in binary form, so every one is `bytea`, or is
cast to `text`.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeAlias

from choreomon.runtime.ports import CommitFailed

Value: TypeAlias = str | int | float | bytes

OLDEST: Final = 130000
"""The oldest version that is known to do: 13.0, as libpq numbers them."""


class OutOfReach(CommitFailed):
    """The server does not answer, or ends the connection: whether a commit that was under way is
    there is not known. The connection is closed."""


class Refused(CommitFailed):
    """The server did not do what was asked; nothing of it is there. `code` is the SQLSTATE."""

    def __init__(self, told: str, code: str) -> None:
        super().__init__(told)
        self.code = code


class Connection:
    """An open connection. `information`: what libpq calls a connection string. `timeout`: seconds
    for connecting, and for each statement.

    Raises `OutOfReach` where none can be made; the message is the server's.
    """

    def __init__(self, information: str, timeout: float) -> None:
        from psycopg import OperationalError, pq

        self._pq: Any = pq
        self._broken: tuple[type[Exception], ...] = (OperationalError, OSError)
        self._timeout = timeout
        self._until = time.monotonic() + timeout
        self._prepared: dict[str, bytes] = {}
        try:
            self._libpq: Any = pq.PGconn.connect_start(information.encode())
            self._connect()
        except BaseException as error:
            self.close()
            if isinstance(error, self._broken):
                raise OutOfReach(str(error)) from None
            raise

    def _connect(self) -> None:
        libpq, polling = self._libpq, self._pq.PollingStatus
        if libpq.status == self._pq.ConnStatus.BAD:
            raise OutOfReach(self._told())
        waits = polling.WRITING
        while waits != polling.OK:
            self._wait(select.POLLIN if waits == polling.READING else select.POLLOUT)
            waits = libpq.connect_poll()
            if waits == polling.FAILED:
                raise OutOfReach(self._told())
        libpq.nonblocking = 1

    @property
    def version(self) -> int:
        """The version of the server, as 150018."""
        return int(self._libpq.server_version)

    @property
    def local_host(self) -> str:
        """The address of this machine at its own end; loopback where it is no network."""
        with socket.socket(fileno=os.dup(self._libpq.socket)) as end:
            return "127.0.0.1" if end.family == socket.AF_UNIX else str(end.getsockname()[0])

    def script(self, statements: str) -> None:
        """Run statements without values, in one transaction where they say no other. Raises
        `OutOfReach` and `Refused`."""
        self._begin()
        with self._told_by_libpq():
            self._libpq.send_query(statements.encode())
            self._results()

    def run(self, statement: str, *values: Value) -> list[tuple[bytes, ...]]:
        """Run a statement with values for `$1`, `$2`..; its rows. It is a transaction of its own,
        where none is open. Raises `OutOfReach` and `Refused`."""
        self._begin()
        formats = [int(isinstance(value, bytes)) for value in values]
        written = [value if isinstance(value, bytes) else str(value).encode() for value in values]
        with self._told_by_libpq():
            self._libpq.send_query_params(
                statement.encode(), written, param_formats=formats, result_format=1
            )
            return self._results()

    def run_often(self, statement: str, *values: Value) -> list[tuple[bytes, ...]]:
        """Run a statement, which the server plans once."""
        name = self._prepared.get(statement)
        if name is None:
            name = f"choreomon_{len(self._prepared)}".encode()
            self._begin()
            with self._told_by_libpq():
                self._libpq.send_prepare(name, statement.encode())
                self._results()
            self._prepared[statement] = name
        self._begin()
        formats = [int(isinstance(value, bytes)) for value in values]
        written = [value if isinstance(value, bytes) else str(value).encode() for value in values]
        with self._told_by_libpq():
            self._libpq.send_query_prepared(name, written, param_formats=formats, result_format=1)
            return self._results()

    @contextmanager
    def transaction(self, kind: str = "") -> Iterator[None]:
        """A transaction around several statements; `kind` is its isolation, and such. Where
        something is raised nothing of it is there."""
        self.script(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            with suppress(CommitFailed):
                self.script("ROLLBACK")
            raise
        self.script("COMMIT")

    def close(self) -> None:
        """Close it, whatever is under way; nothing is waited for."""
        libpq, self._libpq = getattr(self, "_libpq", None), None
        if libpq is not None:
            libpq.finish()

    @property
    def closed(self) -> bool:
        """True if nothing can be done with it any more."""
        return self._libpq is None

    def _begin(self) -> None:
        if self._libpq is None:
            raise OutOfReach("the connection is closed")
        self._until = time.monotonic() + self._timeout

    @contextmanager
    def _told_by_libpq(self) -> Iterator[None]:
        try:
            yield
        except self._broken as error:
            self.close()
            raise OutOfReach(str(error).strip()) from None
        except Refused:
            raise
        except BaseException:  # also of a statement that is still under way
            self.close()
            raise

    def _results(self) -> list[tuple[bytes, ...]]:
        """The rows of the last result, when all were read."""
        libpq, status = self._libpq, self._pq.ExecStatus
        while libpq.flush():
            self._wait(select.POLLIN | select.POLLOUT)
            libpq.consume_input()
        failed, rows = None, []
        while True:
            while libpq.is_busy():
                self._wait(select.POLLIN)
                libpq.consume_input()
            result = libpq.get_result()
            if result is None:
                break
            if result.status in (status.TUPLES_OK, status.COMMAND_OK):
                rows = _rows(result)
            else:
                failed = failed or self._refusal(result)
        if libpq.status == self._pq.ConnStatus.BAD:
            raise OSError(str(failed or self._told()))
        if failed is not None:
            raise failed
        return rows

    def _refusal(self, result: Any) -> Refused:
        field = self._pq.DiagnosticField
        told = result.error_field(field.MESSAGE_PRIMARY) or result.error_message
        return Refused(
            told.decode(errors="replace").strip(),
            (result.error_field(field.SQLSTATE) or b"").decode(),
        )

    def _told(self) -> str:
        return str(self._libpq.error_message.decode(errors="replace")).strip()

    def _wait(self, events: int) -> None:
        poll = select.poll()
        poll.register(self._libpq.socket, events)
        left = self._until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise OSError(f"no answer within {self._timeout:g} s")


def _rows(result: Any) -> list[tuple[bytes, ...]]:
    columns: Sequence[int] = range(result.nfields)
    return [
        tuple([result.get_value(row, column) for column in columns])
        for row in range(result.ntuples)
    ]
