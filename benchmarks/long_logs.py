"""The logs of a long run of three processes: memory and time for each action.

    python -m benchmarks.long_logs [--rounds N] [--mode M] [--json]

Each round is an order, a question to the bank, its yes and a parcel: eight actions on three
lifelines, each with a clock of its own. The text is written to a temporary file, then read in
pieces and decided. Memory is the peak of the process above what it had with everything imported,
for an action; times are of the processor, on one core.
"""

from __future__ import annotations

import gc
import json
import resource
import tempfile
from pathlib import Path
from platform import machine, python_version
from time import process_time
from typing import Any, Final

import click

from choreomon.formats.hibou import load_multi_trace, read_interaction
from choreomon.interaction.lifelines import names
from choreomon.verify.verdict import Mode
from choreomon.verify.verifier import Verifier

MODEL: Final = """
loopW(seq(
    customer -- order -> shop,
    shop -- charge -> bank,
    alt(
        seq(bank -- yes -> shop, shop -- parcel -> customer),
        seq(bank -- no -> shop, shop -- sorry -> customer))))
"""

MODES: Final = ("accept", "prefix", "multiprefix", "slice", "test")

ROUND: Final = {
    "customer": ("customer!order", "customer?parcel"),
    "shop": ("shop?order", "shop!charge", "shop?yes", "shop!parcel"),
    "bank": ("bank?charge", "bank!yes"),
}


def write(path: Path, rounds: int) -> None:
    """The logs of so many rounds, without ever holding one as text."""
    with path.open("w", encoding="utf-8") as file:
        for number, (lifeline, actions) in enumerate(ROUND.items()):
            one = ".".join(actions)
            file.write(f"{'{' if number == 0 else ';'}\n[{lifeline}] {one}")
            for _ in range(rounds - 1):
                file.write(f".{one}")
        file.write("\n}\n")


def peak() -> int:
    """The most memory that this process ever had, in bytes (Linux counts kilobytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(rounds: int, mode: Mode) -> dict[str, Any]:
    """What the command prints."""
    interaction = read_interaction(MODEL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "logs.htf"
        write(path, rounds)
        size = path.stat().st_size
        before = peak()
        begin = process_time()
        multitrace = load_multi_trace(path, names(interaction.lifelines))
        read = process_time()
        answer = Verifier(interaction, mode).decide(multitrace)
        end = process_time()
    return {
        "actions": multitrace.length,
        "bytes of text": size,
        "mode": mode,
        "verdict": answer.verdict.value,
        "bytes of memory an action": round((peak() - before) / multitrace.length, 2),
        "read s": round(read - begin, 2),
        "decide s": round(end - read, 2),
    }


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--rounds", type=click.IntRange(min=1), default=1_050_000, show_default=True)
@click.option("--mode", type=click.Choice(MODES), default="multiprefix")
@click.option("--json", "as_json", is_flag=True)
def main(rounds: int, mode: Mode, as_json: bool) -> None:
    gc.disable()
    found = measured(rounds, mode)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"Python {python_version()}, {machine()}")
    for name, value in found.items():
        click.echo(f"{name:<26} {value}")


if __name__ == "__main__":
    main()
