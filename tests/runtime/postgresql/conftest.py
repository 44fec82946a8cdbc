"""One server for all tests of a process, each of which has a schema of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from choreomon.runtime.stores.postgresql.server import Address
from tests.runtime.postgresql.real_server import RealServer

_schemas = count()


@pytest.fixture(scope="session")
def shared_server() -> Iterator[RealServer]:
    server = RealServer()
    yield server
    server.close()


@pytest.fixture
def address(shared_server: RealServer) -> Address:
    return Address(shared_server.url, f"system_{next(_schemas)}", 5.0)


@pytest.fixture
def own_server() -> Iterator[RealServer]:
    """A server of this test alone, to be killed."""
    server = RealServer()
    yield server
    server.close()
