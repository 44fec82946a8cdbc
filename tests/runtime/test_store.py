"""The file of a journal: whose it is, what may be lost with the power, and when it is full."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from choreomon.core.errors import DocumentError
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores import sqlite_file
from choreomon.runtime.stores.agent_store import Owner
from choreomon.runtime.stores.sqlite import SqliteStore

SHOP = Owner("shop", ("aa" * 16, "bb" * 16))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shop.db"


def die(store: SqliteStore) -> None:
    """As by `kill -9`: nothing is said to the file."""
    store._database.close()


def opened(file: Path, boot: str, durability: Literal["process", "power"] = "process") -> bool:
    """Whether one who opens the file, and dies, is told that something may be lost."""
    store = SqliteStore(file, durability, boot)
    die(store)
    return store.forgetful


def refused(file: Path, owner: Owner | None = None) -> str:
    with pytest.raises(DocumentError) as raised:
        SqliteStore(file, "process", "boot", owner=owner)
    return str(raised.value)


def test_rows_and_states_come_back(file: Path) -> None:
    store = SqliteStore(file, "process", "boot")
    assert store.load() == (None, [])
    store.commit(b"1")
    store.snapshot(b"state")
    store.commit(b"2")
    store.commit(b"3")
    die(store)
    store = SqliteStore(file, "process", "boot")
    assert store.load() == (b"state", [b"2", b"3"])
    store.commit(b"4")
    store.close()
    assert SqliteStore(file, "process", "boot").load() == (b"state", [b"2", b"3", b"4"])


# What may be lost with the power.


def test_only_another_boot_after_a_death_may_have_lost_something(file: Path) -> None:
    assert not opened(file, "1")
    assert not opened(file, "1")
    assert opened(file, "2")


def test_that_something_may_be_lost_is_told_until_a_row_says_so(file: Path) -> None:
    """Who dies before the row is committed has not told anybody."""
    assert not opened(file, "1")
    assert opened(file, "2")
    assert opened(file, "2")
    store = SqliteStore(file, "process", "2")
    store.close()
    store = SqliteStore(file, "process", "2")
    assert store.forgetful
    store.commit(b"something may be lost")
    die(store)
    assert not opened(file, "2")
    assert SqliteStore(file, "process", "2").load() == (None, [b"something may be lost"])


def test_what_was_closed_in_order_or_written_for_power_has_lost_nothing(file: Path) -> None:
    SqliteStore(file, "process", "1").close()
    assert not opened(file, "2", "power")
    assert not opened(file, "3", "process")
    # Which of the two counts is what the last one wrote with, not what this one will.
    assert opened(file, "4", "power")


def test_that_a_file_is_in_use_is_on_the_disk_before_anything_is_committed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the power, the last commits may be lost, and with them that there were any."""
    ran: list[str] = []
    connect = sqlite3.connect

    def connected(*arguments: object, **options: object) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*arguments, **options)  # type: ignore[call-overload]
        database.set_trace_callback(ran.append)
        return database

    monkeypatch.setattr(sqlite3, "connect", connected)
    SqliteStore(file, "process", "1").close()
    noted = next(place for place, each in enumerate(ran) if each.startswith("INSERT INTO boot"))
    modes = [each for each in ran[:noted] if each.startswith("PRAGMA synchronous")]
    assert modes[-1] == "PRAGMA synchronous=FULL"
    after = [each for each in ran[noted:] if each.startswith(("COMMIT", "PRAGMA sync"))]
    assert after == ["COMMIT", "PRAGMA synchronous=NORMAL"]


# Whose it is.


def test_a_file_is_refused_to_another_process_and_says_of_which_systems_it_is(file: Path) -> None:
    """Its rows would be events that never were."""
    die(SqliteStore(file, "process", "boot", owner=SHOP))
    die(SqliteStore(file, "process", "boot", owner=SHOP))
    assert refused(file, SHOP._replace(process="bank")) == (
        f"{file}: cannot be used as store: is that of shop, and this is the agent of bank"
    )
    for systems in ((), SHOP.systems[::-1], SHOP.systems[:1], ("cc" * 16, "bb" * 16)):
        store = SqliteStore(file, "process", "boot", owner=SHOP._replace(systems=systems))
        assert store.systems == SHOP.systems
        die(store)
    die(SqliteStore(file, "process", "boot"))


