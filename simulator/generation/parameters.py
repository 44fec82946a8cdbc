"""Parameters of a generated scenario, and whether its processes and handlers have room for them.

The paper leaves open what happens if they have not. Here nothing is made smaller in silence:
`Parameters` that do not fit are refused, with what would fit. That does not depend on the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, factorial
from types import MappingProxyType
from typing import Final

from choreomon.documents.roles import MOST_SLOTS
from choreomon.properties.automaton_defects import MAX_STATES

COMPLEXITY_CLASSES: Final = MappingProxyType(
    {
        "C1": (2, 1),
        "C2": (2, 2),
        "C3": (3, 3),
        "C4": (4, 4),
        "C5": (5, 5),
        "C6": (7, 5),
        "C7": (9, 6),
        "C8": (12, 7),
        "C9": (14, 9),
    }
)
"""Table 4 of the paper: processes, and handlers of each. The most complex class has the number
of real applications' 90th percentile, C1 that of the 10th."""

MOST_HANDLERS: Final = 5_000
"""The most handlers of all processes together: a document with more may be too large to be read."""

MOST_INSTANCES: Final = 100_000
"""The most instances: a document can state so many messages of the environment in one entry."""

INSTANCE: Final = "instance"
"""The name of the value that messages carry if there are instances."""

SPARE: Final = 2
"""Messages that are causally unrelated to a sequence and not needed as its steps, if there is room:
they can cancel it."""

CANCELLATIONS: Final = 0.3
BRANCHING: Final = 0.5
"""Default shares. The paper gives none; with these, sequences of class C6 are formed in some runs
and not in others (docs/generate.md, "How often sequences are formed")."""


