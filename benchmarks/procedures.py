"""How long the procedures about automata take, and how much they visit.

    python -m benchmarks.procedures [--tries N] [--locations K] [--seed N]

First the automaton of 94 states, its letters given to K locations at random: Pass are accepted
words of 200 to 250 letters, split; the other kinds are found among mixtures of the logs of such
words, and are what the semi-centralized procedure calls them; of LocalError one letter of a log was
replaced. `built` are the states of the centralized procedure on the whole automaton, `cuts` those
that the reduced form visited; times are milliseconds for one multi-trace, the reduced form's with
the longest one, the first ones included. Multi-traces of which more than 1,000,000 states would be
built are left out, and counted. Times are of the processor.

Then slices, right and wrong ones, of the walks of three protocols: the reduced form on their
automata, against the exact search on the interactions, in turns. Both keep what they find out.
"""

from __future__ import annotations

import platform
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import mean
from time import process_time
from typing import Final, NamedTuple

import click

from choreomon.automata.automaton import Automaton, members
from choreomon.automata.centralized import centralized
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.core.action import Action, emission
from choreomon.core.errors import BudgetExceeded
from choreomon.documents.interactions import load_interaction
from choreomon.interaction_files.loading import load_signature
from choreomon.interaction_files.locations import Locations
from choreomon.interaction_files.timbuk import read_timbuk
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.mutation import insert_action, swap_actions
from choreomon.multitrace.slices import random_slice
from choreomon.verify.automaton_verifier import AutomatonVerifier
from choreomon.verify.exact import ExactDecider
from choreomon.verify.synthesis import synthesize

DATA: Final = Path(__file__).parents[1] / "tests" / "data" / "offline"
LENGTHS: Final = (200, 250)
WALKS: Final = (5, 55)
PROTOCOLS: Final = ("abp", "hr", "rover")
WORDS: Final = 300

Logs = list[Component]


class Measured(NamedTuple):
    """States and cuts, and seconds of the centralized, semi-centralized and reduced one."""

    built: int
    cuts: int
    seconds: tuple[float, float, float]


def placed(text: str, locations: int, rng: Random) -> Automaton:
    """A Timbuk automaton, each letter in one of so many locations."""
    letters = re.findall(r"(\w+):1", text.splitlines()[0])
    actions = {letter: emission(f"p{rng.randrange(locations)}", letter) for letter in letters}
    names = sorted({action.lifeline for action in actions.values()})
    return read_timbuk(text, Locations(actions, tuple(names), "locations"), "automaton")


def words(one: Automaton, rng: Random, number: int, lengths: tuple[int, int]) -> list[list[Action]]:
    """Random walks that are accepted, of random lengths."""
    ends = [one.final]  # by length: from where a final state is so many letters away
    for _ in range(lengths[1]):
        found = 0
        for letter in range(len(one.letters)):
            found |= one.before(ends[-1], letter)
        ends.append(found)
    made: list[list[Action]] = []
    while len(made) < number:
        length = rng.randint(*lengths)
        starts = [*members(one.initial & ends[length])]
        if not starts:
            continue
        state = rng.choice(starts)
        word = []
        for left in reversed(range(length)):
            there = [one.edges[edge] for edge in one.outgoing[state]]
            _, letter, state = rng.choice([edge for edge in there if ends[left] >> edge.target & 1])
            word.append(one.letters[letter])
        made.append(word)
    return made


def split(one: Automaton, word: Sequence[Action]) -> Logs:
    """A log for each location."""
    return [
        Component((name,), tuple(action for action in word if action.lifeline == name))
        for name in one.lifelines
    ]


def multi_traces(one: Automaton, rng: Random, tries: int) -> Iterator[Logs]:
    """A third of them whole words, a third mixtures of words, a third with one letter replaced."""
    known = [split(one, word) for word in words(one, rng, WORDS, LENGTHS)]
    for number in range(tries):
        logs = [rng.choice(known)[place] for place in range(len(one.lifelines))]
        if number % 3 == 0:
            logs = rng.choice(known)
        elif number % 3 == 1:
            logs = list(rng.choice(known))
            place = rng.randrange(len(logs))
            (name,), actions = logs[place].lifelines, list(logs[place].actions)
            own = [one.letters[letter] for letter in one.letters_of[name]]
            if actions:
                actions[rng.randrange(len(actions))] = rng.choice(own)
            logs[place] = Component((name,), tuple(actions))
        yield logs


