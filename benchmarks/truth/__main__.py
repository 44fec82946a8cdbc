"""Draws, runs, audits and compares; writes the page: `python -m benchmarks.truth`."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import click

from benchmarks.command_line import load_at_the, machine
from benchmarks.truth.asking import for_real, simulated
from benchmarks.truth.documents import FAMILIES, document_of
from benchmarks.truth.judging import Asked
from choreomon.deployment.coordinator import NotFinished
from choreomon.deployment.fork_server import ForkServer

ALL_FAMILIES: Final = (*FAMILIES, "scenarios")

COLUMNS: Final = (
    *("documents", "runs", "questions", "nothing", "violated", "possibly-violated"),
    *("unsettled", "beyond", "reasons", "wrong"),
)

SECONDS_BETWEEN_PAGES: Final = 10

MOST_TOLD: Final = 100
"""Wrong ones that the page names; others are counted."""


class Wrong(NamedTuple):
    """Something that was said and is not so, or was not said and is. `event`: -1 where `what` says
    of which, or of all."""

    way: str
    family: str
    number: int
    event: int
    what: str

    def __str__(self) -> str:
        live = int(self.way.startswith("run"))
        where = "" if self.event < 0 else f"event {self.event}: "
        return (
            f"{self.way}: {where}{self.what} (`python -m benchmarks.truth --family {self.family} "
            f"--seed {self.number} --documents 1 --live {live}`)"
        )


@dataclass
class Found:
    """All of it, by family and by way."""

    families: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ways: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[Wrong] = field(default_factory=list)
    not_finished: int = 0

    def add(self, family: str, number: int, answers: Iterable[tuple[str, Asked]]) -> None:
        """What came out of a document."""
        ways = set()
        for way, asked in answers:
            counts = asked.counts + Counter(runs=1, wrong=len(asked.wrong))
            counts["documents"] = way not in ways
            ways.add(way)
            self.ways[way] += counts
            self.families[family] += counts - Counter(documents=1)
            self.wrong += [Wrong(way, family, number, *each) for each in asked.wrong]

    @property
    def questions(self) -> int:
        return sum(counts["questions"] for counts in self.families.values())


def ask(
    found: Found,
    families: Iterable[str],
    seed: int,
    documents: int,
    live: int,
    seconds: float | None,
    progress: Callable[[int], None],
) -> None:
    """Document after document of all families in turns, the first `live` ones for real, too, until
    so many seconds are over. `progress` is told now and then at which one it is."""
    began = told = time.monotonic()
    with ExitStack() as stack:
        fork_server = stack.enter_context(ForkServer()) if live else None
        for number in range(seed, seed + documents):
            for family in families:
                if seconds is not None and time.monotonic() > began + seconds:
                    return
                found.families[family]["documents"] += 1
                found.add(family, number, simulated(family, number))
                if fork_server is not None and number < seed + live:
                    embedded = number % 2 == 1
                    try:
                        real = [*for_real(fork_server, family, number, embedded=embedded)]
                    except NotFinished:
                        found.not_finished += 1
                    else:
                        found.add(family, number, real)
                if time.monotonic() > told + SECONDS_BETWEEN_PAGES:
                    told = time.monotonic()
                    progress(number)


def page(
    command: str, seed: int, found: Found, seconds: float, at: int | None = None
) -> Iterator[str]:
    """In Markdown, a line at a time. `at`: it is not finished yet, but at this document."""
    yield "# What choreomon says, beside the exact evaluation\n"
    yield f"`{command}`\n"
    yield f"{machine()}; seeds from {seed}; {seconds:.0f} s, {load_at_the('end')}.\n"
    if at is not None:
        yield f"**The run was not finished: it came to document {at}.**\n"
    wrong = len(found.wrong)
    yield f"**{found.questions:,} questions; wrong: {f'{wrong:,}' if wrong else 'none'}.**\n"
    yield (
        "A *question* is an event of the property in one run or log: was it formed there? What "
        "was said last is held against all orders that agree with the clocks, monitoring messages "
        "included, and against the real one. `simulate`, `run` and audits promise: where nothing "
        "is said, no order forms it; `violated`: all do; possible: some, or it is called "
        "*unsettled*. `sound` rules, `push` and `central` promise the same of `violated`, and "
        "something said of all that the real order formed. What *reasons* call certain is so in "
        "the real order. *Beyond*: the exact evaluation met its bound, and only the real order is "
        "asked. Each log that is audited counts as a run; *clocks here and there* are logs of "
        "which some have clocks, numbers or ids and others none, beside the audit's own brute "
        "force.\n"
    )
    yield from _table("family", found.families)
    yield ""
    yield from _table("way", found.ways)
    if found.not_finished:
        late = found.not_finished
        yield f"\nReal runs that were not at their end in time, and are not counted: {late}"
    if found.wrong:
        yield "\nWhat was wrong:\n"
        yield from (f"- {each}" for each in found.wrong[:MOST_TOLD])
        if wrong > MOST_TOLD:
            yield f"- and {wrong - MOST_TOLD:,} more"


def _table(name: str, rows: dict[str, Counter[str]]) -> Iterator[str]:
    yield f"| {name} | " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---:|" * len(COLUMNS)
    for row, counts in sorted(rows.items()) if name == "way" else rows.items():
        yield f"| {row} | " + " | ".join(f"{counts[each]:,}" for each in COLUMNS) + " |"


@click.command(help=__doc__)
@click.option("--family", "families", multiple=True, type=click.Choice(ALL_FAMILIES))
@click.option("--seed", default=0, show_default=True, help="of the first document")
@click.option("--documents", default=1_000, show_default=True, help="of each family")
@click.option("--live", default=20, show_default=True, help="of these, so many are run for real")
@click.option("--seconds", type=float, help="after which no further document is begun")
@click.option("--show", is_flag=True, help="print the document, and ask nothing")
@click.option("--write", type=click.Path(path_type=Path), help="write the page to this file, too")
def main(
    families: tuple[str, ...],
    seed: int,
    documents: int,
    live: int,
    seconds: float | None,
    show: bool,
    write: Path | None,
) -> None:
    families = families or ALL_FAMILIES
    if show:
        click.echo(document_of(families[0], seed)[0], nl=False)
        return
    began, found = time.monotonic(), Found()
    command = " ".join(["python -m benchmarks.truth", *sys.argv[1:]])

    def made(at: int | None) -> str:
        passed = time.monotonic() - began
        text = "\n".join(page(command, seed, found, passed, at)) + "\n"
        if write is not None:  # so that a run that is ended leaves what was seen
            write.write_text(text, encoding="utf-8")
        return text

    def progress(at: int) -> None:
        made(at)
        told = f"document {at}: {found.questions:,} questions, {len(found.wrong)} wrong"
        click.echo(f"{time.monotonic() - began:.0f} s, {told}", err=True)

    ask(found, families, seed, documents, live, seconds, progress)
    click.echo(made(None), nl=False)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
