"""Runs the targets of `benchmarks.fuzz.guided`, each in a process of its own, and says how far they
got."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.fuzz.report import measured_on

ROOT: Final = Path(__file__).resolve().parents[2]
TARGETS: Final = ("wire", "linked", "local", "carried", "page", "sidecar")
LONGEST: Final = 65_536
_PROGRESS: Final = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)")
_DONE: Final = re.compile(r"Done (\d+) runs in (\d+) second")


class Guided(NamedTuple):
    """How many inputs a target was given, how much of the code of choreomon they reached (edges,
    and features: edges with how often), how many of them are kept since each reached more, and what
    went wrong, if anything did."""

    target: str
    inputs: int
    edges: int
    features: int
    kept: int
    seconds: int
    wrong: str


def why_not() -> str:
    """What is missing; empty where nothing is."""
    if importlib.util.find_spec("atheris") is None:
        return (
            "python -m benchmarks.fuzz guided needs atheris, which is not installed: "
            "pip install -e '.[fuzz]'"
        )
    return ""


def run(target: str, inputs: int, seed: int) -> Guided:
    found = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.fuzz.guided", target, f"-runs={inputs}"),
            *(f"-seed={seed + 1}", f"-max_len={LONGEST}", "-len_control=0", "-timeout=10"),
            *("-rss_limit_mb=1024", f"-artifact_prefix={tempfile.gettempdir()}/"),
        ],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        errors="replace",
    )
    done = _DONE.search(found.stderr)
    progress = _PROGRESS.findall(found.stderr)
    _, edges, features, kept = map(int, progress[-1]) if progress else (0, 0, 0, 0)
    wrong = "" if done is not None and not found.returncode else found.stderr[-2000:]
    runs, seconds = map(int, done.groups()) if done is not None else (0, 0)
    return Guided(target, runs, edges, features, kept, seconds, wrong)


def section(command: str, inputs: int, seed: int) -> tuple[Iterator[str], bool]:
    found = []
    for target in TARGETS:
        found.append(run(target, inputs, seed))
        print(found[-1], file=sys.stderr, flush=True)
    return _lines(command, seed, found), not any(each.wrong for each in found)


def _lines(command: str, seed: int, found: list[Guided]) -> Iterator[str]:
    yield "## Led by coverage\n"
    yield f"`{command}`\n"
    yield f"Seed {seed}; {measured_on()}\n"
    yield (
        "What each target must keep to is in `benchmarks/fuzz/guided.py`. *Edges* and *features* "
        "are libFuzzer's, of the Python code of choreomon; *kept* are inputs that reached "
        "something that none before them did.\n"
    )
    yield "| target | inputs | edges | features | kept | seconds |"
    yield "|---|---:|---:|---:|---:|---:|"
    for each in found:
        yield (
            f"| `{each.target}` | {each.inputs:,} | {each.edges:,} | {each.features:,} "
            f"| {each.kept:,} | {each.seconds} |"
        )
    yield ""
    wrong = [f"- {each.target}: {each.wrong}" for each in found if each.wrong]
    yield from wrong or ["No input broke anything."]
