"""Interactions nested thousands deep, each verified by a whole command, start-up included.

    python -m benchmarks.deep [--depth N] [--mode M ..] [--wide] [--json]

Operators are nested in their left or in their right operand, loops around nothing but loops
(`plain`) or around an operand of a `strict` each, so that every second operator is a loop. The
leaves are four actions of two lifelines, in turns. Two multi-traces are asked about, each by a
command of its own: one of two clocks that fits what is innermost of the left nests, and one of a
single clock that mostly does not fit. Shown is the longer of the two times, with the verdicts.

With `--wide` every leaf is an action of a lifeline of its own. Two of them recorded something: with
a clock each, and with one clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import click

MODES: Final = ("accept", "prefix", "multiprefix", "slice", "test", "simulate")
LEAVES: Final = ("l1 -- a ->|", "b -> l2", "c -> l1", "l2 -- d ->|")
BINARY: Final = ("strict", "seq", "par", "alt", "coreg(l1)")
LOOPS: Final = ("loopS", "loopH", "loopW", "loopP", "loopC(l1)")
TRACES: Final = ("{[l1] l1!a;[l2] l2?b}", "{[l1,l2] l2!d.l1?c.l2?b.l1!a.l2!d.l1?c}")
WIDE_TRACES: Final = ("{[l0] l0!m0;[l2] l2!m2}", "{[l1,l2] l1!m1.l2!m2}")


def nests(depth: int, *, wide: bool) -> Iterator[tuple[str, str]]:
    """What they are called, and their texts."""
    for name in BINARY:
        yield f"{name}, left", nested(depth, f"{name}(", ")", left=True, wide=wide)
        yield f"{name}, right", nested(depth, f"{name}(", ")", left=False, wide=wide)
    for name in LOOPS:
        yield f"{name}, plain", f"{name}(" * depth + LEAVES[0] + ")" * depth
        for left, side in (True, "left"), (False, "right"):
            text = nested(depth // 2, f"{name}(strict(", "))", left=left, wide=wide)
            yield f"{name}, {side}", text


def nested(depth: int, opening: str, closing: str, *, left: bool, wide: bool) -> str:
    """So many operators within each other, with a leaf beside each."""
    first, *beside = (
        [f"l{number} -- m{number} ->|" for number in range(depth + 1)]
        if wide
        else [LEAVES[0], *(LEAVES[number % 4] for number in range(depth))]
    )
    if left:
        return opening * depth + first + "".join(f",{leaf}{closing}" for leaf in beside)
    return "".join(f"{opening}{leaf}," for leaf in beside) + first + closing * depth


def measured(name: str, text: str, mode: str, traces: tuple[str, ...]) -> dict[str, Any]:
    """What the command prints of one nest and one mode."""
    verdicts, seconds = [], []
    with TemporaryDirectory() as folder:
        interaction, trace = Path(folder, "nest.hif"), Path(folder, "logs.htf")
        interaction.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "choreomon", "verify", "--json", "--mode", mode]
        for logs in traces:
            trace.write_text(logs, encoding="utf-8")
            begin = perf_counter()
            told = subprocess.run(
                [*command, "-i", interaction, trace], capture_output=True, check=False
            )
            seconds.append(perf_counter() - begin)
            answer = json.loads(told.stdout)
            verdicts.append(f"{answer['verdict']} {answer['reason']}".strip())
    return {"nest": name, "mode": mode, "seconds": round(max(seconds), 2), "verdicts": verdicts}


@click.command(help=__doc__)
@click.option("--depth", type=click.IntRange(min=2), default=5000, show_default=True)
@click.option("--mode", "modes", type=click.Choice(MODES), multiple=True, default=MODES)
@click.option("--wide", is_flag=True, help="a lifeline for each leaf")
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(depth: int, modes: tuple[str, ...], wide: bool, as_json: bool) -> None:
    for name, text in nests(depth, wide=wide):
        for mode in modes:
            found = measured(name, text, mode, WIDE_TRACES if wide else TRACES)
            if as_json:
                click.echo(json.dumps(found))
            else:
                verdicts = ", ".join(found["verdicts"])
                click.echo(f"{name:18}{mode:12}{found['seconds']:6.2f} s  {verdicts}")


if __name__ == "__main__":
    main()
