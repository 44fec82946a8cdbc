"""What it costs to start: processor time of short commands, as multiples of an empty program.

    python -m benchmarks.start_up [--rounds N] [--write FILE]

Each round runs every command once, in a process of its own, between two of `python -c pass` by the
same interpreter; ratios are to these, and medians of all rounds are told. The processor time is
that of the child as the system counts it (`wait4`), user and system together, so that a busy
machine changes little. Bytecode is written before.

The commands are the console script, as it stands beside the interpreter: `verify` of one
multi-trace of four actions that is right, by the automaton of the interaction and, where a loop has
none, by the search; `check` of a document with a property, of one with an application, and of an
interaction; `simulate` of one run of that application, and `audit` of the events of this run;
`--help`; and what a shell asks for to complete the name of a command. Output goes into
no terminal: there tables are folded and coloured, for which rich is imported.

Which modules are imported by each is pinned in `tests/cli/test_imported_modules.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click

from benchmarks.command_line import load_at_the, machine

ROOT: Final = Path(__file__).parents[1]
SCRIPT: Final = Path(sys.executable).with_name("choreomon")

INTERACTION: Final = "strict(a -- m -> b, b -- n -> a)\n"
LOOP: Final = "loopW(strict(a -- m -> b, b -- n -> a))\n"
MULTI_TRACE: Final = "[a] a!m.a?n;\n[b] b?m.b!n\n"
APPLICATION: Final = ROOT / "scenarios" / "smart-home-violating.yaml"
PROPERTY: Final = ROOT / "choreomon" / "cli" / "documents" / "property_to_begin_with.yaml"


class Command(NamedTuple):
    """What is measured: arguments of the console script, what they may cost as a multiple of an
    empty program, what the environment says besides, and with which code it ends."""

    arguments: tuple[str, ...]
    bound: float
    environment: Mapping[str, str] = {}
    code: int = 0


COMPLETION: Final = {"_CHOREOMON_COMPLETE": "bash_complete", "COMP_WORDS": "choreomon "}

COMMANDS: Final = {
    "`verify`": Command(("verify", "-i", "tiny.hif", "tiny.htf"), 4),
    "`verify`, a loop": Command(("verify", "-i", "loop.hif", "tiny.htf"), 4),
    "`check` of a property": Command(("check", str(PROPERTY)), 6),
    "`check` of an application": Command(("check", str(APPLICATION)), 6),
    "`check` of an interaction": Command(("check", "tiny.hif"), 6),
    "`simulate`": Command(("simulate", str(APPLICATION)), 12, code=1),
    "`audit`": Command(("audit", str(APPLICATION), "run-0.jsonl"), 12, code=1),
    "`--help`": Command(("--help",), 2.5),
    "completion": Command((), 2.5, {**COMPLETION, "COMP_CWORD": "1"}),
}


def surroundings(folder: str, more: Mapping[str, str]) -> dict[str, str]:
    """The environment, in which bytecode is kept, in a folder of its own: without it nothing but
    the compiler would be measured."""
    kept = {name: said for name, said in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")), **more}


def seconds(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], code: int = 0
) -> float:
    """Processor time of a process. Raises `RuntimeError` where it does not end with the code."""
    child = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=surroundings(folder, environment),
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != code:
        raise RuntimeError(f"{' '.join(arguments)}: ended with {child.returncode}")
    return used.ru_utime + used.ru_stime


class Measured(NamedTuple):
    """Of a command: seconds, and multiples of the empty program of the same round; medians."""

    seconds: float
    times: float


def measured(rounds: int) -> tuple[float, dict[str, Measured]]:
    """Seconds of an empty program, median of so many rounds, and each command."""
    empty: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with TemporaryDirectory() as folder:
        Path(folder, "tiny.hif").write_text(INTERACTION, encoding="utf-8")
        Path(folder, "loop.hif").write_text(LOOP, encoding="utf-8")
        Path(folder, "tiny.htf").write_text(MULTI_TRACE, encoding="utf-8")
        recorded = ("simulate", str(APPLICATION), "--trace", ".")
        seconds((str(SCRIPT), *recorded), folder, {}, code=1)
        for number in range(rounds + 1):  # the first one writes bytecode
            nothing = seconds(("-c", "pass"), folder, {})
            some = {
                name: seconds((str(SCRIPT), *one.arguments), folder, one.environment, one.code)
                for name, one in COMMANDS.items()
            }
            nothing = (nothing + seconds(("-c", "pass"), folder, {})) / 2
            if number:
                empty.append(nothing)
                for name, took in some.items():
                    found[name].append(took)
    return median(empty), {
        name: Measured(
            median(some),
            median(took / nothing for took, nothing in zip(some, empty, strict=True)),
        )
        for name, some in found.items()
    }


def report(empty: float, found: Mapping[str, Measured]) -> list[str]:
    """A line for each command."""
    lines = [
        "| command | seconds | times `python -c pass` | at most | met |",
        "|---|--:|--:|--:|---|",
        f"| `python -c pass` | {empty:.3f} | 1 | | |",
    ]
    for name, (took, times) in found.items():
        bound = COMMANDS[name].bound
        met = "yes" if times <= bound else "**no**"
        lines.append(f"| {name} | {took:.3f} | {times:.2f} | {bound:g} | {met} |")
    return lines


@click.command(help=__doc__)
@click.option("--rounds", type=click.IntRange(min=1), default=21, show_default=True)
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="as Markdown")
def main(rounds: int, write: Path | None) -> None:
    begin = load_at_the("beginning")
    empty, found = measured(rounds)
    arguments = " ".join(["python", "-m", "benchmarks.start_up", *sys.argv[1:]])
    text = "\n".join(
        [
            "# What it costs to start",
            "",
            "Processor time, user and system; what is measured says the top of",
            "`benchmarks/start_up.py`.",
            "",
            f"`{arguments}`",
            "",
            f"{machine()}; {begin}; {load_at_the('end')}; medians of {rounds} rounds",
            "",
            *report(empty, found),
            "",
        ]
    )
    if write is not None:
        write.write_text(text, encoding="utf-8")
    click.echo(text, nl=False)


if __name__ == "__main__":
    main()
