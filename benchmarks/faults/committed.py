"""What an agent committed, with the time of each commit.

A journal forgets its rows when a snapshot takes their place. So a schedule makes the store of each
agent before it is started, with one more table, and a trigger that puts every row there, with the
wall time at which SQLite took it, in the same transaction: what is committed is kept, and nothing
else, whenever the agent is killed.

Read again, the rows are stepped through the same sidecar, which gives what happened; where the
agent went on with other systems, through the next one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import NO_STORE
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.runtime.configured_sidecar import make_sidecar
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import FromPeer, Input, Recovered, Report, decode_batch
from choreomon.runtime.outputs import Decided, DeclaredVerdict, Output, Ticked
from choreomon.runtime.reloading import reloaded
from choreomon.runtime.stores.sqlite import SqliteStore, boot_id

_KEEP = """
CREATE TABLE kept (number INTEGER PRIMARY KEY, inputs BLOB NOT NULL, at REAL NOT NULL);
CREATE TRIGGER keep AFTER INSERT ON journal BEGIN
    INSERT INTO kept VALUES (new.number, new.inputs, (julianday('now') - 2440587.5) * 86400.0);
END;
CREATE TABLE changes (number INTEGER NOT NULL, systems TEXT NOT NULL);
CREATE TRIGGER change AFTER UPDATE ON owner BEGIN
    INSERT INTO changes VALUES ((SELECT coalesce(max(number), 0) FROM kept), new.systems);
END;
"""


def prepare_store(path: Path) -> None:
    """Make a store that keeps every row."""
    SqliteStore(path, "process", boot_id()).close()
    database = sqlite3.connect(path)
    database.executescript(_KEEP)
    database.close()


class Row(NamedTuple):
    """`at`: when it was committed, in monotonic microseconds, good to a few milliseconds.
    `systems`: those that the agent went on with after it, one after the other."""

    at: int
    inputs: list[Input]
    systems: tuple[tuple[str, ...], ...] = ()


def read_rows(path: Path) -> list[Row]:
    """All rows of a store that nobody uses now. The wall clock of the machine, which they are timed
    by, must not have jumped meanwhile; it is not that of the agents."""
    since = time.time() - time.monotonic()
    database = sqlite3.connect(path)
    try:
        rows = database.execute("SELECT number, inputs, at FROM kept ORDER BY number").fetchall()
        changes = database.execute("SELECT number, systems FROM changes ORDER BY rowid").fetchall()
    finally:
        database.close()
    return [
        Row(
            int((at - since) * 1e6),
            decode_batch(inputs),
            tuple(tuple(systems.split()) for change, systems in changes if change == number),
        )
        for number, inputs, at in rows
    ]


@dataclass(frozen=True, slots=True)
class Tick:
    """An event: `at` in monotonic microseconds, when the agent took its report; `session` and
    `number` are those of the report. `said`: the values that its service said."""

    at: int
    count: int
    label: Label
    clock: VectorClock
    session: str
    number: int
    said: Binding = ()


@dataclass(frozen=True, slots=True)
class GapEnd:
    """At `at` the agent noted that events had happened that it will never be told."""

    at: int
    count: int


@dataclass
class Committed:
    """What one agent committed. `words` in their order. `asked`: after each row, the processes of
    which an answer was outstanding. `starts`: how often it was started after the first time.
    `heard`: the frames of other agents."""

    ticks: list[Tick] = field(default_factory=list)
    gaps: list[GapEnd] = field(default_factory=list)
    words: list[DeclaredVerdict] = field(default_factory=list)
    asked: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    starts: int = 0
    heard: list[bytes] = field(default_factory=list)
    state: SidecarState | None = None

    def asked_at(self, at: int) -> frozenset[str]:
        """Whose answers were outstanding then."""
        found: frozenset[str] = frozenset()
        for when, asked in self.asked:
            if when > at:
                break
            found = asked
        return found


def store_name(path: Path) -> bytes:
    """What verdicts of the agent with this store are called by."""
    with closing(sqlite3.connect(path)) as database:
        (name,) = database.execute("SELECT name FROM name").fetchone()
    return bytes(name)


def replay(
    config: AgentConfig, tables: Sequence[SplitTable], rows: list[Row], store: bytes = NO_STORE
) -> Committed:
    """Step through the rows of an agent that began with the first of the tables, which are those of
    splits that follow each other. Where the last one comes first, the others are being closed."""
    by_id = {table.system_id: table for table in tables}
    bare = replace(config, closing=())
    sidecar = make_sidecar(bare, tables[:1], store)
    own = sidecar.hosts[0].monitor.own
    found = Committed()
    state = sidecar.initial()
    for at, inputs, changes in rows:
        for given in inputs:
            before = state.hosts[0].clock[own]
            found.starts += type(given) is Recovered
            if type(given) is FromPeer:
                found.heard.append(given.data)
            state, outputs = sidecar.step(state, given)
            # One event ticks all systems of a line alike.
            ticked = [each for each in outputs if type(each) is Ticked and each.system == 0]
            if state.hosts[0].clock[own] > before + len(ticked):
                found.gaps.append(GapEnd(at, _gap_count(ticked, state, own)))
            for output in ticked:
                assert isinstance(given, Report)
                found.ticks.append(
                    Tick(
                        output.at,
                        output.clock[own],
                        output.label,
                        output.clock,
                        given.session,
                        given.number,
                        output.said,
                    )
                )
            found.words += _words(outputs)
        asked = frozenset(
            each.receiver
            for host, there in zip(sidecar.hosts, state.hosts, strict=True)
            for each in host.outstanding(there)
        )
        found.asked.append((at, asked))
        for systems in changes:
            held = [by_id[system] for system in systems]
            closes = held[1:] if held[0] is tables[-1] else []
            named = tuple(Path(each.system_id) for each in closes)
            after = make_sidecar(replace(config, closing=named), held, store)
            state, sidecar = reloaded(sidecar, state, after), after
    found.state = state
    return found


def _gap_count(ticked: list[Ticked], state: SidecarState, own: int) -> int:
    """The count of a gap that ended in this step; an event in it came after the gap."""
    return ticked[0].clock[own] - 1 if ticked else state.hosts[0].clock[own]


def _words(outputs: list[Output]) -> Iterator[DeclaredVerdict]:
    for output in outputs:
        if type(output) is Decided and output.declared is not None:
            yield output.declared
