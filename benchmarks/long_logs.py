"""The logs of a long run: memory and time for each action.

    python -m benchmarks.long_logs [--model M] [--late] [--rounds N] [--mode M] [--json]

Each lifeline has a clock of its own. The text is written to a temporary file, then read in
pieces and decided. Memory is the peak of the process above what it had with everything imported,
for an action; times are of the processor, on one core. The models:

- `orders`: a round is an order, a question to the bank, its yes and a parcel: eight actions;
- `apart`: two lifelines send each other what nobody waits for, and each may run far ahead;
- `choices`: in each round one of two pairs of lifelines, that know nothing of each other;
- `unordered`: rounds that overtake each other.

With `--late` each log lacks some actions at its start.
"""

from __future__ import annotations

import gc
import json
import resource
import tempfile
from collections.abc import Mapping
from pathlib import Path
from platform import machine, python_version
from time import process_time
from typing import Any, Final, NamedTuple

import click

from choreomon.hibou.model import read_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction_files.loading import load_multi_trace
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


class Model(NamedTuple):
    """An interaction, and what each lifeline does in a round."""

    interaction: str
    rounds: Mapping[str, tuple[str, ...]]


MODELS: Final = {
    "orders": Model(
        MODEL,
        {
            "customer": ("customer!order", "customer?parcel"),
            "shop": ("shop?order", "shop!charge", "shop?yes", "shop!parcel"),
            "bank": ("bank?charge", "bank!yes"),
        },
    ),
    "apart": Model(
        "par(loopW(a -- m -> b), loopW(b -- n -> a))",
        {"a": ("a!m", "a?n"), "b": ("b?m", "b!n")},
    ),
    "choices": Model(
        "loopS(alt(a -- m -> b, c -- n -> d))",
        {"a": ("a!m",), "b": ("b?m",), "c": ("c!n",), "d": ("d?n",)},
    ),
    "unordered": Model(
        "loopC(b)(seq(a -- m -> b, b -- n -> c))",
        {"a": ("a!m",), "b": ("b?m", "b!n"), "c": ("c?n",)},
    ),
}

MODES: Final = ("accept", "prefix", "multiprefix", "slice", "test")

LATE: Final = 3
"""How many actions a log lacks more than the one before it, with `--late`."""


def write(path: Path, model: Model, rounds: int, late: bool) -> None:
    """The logs of so many rounds, without ever holding one as text."""
    with path.open("w", encoding="utf-8") as file:
        for number, (lifeline, actions) in enumerate(model.rounds.items()):
            one = ".".join(actions)
            file.write(f"{'{' if number == 0 else ';'}\n[{lifeline}] ")
            missing = LATE * number if late else 0
            whole, some = divmod(missing, len(actions))
            file.write(".".join(actions[some:]))
            for _ in range(rounds - whole - 1):
                file.write(f".{one}")
        file.write("\n}\n")


def peak() -> int:
    """The most memory that this process ever had, in bytes (Linux counts kilobytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(name: str, rounds: int, mode: Mode, late: bool) -> dict[str, Any]:
    """What the command prints."""
    model = MODELS[name]
    interaction = read_interaction(model.interaction)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "logs.htf"
        write(path, model, rounds, late)
        size = path.stat().st_size
        before = peak()
        begin = process_time()
        multitrace = load_multi_trace(path, names(interaction.lifelines))
        read = process_time()
        answer = Verifier(interaction, mode).decide(multitrace)
        end = process_time()
    return {
        "model": f"{name}{', late' if late else ''}",
        "actions": multitrace.length,
        "bytes of text": size,
        "mode": mode,
        "verdict": answer.verdict.value,
        "bytes of memory an action": round((peak() - before) / multitrace.length, 2),
        "read s": round(read - begin, 2),
        "decide s": round(end - read, 2),
    }


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--model", "name", type=click.Choice(list(MODELS)), default="orders")
@click.option("--late", is_flag=True)
# Late logs lack nine actions at most: with fewer rounds one might lack more than it has.
@click.option("--rounds", type=click.IntRange(min=10), default=1_050_000, show_default=True)
@click.option("--mode", type=click.Choice(MODES), default="multiprefix")
@click.option("--json", "as_json", is_flag=True)
def main(name: str, late: bool, rounds: int, mode: Mode, as_json: bool) -> None:
    gc.disable()
    found = measured(name, rounds, mode, late)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"Python {python_version()}, {machine()}")
    for what, value in found.items():
        click.echo(f"{what:<26} {value}")


if __name__ == "__main__":
    main()
