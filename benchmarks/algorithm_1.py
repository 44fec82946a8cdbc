"""Algorithm 1 of the automata paper as a compiled program, to compare with (`algorithm_1.cpp`)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from choreomon.automata.automaton import Automaton, members
from choreomon.multitrace.multitrace import MultiTrace

SOURCE: Final = Path(__file__).with_suffix(".cpp")
OPTIONS: Final = ("-O2", "-std=c++17")


class Run(NamedTuple):
    """Whether a multi-trace passes, how many states were built, and in what time."""

    passes: bool
    built: int
    seconds: float


def compiled(folder: Path) -> Path | None:
    """The program, in this folder; `None` where there is no compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return None
    program = folder / SOURCE.stem
    subprocess.run([compiler, *OPTIONS, "-o", str(program), str(SOURCE)], check=True)
    return program


def runs(program: Path, automaton: Automaton, multitraces: Sequence[MultiTrace]) -> list[Run]:
    """What it answers, in one process that reads the automaton once; reading is not in the times.
    The multi-traces are over one partition, and all of their actions are letters."""
    asked = "\n".join(" ".join(map(str, line)) for line in _lines(automaton, multitraces))
    answered = subprocess.run([program], input=asked, check=True, capture_output=True, text=True)
    found = []
    for line in answered.stdout.splitlines():
        passes, built, nanoseconds = map(int, line.split())
        found.append(Run(bool(passes), built, nanoseconds / 1e9))
    return found


def _lines(automaton: Automaton, multitraces: Sequence[MultiTrace]) -> Iterable[Iterable[int]]:
    number = automaton.letter_numbers
    initial, final = [*members(automaton.initial)], [*members(automaton.final)]
    yield automaton.states, len(automaton.letters), len(automaton.edges)
    yield len(initial), *initial, len(final), *final
    yield from automaton.edges
    yield len(multitraces[0].components), len(multitraces)
    for multitrace in multitraces:
        for part in multitrace.components:
            yield len(part.actions), *(number[action] for action in part.actions)
