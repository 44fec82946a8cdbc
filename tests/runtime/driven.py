"""A driver with ports, a disk and a clock in memory."""

from __future__ import annotations

from typing import Any

from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import ROWS_PER_SNAPSHOT, Driver, Timeouts
from choreomon.runtime.inputs import Hello, Report, decode_batch
from choreomon.runtime.outputs import DeclaredVerdict, Reply
from choreomon.runtime.ports import AnswerKind
from choreomon.runtime.sidecar import Sidecar
from tests.properties.stated import automaton_of
from tests.runtime.world.disk import Disk

NAMES = ("A", "B")
SYSTEM = bytes(range(16))
FIRST = Label(SEND, Message("A", "a", "B"))
SECOND = Label(SEND, Message("B", "b", "A"))
PROPERTY = automaton_of("q0", "q2", ("q0", FIRST, "q1"), ("q1", SECOND, "q2"))


class Ports:
    """Notes what leaves, and how many inputs the disk had taken by then."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.left: list[tuple[str, int]] = []
        self.words: list[DeclaredVerdict] = []
        self.failures: list[str | None] = []
        self.asks = 0
        self.asked: list[tuple[str, bytes]] = []
        self.answered: list[tuple[str, bytes]] = []
        self._rows = self._inputs = 0

    def _note(self, what: str) -> None:
        rows = self.disk.rows
        self._inputs += sum(len(decode_batch(row)) for row in rows[self._rows :])
        self._rows = len(rows)
        self.asks += what == "ask"
        self.left.append((what, self._inputs))

    def reply(self, output: Reply) -> None:
        self._note(type(output.message).__name__)

    def close(self, connection: int) -> None:
        self._note("close")

    def ask(self, peer: str, frame: bytes) -> None:
        self.asked.append((peer, frame))
        self._note("ask")

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        self.answered.append((peer, frame))
        self._note("answer" if kind == "response" else kind)

    def tell(self, word: DeclaredVerdict) -> None:
        self._note("word")
        self.words.append(word)

    def happened(self, output: Any) -> None:
        pass

    def failing(self, why: str | None) -> None:
        self.failures.append(why)


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def made(
    *,
    most_open: int | None = None,
    timeouts: Timeouts | None = None,
    session: str | None = "s",
    disk: Disk | None = None,
    ports: Ports | None = None,
    rows_per_snapshot: int = ROWS_PER_SNAPSHOT,
    most_sessions: int = 1024,
) -> tuple[Driver, Ports, Disk, Clock]:
    """The driver of B, which asks A about each of its events, and the session of a service."""
    disk, clock = disk or Disk(lambda moment: None), Clock()
    ports = ports or Ports(disk)
    table = transition_tables(PROPERTY, NAMES)["B"]
    host = Host(Monitor(table, NAMES, has_deadline=True, most_open=most_open))
    sidecar = Sidecar("B", (SYSTEM,), (host,), most_sessions=most_sessions)
    driver = Driver(sidecar, disk, ports, clock, timeouts, rows_per_snapshot=rows_per_snapshot)
    driver.recover(forgetful=False)
    if session is not None:
        driver.take(Hello(1, "block", "", session, 0))
        driver.flush()
    return driver, ports, disk, clock


def event(driver: Driver, number: int) -> None:
    driver.take(Report(1, "s", number, number - 1, "send", "A", "b", "", 0))
