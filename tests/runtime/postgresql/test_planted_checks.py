"""A holder that is slow between its check and the end of its commit, and an agent that takes its
slot just then: what the adopter read is all that there is. Two checks are none, and are caught."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.postgresql.connection import Connection
from choreomon.runtime.stores.postgresql.journal import SlotJournal
from choreomon.runtime.stores.postgresql.server import Address
from tests.runtime.postgresql.test_slot_journal import leases, take

LOCK = 7
SLOW = f"""
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NEW; END $$;
CREATE TRIGGER slow AFTER INSERT ON journal FOR EACH ROW EXECUTE FUNCTION slow()
"""


class Unlocked(SlotJournal):
    """Planted: the condition alone."""

    check = SlotJournal.check.removesuffix(" FOR SHARE")


class Unchecked(SlotJournal):
    """Planted: the number does not matter."""

    check = "SELECT slot FROM lease WHERE slot = $1 AND $2::bigint > 0 AND $3::bigint > 0"


@contextmanager
def slow_commits(address: Address) -> Iterator[Connection]:
    """Each commit stands still behind its check, for as long as this connection holds a lock."""
    connection = Connection(address.url, address.timeout)
    connection.script(f'SET search_path = "{address.schema}"; {SLOW}')
    connection.run(f"SELECT pg_advisory_lock({LOCK})::text")
    try:
        yield connection
    finally:
        connection.close()


def until_waiting(connection: Connection) -> None:
    """Until somebody stands still there."""
    while not connection.run("SELECT '' FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
        pass


def lost_rows(address: Address, journal: type[SlotJournal]) -> list[bytes]:
    """Rows whose commit was acknowledged, and which who took the slot meanwhile has not read."""
    mine = take(leases(address, "one", seconds=1e-6, journal=journal)).store
    mine.commit(b"first")
    heir = leases(address._replace(timeout=0.5), "two")
    acknowledged: list[bytes] = []

    def commit() -> None:
        try:
            mine.commit(b"second")
        except (CommitFailed, Fenced):
            return
        acknowledged.append(b"second")

    with slow_commits(address) as holding:
        committing = threading.Thread(target=commit)
        committing.start()
        until_waiting(holding)
        try:
            found = heir.take("shop/1", used=True)
        except CommitFailed:  # it waits for the commit, and then longer than it may
            found = None
        read = None if found is None else found.store.load()[1]
    committing.join()
    if read is None:
        read = take(leases(address, "two")).store.load()[1]
    return [row for row in acknowledged if row not in read]


def test_whoever_takes_a_slot_waits_for_a_commit_that_has_passed_its_check(
    address: Address,
) -> None:
    assert lost_rows(address, SlotJournal) == []


@pytest.mark.parametrize("planted", [Unlocked, Unchecked])
def test_a_check_without_a_lock_loses_what_was_acknowledged(
    address: Address, planted: type[SlotJournal]
) -> None:
    assert lost_rows(address, planted) == [b"second"]


@pytest.mark.parametrize(("journal", "refused"), [(SlotJournal, True), (Unchecked, False)])
def test_a_holder_that_wakes_up_is_refused_by_the_check(
    address: Address, journal: type[SlotJournal], refused: bool
) -> None:
    mine = take(leases(address, "one", seconds=1e-6, journal=journal)).store
    mine.commit(b"first")
    theirs = take(leases(address, "two")).store
    before = theirs.load()
    late = partial(mine.commit, b"late")
    if refused:
        with pytest.raises(Fenced):
            late()
    else:
        late()
    assert (theirs.load() == before) is refused
