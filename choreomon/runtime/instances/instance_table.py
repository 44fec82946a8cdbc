"""The table of instances in the database of a store. It is made when the first one is put, so that
the file of an agent without any is as before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from choreomon.runtime.instances.rows import InstanceRow

NAME: Final = "instance"

_TABLES: Final = (
    # A short number in place of an id of 16 bytes in each row.
    "CREATE TABLE IF NOT EXISTS instances_of (number INTEGER PRIMARY KEY, id BLOB UNIQUE NOT NULL)",
    f"CREATE TABLE IF NOT EXISTS {NAME} (system INTEGER NOT NULL, key BLOB NOT NULL, "
    "state BLOB NOT NULL, PRIMARY KEY (system, key)) WITHOUT ROWID",
)

_READ: Final = f"SELECT state FROM {NAME} WHERE system = ? AND key = ?"

_SOME: Final = f"SELECT key, state FROM {NAME} WHERE system = ? AND key > ? ORDER BY key LIMIT ?"

Numbers: TypeAlias = dict[bytes, int]
"""The number that rows have in place of the id of their system."""


def numbers(database: sqlite3.Connection) -> Numbers:
    """Read the number of each system from the table, which has to be there."""
    return dict(database.execute("SELECT id, number FROM instances_of").fetchall())


def read(database: sqlite3.Connection, number: int, key: bytes) -> bytes | None:
    """The state of an instance of the system with this number."""
    found = database.execute(_READ, (number, key)).fetchone()
    return None if found is None else found[0]


def some(
    database: sqlite3.Connection, number: int, after: bytes, most: int
) -> list[tuple[bytes, bytes]]:
    """Keys and states of instances of the system with this number: those after this key, at most so
    many, in order."""
    return database.execute(_SOME, (number, after, most)).fetchall()


def put(
    database: sqlite3.Connection, rows: Sequence[InstanceRow], systems: Collection[str] | None
) -> Numbers:
    """Put rows, in a transaction that is open; of systems that are not among `systems`, where these
    are given, none is left. Returns the numbers as they are then."""
    run = database.execute
    for statement in _TABLES:
        run(statement)
    if systems is not None:
        for id, number in numbers(database).items():
            if id.hex() not in systems:
                run(f"DELETE FROM {NAME} WHERE system = ?", (number,))
                run("DELETE FROM instances_of WHERE number = ?", (number,))
    for system in dict.fromkeys(row.system for row in rows):
        run("INSERT OR IGNORE INTO instances_of (id) VALUES (?)", (system,))
    number_of = numbers(database)
    # In the order of the table each of its pages is come to once.
    ordered = sorted((number_of[system], key, state) for system, key, state in rows)
    database.executemany(
        f"DELETE FROM {NAME} WHERE system = ? AND key = ?",
        [(number, key) for number, key, state in ordered if state is None],
    )
    database.executemany(
        f"INSERT OR REPLACE INTO {NAME} VALUES (?, ?, ?)",
        [each for each in ordered if each[2] is not None],
    )
    return number_of
