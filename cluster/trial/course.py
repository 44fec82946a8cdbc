"""What a trial is made of: checks, traffic beside faults, and what must be true after everything.

Each check is one row of the table at the end; one that fails does not end the trial. After every
fault the same must be true: of every parcel the monitors have said what they were to say, and
nothing else, and every agent has counted every event that its service went on after, once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from cluster.traffic import PLAYED
from cluster.trial.containers import Containers, DockerFailed
from cluster.trial.looking import (
    PROCESSES,
    Looking,
    Unreachable,
    Words,
    acknowledged,
    is_weaker,
    misjudged,
)

FINAL_WITHIN: Final = 30.0
"""Seconds until all last verdicts must be there, when everything is well again."""

MIXED: Final = ("shipped-unpaid", "delivered", "cancelled-unnoticed", "ordered-again")
"""What is driven while something is broken: of every kind of word one."""


class Failed(Exception):
    """Something is not true. The message says what."""


class OutOfTime(Exception):
    """The time of the whole trial is over."""


class Window(NamedTuple):
    """Of which parcels a system speaks, by their places among all that left, from 1: from the
    `first` to the `last`; `None`: all that come."""

    first: int
    last: int | None = None

    def __contains__(self, parcel: object) -> bool:
        assert isinstance(parcel, int)
        return self.first <= parcel and (self.last is None or parcel <= self.last)


class Counts(NamedTuple):
    """How many events an agent had, its service being in this state (`GET /state`)."""

    events: int
    state: Mapping[str, Any]


NOTHING: Final = Counts(0, {"sent": {}, "handled": {}})


class Row(NamedTuple):
    """One check. `seconds`: how long it took."""

    name: str
    passed: bool
    told: str
    seconds: float


class Course:
    """The state of one trial. `limit`: seconds for all of it, `say` is told how it goes."""

    def __init__(self, containers: Containers, *, limit: float, say: Callable[[str], None]) -> None:
        self.containers = containers
        self.looking = Looking(containers)
        self.rows: list[Row] = []
        self.expected: dict[str, str | None] = {}
        """Of each parcel that left, in turn, the last verdict, by its order."""
        self.late: set[str] = set()
        """Orders of which the word may be less certain, see `misjudged`."""
        self.forgotten: dict[str, dict[str, Any]] = {}
        """What services sent and handled before they were started again."""
        self.windows: dict[str, Window] = {}
        """By system, of which parcels it has to speak, and may."""
        self.since: dict[str, Counts] = {}
        """By process from when on events are counted, where that is not the beginning."""
        self.opened: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
        """What all services said before the present property was opened anywhere, and after it was
        opened everywhere; of no use where it is the first."""
        self._turnstile = threading.Lock()
        self._playing = threading.Lock()
        self._say = say
        self._end = time.monotonic() + limit

    # ---------------------------------------------------------------- how checks are made

    @contextmanager
    def check(self, name: str) -> Iterator[list[str]]:
        """One check: what is appended to the list is told in its row."""
        began = time.monotonic()
        told: list[str] = []
        passed = False
        try:
            self.left()
            yield told
            passed = True
        except (Failed, Unreachable, DockerFailed) as error:
            told.append(str(error))
        except OutOfTime as error:
            told.append(str(error))
            raise
        finally:
            row = Row(name, passed, "; ".join(told), time.monotonic() - began)
            self.rows.append(row)
            self._say(f"{'ok' if passed else 'FAILED':8}{row.seconds:5.1f} s  {name}")

    def left(self) -> float:
        """Seconds that are left for the trial. Raises `OutOfTime`."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise OutOfTime("the time for the trial is over")
        return left

    def until(self, true: Callable[[], bool], what: str, seconds: float = FINAL_WITHIN) -> None:
        """Wait until something is true. Raises `Failed` with `what` was waited for."""
        end = time.monotonic() + min(seconds, self.left())
        while not true():
            if time.monotonic() > end:
                raise Failed(f"not within {seconds:g} seconds: {what}")
            time.sleep(0.1)

    # ---------------------------------------------------------------- what is driven

    def play(self, case: str, times: int = 1, *, late: bool = False) -> list[str]:
        """Play a case, and remember what is to be said of its parcels. `late`: what the customer
        does may be told late, see `misjudged`. Returns their orders."""
        played = self.looking.play(case, times, timeout=min(90.0, self.left()))
        parcels: list[str] = played["parcels"]
        if len(parcels) != PLAYED[case].parcels * times:
            raise Failed(f"{case} sent {len(parcels)} parcels")
        for parcel in parcels:
            self.expected[parcel] = PLAYED[case].word
            if late:
                self.late.add(parcel)
        return parcels

    @contextmanager
    def traffic(
        self, rounds: int = 3, *, late: bool = False, throughout: bool = False
    ) -> Iterator[Callable[[], None]]:
        """Drive the mixed cases so many times, beside what the caller does meanwhile; `throughout`:
        as often as it takes until that is done. What the caller is given raises `Failed` where the
        traffic came to its end already. `late`: see `play`."""
        failures: list[Exception] = []
        done = threading.Event()
        if not throughout:
            done.set()

        def drive() -> None:
            driven = 0
            try:
                while driven < rounds or not done.is_set():
                    for case in MIXED:
                        with self._turnstile:
                            pass
                        with self._playing:
                            self.play(case, late=late)
                    driven += 1
            except (Failed, Unreachable, OutOfTime) as error:
                failures.append(error)

        thread = threading.Thread(target=drive, daemon=True)
        before = len(self.expected)
        thread.start()
        self.until(lambda: len(self.expected) > before or bool(failures), "traffic flows")

        def still_flowing() -> None:
            if not thread.is_alive():
                raise Failed("the traffic ended before anything was broken")

        try:
            yield still_flowing
        finally:
            done.set()
        thread.join(timeout=self.left())
        if thread.is_alive():
            raise Failed("the traffic did not come to its end")
        for error in failures:
            raise Failed(f"traffic: {error}")

    @contextmanager
    def between_cases(self) -> Iterator[int]:
        """The traffic has nothing on its way meanwhile. Gives how many parcels left before."""
        with self._turnstile, self._playing:
            yield len(self.expected)

    # ---------------------------------------------------------------- what must be true

    def all_ready(self) -> None:
        """Every agent is ready. Raises `Failed`."""
        self.until(lambda: all(map(self.looking.ready, PROCESSES)), "all agents are ready")

    def words_are_right(self) -> str:
        """Of every parcel so far exactly the right last verdict. Raises `Failed`."""

        if not self.windows:
            properties = self.looking.status("shipping").properties
            self.windows = {each.system: Window(1) for each in properties}

        def settled() -> bool:
            found = self.looking.words_by_system()
            missing = [
                order
                for system in self.windows
                for order, word in self._expected_of(system).items()
                if word is not None and found.get(system, {}).get(order, Words(None)).last is None
            ]
            status = self.looking.status("shipping")
            return not missing and not any(each.undecided for each in status.properties)

        self.until(settled, "shipping's agent says its last verdicts")
        systems = self.looking.words_by_system()
        for system in systems.keys() | self.windows.keys():
            found = systems.get(system, {})
            if wrong := misjudged(self._expected_of(system), self.late, found):
                raise Failed(f"{system}: {wrong}")
        for process in PROCESSES:
            if process != "shipping" and self.looking.verdicts(process):
                raise Failed(f"{process} has no final events, and told verdicts")
        weaker = sum(
            is_weaker(self.expected[order], words, order in self.late)
            for order, words in self.looking.words().items()
        )
        told = f", {weaker} less certain since something was late" if weaker else ""
        return f"{len(self.expected)} parcels{told}"

    def _expected_of(self, system: str) -> dict[str, str | None]:
        window = self.windows.get(system, ())
        parcels = enumerate(self.expected.items(), 1)
        return {order: word for place, (order, word) in parcels if place in window}

    def nothing_is_lost(self) -> str:
        """Every agent has every event that its service went on after, once. Raises `Failed`."""
        services = self.looking.services()
        total = 0
        for process in PROCESSES:
            events, labels = self.looking.counted(process)
            expected = self.went_on_after(process, labels, services[process])
            if events != expected:
                raise Failed(f"{process} went on after {expected} events, its agent has {events}")
            total += events
        return f"{total} events"

    def went_on_after(self, process: str, labels: Iterable[str], state: Mapping[str, Any]) -> int:
        """How many events with these labels a service in this state went on after, and what its
        agent had before they were counted."""
        known = [*labels]
        since = self.since.get(process, NOTHING)
        expected = since.events + acknowledged(known, state) - acknowledged(known, since.state)
        if process in self.forgotten:
            expected += acknowledged(known, self.forgotten[process])
        return expected

    def is_well(self, told: list[str]) -> None:
        """What must be true after everything. Raises `Failed`."""
        self.all_ready()
        told.append(self.words_are_right())
        told.append(self.nothing_is_lost())
