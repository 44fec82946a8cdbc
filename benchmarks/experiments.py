"""The papers' experiments, for the repository: `choreomon experiment` with stated sizes.

    python -m benchmarks.experiments [--data FILE --signature FILE] [--only NAME]... [-o FOLDER]

Each run is a call of the command, in sizes that one core of a small machine does in minutes. The
folder gets a page for each experiment, with the commands, how long they took, and their tables
and plots; with `--only`, the rest of a page stays as it is. The published data set is not part of
the repository: without `--data` the runs on it are left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple


class Run(NamedTuple):
    """A call of `choreomon experiment`. `page` is the file that it is told in; `published`: on
    the data set of `--data`; `plots`: those that are kept."""

    name: str
    page: str
    title: str
    arguments: tuple[str, ...]
    plots: tuple[str, ...]
    published: bool = False


_LENGTH: Final = ("sizes-by-length.svg",)
_TIME: Final = ("times-by-length.svg", "times-by-kind.svg")
_FRESH: Final = ("--interactions", "20", "--traces", "20", "--limit", "20", "--budget", "0.2")

RUNS: Final = (
    Run(
        "published-sizes",
        "multiprefix",
        "Graph sizes, published interactions (the removal paper, Fig. 15 and 16)",
        ("multiprefix", "--measure", "sizes", "--limit", "60"),
        ("sizes-by-length.svg", "sizes-by-kind.svg"),
        published=True,
    ),
    Run(
        "published-times",
        "multiprefix",
        "Analysis times, published interactions (the removal paper, Fig. 17 and 18)",
        ("multiprefix", "--measure", "times"),
        _TIME,
        published=True,
    ),
    Run(
        "fresh-paper",
        "multiprefix",
        "Fresh interactions, the paper's procedures",
        ("multiprefix", *_FRESH),
        _LENGTH + _TIME[:1],
    ),
    Run(
        "fresh-sound",
        "multiprefix",
        "Fresh interactions, sound procedures",
        ("multiprefix", *_FRESH, "--procedures", "sound"),
        _LENGTH + _TIME[:1],
    ),
    Run(
        "i1",
        "slices",
        "Slices of i1 (the slices paper, Fig. 12 a)",
        ("slices", "--model", "i1"),
        ("slices-i1-slice.svg", "slices-i1-simulate.svg"),
    ),
    Run(
        "i2",
        "slices",
        "Slices of i2 (the slices paper, Fig. 12 b)",
        ("slices", "--model", "i2", "--limit", "600"),
        ("slices-i2-slice.svg", "slices-i2-simulate.svg"),
    ),
)


def section(run: Run, folder: Path, data: tuple[str, str] | None) -> str:
    """Make the run; what the page says of it. Its plots are put into `folder`."""
    shown = ["choreomon", "experiment", *run.arguments, "--seed", "0"]
    real = list(shown)
    if run.published:
        assert data is not None
        shown += ["--data", Path(data[0]).name, "--signature", Path(data[1]).name]
        real += ["--data", data[0], "--signature", data[1]]
    with tempfile.TemporaryDirectory() as made:
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", *real, "-o", made], check=False, capture_output=True, text=True
        )
        seconds = time.monotonic() - began
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(shown)}: exit code {done.returncode}\n{done.stderr}")
        pictures = []
        for plot in run.plots:
            target = f"experiment-{run.name}-{plot}"
            folder.joinpath(target).write_bytes(Path(made, plot).read_bytes())
            pictures.append(f"![{run.title}: {plot.removesuffix('.svg')}]({target})\n")
    return "\n".join(
        [
            f"## {run.title}\n",
            f"`{' '.join(shown)}`: {seconds:.0f} s, exit code {done.returncode}\n",
            done.stdout,
            *pictures,
        ]
    )


def machine() -> str:
    return (
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, shared "
        "with other work; each run uses one. docs/experiments.md says what is measured."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data")
    parser.add_argument("--signature")
    parser.add_argument("--only", action="append", choices=[run.name for run in RUNS])
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    data = None
    if arguments.data is not None:
        if arguments.signature is None:
            parser.error("--data needs --signature")
        data = (arguments.data, arguments.signature)
    chosen = [
        run
        for run in RUNS
        if (not arguments.only or run.name in arguments.only) and (data or not run.published)
    ]
    for run in chosen:
        print(f"{run.name} ...", flush=True)
        renew(
            arguments.output / f"experiment-{run.page}.md",
            run,
            section(run, arguments.output, data),
        )


def renew(page: Path, run: Run, told: str) -> None:
    """Put what is told of a run into its page, in the place of what was told before; what other
    runs have there stays."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    parts = {part.partition("\n")[0]: part for part in old.split("\n## ")[1:]}
    parts[run.title] = told.removeprefix("## ").rstrip() + "\n"
    ordered = [parts[known.title] for known in RUNS if known.title in parts]
    text = "\n## ".join([f"# Experiment {run.page}\n\n{machine()}\n", *ordered])
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
