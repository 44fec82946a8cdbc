"""How long it takes to make automata of interactions, and how large they are.

    python -m benchmarks.synthesis [--repeat N]

The interactions are published protocols and the 30 of the removal paper's data set, all of them in
the repository. `states` are follow-ups, `minimal` those of the smallest deterministic automaton;
`automata-lib` finds the latter of the same automaton in so many times our time. Of those that are
too large the loop that is named stands there, and how long it took to find out and to name it.

Times are of the processor, the shortest of several runs; terms are made anew for each.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Final, TypeVar

import click
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from choreomon.automata.automaton import Automaton, members
from choreomon.automata.minimization import minimal
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.interaction.session import Session
from choreomon.verify.synthesis import Growth, TooLarge, responsible, synthesize

DATA: Final = Path(__file__).parents[1] / "tests" / "data" / "offline"

_Result = TypeVar("_Result")


@click.command()
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True)
def main(repeat: int) -> None:
    """Sizes and times of automata of interactions."""
    print(f"Python {platform.python_version()}, {platform.machine()}")
    print(f"{'':10} {'states':>7} {'ms':>7} {'minimal':>8} {'ms':>7} {'automata-lib':>13}")
    for name, text, signature in _interactions():
        _measure(name, text, signature, repeat)


def _interactions() -> list[tuple[str, str, str | None]]:
    found: list[tuple[str, str, str | None]] = [
        (path.stem, path.read_text("utf-8"), path.with_suffix(".hsf").read_text("utf-8"))
        for path in sorted(DATA.glob("models/*.hif"))
    ]
    lines = DATA.joinpath("multiprefix-interactions.jsonl").read_text("utf-8").splitlines()
    return found + [(one["name"], one["hif"], None) for one in map(json.loads, lines)]


def _measure(name: str, text: str, signature: str | None, repeat: int) -> None:
    def made() -> Automaton | Growth | None:
        with Session():
            term = read_interaction(text, None if signature is None else read_signature(signature))
            try:
                return synthesize(term).automaton
            except TooLarge:
                found = responsible(term)
                if found is not None:
                    named.append(str(found.loop)[:70])
                return found

    named: list[str] = []
    seconds, found = _shortest(made, repeat)
    if not isinstance(found, Automaton):
        print(f"{name:10} {'-':>7} {1_000 * seconds:7.0f}  {named[0] if named else 'no loop'}")
        return
    ours, smallest = _shortest(lambda: minimal(found), repeat)
    theirs, states = _shortest(lambda: _by_automata_lib(found), repeat)
    assert states == smallest.states, name
    print(
        f"{name:10} {found.states:7,} {1_000 * seconds:7.1f} {smallest.states:8,} "
        f"{1_000 * ours:7.1f} {theirs / ours:12.1f}x"
    )


def _shortest(run: Callable[[], _Result], repeat: int) -> tuple[float, _Result]:
    best = float("inf")
    for _ in range(repeat):
        begun = process_time()
        found = run()
        best = min(best, process_time() - begun)
    return best, found


def _by_automata_lib(one: Automaton) -> int:
    """States of the smallest deterministic automaton."""
    signs = [chr(ord("a") + number) for number in range(len(one.letters))]
    transitions: dict[int, dict[str, set[int]]] = {}
    for source, letter, target in one.edges:
        transitions.setdefault(source, {}).setdefault(signs[letter], set()).add(target)
    (initial,) = members(one.initial)
    found = NFA(
        states=set(range(one.states)),
        input_symbols=set(signs),
        transitions=transitions,
        initial_state=initial,
        final_states=set(members(one.final)),
    )
    return len(DFA.from_nfa(found).to_partial().states)


if __name__ == "__main__":
    main()
