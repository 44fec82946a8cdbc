"""Whole sessions from runs.

Where the rows of each session stand together, a session ends where the next one begins, and nothing
has to be kept. Whether they do is looked for first, by the sessions' names alone
(`stand_together`). Where they do not, the runs are put into temporary files, those of one session
into the same one, and each file is put in order by itself (`put_in_order`); a file that is too
large for that is divided once more. So memory is bounded, whatever comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from choreomon.sessions.blocks import NO_CLOCK, Block, Clocks, Lost, Piece
from choreomon.sessions.temporary import Aside

ACTIONS: Final = 400_000
"""Actions and sessions that are judged together, about."""

KEPT: Final = 1 << 19
"""Digests of names that are kept in memory, before they are written to files."""

PARTS: Final = 64
"""Files among which runs are divided at a time."""

ROWS: Final = 2_000_000
"""Runs and actions that are put in order in memory."""

DEEPEST: Final = 8
"""Most divisions of runs: names whose digests begin equally for so long are not expected."""


def stand_together(names: Iterable[list[str]], folder: Path | None = None) -> int | None:
    """Count the sessions if none begins twice; else None. `folder` is where temporary files may be.

    Said by digests of 64 bits, so that it may happen that two sessions are taken for one and None
    is answered, which costs time and changes nothing else.
    """
    seen: set[bytes] = set()
    last: str | None = None
    count = 0
    with TemporaryDirectory(dir=folder) as place:
        files = [Path(place, str(part)) for part in range(PARTS)]
        written = False
        for many in names:
            for name in many:
                if name == last:
                    continue
                last = name
                count += 1
                digest = _digest(name)
                if digest in seen:
                    return None
                seen.add(digest)
            if len(seen) >= KEPT:
                _write(files, seen)
                seen.clear()
                written = True
        if not written:
            return count
        _write(files, seen)
        for file in files:
            digests = np.sort(np.fromfile(file, np.uint64))
            if (digests[1:] == digests[:-1]).any():
                return None
    return count


def _digest(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _write(files: list[Path], digests: set[bytes]) -> None:
    parts: list[list[bytes]] = [[] for _ in files]
    for digest in digests:
        parts[digest[0] % PARTS].append(digest)
    for file, part in zip(files, parts, strict=True):
        with file.open("ab") as stream:
            stream.write(b"".join(part))


def joined(pieces: Iterable[Piece], most: int, lost: list[str]) -> Iterator[Block]:
    """Blocks of whole sessions, in order, of pieces in which they stand together.

    A session with more than `most` actions has a problem, and its actions are dropped. What is lost
    is added to `lost` before the next block is given, and is a problem of the sessions before and
    after it.
    """
    waiting: list[Block] = []
    held = 0
    problem = ""
    for piece in pieces:
        if isinstance(piece, Lost):
            lost.append(piece.problem)
            problem = piece.problem
            if waiting:
                waiting.append(_spoilt(waiting[-1].names[-1], _cut_off(piece.problem)))
            continue
        if not piece.names:
            continue
        if problem:
            waiting.append(_spoilt(piece.names[0], _cut_off(problem)))
            problem = ""
        waiting.append(piece)
        held += len(piece.names) + len(piece.actions)
        if held < ACTIONS:
            continue
        whole = _merged(waiting, most)
        if len(whole.names) > 1:
            yield _part(whole, 0, len(whole.names) - 1)
        waiting = [_part(whole, len(whole.names) - 1, len(whole.names))]
        held = 0
    if waiting:
        yield _merged(waiting, most)


def divided(blocks: Iterable[Block], sessions: int, skip: int = 0) -> Iterator[Block]:
    """Divide blocks into blocks of at most this many sessions, and `ACTIONS` unless one session
    alone has more; without the first sessions."""
    for block in blocks:
        many = len(block.names)
        begin = min(skip, many)
        skip -= begin
        sizes = (block.lengths + 1).cumsum()
        while begin < many:
            before = int(sizes[begin - 1]) if begin else 0
            fits = int(np.searchsorted(sizes, before + ACTIONS, side="right"))
            end = min(max(fits, begin + 1), begin + sessions, many)
            yield block if end - begin == many else _part(block, begin, end)
            begin = end


def _cut_off(problem: str) -> str:
    return f"may be cut off: {problem}"


def put_in_order(
    pieces: Iterable[Piece], most: int, lost: list[str], folder: Path | None = None, depth: int = 0
) -> Iterator[Block]:
    """Blocks of whole sessions of pieces in any order. Sessions come in an order that depends on
    their names alone, but for those that are in one temporary file, which stay in theirs; the
    actions of a session, and of its clocks, stay in theirs. Otherwise as `joined`."""
    with TemporaryDirectory(dir=folder) as place:
        parts = [Aside(Path(place, str(part))) for part in range(PARTS)]
        last: str | None = None
        problem = ""

        def spoil(name: str, problem: str) -> None:
            parts[_part_of(name, depth)].add(_spoilt(name, _cut_off(problem)))

        for piece in pieces:
            if isinstance(piece, Lost):
                lost.append(piece.problem)
                problem = piece.problem
                if last is not None:
                    spoil(last, problem)
                continue
            if not piece.names:
                continue
            if problem:
                spoil(piece.names[0], problem)
                problem = ""
            last = piece.names[-1]
            runs = _merged([piece], most)
            where = {name: _part_of(name, depth) for name in set(runs.names)}
            chosen = np.array([where[name] for name in runs.names])
            for part in np.unique(chosen):
                parts[part].add(_selected(runs, np.flatnonzero(chosen == part)))
        for part in parts:
            part.close()
        for part in parts:
            if part.rows > ROWS and depth < DEEPEST:
                yield from put_in_order(part.blocks(), most, lost, Path(place), depth + 1)
            else:
                yield from _sorted(part, most, lost)


def _part_of(name: str, depth: int) -> int:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()[depth] % PARTS


def _sorted(part: Aside, most: int, lost: list[str]) -> Iterator[Block]:
    """The sessions of a file, in the order in which they begin."""
    if part.rows > ROWS:  # one session, or a few that cannot be divided
        yield from joined(part.blocks(), most, lost)
        return
    blocks = list(part.blocks())
    if not blocks:
        return
    whole = _concatenated(blocks)
    numbers: dict[str, int] = {}
    of = np.array([numbers.setdefault(name, len(numbers)) for name in whole.names])
    yield from joined([_selected(whole, np.argsort(of, kind="stable"))], most, lost)


def _selected(block: Block, runs: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Block:
    """Select these runs, in this order."""
    begins = block.lengths.cumsum() - block.lengths
    lengths = block.lengths[runs]
    ends = lengths.cumsum()
    at = np.repeat(begins[runs] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    problems: Mapping[int, str] = {}
    if block.problems:
        problems = {
            place: block.problems[run]
            for place, run in enumerate(runs.tolist())
            if run in block.problems
        }
    return Block(
        [block.names[run] for run in runs.tolist()],
        lengths,
        block.actions[at],
        None if block.clocks is None else block.clocks[at],
        problems,
    )


def _part(block: Block, begin: int, end: int) -> Block:
    """The runs from one to before another."""
    first = int(block.lengths[:begin].sum())
    last = first + int(block.lengths[begin:end].sum())
    return Block(
        block.names[begin:end],
        block.lengths[begin:end],
        block.actions[first:last],
        None if block.clocks is None else block.clocks[first:last],
        {run - begin: told for run, told in block.problems.items() if begin <= run < end},
    )


def _spoilt(name: str, problem: str) -> Block:
    """A run of nothing but a problem."""
    return Block([name], np.zeros(1, np.int64), np.zeros(0, np.int32), None, {0: problem})


def _concatenated(blocks: list[Block]) -> Block:
    """The runs, in order."""
    clocks: Clocks | None = None
    if any(block.clocks is not None for block in blocks):
        clocks = np.concatenate(
            [
                np.full(len(block.actions), NO_CLOCK, np.int64)
                if block.clocks is None
                else block.clocks
                for block in blocks
            ]
        )
    problems: dict[int, str] = {}
    names: list[str] = []
    for block in blocks:
        problems |= {run + len(names): told for run, told in block.problems.items()}
        names += block.names
    return Block(
        names,
        np.concatenate([block.lengths for block in blocks]),
        np.concatenate([block.actions for block in blocks]),
        clocks,
        problems,
    )


def _merged(blocks: list[Block], most: int) -> Block:
    """Merge consecutive runs of one session, in order. A run with more than `most` actions keeps
    none of them."""
    whole = _concatenated(blocks) if len(blocks) > 1 else blocks[0]
    names = whole.names
    begins = [place for place, name in enumerate(names) if not place or names[place - 1] != name]
    if len(begins) < len(names):
        runs = np.array(begins)
        problems: dict[int, str] = {}
        for run, told in sorted(whole.problems.items()):
            problems.setdefault(int(np.searchsorted(runs, run, side="right")) - 1, told)
        whole = whole._replace(
            names=[names[place] for place in begins],
            lengths=np.add.reduceat(whole.lengths, runs),
            problems=problems,
        )
    large = np.flatnonzero(whole.lengths > most)
    if len(large):
        kept = np.repeat(whole.lengths <= most, whole.lengths)
        told = f"session {{!r}} has more than {most:,} actions: --max-actions allows more"
        whole = whole._replace(
            lengths=np.where(whole.lengths > most, 0, whole.lengths),
            actions=whole.actions[kept],
            clocks=None if whole.clocks is None else whole.clocks[kept],
            problems={
                **{int(run): told.format(whole.names[run]) for run in large},
                **whole.problems,
            },
        )
    return whole
