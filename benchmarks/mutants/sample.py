"""Which mutants are tried: rooms with their tests, a sample by a seed, and what changes nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from benchmarks.mutants.mutation import Mutant, is_python, mutants


@dataclass(frozen=True, slots=True)
class Room:
    """Folders and modules, and folders and files of the tests that are about them."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]


def _room(name: str) -> Room:
    return Room(name, (f"choreomon/{name}",), (f"tests/{name}",))


AGENT: Final = (
    "hosted sidecar sessions undelivered outstanding timer_queue snapshot driver inputs "
    "outputs stores/sqlite leases/rules"
)
ROOMS: Final = (
    # What is wrong with a property is said, and tested, where documents are read.
    Room("properties", ("choreomon/properties",), ("tests/properties", "tests/documents")),
    _room("monitor"),
    Room(
        "verify",
        ("choreomon/verify", "choreomon/experiments/offline"),
        ("tests/verify", "tests/experiments"),
    ),
    _room("automata"),
    _room("multitrace"),
    _room("interaction"),
    _room("batch"),
    _room("audit"),
    Room(
        "agent",
        (
            *(f"choreomon/runtime/{each}.py" for each in AGENT.split()),
            "choreomon/sdk/journal.py",
            "choreomon/agent_files/wire.py",
        ),
        ("tests/runtime", "tests/sdk", "tests/agent_files/test_wire.py"),
    ),
)
LAWS: Final = ("tests/laws",)


def files(root: Path, places: Iterable[str], pattern: str = "*.py") -> list[Path]:
    """The Python files at these places, in the same order everywhere."""
    found = (
        [root / place] if place.endswith(".py") else sorted((root / place).rglob(pattern))
        for place in places
    )
    return [file for some in found for file in some]


def all_mutants(root: Path, room: Room) -> list[Mutant]:
    return [
        mutant
        for file in files(root, room.sources)
        for mutant in mutants(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    ]


def sample(root: Path, found: Iterable[Mutant], seed: int, count: int) -> list[Mutant]:
    """So many of them. Each mutant has a place of its own in the order of a seed, so that a
    larger sample has the smaller one in it, and an edit changes the sample where it was made."""
    order = sorted(found, key=lambda each: sha256(f"{seed}\n{each.key}".encode()).digest())
    texts: dict[str, str] = {}
    chosen: list[Mutant] = []
    for mutant in order:
        if len(chosen) == count:
            break
        if mutant.path not in texts:
            texts[mutant.path] = (root / mutant.path).read_text(encoding="utf-8")
        if is_python(mutant.applied(texts[mutant.path])):
            chosen.append(mutant)
    return chosen


Said = tuple[str, str, str, str]
"""Where a mutant is, by file and function, what stood there, and what stands there now."""


class Stale(Exception):
    """What is said to change nothing is no mutant any more. The message says which."""


def said(mutant: Mutant) -> Said:
    return mutant.path, mutant.within, mutant.line, mutant.becomes


def equivalents(text: str, found: Sequence[Mutant]) -> Mapping[Said, str]:
    """Why no test can notice, by what is mutated, as a file in TOML has it. Raises `Stale` where
    that is none of these mutants."""
    reasons: dict[Said, str] = {}
    known = {said(mutant) for mutant in found}
    for each in tomllib.loads(text).get("equivalent", []):
        one = (each["file"], each["within"], each["line"], each["becomes"])
        if one not in known:
            raise Stale(f"no such mutant: {one}")
        reasons[one] = each["reason"]
    return reasons
