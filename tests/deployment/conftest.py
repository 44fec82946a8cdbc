"""A fork server of processes, which many tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from choreomon.deployment.fork_server import ForkServer


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    with ForkServer() as fork_server:
        yield fork_server
        assert [*fork_server.folder.iterdir()] == []
