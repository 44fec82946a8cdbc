"""What an event costs where there are many rules, as multiples of what it costs with one.

    python -m benchmarks.many_rules [--rounds N] [--write FILE]

Three monitors, in memory: billing refunds, shop ships, bank reverses; shipping is forbidden after a
refund until it is reversed. Of four events two ship, about which the two others are asked. Beside
one such rule there are fifty: with messages of their own, so that each event is in one of them; or
of which ten speak of the same shipping, each after another kind of refund. In each round 1,000
events are stepped through all monitors by turns, in processor time of this process; medians of the
rounds are told, and how many messages an event costs.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final

import click

from benchmarks.command_line import load_at_the, machine
from benchmarks.hosts_in_memory import HostsInMemory
from choreomon.core.message import SEND, Label, Message
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.parts import joined
from choreomon.properties.tables import transition_tables

PROCESSES: Final = ("billing", "shop", "bank")
RULES: Final = 50
SHARED: Final = 10
IN_A_ROUND: Final = 1_000
BOUNDS: Final[Mapping[str, float]] = {"in one of fifty": 1.2, "in ten of fifty": 2.0}


def refund(kind: int) -> Label:
    return Label(SEND, Message("billing", f"refund-{kind}", "bank"))


def ship(kind: int) -> Label:
    return Label(SEND, Message("shop", f"ship-{kind}", "bank"))


def reverse(kind: int) -> Label:
    return Label(SEND, Message("bank", f"reverse-{kind}", "billing"))


def rule(number: int, shipping: int) -> SequenceAutomaton:
    """The rule with this number, about this kind of shipping."""
    first, second, last = (f"q{3 * number + place}" for place in range(3))
    made = sequence_automaton(
        initial=[first],
        final=[last],
        transitions=[
            StatedTransition(first, refund(number), second),
            StatedTransition(second, ship(shipping), last),
            StatedTransition(second, reverse(number), first),
        ],
    )
    stated = RuleStates(StatedRule(f"rule-{number}"), frozenset(made.states))
    return replace(made, rules=(stated,))


SYSTEMS: Final[Mapping[str, SequenceAutomaton]] = {
    "one rule": rule(0, 0),
    "in one of fifty": joined([rule(number, number) for number in range(RULES)]),
    "in ten of fifty": joined(
        [rule(number, 0 if number < SHARED else number) for number in range(RULES)]
    ),
}


def hosts(automaton: SequenceAutomaton) -> HostsInMemory:
    """The three monitors of these rules."""
    tables = transition_tables(automaton, PROCESSES, "precise")
    return HostsInMemory({name: Monitor(tables[name], PROCESSES, PRECISE) for name in PROCESSES})


@click.command(help=__doc__)
@click.option("--rounds", type=click.IntRange(1), default=9, show_default=True)
@click.option("--write", type=click.Path(path_type=Path), help="Write the page there, too.")
def main(rounds: int, write: Path | None) -> None:
    gc.disable()
    systems = {name: hosts(automaton) for name, automaton in SYSTEMS.items()}
    times: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(rounds):
        of_four = [(label, ()) for label in (refund(0), ship(0), ship(0), reverse(0))]
        for name, system in systems.items():
            times[name].append(system.timed(of_four * (IN_A_ROUND // 4)))
    lines = [
        "# What many rules cost",
        "",
        f"`python -m benchmarks.many_rules --rounds {rounds}`",
        "",
        f"{machine()}, {load_at_the('beginning')}. Times are processor time.",
        "",
        "| an event is | times one rule | at most | us an event | messages an event |",
        "|---|--:|--:|--:|--:|",
    ]
    failed = False
    for name, system in systems.items():
        pairs = zip(times[name], times["one rule"], strict=True)
        ratio = median(took / one for took, one in pairs)
        bound = BOUNDS.get(name)
        failed = failed or (bound is not None and ratio > bound)
        micros = median(times[name]) / IN_A_ROUND * 1e6
        messages = system.messages / (rounds * IN_A_ROUND)
        shown = "" if bound is None else bound
        lines.append(f"| {name} | {ratio:.2f} | {shown} | {micros:.0f} | {messages:.2f} |")
    page = "\n".join(lines) + "\n"
    print(page)
    if write is not None:
        write.write_text(page, encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
