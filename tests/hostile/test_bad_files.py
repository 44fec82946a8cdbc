"""Every file that a command reads, replaced by every kind of bad one."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

import pytest

from choreomon.cli import group
from tests.hostile.commands import GOES_ON, LONG, VALID, commands, lines, read_options
from tests.hostile.judged import clear, judged

KINDS = (
    *("empty", "binary", "deep", "truncated", "folder", "missing", "locked", "pipe", "loop"),
    *("violated.yaml", "i.hif", "pass.htf", "automaton.json", "traces/run-0.jsonl", "c.hcf"),
)
"""The names of files stand for a file of another kind, under the name of the right one."""

UNREADABLE = ("folder", "missing", "loop")


def test_every_command_of_the_tree_is_treated() -> None:
    assert {*VALID} == {*commands()}
    assert {name.split()[0] for name in VALID} == {*group.commands_at}


@contextmanager
def closed_pipe(path: Path) -> Iterator[None]:
    """A named pipe, whose writer goes as soon as somebody reads; as often as it is read."""
    os.mkfifo(path)
    over = threading.Event()

    def serve() -> None:
        while not over.wait(0.001):
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:  # nobody reads now
                continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def made(kind: str, path: Path, good: bytes) -> AbstractContextManager[None]:
    """Makes the bad file."""
    if kind == "pipe":
        return closed_pipe(path)
    if kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind != "missing":
        deep = b"[" * 100_000 if path.suffix in (".json", ".jsonl", ".yaml") else b"seq(" * 100_000
        contents: dict[str, Callable[[], bytes]] = {
            "empty": lambda: b"",
            "binary": lambda: random.Random(0).randbytes(3000),
            "deep": lambda: deep,
            "truncated": lambda: good[: len(good) // 2],
            "locked": lambda: good,
        }
        path.write_bytes(contents[kind]() if kind in contents else Path(kind).read_bytes())
        if kind == "locked":
            path.chmod(0)
    return nullcontext()


def spoilt(
    words: list[str], options: list[str]
) -> Iterator[tuple[Callable[[str], list[str]], str]]:
    """Ways to put a file's name in, each with the name of a good one."""
    for at, word in enumerate(words):
        if Path(word).is_file():
            yield lambda name, at=at: [*words[:at], name, *words[at + 1 :]], word  # type: ignore[misc]
    for option in options:
        if option not in words:
            yield lambda name, option=option: [*words, option, name], "s.hsf"  # type: ignore[misc]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "words"),
    [(name, words) for name, words in lines() if name not in (*GOES_ON, *LONG)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_file_is_said(name: str, words: list[str], kind: str, place: Path) -> None:
    if kind != "truncated":  # processes for one kind; they cost more than the rest
        words = ["1" if before == "--jobs" else word for before, word in pairwise(["", *words])]
    for number, (line, good) in enumerate([*spoilt(words, read_options(commands()[name]))]):
        bad = place / f"bad-{number}{Path(good).suffix}"
        with made(kind, bad, Path(good).read_bytes()):
            answer = judged(name, line(bad.name), place)
        if kind in UNREADABLE:
            assert answer.code == 2
            assert bad.name in answer.err or "Usage:" in answer.err
        clear(place)
