"""Stores of slots in a folder: the lock of a file is the lease of its slot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.roles import Roles
from choreomon.runtime.stores.agent_store import Owner
from choreomon.runtime.stores.slot_files import open_free
from choreomon.runtime.stores.sqlite import SqliteStore

SYSTEM = bytes(16)


def take(folder: Path, holder: str, count: int = 3) -> SqliteStore:
    owner, roles = Owner("shop", (SYSTEM.hex(),)), Roles({"shop": count})
    return open_free(folder, owner, roles, durability="process", boot="boot", holder=holder)


def told(folder: Path, count: int = 3) -> str:
    with pytest.raises(DocumentError) as refused:
        take(folder, "late", count)
    return str(refused.value)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_each_agent_gets_a_slot_and_one_too_many_is_told_who_has_them(
    tmp_path: Path, opened: ExitStack
) -> None:
    for slot in range(3):
        store = take(tmp_path, f"/run/{slot}.sock")
        opened.callback(store.close)
        assert store.process == f"shop/{slot}"
    assert told(tmp_path) == (
        f"{tmp_path}: none of the 3 slots of shop is free: other agents use "
        f"{tmp_path}/shop~0.db by that of /run/0.sock; {tmp_path}/shop~1.db by that of "
        f"/run/1.sock; {tmp_path}/shop~2.db by that of /run/2.sock: stop one, or split again "
        "with more slots of shop"
    )


def test_an_agent_that_is_started_again_gets_the_slot_that_it_had_with_what_is_in_it(
    tmp_path: Path,
) -> None:
    first, second = take(tmp_path, "a"), take(tmp_path, "b")
    second.commit(b"row")
    second.close()
    first.close()
    again = take(tmp_path, "b")
    assert again.process == "shop/1"
    assert again.load() == (None, [b"row"])
    again.close()


def test_a_new_agent_takes_one_that_nobody_had_and_then_one_that_somebody_left(
    tmp_path: Path, opened: ExitStack
) -> None:
    left = take(tmp_path, "a", 2)
    left.commit(b"row")
    left.close()
    stores = [take(tmp_path, holder, 2) for holder in "bc"]
    for store in stores:
        opened.callback(store.close)
    assert [store.process for store in stores] == ["shop/1", "shop/0"]
    assert stores[1].load() == (None, [b"row"])
    assert stores[1].name != stores[0].name


def test_agents_that_start_at_once_get_a_slot_each(tmp_path: Path, opened: ExitStack) -> None:
    with ThreadPoolExecutor(8) as threads:
        stores = [*threads.map(lambda name: take(tmp_path, name, 8), "abcdefgh")]
    for store in stores:
        opened.callback(store.close)
    assert {store.process for store in stores} == {f"shop/{slot}" for slot in range(8)}


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    nowhere, file = tmp_path / "nowhere", tmp_path / "file"
    file.touch()
    assert told(nowhere) == (
        f"{nowhere}: should be a folder, with a file for each slot of shop; {nowhere} is not "
        "there: make it first"
    )
    assert f"{file} is a file" in told(file)


def test_a_file_that_is_no_store_is_told_and_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "shop~0.db").write_bytes(b"no database of anything at all")
    assert "shop~0.db" in told(tmp_path)


def test_whose_it_was_may_be_unknown(tmp_path: Path) -> None:
    take(tmp_path, "a").close()
    os.unlink(tmp_path / "shop~0.holder")
    (tmp_path / "shop~0.holder").mkdir()
    store = take(tmp_path, "a")
    assert store.process == "shop/0"
    store.close()
