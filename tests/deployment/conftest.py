"""A nursery of processes, which many tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from choreomon.deployment.nursery import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery
        assert [*nursery.folder.iterdir()] == []
