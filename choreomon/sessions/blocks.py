"""Runs of rows of one session, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from choreomon.core.action import Action
from choreomon.hibou.signature import Signature
from choreomon.interaction_files.offline_json import NO_ACTION, read_action

Codes: TypeAlias = npt.NDArray[np.int32]
Clocks: TypeAlias = npt.NDArray[np.int64]
Lengths: TypeAlias = npt.NDArray[np.int64]

MANY: Final = 100_000
"""The most different texts kept of a column. More different actions are a mistake; either would
fill the memory."""

NO_CLOCK: Final = -1


class Block(NamedTuple):
    """A sequence of runs: consecutive rows of one session.

    - `names`: by run, the session;
    - `lengths`: by run, how many actions it has;
    - `actions`: those of all runs, by the numbers of `Actions`;
    - `clocks`: the clock of each action, by the numbers of `ClockNames`, or `NO_CLOCK`; None if
      there are none;
    - `problems`: what is wrong with runs, by their places; their sessions cannot be judged.
    """

    names: list[str]
    lengths: Lengths
    actions: Codes
    clocks: Clocks | None
    problems: Mapping[int, str]


class Lost(NamedTuple):
    """A row whose session is unknown, or the rest of a file, and why. It may belong to the session
    of the row before, or of the row after."""

    problem: str


Piece: TypeAlias = Block | Lost


class Texts:
    """Numbers for different texts, from 0 on, up to `MANY`; all others have the number `MANY`."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def number(self, text: str) -> int:
        known = self._numbers.get(text)
        if known is None:
            if len(self._numbers) == MANY:
                return MANY
            known = self._numbers[text] = len(self._numbers)
        return known


class ClockNames:
    """Numbers for the names of clocks, however many there are: from 0 on up to `MANY`, and for all
    others digests of 62 bits, from `MANY` on. So two clocks of one session may be taken for one,
    about once in 10**18 pairs."""

    def __init__(self) -> None:
        self._texts = Texts()

    def number(self, text: str) -> int:
        known = self._texts.number(text)
        if known < MANY:
            return known
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return MANY + (int.from_bytes(digest) >> 2)


@dataclass
class Actions:
    """Numbers for actions by their texts, and what is wrong with some; with a `signature`, actions
    that it does not declare are wrong."""

    signature: Signature | None = None
    known: list[Action | None] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _texts: Texts = field(default_factory=Texts)

    def number(self, text: str) -> int:
        """The number of a text; it has a problem if the text is no action."""
        number = self._texts.number(text)
        if number == len(self.known) and number < MANY:
            action = read_action(text)
            self.known.append(action)
            if action is None:
                self.problems.append(f"{text!r} {NO_ACTION}")
            else:
                strange = "" if self.signature is None else self.signature.strange(action)
                self.problems.append(strange)
        return number

    def problem(self, number: int) -> str:
        """The problem with the text of this number; empty if there is none."""
        if number == MANY:
            return f"there are more than {MANY:,} different actions: these are no actions"
        return self.problems[number]

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Flags by number: true if something is wrong."""
        flags = np.ones(MANY + 1, np.bool_)
        flags[: len(self.problems)] = [bool(problem) for problem in self.problems]
        return flags


@dataclass
class Alphabet:
    """The meaning of the numbers in blocks, in all files of a source together."""

    actions: Actions
    clocks: ClockNames = field(default_factory=ClockNames)


def block_of(
    runs: Iterable[tuple[str, list[int], list[int] | None]], problems: Mapping[int, str]
) -> Block:
    """The block of runs that were collected one by one."""
    names: list[str] = []
    lengths: list[int] = []
    actions: list[int] = []
    clocks: list[int] = []
    clocked = False
    for name, own, told in runs:
        names.append(name)
        lengths.append(len(own))
        actions += own
        clocked = clocked or told is not None
        clocks += [NO_CLOCK] * len(own) if told is None else told
    return Block(
        names,
        np.array(lengths, np.int64),
        np.array(actions, np.int32),
        np.array(clocks, np.int64) if clocked else None,
        problems,
    )
