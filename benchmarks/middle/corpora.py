"""What is asked: interactions, walks through them, and what was recorded of these.

A walk draws its first steps at random among all that leave a loop to go on with. Where iterations
pile up it takes what leaves less: nobody leaves thousands of them open. Once it has been at a place
before, and is long enough, it keeps to the steps that it knows, in any order: so it is 100,000
actions long in a second, and still no repetition.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from benchmarks.long_logs import MODEL
from choreomon.core.action import Action
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import frontier
from choreomon.interaction.term import LOOPS, Interaction, subterms
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import Partition, discrete, project_trace, trivial
from choreomon.verify.verdict import Mode, Verdict

DATA: Final = Path(__file__).parents[2] / "tests" / "data" / "offline"
SHORTEST: Final = 70
EXACT: Final[tuple[Mode, ...]] = ("accept", "prefix", "multiprefix", "slice")
"""The modes that are decided at every length."""
SEARCHED: Final[tuple[Mode, ...]] = ("test", "simulate")
"""Those that are defined by a search."""
SEARCHED_TO: Final = 280
"""The most actions that these are asked about."""
SEARCHED_ORDERS_TO: Final = 4_480
"""The most of `orders`, of which there is a bound for every mode."""
EIGHTH: Final = 8

GROWTH: Final = 3
"""A walk goes on with what leaves less, once what remains has so many times the symbols of the
interaction."""
LOOKED_AT: Final = 4
"""How many steps are compared then."""
FREE: Final = 2_000
"""So many steps of a walk are free."""
CIRCLE: Final = 64
"""The longest way to a circle and once around it: less than the shortest walk."""
TRIES: Final = 40
"""From how many walks a circle is chosen."""

Walk: TypeAlias = Literal["random", "repeat"]
Cut: TypeAlias = Literal["complete", "early", "late", "wrong"]
WALKS: Final[tuple[Walk, ...]] = get_args(Walk)
CUTS: Final[tuple[Cut, ...]] = get_args(Cut)

HOLDS: Final[dict[Cut, tuple[Mode, ...]]] = {
    "complete": EXACT,
    "early": ("multiprefix", "slice"),
    "late": ("slice",),
    "wrong": (),
}
"""In which modes a log fits for sure, since it is a part of an accepted trace."""


class Question(NamedTuple):
    """What is asked at every length."""

    interaction: str
    walk: Walk
    clocks: str
    cut: Cut
    mode: Mode

    def allows(self, verdict: Verdict) -> bool:
        """Whether a definite verdict may be right, as far as is known beforehand."""
        if self.mode not in HOLDS[self.cut]:
            return True
        return verdict is Verdict.PASS if self.cut == "complete" else verdict.passes


Step: TypeAlias = tuple[Action, Interaction]
"""An action, and the normal form of what remains after it."""


def interactions() -> dict[str, str]:
    """Their texts, by their names."""
    found = {"orders": MODEL}
    for path in sorted((DATA / "models").glob("*.hif")):
        found[path.stem] = path.read_text(encoding="utf-8")
    with (DATA / "multiprefix-interactions.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            found[entry["name"]] = entry["hif"]
    return found


def lengths_to(most: int) -> list[int]:
    """From the shortest in steps of two, and the longest itself."""
    found = [SHORTEST]
    while found[-1] * 2 <= most:
        found.append(found[-1] * 2)
    return found if most <= found[-1] else [*found, most]


# --- walks ----------------------------------------------------------------------------------------


def walked(
    term: Interaction, walk: Walk, rng: Random, lengths: Sequence[int]
) -> Iterator[tuple[int, list[Action]]]:
    """Accepted global traces: one walk up to each of these lengths, in ascending order, and the
    shortest way to an end from there. Fewer where the walk cannot go on."""
    steps = _random_steps(term, rng) if walk == "random" else _repeated_steps(term, rng)
    done: list[Action] = []
    here = normal(term)
    for length in lengths:
        while len(done) < length:
            step = next(steps, None)
            if step is None:
                return
            done.append(step[0])
            here = step[1]
        yield length, [*done, *shortest_completion(here)]


def _random_steps(term: Interaction, rng: Random) -> Iterator[Step]:
    """One after the other, without end where there are loops; free ones, then known ones."""
    here = normal(term)
    large = GROWTH * here.size
    known: dict[Interaction, list[Step]] = {}
    taken = 0
    while taken < FREE or here not in known:
        # When it has been long enough, it ends what it has begun, and so comes to a known place.
        step = _free_step(here, rng, large if taken < FREE else 0)
        if step is None:
            return
        known.setdefault(here, []).append(step)
        yield step
        here = step[1]
        taken += 1
    while True:
        step = rng.choice(known[here])
        yield step
        here = step[1]


def _free_step(here: Interaction, rng: Random, large: int) -> Step | None:
    """Any one, or of some the one that leaves least, where more than `large` symbols remain."""
    compared = LOOKED_AT if here.size > large else 1
    possible = list(frontier(here))
    rng.shuffle(possible)
    going_on: list[Step] = []
    for step in possible:
        rest = normal(step.follow_up)
        if any(part.operator in LOOPS for part in subterms(rest)):
            going_on.append((step.action, rest))
            if len(going_on) == compared:
                break
    return min(going_on, key=lambda step: step[1].size, default=None)


def _repeated_steps(term: Interaction, rng: Random) -> Iterator[Step]:
    """The way to a circle, then around it without end; nothing where none is found."""
    found = circle(term, rng)
    if found is None:
        return
    way, around = found
    yield from way
    while True:
        yield from around


def circle(term: Interaction, rng: Random) -> tuple[list[Step], list[Step]] | None:
    """Steps to some place, and from there back to it: of the circles that some short walks find,
    one with as many different actions as possible, and then as short as possible."""
    here = normal(term)
    best: tuple[list[Step], list[Step]] | None = None
    best_worth = (0, 0)
    for number in range(TRIES):
        # Half of the walks finish what they have begun, as soon as they can.
        large = 0 if number % 2 else GROWTH * here.size
        steps: list[Step] = []
        last_at = {here: 0}
        while len(steps) < CIRCLE:
            step = _free_step(steps[-1][1] if steps else here, rng, large)
            if step is None:
                break
            steps.append(step)
            begin = last_at.get(step[1])
            if begin is not None:
                around = steps[begin:]
                worth = (len({action for action, _ in around}), -len(around))
                if best is None or worth > best_worth:
                    best, best_worth = (steps[:begin], around), worth
            last_at[step[1]] = len(steps)
    return best


# --- logs -----------------------------------------------------------------------------------------


def partitions(lifelines: Sequence[str]) -> dict[str, Partition]:
    """Who has a clock with whom, by the name of that."""
    ordered = sorted(lifelines)
    pairs = tuple(tuple(ordered[at : at + 2]) for at in range(0, len(ordered), 2))
    found = {"one": trivial(ordered), "pairs": pairs, "each": discrete(ordered)}
    return {name: blocks for name, blocks in found.items() if name != "pairs" or len(pairs) > 1}


def cut(whole: MultiTrace, how: Cut, share: Callable[[], float]) -> MultiTrace | None:
    """What was recorded of it; `None` where there is nothing to be swapped. `share` draws from 0
    to 1, exclusively."""
    if how == "wrong":
        return _swapped(whole, share())
    parts: list[Component] = []
    for lifelines, actions in whole.components:
        first, last = 0, len(actions)
        if how != "complete":
            last -= int(share() * (last // EIGHTH + 1))
        if how == "late":
            first = int(share() * (last // EIGHTH + 1))
        parts.append(Component(lifelines, tuple(actions[first:last])))
    return MultiTrace(tuple(parts))


def _swapped(whole: MultiTrace, share: float) -> MultiTrace | None:
    places = [
        (number, at)
        for number, part in enumerate(whole.components)
        for at, (one, next_one) in enumerate(zip(part.actions, part.actions[1:], strict=False))
        if one != next_one
    ]
    if not places:
        return None
    number, at = places[int(share * len(places))]
    lifelines, actions = whole.components[number]
    swapped = (*actions[:at], actions[at + 1], actions[at], *actions[at + 2 :])
    parts = [*whole.components]
    parts[number] = Component(lifelines, swapped)
    return MultiTrace(tuple(parts))


def modes(interaction: str, length: int) -> tuple[Mode, ...]:
    """Those that are asked about logs of this length."""
    most = SEARCHED_ORDERS_TO if interaction == "orders" else SEARCHED_TO
    return (*EXACT, *SEARCHED) if length <= most else EXACT


def questions(
    name: str, interaction: Interaction, walk: Walk, lengths: Sequence[int], seed: int
) -> Iterator[tuple[Question, int, MultiTrace]]:
    """Each with its length and its logs; the shortest logs first. The same for the same seed."""
    blocks_of = partitions(names(interaction.lifelines))
    for length, trace in walked(interaction, walk, Random(f"{seed} {name} {walk}"), lengths):
        for clocks, blocks in blocks_of.items():
            whole = project_trace(trace, blocks)
            for how in CUTS:
                # The same shares at every length.
                drawn = Random(f"{seed} {name} {walk} {clocks} {how}")
                multitrace = cut(whole, how, drawn.random)
                if multitrace is not None:
                    for mode in modes(name, length):
                        yield Question(name, walk, clocks, how, mode), length, multitrace