class Unfit(ValueError):
    """Parameters that cannot be met. `parameter` is the one to change first, as a field of
    `Parameters`; the message says what would fit."""

    def __init__(self, parameter: str, message: str) -> None:
        self.parameter = parameter
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The parameters of a generated scenario.

    - `processes`: at least 2;
    - `handlers`: of every process. Table 4 counts the most that any process has; the paper leaves
      open how many others have, and here all have as many;
    - `chain`: the maximum message communication chain: messages, each but the first sent by the
      handler of the one before, all by different processes;
    - `sequences`: how many forbidden sequences;
    - `length`: steps of every sequence. The paper asks for a minimum, and leaves open how much
      longer sequences may be: here none is;
    - `cancellations`: the share of all places between two steps at which a message cancels;
    - `branching`: the share of all sending handlers that send only if a variable says so;
    - `instances`: for how many values of `INSTANCE` everything happens, where the property is for
      each; 0: messages carry no values, and the property is for the whole run;
    - `replicas`: of the process with most steps, which is a role; 0: it is a process. Variables
      are those of one replica, so they need instances, of which each is at one.

    Raises `Unfit`.
    """

    processes: int
    handlers: int
    chain: int
    sequences: int = 1
    length: int
    cancellations: float = CANCELLATIONS
    branching: float = BRANCHING
    instances: int = 0
    replicas: int = 0

    def __post_init__(self) -> None:
        for parameter, message in self._misfits():
            raise Unfit(parameter, message)

    def _misfits(self) -> Iterator[tuple[str, str]]:
        for name, least in (
            ("processes", 2),
            ("handlers", 1),
            ("chain", 1),
            ("sequences", 1),
            ("length", 1),
            ("instances", 0),
            ("replicas", 0),
        ):
            if getattr(self, name) < least:
                yield name, f"{getattr(self, name)} is too small: {least} is the least"
        if self.instances > MOST_INSTANCES:
            yield "instances", f"{self.instances} are more than {MOST_INSTANCES}: ask for fewer"
        yield from self._of_replicas()
        for name in ("cancellations", "branching"):
            if not 0 <= getattr(self, name) <= 1:
                yield name, f"{getattr(self, name)} is no share: it lies between 0 and 1"
        if self.all_handlers > MOST_HANDLERS:
            yield (
                "handlers",
                f"{self.processes} processes with {self.handlers} handlers each are more than "
                f"{MOST_HANDLERS} handlers: ask for fewer of either",
            )
        if self.chain > self.processes:
            yield (
                "chain",
                f"{self.chain} is more than the {self.processes} processes, and each sends once in "
                f"a chain: ask for at most {self.processes}, or for more processes",
            )
        if self.chain == self.processes and self.handlers == 1:
            yield (
                "chain",
                f"of {self.chain} messages needs {self.chain + 1} handlers, and each of "
                f"{self.processes} processes has one: ask for at most {self.chain - 1}, or for "
                "more handlers",
            )
        if self.length >= MAX_STATES:
            yield (
                "length",
                f"{self.length} steps need {self.length + 1} states, and a property has "
                f"{MAX_STATES} at most: ask for at most {MAX_STATES - 1}",
            )
        elif self.sequences * (self.length + 1) > MAX_STATES:
            yield (
                "sequences",
                f"{self.sequences} sequences of length {self.length} need "
                f"{self.sequences * (self.length + 1)} states, and a property has {MAX_STATES} at "
                f"most: ask for at most {MAX_STATES // (self.length + 1)}, or for a smaller length",
            )
        yield from self._without_room()

    def _of_replicas(self) -> Iterator[tuple[str, str]]:
        if self.processes - 1 + self.replicas > MOST_SLOTS:
            most = MOST_SLOTS - self.processes + 1
            yield (
                "replicas",
                f"{self.replicas} and {self.processes - 1} other processes are more than "
                f"{MOST_SLOTS}: ask for at most {most}",
            )
        if self.replicas and self.branching and not self.instances:
            yield (
                "replicas",
                f"{self.replicas} have variables of their own, so that what one was told another "
                "does not know: ask for branching 0, or for instances",
            )

    @property
    def all_handlers(self) -> int:
        return self.processes * self.handlers

    @property
    def unrelated(self) -> int:
        """The number of steps of every sequence that do not fit into a chain."""
        return max(0, self.length - self.chain)

    @property
    def chains(self) -> int:
        """The number of longest chains: as many as leave room for what else the sequences need, and
        for `SPARE` messages if possible."""
        return next(
            chains
            for needed, times in (
                (self.unrelated + SPARE, 1),
                (self.unrelated, 1),
                (self.unrelated, 2),
            )
            for chains in self._possible
            if times * self.others(chains) >= needed and self.variety(chains) >= self.sequences
        )

    @property
    def _possible(self) -> range:
        """Numbers of chains, the largest first."""
        return range(self.all_handlers // (self.chain + 1), 0, -1)

    def others(self, chains: int) -> int:
        """The least number of messages that are causally unrelated to one of this many chains and
        to each other, wherever these chains end."""
        left, more = divmod(self.all_handlers - chains * (self.chain + 1), self.processes)
        free = [left + 1] * more + [left] * (self.processes - more)
        return chains - 1 + single_messages(free, [0] * self.processes)[0]

    def variety(self, chains: int) -> int:
        """The least number of different sequences."""
        if self.chain == 1 < self.length:
            # All chains are made alike, so sequences with one of them are counted.
            others = self.others(chains)
            orders = factorial(self.length)
            return (
                comb(others, self.unrelated) * orders if others >= self.unrelated else self.length
            )
        longer, shorter = max(self.chain, self.length), min(self.chain, self.length)
        return chains * comb(longer, shorter)

    def _without_room(self) -> Iterator[tuple[str, str]]:
        system = f"{self.processes} processes with {self.handlers} handlers each"
        fitting = next((c for c in self._possible if 2 * self.others(c) >= self.unrelated), None)
        if fitting is None:
            most = self.chain + 2 * max(map(self.others, self._possible))
            yield (
                "length",
                f"{self.length} is more than the {most} steps for which {system} have room beside "
                f"chains of {self.chain}: ask for at most {most}, or for more handlers",
            )
        elif (various := self.variety(fitting)) < self.sequences:
            yield (
                "sequences",
                f"{self.sequences} are more than the {various} different ones of length "
                f"{self.length} for which {system} have room: ask for at most {various}, for "
                "another length, or for more handlers",
            )


def single_messages(free: Sequence[int], outside: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """The number of different messages that the remaining single handlers can send, `free` of each
    process, each to another process; and the number of handlers of each process that are the ends
    of such messages, and so do not send.

    `outside` says for each process to how many further ends it may send. Ends are taken one by one
    where most are left, as few as possible.
    """
    ends = [0] * len(free)
    best, best_ends = -1, tuple(ends)
    for total in range(max(free) + 1):
        number = sum(
            min(own - taken, total - taken + more)
            for own, taken, more in zip(free, ends, outside, strict=True)
        )
        if number > best:
            best, best_ends = number, tuple(ends)
        # Processes with equal values in both are interchangeable, so their order changes nothing.
        most = max(range(len(free)), key=lambda p: (free[p] - ends[p], free[p]))
        ends[most] += 1
    return best, best_ends


def of_class(
    name: str,
    *,
    chain: int | None = None,
    sequences: int = 1,
    length: int | None = None,
    cancellations: float = CANCELLATIONS,
    branching: float = BRANCHING,
    instances: int = 0,
    replicas: int = 0,
) -> Parameters:
    """Parameters of a complexity class. By default the chain of class Ci is i, as in section 6.2 of
    the paper, and the length is that of the chain.

    Raises `KeyError` for no class, and `Unfit`.
    """
    processes, handlers = COMPLEXITY_CLASSES[name]
    if chain is None:
        chain = int(name.removeprefix("C"))
    return Parameters(
        processes=processes,
        handlers=handlers,
        chain=chain,
        sequences=sequences,
        length=chain if length is None else length,
        cancellations=cancellations,
        branching=branching,
        instances=instances,
        replicas=replicas,
    )
