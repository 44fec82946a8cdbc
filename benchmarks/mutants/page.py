"""What became of the mutants, as a page in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from benchmarks.mutants.mutation import Mutant
from benchmarks.mutants.sample import Said, said

By = Literal["room", "laws", ""]
WITHIN: Final = 0.85
TOGETHER: Final = 0.95
"""Which shares of the mutants that change something have to be killed by the tests of their room,
and by these and the laws."""


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant of a room, by whose tests it was killed, by which one, and how that ended."""

    mutant: Mutant
    room: str
    by: By
    test: str = ""
    how: str = ""


def enough(results: Sequence[Result], equivalent: Mapping[Said, str]) -> bool:
    """Whether as many were killed as have to be."""
    counted = _counts(results, equivalent)
    real = len(results) - counted["equivalent"]
    together = counted["room"] + counted["laws"]
    return counted["room"] >= WITHIN * real and together >= TOGETHER * real


def page(
    results: Sequence[Result],
    equivalent: Mapping[Said, str],
    *,
    command: str,
    measured: str,
    failing: Sequence[str],
    found: str,
) -> Iterator[str]:
    yield "# Mutants\n"
    yield f"`{command}`\n"
    yield f"{measured}\n"
    yield (
        "Each mutant is one small change, see `benchmarks/mutants/mutation.py`. It is killed where "
        "a test fails that comes to what was changed: one of its room, or else a law. *Within* and "
        "*together* are shares of those that change something: an equivalent one is named below, "
        "with the reason.\n"
    )
    yield (
        "| room | tried | killed by the room | by the laws | survived | equivalent | within "
        "| together |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for room in dict.fromkeys(each.room for each in results):
        yield _row(room, [each for each in results if each.room == room], equivalent)
    yield _row("**all**", results, equivalent)
    how = Counter(each.how for each in results if each.by)
    others = ", ".join(f"{n} by {_WAYS.get(h, h)}" for h, n in sorted(how.items()) if h != "failed")
    yield f"\nOf the killed ones {how['failed']} failed a test{', ' if others else ''}{others}.\n"
    if failing:
        yield f"Not asked, as they fail without a mutant: {', '.join(sorted(failing))}.\n"
    yield "## Survived\n"
    survived = [each for each in results if not each.by and said(each.mutant) not in equivalent]
    yield from [_mutant(each.mutant) for each in survived] or ["None."]
    yield "\n## Equivalent\n"
    named = [each.mutant for each in results if not each.by and said(each.mutant) in equivalent]
    yield from [f"{_mutant(each)} {equivalent[said(each)]}" for each in named] or ["None."]
    yield f"\n{found.rstrip()}"


def survivors_of(text: str, drawn: Iterable[Mutant]) -> list[Mutant]:
    """Those that survived on a page from before; what it names as equivalent did not."""
    lines = {*text.splitlines()}
    return [each for each in drawn if _mutant(each) in lines]


_WAYS: Final = {"time": "a loop that did not end", "ended": "an error before any test"}


def _counts(results: Sequence[Result], equivalent: Mapping[Said, str]) -> Counter[str]:
    return Counter(
        each.by or ("equivalent" if said(each.mutant) in equivalent else "survived")
        for each in results
    )


def _row(room: str, results: Sequence[Result], equivalent: Mapping[Said, str]) -> str:
    counted = _counts(results, equivalent)
    real = len(results) - counted["equivalent"]
    shares = (counted["room"], counted["room"] + counted["laws"])
    cells = [
        f"{len(results)}",
        *(f"{counted[each]}" for each in ("room", "laws", "survived", "equivalent")),
        *(f"{share / real:.1%}" if real else "" for share in shares),
    ]
    return f"| {room} | {' | '.join(cells)} |"


def _mutant(mutant: Mutant) -> str:
    within = f", `{mutant.within}`" if mutant.within else ""
    return f"- `{mutant.path}`{within}: ``{mutant.line}`` became ``{mutant.becomes}``."
