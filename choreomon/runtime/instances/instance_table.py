"""The table of instances in the database of a store. It is made when the first one is put, so that
the file of an agent without any is as before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Final

from choreomon.runtime.instances.rows import InstanceRow

NAME: Final = "instance"

_TABLES: Final = (
    # A short number in place of an id of 16 bytes in each row.
    "CREATE TABLE IF NOT EXISTS instances_of (number INTEGER PRIMARY KEY, id BLOB UNIQUE NOT NULL)",
    f"CREATE TABLE IF NOT EXISTS {NAME} (system INTEGER NOT NULL, key BLOB NOT NULL, "
    "state BLOB NOT NULL, PRIMARY KEY (system, key)) WITHOUT ROWID",
)

_READ: Final = (
    f"SELECT state FROM {NAME} WHERE key = ? AND "
    "system = (SELECT number FROM instances_of WHERE id = ?)"
)

_SOME: Final = (
    f"SELECT key, state FROM {NAME} WHERE key > ? AND "
    "system = (SELECT number FROM instances_of WHERE id = ?) ORDER BY key LIMIT ?"
)


def read(database: sqlite3.Connection, system: bytes, key: bytes) -> bytes | None:
    """The state of an instance, from the table, which has to be there."""
    found = database.execute(_READ, (key, system)).fetchone()
    return None if found is None else found[0]


def some(
    database: sqlite3.Connection, system: bytes, after: bytes, most: int
) -> list[tuple[bytes, bytes]]:
    """Keys and states of instances from the table, which has to be there: those after this key, at
    most so many, in order."""
    return database.execute(_SOME, (after, system, most)).fetchall()


def put(
    database: sqlite3.Connection, rows: Sequence[InstanceRow], systems: Collection[str] | None
) -> None:
    """Put rows, in a transaction that is open; of systems that are not among `systems`, where these
    are given, none is left."""
    run = database.execute
    for statement in _TABLES:
        run(statement)
    if systems is not None:
        for number, id in run("SELECT number, id FROM instances_of").fetchall():
            if id.hex() not in systems:
                run(f"DELETE FROM {NAME} WHERE system = ?", (number,))
                run("DELETE FROM instances_of WHERE number = ?", (number,))
    for system in dict.fromkeys(row.system for row in rows):
        run("INSERT OR IGNORE INTO instances_of (id) VALUES (?)", (system,))
    numbers = {id: number for number, id in run("SELECT number, id FROM instances_of").fetchall()}
    database.executemany(
        f"DELETE FROM {NAME} WHERE system = ? AND key = ?",
        [(numbers[system], key) for system, key, state in rows if state is None],
    )
    database.executemany(
        f"INSERT OR REPLACE INTO {NAME} VALUES (?, ?, ?)",
        [(numbers[system], key, state) for system, key, state in rows if state is not None],
    )
