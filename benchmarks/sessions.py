"""Many sessions of one protocol in one file: time and memory of the whole command.

    python -m benchmarks.sessions [--sessions N] [--mode M] [--jobs J] [--interleaved] [--seed S]
                                  [--lines] [--json]

Sessions are random walks of 5 to 55 actions (the longer one of two lengths that are drawn) through
the automaton of `rover.hif`, a log for each
lifeline, the rows of each log together, as Parquet or, with `--lines`, as JSON lines, an action a
line. Of 100 sessions 70 are whole, 15 have every log cut at a
random place, 15 one action replaced by another one of its lifeline. `choreomon verify --sessions`
is a process of its own: its time is that of the processor, of all its jobs, with start-up,
synthesis, reading and writing; its memory the most that it had resident. `alone` is how many
sessions a second the per-session verifier of automata decides, of a few of them, without reading
and writing; `agree`, whether the command said the same of these. `repeated` is the share of
sessions that are as an earlier one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

import click
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.command_line import machine
from choreomon.automata.automaton import Automaton, members
from choreomon.automata.minimization import minimal
from choreomon.documents.interactions import load_interaction
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify.automaton_verifier import AutomatonMode, AutomatonVerifier
from choreomon.verify.synthesis import synthesize

MODEL: Final = Path(__file__).parents[1] / "tests/data/offline/models/rover.hif"
SHORTEST: Final = 5
LONGEST: Final = 55
FEW: Final = 1_000
"""Sessions that are decided alone, too."""

WRITTEN: Final = 20_000
"""Sessions that are written at a time."""

Logs = list[list[int]]


def walk(automaton: Automaton, rng: Random) -> list[int]:
    """The letters of a random accepted word of 5 to 55 actions."""
    wanted = max(rng.randint(SHORTEST, LONGEST) for _ in range(2))  # short ones repeat
    while True:
        (state,) = members(automaton.initial)
        word: list[int] = []
        while len(word) <= LONGEST:
            if len(word) >= wanted and automaton.final >> state & 1:
                return word
            edges = automaton.outgoing[state]
            if not edges:
                break
            _, letter, state = automaton.edges[rng.choice(edges)]
            word.append(letter)


def drawn(automaton: Automaton, rng: Random) -> Logs:
    """A session: the log of each lifeline, in their order."""
    lifeline = {name: place for place, name in enumerate(automaton.lifelines)}
    logs: Logs = [[] for _ in automaton.lifelines]
    for letter in walk(automaton, rng):
        logs[lifeline[automaton.letters[letter].lifeline]].append(letter)
    fate = rng.random()
    if fate < 0.15:
        while True:  # a session without actions would have no row
            if any(cut := [log[: rng.randint(0, len(log))] for log in logs]):
                return cut
    if fate < 0.3:
        log = rng.choice([log for log in logs if log])
        place = rng.randrange(len(log))
        name = automaton.letters[log[place]].lifeline
        log[place] = rng.choice([one for one in automaton.letters_of[name] if one != log[place]])
    return logs


def sessions(automaton: Automaton, number: int, seed: int) -> Iterator[Logs]:
    """So many of them."""
    rng = Random(seed)
    return (drawn(automaton, rng) for _ in range(number))


def write(path: Path, automaton: Automaton, number: int, seed: int, *, interleaved: bool) -> float:
    """Writes them as Parquet; the share of them that are as an earlier one. `interleaved`: the
    rows of `WRITTEN` sessions are mixed, those of each session in their order."""
    texts = pa.array([str(letter) for letter in automaton.letters], pa.string())
    schema = pa.schema({"session": pa.string(), "action": pa.dictionary(pa.int32(), pa.string())})
    seen: set[int] = set()
    rng = Random(seed)
    with pq.ParquetWriter(path, schema) as writer:
        rows: list[tuple[str, int]] = []
        for place, logs in enumerate(sessions(automaton, number, seed)):
            name = f"session-{place:07}"
            seen.add(hash(tuple(map(tuple, logs))))
            rows += [(name, letter) for log in logs for letter in log]
            if (place + 1) % WRITTEN == 0 or place + 1 == number:
                if interleaved:
                    rows = mixed(rows, rng)
                actions = pa.DictionaryArray.from_arrays(
                    pa.array([letter for _, letter in rows], pa.int32()), texts
                )
                names = pa.array([name for name, _ in rows], pa.string())
                writer.write_table(pa.table([names, actions], schema=schema))
                rows = []
    return 1 - len(seen) / number


def write_lines(path: Path, automaton: Automaton, number: int, seed: int) -> float:
    """As `write`, as JSON lines."""
    texts = [json.dumps(str(letter)) for letter in automaton.letters]
    seen: set[int] = set()
    with path.open("w", encoding="utf-8") as lines:
        for place, logs in enumerate(sessions(automaton, number, seed)):
            seen.add(hash(tuple(map(tuple, logs))))
            lines.writelines(
                f'{{"session": "session-{place:07}", "action": {texts[letter]}}}\n'
                for log in logs
                for letter in log
            )
    return 1 - len(seen) / number


def mixed(rows: list[tuple[str, int]], rng: Random) -> list[tuple[str, int]]:
    """The same rows in random order, those of each session in theirs."""
    own: dict[str, list[tuple[str, int]]] = {}
    for row in reversed(rows):
        own.setdefault(row[0], []).append(row)
    order = [name for name, _ in rows]
    rng.shuffle(order)
    return [own[name].pop() for name in order]


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds of the processor of a command, and the most megabytes that it had resident."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = used.ru_utime + used.ru_stime
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 1:
        raise click.ClickException(f"{' '.join(command)}: ended with {process.returncode}")
    return seconds, used.ru_maxrss * 1024 / 1e6


def report(
    number: int, mode: AutomatonMode, jobs: int, seed: int, *, interleaved: bool, lines: bool
) -> dict[str, Any]:
    """What is measured, by name."""
    automaton = minimal(synthesize(load_interaction(MODEL)).automaton)
    with TemporaryDirectory() as folder:
        results = Path(folder, "results.parquet")
        if lines:
            source = Path(folder, "sessions.jsonl")
            repeated = write_lines(source, automaton, number, seed)
        else:
            source = Path(folder, "sessions.parquet")
            repeated = write(source, automaton, number, seed, interleaved=interleaved)
        command = [sys.executable, "-m", "choreomon", "verify", "-i", str(MODEL), "--mode", mode]
        command += ["--sessions", str(source), "-o", str(results), "--jobs", str(jobs)]
        seconds, megabytes = measured(command)
        found = pq.read_table(results).to_pydict()
        size = source.stat().st_size
    verdicts = dict(zip(found["session"], found["verdict"], strict=True))
    assert len(verdicts) == number
    few = [*sessions(automaton, min(FEW, number), seed)]
    verifier = AutomatonVerifier(automaton, mode)
    begun = process_time()
    alone = [
        verifier.decide(
            multi_trace(
                component([name], [automaton.letters[letter] for letter in log])
                for name, log in zip(automaton.lifelines, logs, strict=True)
            )
        ).verdict.value
        for logs in few
    ]
    alone_seconds = process_time() - begun
    counted = sorted(set(verdicts.values()))
    return {
        "machine": machine(),
        "sessions": number,
        "mode": mode,
        "jobs": jobs,
        "interleaved": interleaved,
        "as": "JSON lines" if lines else "Parquet",
        "seed": seed,
        "megabytes of the file": round(size / 1e6, 1),
        "repeated": round(repeated, 3),
        **{verdict: sum(one == verdict for one in verdicts.values()) for verdict in counted},
        "seconds": round(seconds, 1),
        "sessions a second": round(number / seconds),
        "megabytes resident": round(megabytes),
        "alone, sessions a second": round(len(few) / alone_seconds),
        "agree": all(verdicts[f"session-{n:07}"] == one for n, one in enumerate(alone)),
    }


@click.command(help=(__doc__ or "").split("\n", maxsplit=1)[0])
@click.option("--sessions", "number", default=100_000, show_default=True)
@click.option(
    "--mode", default="multiprefix", type=click.Choice(["accept", "multiprefix", "slice"])
)
@click.option("--jobs", default=1, show_default=True)
@click.option("--interleaved", is_flag=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--lines", is_flag=True, help="JSON lines")
@click.option("--json", "as_json", is_flag=True)
def command(
    number: int,
    mode: AutomatonMode,
    jobs: int,
    seed: int,
    interleaved: bool,
    lines: bool,
    as_json: bool,
) -> None:
    if interleaved and lines:
        raise click.UsageError("JSON lines are not interleaved: drop --lines or --interleaved")
    found = report(number, mode, jobs, seed, interleaved=interleaved, lines=lines)
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    width = max(map(len, found))
    for name, value in found.items():
        click.echo(f"{name:<{width}}  {value}")


if __name__ == "__main__":
    command()