def test_systems_change_with_the_state_or_not_at_all(file: Path) -> None:
    store = SqliteStore(file, "process", "boot", owner=SHOP)
    store.commit(b"row")
    store.exchange(b"state", (b"\xcc" * 16,))
    store.commit(b"later")
    die(store)
    store = SqliteStore(file, "process", "boot", owner=SHOP)
    assert store.systems == ("cc" * 16,)
    assert store.load() == (b"state", [b"later"])
    die(store)
    store = SqliteStore(file, "process", "boot", owner=SHOP, max_pages=1)
    with pytest.raises(CommitFailed):
        store.exchange(b"x" * 100_000, (b"\xdd" * 16,))
    die(store)
    store = SqliteStore(file, "process", "boot", owner=SHOP)
    assert store.systems == ("cc" * 16,)
    assert store.load() == (b"state", [b"later"])
    die(store)


def test_a_file_without_an_owner_gets_one(file: Path) -> None:
    die(SqliteStore(file, "process", "boot"))
    die(SqliteStore(file, "process", "boot", owner=SHOP))
    assert "is that of shop" in refused(file, SHOP._replace(process="bank"))


def test_two_at_once_are_told(file: Path) -> None:
    store = SqliteStore(file, "process", "boot")
    assert "another agent uses it" in refused(file)
    store.close()


def test_what_is_no_journal_is_refused_and_left_alone(file: Path) -> None:
    file.write_bytes(b"no database, but rather long" * 100)
    assert "file is not a database" in refused(file)
    assert file.read_bytes() == b"no database, but rather long" * 100
    other = file.with_name("other.db")
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE journal (x)")
    database.close()
    assert "is a database of something else" in refused(other)
    assert "there is no folder" in refused(file.with_name("missing") / "shop.db")
    assert "is a folder: name a file in it" in refused(file.parent)


def damaged(file: Path, start: int, end: int | None) -> None:
    store = SqliteStore(file, "process", "boot")
    for _ in range(200):
        store.commit(bytes(100))
    store.close()
    data = bytearray(file.read_bytes())
    data[start:end] = b"\xff" * len(data[start:end])
    file.write_bytes(data)


DAMAGED = r"is damaged \(.*malformed\): .*`choreomon split` again"


def test_a_damaged_file_is_told_of_not_raised(file: Path) -> None:
    damaged(file, 4096, None)
    with pytest.raises(DocumentError, match=DAMAGED):
        SqliteStore(file, "process", "boot")


def test_so_is_one_whose_damage_shows_when_all_is_read(file: Path) -> None:
    damaged(file, 10 * 1024, 12 * 1024)
    store = SqliteStore(file, "process", "boot")
    with pytest.raises(DocumentError, match=DAMAGED):
        store.load()
    die(store)


@pytest.mark.parametrize("left", [0, 1, 50, 100, 1024, -1024, -100, -1])
def test_one_that_was_cut_off_is_told_of_and_left_alone(file: Path, left: int) -> None:
    """SQLite takes an empty file for a new database, and a page that is cut off for zeros."""
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    store.snapshot(bytes(5000))
    store.close()
    data = file.read_bytes()[:left]
    file.write_bytes(data)
    told = refused(file)
    size = f"is cut off after {len(data)}" if left else "is empty (0 bytes): "
    assert size in told
    assert "what it held is lost: `choreomon split` again" in told
    assert file.read_bytes() == data
    assert modes(file).keys() == {file.name}


def test_what_is_not_in_the_file_yet_is_beside_it(file: Path) -> None:
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    store.snapshot(bytes(5000))
    die(store)
    assert SqliteStore(file, "process", "boot").load() == (bytes(5000), [])


