"""What is told of PostgreSQL where there is none to ask."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.core.errors import DocumentError
from choreomon.core.roles import NO_ROLES
from choreomon.runtime.stores.agent_store import Owner
from choreomon.runtime.stores.postgresql.held import open_held
from choreomon.runtime.stores.postgresql.tables import prepare

STORE = PostgresqlStore("postgresql://monitor@127.0.0.1:9/monitoring")


def test_where_the_driver_is_missing_it_is_told_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DocumentError, match=r"needs psycopg.*install choreomon\[postgresql\]"):
        open_held(STORE, Owner("shop/2", ()), NO_ROLES, local="a.sock", listen="tcp://127.0.0.1:1")


def test_a_server_that_is_too_old_is_told_with_the_version_to_use() -> None:
    class Old:
        version = 120017

    old: Any = Old()
    with pytest.raises(DocumentError, match="db: has version 12: use PostgreSQL 13 or later"):
        prepare(old, "choreomon", 1.0, "db")
