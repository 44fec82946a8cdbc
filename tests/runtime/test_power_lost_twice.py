"""An agent that may have forgotten says so, and leaves out counts. Were that row lost with the
power in its turn, the next start would leave out the same counts, and they would be used twice."""

from __future__ import annotations

from pathlib import Path

from choreomon.runtime.stores.sqlite import SqliteStore


def statements_of_the_first_commit(path: Path, boot: str) -> list[str]:
    store = SqliteStore(path, "process", boot)
    assert store.forgetful
    statements: list[str] = []
    store._database.set_trace_callback(statements.append)
    store.commit(b"it may have forgotten")
    statements.append("acknowledged")
    store.commit(b"the next one")
    store._database.set_trace_callback(None)
    store._database.close()
    return [statement for statement in statements if not statement.startswith("--")]


def test_that_something_may_be_lost_is_on_the_disk_before_anything_leaves(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    first = SqliteStore(path, "process", "boot 1")
    first.commit(b"a row")
    first._database.close()  # as when the power is lost: not in order
    statements = statements_of_the_first_commit(path, "boot 2")
    until = statements.index("acknowledged")
    full = statements.index("PRAGMA synchronous=FULL")
    normal = statements.index("PRAGMA synchronous=NORMAL")
    assert full < statements.index("COMMIT") < normal < until
    assert "PRAGMA synchronous=FULL" not in statements[until:]


def test_a_row_that_says_so_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    first = SqliteStore(path, "process", "boot 1")
    first.commit(b"a row")
    first._database.close()
    statements_of_the_first_commit(path, "boot 2")
    again = SqliteStore(path, "process", "boot 2")
    assert not again.forgetful
    assert again.load() == (None, [b"a row", b"it may have forgotten", b"the next one"])
    again.close()
