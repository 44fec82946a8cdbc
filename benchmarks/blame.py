"""How often an explanation names the action first that was made wrong.

    python -m benchmarks.blame [--traces N] [--mode MODE]... [--seed N] [--write FILE]

Accepted multi-traces are drawn from the interactions of `scenarios/` and two of an order system, as
`choreomon experiment multiprefix` draws them, with a log for each lifeline. Into each one mutation
is planted. Four kinds are those of `choreomon mutate`: an action is inserted or removed, two
actions of a log are swapped, or a log is that of another run. The fifth is made of runs: one goes
on as another does from some action on, as where an order service picks what is not in stock.
Mutants that fit are left out: nothing is to be found.

Where a mutation was planted is a place of a log, or several that cannot be told apart:

- inserted: the action. Among equal neighbours it may be any of them;
- removed: the place where it was;
- swapped: both actions;
- of another run: the log, from the first action on in which it differs from its own;
- going on as another run: the first action, in the real order, up to which the run is no beginning
  of an accepted one.

**Named** is the action that the explanation names first. It is *planted* where it is at such a
place. It is the *consequence* where it is the next action of the same log, or the reception of a
message whose emission is at such a place, or was there: of the n-th emission of a message the n-th
reception on each lifeline. Of a removed action nothing is left to be named but what stands in its
place, which counts as planted. All else is *elsewhere*; where that is in the log that was changed,
*its log* is right at least.

Times are of the processor. Nothing but times depends on the machine.
"""

from __future__ import annotations

import platform
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import click

from choreomon.core.action import EMISSION, RECEPTION, Action
from choreomon.experiments.offline.cases import random_accepted
from choreomon.hibou.model import read_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act, subterms
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import (
    alphabet,
    insert_action,
    remove_actions,
    swap_actions,
    swap_components,
)
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.verify.explanation import Reached, explain
from choreomon.verify.verdict import Mode
from choreomon.verify.verifier import Verifier

SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"

ORDER: Final = """
loopW(seq(customer -- order -> shop, shop -- charge -> bank,
  alt(seq(bank -- yes -> shop, shop -- parcel -> customer),
      seq(bank -- no -> shop, shop -- sorry -> customer))))
"""
"""That of docs/verify.md."""

STOCK: Final = """
loopS(seq(customer -- order -> orders, orders -- reserve -> stock,
  alt(seq(stock -- inStock -> orders, stock -- goods -> warehouse, orders -- pick -> warehouse,
          warehouse -- parcel -> customer),
      seq(stock -- outOfStock -> orders, orders -- cancel -> payment,
          orders -- sorry -> customer))))
"""
"""One order after the other, and what is not in stock is not picked."""

LONGEST: Final = 24
"""Actions of an accepted trace, at most."""

IN_VAIN: Final = 400
"""Walks in a row that find no new trace, after which there are no more."""

