"""The tables of leases and journals, and the server that they are in.

All of them are in one schema of PostgreSQL, which is that of one monitored system: slots of two
systems may have one name. A system that follows another one by a rollout uses the same.
"""

from __future__ import annotations

from typing import Final

from choreomon.core.errors import DocumentError, Problem
from choreomon.runtime.stores.postgresql.connection import OLDEST, Connection, Refused

VERSION: Final = 2

_TABLES: Final = f"""
CREATE TABLE choreomon (version integer NOT NULL);
INSERT INTO choreomon VALUES ({VERSION});
CREATE TABLE lease (
    slot text PRIMARY KEY,
    number bigint NOT NULL,
    holder text NOT NULL,
    address text NOT NULL,
    until timestamptz NOT NULL,
    used boolean NOT NULL,
    lives bigint NOT NULL,
    opened bigint NOT NULL,
    name bytea NOT NULL,
    systems text NOT NULL,
    server text NOT NULL,
    pod text NOT NULL
);
CREATE TABLE journal (
    slot text NOT NULL,
    number bigint NOT NULL,
    inputs bytea NOT NULL,
    PRIMARY KEY (slot, number)
);
CREATE TABLE snapshot (slot text PRIMARY KEY, number bigint NOT NULL, state bytea NOT NULL);
CREATE TABLE instance (
    slot text NOT NULL,
    system bytea NOT NULL,
    key bytea NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (slot, system, key)
);
"""

_LOCK: Final = 0x63686F72
"""Number of the advisory lock under which tables are made: "chor"."""

_TIMELINE: Final = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
"""What a promoted standby has otherwise at once; the one of the last checkpoint may be older."""


def prepare(connection: Connection, schema: str, timeout: float, where: str) -> str:
    """Prepare a new connection, and make the tables where there are none; the server's identity.
    `where` is what errors call it. Raises `DocumentError` for a server that cannot be used, and
    `CommitFailed`."""
    if connection.version < OLDEST:
        told = (
            f"has version {connection.version // 10000}: use PostgreSQL {OLDEST // 10000} or later"
        )
        raise unusable(where, told)
    milliseconds = max(1, int(timeout * 1000))
    quoted = '"{}"'.format(schema.replace('"', '""'))
    connection.script(
        "SET synchronous_commit = on;"
        f"SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds};"
        f"SET idle_in_transaction_session_timeout = {milliseconds};"
        f"SET search_path = {quoted}"
    )
    try:
        if _missing(connection, schema):
            _make(connection, schema, quoted)
        ((version,),) = connection.run("SELECT version::text FROM choreomon")
        ((server,),) = connection.run(
            f"SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || {_TIMELINE}"
        )
    except Refused as refused:
        raise unusable(where, f"cannot be used: {refused}{_fix(refused.code, schema)}") from None
    if int(version) != VERSION:
        told = f"has tables of version {int(version)}; this choreomon writes version {VERSION}"
        raise unusable(where, f"{told}: name another schema")
    return server.decode()


def _missing(connection: Connection, schema: str) -> bool:
    """Tell whether there are no tables. Asked of a table of the server, since what it remembers of
    names may be older than the lock under which it is asked."""
    return not connection.run(
        "SELECT '' FROM pg_tables WHERE schemaname = $1 AND tablename = 'choreomon'", schema
    )


def _make(connection: Connection, schema: str, quoted: str) -> None:
    with connection.transaction():
        connection.run(f"SELECT pg_advisory_xact_lock({_LOCK})::text")
        if _missing(connection, schema):
            connection.script(f"CREATE SCHEMA IF NOT EXISTS {quoted}; {_TABLES}")


def _fix(code: str, schema: str) -> str:
    match code:
        case "42501":
            return (
                f": let its user create the schema {schema}, or use that schema and all of its "
                "tables"
            )
        case "25006" | "55000":
            return ": it is a standby, so name the primary"
        case _:
            return ""


def unusable(where: str, why: str) -> DocumentError:
    """The error of a server that cannot be used."""
    return DocumentError((Problem(where, 0, "", why),))
