"""Journals and leases in a real PostgreSQL: who may write, and what is there afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.roles import Roles
from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.leases.ends import Fenced, Taken
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.postgresql.connection import Connection
from choreomon.runtime.stores.postgresql.leases import PostgresLeases
from choreomon.runtime.stores.postgresql.server import Address, Server

ROLES = Roles({"shop": 3})
SYSTEM = bytes(16)


def leases(address: Address, holder: str, **options: Any) -> PostgresLeases:
    fields: dict[str, Any] = {"seconds": 60.0, "roles": ROLES, "systems": (SYSTEM.hex(),)}
    fields.update(options)
    return PostgresLeases(Server(address), holder=holder, address=f"tcp://{holder}:1", **fields)


def take(end: PostgresLeases, slot: str = "shop/1") -> Taken:
    found = end.take(slot, used=True)
    assert found is not None
    return found


def ask(address: Address, statement: str) -> list[tuple[bytes, ...]]:
    connection = Connection(address.url, address.timeout)
    connection.script(f'SET search_path = "{address.schema}"')
    try:
        return connection.run(statement)
    finally:
        connection.close()


def end_connections(address: Address) -> None:
    """End all connections of others, as a restart of the server does."""
    ask(
        address,
        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    )


def until_done(what: Any, *arguments: Any) -> Any:
    while True:
        try:
            return what(*arguments)
        except CommitFailed:
            continue


def test_of_two_agents_one_gets_the_slot_and_reads_nothing_of_another_one(address: Address) -> None:
    one, two = leases(address, "one"), leases(address, "two")
    mine = take(one)
    assert two.take("shop/1", used=True) is None
    assert take(two, "shop/2").store.load() == (None, [])
    assert mine.lease.number == mine.lease.lives == 1
    assert not mine.lost


def test_what_a_killed_holder_committed_is_read_by_who_takes_its_slot(address: Address) -> None:
    mine = take(leases(address, "one", seconds=1e-6))
    for row in (b"a", b"b"):
        mine.store.commit(row)
    theirs = take(leases(address, "two"))
    assert theirs.store.load() == (None, [b"a", b"b"])
    assert theirs.lease[:3] == ("shop/1", 2, "two")
    assert (theirs.lease.lives, theirs.lost) == (1, False)


@pytest.mark.parametrize(
    "write", ["commit", "snapshot", "exchange", "instance", "instances", "load"]
)
def test_whose_slot_was_taken_neither_writes_nor_reads_it(address: Address, write: str) -> None:
    mine = take(leases(address, "one", seconds=1e-6))
    mine.store.commit(b"a")
    theirs = take(leases(address, "two"))
    arguments: dict[str, tuple[Any, ...]] = {
        "exchange": (b"state", (SYSTEM,)),
        "instance": (SYSTEM, b"key"),
        "instances": (SYSTEM, b"", 9),
        "load": (),
    }
    with pytest.raises(Fenced, match="that of two, whose agent is at tcp://two:1"):
        getattr(mine.store, write)(*arguments.get(write, (b"row",)))
    assert theirs.store.load() == (None, [b"a"])


def test_a_snapshot_is_in_the_place_of_rows_and_instances_go_with_their_system(
    address: Address,
) -> None:
    other = bytes(15) + b"\1"
    store = take(leases(address, "one")).store
    store.commit(b"a")
    rows = [InstanceRow(SYSTEM, b"2", b"two"), InstanceRow(SYSTEM, b"1", b"one")]
    store.snapshot(b"state", [*rows, InstanceRow(other, b"1", b"its")])
    store.commit(b"b")
    assert store.load() == (b"state", [b"b"])
    assert store.instances(SYSTEM, b"", 9) == [(b"1", b"one"), (b"2", b"two")]
    assert store.instances(SYSTEM, b"1", 9) == [(b"2", b"two")]
    assert store.instance(SYSTEM, b"1") == b"one"
    store.exchange(b"other", (other,), [InstanceRow(other, b"1", b"new")])
    assert store.load() == (b"other", [])
    assert store.instance(SYSTEM, b"1") is None
    assert store.instance(other, b"1") == b"new"
    store.snapshot(b"other", [InstanceRow(other, b"1", None)])
    assert store.instance(other, b"1") is None


def test_a_renewal_says_whose_slots_are_gone_and_one_given_back_is_anybodys(
    address: Address,
) -> None:
    one, two = leases(address, "one"), leases(address, "two", seconds=1e-6)
    numbers = {slot: take(one, slot).lease.number for slot in ("shop/0", "shop/1")}
    assert one.renew(numbers) == frozenset()
    assert one.renew({**numbers, "shop/0": 7}) == {"shop/0"}
    one.give_back("shop/0", 7)
    assert two.take("shop/0", used=True) is None
    one.give_back("shop/0", 1)
    assert take(two, "shop/0").lease.number == 2
    now, (first, second, third) = one.look("shop")
    assert (first.holder, second.holder, third.holder) == ("two", "one", "")
    assert second.until > now > first.until
    assert one.read("shop/1")[0].holder == "one"


def test_what_was_sent_over_an_earlier_connection_is_refused(address: Address) -> None:
    mine = take(leases(address, "one"))
    mine.store.commit(b"a")
    opened = ask(address, "SELECT opened::text FROM lease")
    end_connections(address)
    until_done(mine.store.commit, b"b")
    assert ask(address, "SELECT opened::text FROM lease") > opened
    assert mine.store.load() == (None, [b"a", b"b"])


def test_a_row_whose_commit_was_not_heard_of_is_written_again_with_what_came_after(
    address: Address,
) -> None:
    mine = take(leases(address, "one"))
    mine.store.commit(b"a")
    # As if that had arrived, and the answer had not.
    ask(address, "INSERT INTO journal VALUES ('shop/1', 2, 'b')")
    end_connections(address)
    until_done(mine.store.commit, b"bc")
    mine.store.commit(b"d")
    assert mine.store.load() == (None, [b"a", b"bc", b"d"])


def test_a_store_that_is_gone_begins_another_life_which_its_first_commit_keeps(
    address: Address,
) -> None:
    take(leases(address, "one", seconds=1e-6)).store.commit(b"a")
    ask(address, "DELETE FROM journal RETURNING ''")
    end = leases(address, "two", seconds=1e-6)
    for number in (2, 3):
        found = take(end)
        assert (found.lease.number, found.lease.lives, found.lost) == (number, 2, True)
        assert end.read("shop/1")[0].lives == 1
    take(end).store.commit(b"anew")
    after = take(end)
    assert (after.lease.lives, after.lost) == (2, False)


def test_after_a_fail_over_all_slots_are_lost(address: Address) -> None:
    mine = take(leases(address, "one", seconds=1e-6))
    mine.store.commit(b"a")
    ask(address, "UPDATE lease SET server = '1/00000001' RETURNING ''")
    theirs = take(leases(address, "two"))
    assert (theirs.lease.lives, theirs.lost) == (2, True)
    theirs.store.commit(b"b")
    assert theirs.store.load() == (None, [b"a", b"b"])


def test_two_agents_that_start_at_once_make_the_tables_once(address: Address) -> None:
    with ThreadPoolExecutor(4) as threads:
        servers = list(threads.map(lambda _: Server(address), range(4)))
    assert len({server.identity for server in servers}) == 1


def test_a_server_that_cannot_be_used_is_told_with_what_to_do(address: Address) -> None:
    def told(address: Address) -> str:
        with pytest.raises(DocumentError) as refused:
            Server(address)
        return str(refused.value)

    nowhere = address._replace(url="postgresql://choreomon@127.0.0.1:9/postgres")
    assert "is out of reach" in told(nowhere)
    assert "Connection refused" in told(nowhere)
    assert "password" not in told(nowhere)
    Server(address)
    ask(address, "UPDATE choreomon SET version = 1 RETURNING ''")
    assert "has tables of version 1; this choreomon writes version 2" in told(address)