Kind: TypeAlias = Literal["insert", "remove", "swap-actions", "swap-components", "splice"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Place: TypeAlias = tuple[int, int]
"""Number of a component, and place in its log, from 0 on."""

Named: TypeAlias = Literal["planted", "consequence", "its log", "elsewhere"]
NAMED: Final[tuple[Named, ...]] = get_args(Named)


class Mutant(NamedTuple):
    """A multi-trace with one mutation: at `planted`, and right after it, `consequences`."""

    interaction: str
    kind: Kind
    multitrace: MultiTrace
    log: int
    planted: frozenset[Place]
    consequences: frozenset[Place]

    def named(self, place: Place) -> Named:
        """What it is that was named."""
        if place in self.planted:
            return "planted"
        if place in self.consequences:
            return "consequence"
        return "its log" if place[0] == self.log else "elsewhere"


class Found(NamedTuple):
    """What the explanation of a mutant names first, and the seconds that it took beside those of
    the verdict."""

    mutant: Mutant
    mode: Mode
    named: Named
    deciding: float
    explaining: float


def interactions() -> dict[str, Interaction]:
    """Those that multi-traces are drawn from, by name."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(SCENARIOS.glob("*.hif"))}
    return {name: read_interaction(text) for name, text in (*texts.items(), *OWN.items())}


OWN: Final = {"order": ORDER, "stock": STOCK}


# --- planting -------------------------------------------------------------------------------------


def mutants(rng: Random, name: str, interaction: Interaction, count: int) -> list[Mutant]:
    """So many, of every kind in turn, each of an accepted multi-trace; some cannot be made."""
    onto = discrete(names(interaction.lifelines))
    traces: dict[tuple[Action, ...], None] = {}
    in_vain = 0
    while len(traces) < count and in_vain < IN_VAIN:
        drawn = random_accepted(rng, interaction, LONGEST)
        in_vain = in_vain + 1 if drawn is None or drawn in traces else 0
        if drawn is not None:
            traces[drawn] = None
    runs = list(traces)
    accepted = [project_trace(run, onto) for run in runs]
    messages = {part.action.message for part in subterms(interaction) if part.action is not None}
    actions = alphabet(names(interaction.lifelines), messages)
    found: list[Mutant | None] = []
    for number in range(count):  # interactions without loops have few traces, and many mutants
        kind, at = KINDS[number % len(KINDS)], number % len(accepted)
        if kind == "splice":
            found.append(_spliced(rng, name, interaction, runs[at], rng.choice(runs)))
        else:
            changed = _changed(rng, kind, accepted[at], actions, accepted)
            found.append(None if changed is None else planted(name, kind, accepted[at], changed))
    return [one for one in found if one is not None]


def _spliced(
    rng: Random, name: str, interaction: Interaction, run: Sequence[Action], other: Sequence[Action]
) -> Mutant | None:
    """The run that goes on as another one does; None where that is a beginning of an accepted
    one."""
    trace = (*run[: rng.randint(1, len(run))], *other[rng.randrange(len(other)) :])
    layer = {normal(interaction)}
    wrong = 0
    while layer and wrong < len(trace):
        leaf = act(trace[wrong])
        layer = {normal(rest) for term in layer for rest in after(term, leaf)}
        wrong += bool(layer)
    if layer:
        return None
    multitrace = project_trace(trace, discrete(names(interaction.lifelines)))
    logs = {part.lifelines[0]: n for n, part in enumerate(multitrace.components)}
    log = logs[trace[wrong].lifeline]
    place = sum(one.lifeline == trace[wrong].lifeline for one in trace[:wrong])
    log_of_it = multitrace.components[log].actions
    received = _receptions(multitrace, log, log_of_it, place)
    return Mutant(
        name,
        "splice",
        multitrace,
        log,
        frozenset({(log, place)}),
        frozenset({(log, place + 1), *received}),
    )


def _changed(
    rng: Random, kind: Kind, one: MultiTrace, actions: Sequence[Action], all_: list[MultiTrace]
) -> MultiTrace | None:
    match kind:
        case "insert":
            return insert_action(rng, one, actions)
        case "remove":
            return remove_actions(rng, one)
        case "swap-actions":
            return swap_actions(rng, one)
        case _:
            swapped = swap_components(rng, one, rng.choice(all_))
            return None if swapped is None else swapped[0]


def planted(name: str, kind: Kind, before: MultiTrace, after: MultiTrace) -> Mutant:
    """The mutant `after`, with where it differs from what it was made of."""
    ((log, was, now),) = (
        (number, tuple(one.actions), tuple(other.actions))
        for number, (one, other) in enumerate(zip(before.components, after.components, strict=True))
        if tuple(one.actions) != tuple(other.actions)
    )
    same = 0
    while was[same : same + 1] == now[same : same + 1]:
        same += 1
    moved: list[int] = []  # places in the log that was, of actions that are not there any more
    if kind == "insert":
        there = {n for n in range(len(now)) if now[:n] + now[n + 1 :] == was}
    elif kind == "remove":
        there = {n for n in range(len(was)) if was[:n] + was[n + 1 :] == now}
        moved = [max(there)]
    elif kind == "swap-actions":
        there = {n for n, (one, other) in enumerate(zip(was, now, strict=True)) if one != other}
        moved = sorted(there)
    else:
        there = {*range(same, len(now))}
    following = {(log, n + 1) for n in there}
    received = {place for n in moved for place in _receptions(after, log, was, n)}
    planted_at = frozenset((log, n) for n in there)
    return Mutant(name, kind, after, log, planted_at, frozenset(following | received) - planted_at)


def _receptions(after: MultiTrace, log: int, was: Sequence[Action], place: int) -> Iterator[Place]:
    """Where the message is received whose emission stood at a place of a log that was: the n-th
    emission of it on its lifeline, the n-th reception on each other one. Each message has one
    sender in the interactions here."""
    action = was[place]
    if action.kind != EMISSION:
        return
    n = sum(one == action for one in was[:place])
    for number, part in enumerate(after.components):
        theirs = [
            at
            for at, one in enumerate(part.actions)
            if one.kind == RECEPTION and one.message == action.message
        ]
        if number != log and n < len(theirs):
            yield number, theirs[n]


# --- measuring ------------------------------------------------------------------------------------


def first_named(failure: Sequence[Reached]) -> Place | None:
    """The action that an explanation names first; None where all are explained."""
    for number, one in enumerate(failure):
        if one.rank == 1:
            return number, one.position
    return None


def measured(mutants: Sequence[Mutant], interaction: Interaction, mode: Mode) -> Iterator[Found]:
    """What is named first of the mutants that fail in a mode."""
    for mutant in mutants:
        begun = process_time()
        passes = Verifier(interaction, mode).decide(mutant.multitrace).verdict.passes
        decided = process_time()
        if passes:
            continue
        explained = explain(interaction, mutant.multitrace, mode)
        done = process_time()
        assert explained.failure is not None
        first = first_named(explained.failure)
        named = "elsewhere" if first is None else mutant.named(first)
        yield Found(mutant, mode, named, decided - begun, done - decided)


def table(found: Sequence[Found], group: Callable[[Found], str], head: str) -> list[str]:
    """A line for each group, and one for all."""
    lines = [
        f"| {head} | mutants | {' | '.join(NAMED)} | planted or consequence |",
        f"|---|---:|{'---:|' * len(NAMED)}---:|",
    ]
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(group(one), []).append(one)
    for name, some in (*groups.items(), ("all", [*found])):
        counts = Counter(one.named for one in some)
        right = counts["planted"] + counts["consequence"]
        numbers = " | ".join(f"{counts[one]:,}" for one in NAMED)
        lines.append(f"| {name} | {len(some):,} | {numbers} | {right / len(some):.1%} |")
    return lines


def report(found: Sequence[Found]) -> list[str]:
    """All tables."""
    lines: list[str] = []
    for mode in dict.fromkeys(one.mode for one in found):
        some = [one for one in found if one.mode == mode]
        deciding = sum(one.deciding for one in some) / len(some)
        explaining = sorted(one.explaining for one in some)
        lines += [f"## {mode}", "", *table(some, lambda one: one.mutant.kind, "mutation"), ""]
        lines += [*table(some, lambda one: one.mutant.interaction, "interaction"), ""]
        mean, middle = sum(explaining) / len(some), explaining[len(some) // 2]
        lines += [
            f"Milliseconds: {1000 * deciding:.1f} for a verdict of a new `Verifier`; for an "
            f"explanation {1000 * mean:.1f} on average, {1000 * middle:.1f} in the middle, "
            f"{1000 * explaining[-1]:.1f} at most.",
            "",
        ]
    return lines


@click.command(help=__doc__)
@click.option("--traces", type=click.IntRange(min=1), default=240, show_default=True)
@click.option("--mode", "modes", multiple=True, type=click.Choice(["multiprefix", "slice"]))
@click.option("--seed", default=0, show_default=True)
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="as Markdown")
def main(traces: int, modes: tuple[Mode, ...], seed: int, write: Path | None) -> None:
    found: list[Found] = []
    planted_in = 0
    for name, interaction in interactions().items():
        drawn = mutants(Random(f"{seed} {name}"), name, interaction, traces)
        planted_in += len(drawn)
        for mode in modes or ("multiprefix", "slice"):
            found += measured(drawn, interaction, mode)
        click.echo(f"{name}: {len(drawn)} mutants", err=True)
    text = "\n".join(
        [
            "# Whether explanations name what was made wrong",
            "",
            "What is planted, and what counts as found, says the top of `benchmarks/blame.py`.",
            "",
            f"`{shlex.join(['python', '-m', 'benchmarks.blame', *sys.argv[1:]])}`",
            "",
            f"{platform.machine()}, Python {platform.python_version()}, seed {seed}; "
            f"{planted_in:,} mutants, of which those are counted that fail.",
            "",
            *report(found),
        ]
    )
    if write is not None:
        write.write_text(text, encoding="utf-8")
    click.echo(text, nl=False)


if __name__ == "__main__":
    main()
