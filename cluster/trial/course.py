"""What a trial is made of: checks, traffic beside faults, and what must be true after everything.

Each check is one row of the table at the end; one that fails does not end the trial. After every
fault the same must be true: of every parcel the monitors have said what they were to say, and
nothing else, and every agent has counted every event that its service went on after, once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from cluster.cases import CASES
from cluster.trial.containers import Containers, DockerFailed
from cluster.trial.looking import (
    PROCESSES,
    Looking,
    Unreachable,
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
        self.expected: dict[int, str | None] = {}
        """Of each parcel, by its number, the last verdict."""
        self.late: set[int] = set()
        """Parcels of which the word may be less certain, see `misjudged`."""
        self.forgotten: dict[str, dict[str, Any]] = {}
        """What services sent and handled before they were started again."""
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

    def play(self, case: str, times: int = 1, *, late: bool = False) -> list[int]:
        """Play a case, and remember what is to be said of its parcels. `late`: what the customer
        does may be told late, see `misjudged`. Returns their numbers."""
        played = self.looking.play(case, times, timeout=min(90.0, self.left()))
        parcels: list[int] = played["parcels"]
        if len(parcels) != CASES[case].parcels * times:
            raise Failed(f"{case} sent {len(parcels)} parcels")
        for parcel in parcels:
            self.expected[parcel] = CASES[case].word
            if late:
                self.late.add(parcel)
        return parcels

    @contextmanager
    def traffic(self, rounds: int = 3, *, late: bool = False) -> Iterator[Callable[[], None]]:
        """Drive the mixed cases so many times, beside what the caller does meanwhile. What it is
        given raises `Failed` where the traffic came to its end already. `late`: see `play`."""
        failures: list[Exception] = []

        def drive() -> None:
            try:
                for _ in range(rounds):
                    for case in MIXED:
                        self.play(case, late=late)
            except (Failed, Unreachable, OutOfTime) as error:
                failures.append(error)

        thread = threading.Thread(target=drive, daemon=True)
        before = len(self.expected)
        thread.start()
        self.until(lambda: len(self.expected) > before or bool(failures), "traffic flows")

        def still_flowing() -> None:
            if not thread.is_alive():
                raise Failed("the traffic ended before anything was broken")

        yield still_flowing
        thread.join(timeout=self.left())
        if thread.is_alive():
            raise Failed("the traffic did not come to its end")
        for error in failures:
            raise Failed(f"traffic: {error}")

    # ---------------------------------------------------------------- what must be true

    def all_ready(self) -> None:
        """Every agent is ready. Raises `Failed`."""
        self.until(lambda: all(map(self.looking.ready, PROCESSES)), "all agents are ready")

    def words_are_right(self) -> str:
        """Of every parcel so far exactly the right last verdict. Raises `Failed`."""

        def settled() -> bool:
            found = self.looking.words()
            missing = [
                parcel
                for parcel, word in self.expected.items()
                if word is not None and (parcel not in found or found[parcel].last is None)
            ]
            status = self.looking.status("shipping")
            return not missing and not any(each.undecided for each in status.properties)

        self.until(settled, "shipping's agent says its last verdicts")
        found = self.looking.words()
        if wrong := misjudged(self.expected, self.late, found):
            raise Failed(wrong)
        for process in PROCESSES:
            if process != "shipping" and self.looking.verdicts(process):
                raise Failed(f"{process} has no final events, and told verdicts")
        weaker = sum(
            is_weaker(self.expected[parcel], words, parcel in self.late)
            for parcel, words in found.items()
        )
        told = f", {weaker} less certain since something was late" if weaker else ""
        return f"{len(self.expected)} parcels{told}"

    def nothing_is_lost(self) -> str:
        """Every agent has every event that its service went on after, once. Raises `Failed`."""
        services = self.looking.services()
        total = 0
        for process in PROCESSES:
            events, labels = self.looking.counted(process)
            expected = acknowledged(labels, services[process])
            if process in self.forgotten:
                expected += acknowledged(labels, self.forgotten[process])
            if events != expected:
                raise Failed(f"{process} went on after {expected} events, its agent has {events}")
            total += events
        return f"{total} events"

    def is_well(self, told: list[str]) -> None:
        """What must be true after everything. Raises `Failed`."""
        self.all_ready()
        told.append(self.words_are_right())
        told.append(self.nothing_is_lost())