def measure(one: Automaton, rng: Random, tries: int) -> tuple[dict[str, list[Measured]], int]:
    """By kind, and how many were not finished."""
    verifiers, reduced = LocalVerifiers(one), Reduced(one)
    found: dict[str, list[Measured]] = defaultdict(list)
    unfinished = 0
    for logs in multi_traces(one, rng, tries):
        begun = process_time()
        quick = reduced.decide(logs)
        third = process_time() - begun
        try:
            begun = process_time()
            whole = centralized(one, logs)
            first = process_time() - begun
            begun = process_time()
            told = verifiers.decide(logs)
            second = process_time() - begun
        except BudgetExceeded:
            unfinished += 1
            continue
        assert quick.explained is whole.explained is (told.error is None)
        seconds = (first, second, third)
        found[told.error or "Pass"].append(Measured(whole.visited, quick.visited, seconds))
    return found, unfinished


def show(found: dict[str, list[Measured]], unfinished: int) -> None:
    heads = ("", "number", "> 1,000", "built", "most", "cuts", "most")
    heads += ("centralized", "semi-centr.", "reduced", "longest")
    click.echo(f"{heads[0]:13}" + "".join(f"{head:>12}" for head in heads[1:]))
    for kind in ("Pass", "LocalError", "InterError", "CentralError"):
        every = found.get(kind)
        if not every:
            continue
        built, cuts = [one.built for one in every], [one.cuts for one in every]
        counts = (len(every), sum(number > 1_000 for number in built))
        visits = (mean(built), max(built), mean(cuts), max(cuts))
        times = [1_000 * mean(one.seconds[place] for one in every) for place in range(3)]
        times.append(1_000 * max(one.seconds[2] for one in every))
        click.echo(
            f"{kind:13}"
            + "".join(f"{value:12,}" for value in counts)
            + "".join(f"{value:12,.0f}" for value in visits)
            + "".join(f"{value:12.3f}" for value in times)
        )
    click.echo(f"{unfinished} not finished with 1,000,000 states")


def slices(name: str, rng: Random, tries: int) -> None:
    """The two deciders on the same slices."""
    path = DATA / "models" / f"{name}.hif"
    interaction = load_interaction(path, load_signature(path.with_suffix(".hsf")))
    begun = process_time()
    one = synthesize(interaction).automaton
    made = process_time() - begun
    quick, exact = AutomatonVerifier(one, "slice"), ExactDecider(interaction, "slice")
    seconds = [0.0, 0.0]
    passed = 0
    for number, word in enumerate(words(one, rng, tries, WALKS)):
        seen = random_slice(rng, MultiTrace(tuple(split(one, word))))
        if number % 3 == 1:
            seen = swap_actions(rng, seen) or seen
        elif number % 3 == 2:
            seen = insert_action(rng, seen, one.letters) or seen
        times = [process_time()]
        answers = []
        for decide in (quick.decide, exact.decide):
            answers.append(decide(seen))
            times.append(process_time())
        assert answers[0].verdict is answers[1].verdict, seen
        passed += answers[0].verdict.passes
        seconds = [seconds[0] + times[1] - times[0], seconds[1] + times[2] - times[1]]
    ours, theirs = (1_000 * total / tries for total in seconds)
    click.echo(
        f"{name:8}{one.states:5} states, made in {1_000 * made:.1f} ms; {passed} of {tries} slices "
        f"fit; {ours:.3f} ms by the reduced form, {theirs:.3f} by the search: {theirs / ours:.1f} "
        "times as many"
    )


@click.command(help=__doc__)
@click.option("--tries", type=click.IntRange(min=3), default=600, show_default=True)
@click.option("--locations", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(tries: int, locations: int, seed: int) -> None:
    click.echo(f"Python {platform.python_version()}, {platform.machine()}, seed {seed}")
    text = DATA.joinpath("nfa", "nfa1_94states.timbuk").read_text("utf-8")
    rng = Random(seed)
    one = placed(text, locations, rng)
    show(*measure(one, rng, tries))
    for name in PROTOCOLS:
        slices(name, rng, tries)


if __name__ == "__main__":
    main()
