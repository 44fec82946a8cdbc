"""Global traces of 10,000 actions, text in memory: read and decided, actions a second.

    python -m benchmarks.global_traces [--actions N] [--rounds R] [--seed S] [--json]

Random walks through abp, hr and rover, one clock for all lifelines, in `accept` and `prefix`.
`first` is the time of the first trace, which makes what the others follow; `later` the median of
rounds with other traces, each read and decided; `search` is the median of the same rounds by the
search that decides shorter traces, of texts that are read in pieces, which is how these were read
and decided before; in turns with the others in one process. All times are of the processor, on one
core.
"""

from __future__ import annotations

import gc
import json
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final

import click

from benchmarks.command_line import machine
from choreomon.automata.automaton import Automaton, members
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.multitrace import CHUNK, MultiTraceReader
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.automaton_verifier import AutomatonVerifier
from choreomon.verify.exact import ExactDecider
from choreomon.verify.synthesis import synthesize
from choreomon.verify.verdict import Verdict

MODELS: Final = Path(__file__).parents[1] / "tests/data/offline/models"
NAMES: Final = ("abp", "hr", "rover")


def walk(one: Automaton, actions: int, seed: int) -> str:
    """The text of a random prefix of an accepted global trace, of so many actions."""
    rng = Random(seed)
    (state,) = members(one.initial)
    word: list[str] = []
    while len(word) < actions:
        going_on = [edge for edge in one.outgoing[state] if one.outgoing[one.edges[edge].target]]
        _, letter, state = one.edges[rng.choice(going_on)]
        word.append(str(one.letters[letter]))
    return f"{{[{','.join(one.lifelines)}] {'.'.join(word)}}}"


def measured(model: str, mode: Any, actions: int, rounds: int, seed: int) -> dict[str, Any]:
    """Actions a second, by who decides, and whether all of them agree."""
    interaction = load_interaction(MODELS / f"{model}.hif")
    one = synthesize(interaction).automaton
    texts = [walk(one, actions, seed + number) for number in range(rounds + 1)]
    reader = MultiTraceReader(one.lifelines)
    followed = ExactDecider(interaction, mode)
    searched = ExactDecider(interaction, mode)
    # The log is about all lifelines, so that this is `prefix`, which automata do not answer.
    by_automaton = AutomatonVerifier(one, "accept" if mode == "accept" else "multiprefix")

    def in_pieces(text: str) -> MultiTrace:
        return reader.read_chunks(text[at : at + CHUNK] for at in range(0, len(text), CHUNK))

    times: dict[str, list[float]] = {"interaction": [], "automaton": [], "search": []}
    agree = True
    gc.collect()
    gc.disable()  # as in `choreomon verify`
    for text in texts:
        found: set[Verdict] = set()
        for name, read, decide in (
            ("interaction", reader.read, lambda logs: followed.decide(logs).verdict),
            ("automaton", reader.read, lambda logs: by_automaton.decide(logs).verdict),
            ("search", in_pieces, lambda logs: searched.decision(logs, None).verdict),
        ):
            begun = process_time()
            found.add(decide(read(text)))
            times[name].append(process_time() - begun)
        agree = agree and len(found) == 1
    gc.enable()
    later = {name: median(taken[1:]) for name, taken in times.items()}
    rates = {f"{name}, later": round(actions / taken) for name, taken in later.items()}
    return {
        "model": model,
        "mode": mode,
        "interaction, first": round(actions / times["interaction"][0]),
        **rates,
        "interaction to search": round(later["search"] / later["interaction"], 1),
        "automaton to search": round(later["search"] / later["automaton"], 1),
        "agree": agree,
    }


@click.command(help=(__doc__ or "").split("\n", maxsplit=1)[0])
@click.option("--actions", default=10_000, show_default=True, type=click.IntRange(min=4096))
@click.option("--rounds", default=15, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def command(actions: int, rounds: int, seed: int, as_json: bool) -> None:
    found = [
        measured(model, mode, actions, rounds, seed)
        for model in NAMES
        for mode in ("accept", "prefix")
    ]
    if as_json:
        click.echo(json.dumps({"machine": machine(), "traces": found}, indent=2))
        return
    click.echo(f"{machine()}; {actions:,} actions, {rounds} rounds, seed {seed}; actions a second")
    for one in found:
        click.echo()
        width = max(map(len, one))
        for name, value in one.items():
            shown = f"{value:,}" if type(value) is int else value
            click.echo(f"{name:<{width}}  {shown}")


if __name__ == "__main__":
    command()