def test_a_database_with_nothing_in_it_is_no_new_store(file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version=1")
    database.close()
    assert "has nothing in it: what it held is lost" in refused(file)


def test_a_store_is_there_as_a_whole_or_not_at_all(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an agent that is killed as it makes it has left, the next one begins anew."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.link", killed)
    with pytest.raises(KeyboardInterrupt):
        SqliteStore(file, "process", "boot")
    assert modes(file) == {}
    left = file.with_name(f"{file.name}.{os.getpid()}.new")
    left.write_bytes(b"half")
    monkeypatch.undo()
    store = SqliteStore(file, "process", "boot")
    assert store.load() == (None, [])
    store.close()
    assert modes(file) == {file.name: 0o600}


def test_where_there_are_no_links_it_is_put_there_otherwise(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", unknown)
    SqliteStore(file, "process", "boot").close()
    assert modes(file) == {file.name: 0o600}


def test_what_this_user_cannot_write_is_told_before_it_is_opened(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says "disk I/O error" there."""
    denied = {str(file.parent)}
    monkeypatch.setattr("os.access", lambda path, mode: str(path) not in denied)
    told = f"its folder {file.parent} cannot be written to, where shop.db-wal has to be: let this"
    assert told in refused(file)
    assert not file.exists()
    denied.clear()
    SqliteStore(file, "process", "boot").close()
    denied.add(str(file))
    assert "cannot be read and written: let this user do so" in refused(file)


def test_what_cannot_be_made_and_what_the_disk_says_is_told_with_what_to_do(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be made: File name too long: name another" in refused(file.with_name("x" * 300))

    def failing(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite3, "connect", failing)
    assert "disk I/O error: see whether the disk is well" in refused(file)


# Who may read it, and whether it stays.


@pytest.fixture
def lax_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(file: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()}


@pytest.mark.usefixtures("lax_umask")
def test_a_new_store_and_what_is_beside_it_is_for_its_owner_alone(file: Path) -> None:
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    assert modes(file) == {"shop.db": 0o600, "shop.db-wal": 0o600}
    store.close()


@pytest.mark.usefixtures("lax_umask")
def test_a_store_that_is_there_keeps_its_mode(file: Path) -> None:
    SqliteStore(file, "process", "boot").close()
    file.chmod(0o640)
    SqliteStore(file, "process", "boot").close()
    assert modes(file) == {"shop.db": 0o640}


def test_a_start_that_is_abandoned_leaves_no_new_store_and_keeps_an_old_one(file: Path) -> None:
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    store.abandon()
    assert modes(file) == {}
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    store.close()
    SqliteStore(file, "process", "boot").abandon()
    assert SqliteStore(file, "process", "boot").load() == (None, [b"1"])


def test_who_made_a_file_that_another_one_has_locked_does_not_remove_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that start at once, with a new file."""
    store = SqliteStore(file, "process", "boot")
    store.commit(b"1")
    monkeypatch.setattr(sqlite_file, "make", lambda *_: True)
    assert "another agent uses it" in refused(file)
    store.close()
    assert SqliteStore(file, "process", "boot").load() == (None, [b"1"])


# When it is full.


def test_a_full_file_takes_no_row_and_no_state_and_is_as_it_was(file: Path) -> None:
    SqliteStore(file, "process", "boot").close()
    store = SqliteStore(file, "process", "boot", max_pages=20)
    for number in range(100):
        try:
            store.commit(b"%d" % number * 400)
        except CommitFailed:
            break
    with pytest.raises(CommitFailed, match=r"shop\.db: database or disk is full"):
        store.commit(bytes(2000))
    with pytest.raises(CommitFailed, match="full"):
        store.snapshot(bytes(100_000))
    with pytest.raises(CommitFailed, match="full"):
        store.commit(bytes(2000))
    rows = [b"%d" % each * 400 for each in range(number)]
    assert store.load() == (None, rows)
    store.close()
    assert SqliteStore(file, "process", "boot").load() == (None, rows)


def test_the_row_that_says_so_may_find_the_file_full(file: Path) -> None:
    assert not opened(file, "1")
    store = SqliteStore(file, "process", "2", max_pages=10)
    with pytest.raises(CommitFailed, match="full"):
        store.commit(bytes(20_000))
    store._database.execute("PRAGMA max_page_count=1000")
    die(store)
    store = SqliteStore(file, "process", "2")
    assert store.forgetful
    store.commit(b"something may be lost")
    assert store.load() == (None, [b"something may be lost"])
    store.close()
    assert not opened(file, "3")


def test_a_transaction_that_stayed_open_swallows_no_row(file: Path) -> None:
    """It could not even be rolled back: whatever is committed then must be there."""
    store = SqliteStore(file, "process", "boot")
    store._database.execute("BEGIN IMMEDIATE")
    store.commit(b"1")
    store.commit(b"2")
    die(store)
    assert SqliteStore(file, "process", "boot").load() == (None, [b"1", b"2"])


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow: what a disk without room says, as far as SQLite can tell."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_store_that_is_there_is_opened_on_a_full_disk_and_takes_rows_later(file: Path) -> None:
    store = SqliteStore(file, "process", "boot", owner=SHOP)
    store.commit(b"1")
    store.close()
    with full_disk():
        store = SqliteStore(file, "process", "boot 2", owner=SHOP)
        assert store.load() == (None, [b"1"])
        assert not store.forgetful
        for _ in range(2):
            with pytest.raises(CommitFailed):
                store.commit(b"2")
    store.commit(b"2")
    die(store)
    # With the row it was noted that the file is in use.
    store = SqliteStore(file, "process", "boot 3", owner=SHOP)
    assert store.forgetful
    assert store.load() == (None, [b"1", b"2"])
    die(store)


def test_one_that_committed_nothing_on_a_full_disk_has_lost_nothing(file: Path) -> None:
    SqliteStore(file, "process", "boot").close()
    with full_disk():
        die(SqliteStore(file, "process", "boot 2"))
    assert not opened(file, "boot 3")


def test_a_new_store_needs_room(file: Path) -> None:
    with full_disk():
        told = refused(file)
    assert "cannot be used as store: " in told
    assert modes(file) == {}
