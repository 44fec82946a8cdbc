"""The experiments of the removal paper, section 6: what reductions do to the search for
multi-prefixes.

Every case is analyzed four times, with and without partial-order reduction (POR) and local
analyses of all components to their end (LOC):

- *graph size*, section 6.1: the whole reachable graph is visited; vertices are terms as the steps
  leave them;
- *analysis time*, section 6.2: depth first until something explains the multi-trace.

The time of the default decider of `choreomon verify` is given beside them; it also distinguishes
accepted multi-traces from mere multi-prefixes.

The procedures are the paper's, removal and Definition 11, or the sound ones, which are the default
elsewhere (docs/verify.md says where the paper's are wrong). Each search has a budget; one that uses
it up is a timeout, and has no verdict that could be wrong.

Multi-traces are over components for all lifelines of the interaction. Times exclude reading. All
searches of an interaction share terms, so a later one finds some steps already done: the methods
take turns in going first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.experiments.offline.cases import KINDS, Case, Kind
from choreomon.experiments.offline.deadline import Clock, Deadline
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.papers.walk import Walk
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier

Procedures: TypeAlias = Literal["paper", "sound"]

Measure: TypeAlias = Literal["sizes", "times"]

MEASURES: Final[tuple[Measure, ...]] = ("sizes", "times")

Grouping: TypeAlias = Literal["length", "kind"]

GROUPINGS: Final[tuple[Grouping, ...]] = ("length", "kind")
"""The criteria that divide plots."""


class Method(NamedTuple):
    """A combination of reductions, and its name in tables."""

    name: str
    por: bool
    loc: bool


METHODS: Final = (
    Method("baseline", False, False),
    Method("LOC", False, True),
    Method("POR", True, False),
    Method("POR and LOC", True, True),
)

DEFAULT: Final = "default"
"""The name in tables of the default decider, which has times and no graph."""

CLASSES: Final = ((1, 6), (7, 13), (14, 20), (21, None))
"""The lengths of multi-traces in the paper's plots, shortest and longest of each class; empty ones
belong to the first."""

COLUMNS: Final[tuple[tuple[Kind, bool | None], ...]] = (
    ("ACPT", None),
    ("PREF", None),
    *((kind, conforms) for kind in KINDS[2:] for conforms in (True, False)),
)
"""The columns of Fig. 15 and 17: a kind, and whether they count conforming multi-traces, others, or
all."""


class Measurement(NamedTuple):
    """The measurement of one case: vertices and seconds of each requested method, None for a
    timeout, and the wrong verdicts as (measure, method)."""

    interaction: str
    case: str
    kind: Kind
    length: int
    conforms: bool
    sizes: dict[str, int | None]
    seconds: dict[str, float | None]
    wrong: tuple[tuple[Measure, str], ...]

    def values(self, measure: Measure) -> Mapping[str, float | None]:
        """The values of a measure, by method."""
        return self.sizes if measure == "sizes" else self.seconds


class Laboratory:
    """Measures the cases of one interaction; its deciders keep what they learn."""

    def __init__(
        self,
        interaction: Interaction,
        *,
        clock: Clock,
        budget: float,
        procedures: Procedures = "paper",
        measures: Sequence[Measure] = MEASURES,
    ) -> None:
        self._deadline = Deadline(clock, budget)
        self._searchers: dict[Measure, dict[str, Searcher]] = {
            measure: {
                method.name: Searcher(
                    interaction, "multiprefix", self._options(method, measure, procedures)
                )
                for method in METHODS
            }
            for measure in measures
        }
        self._default = (
            Verifier(interaction, "multiprefix", should_stop=self._deadline.stop)
            if "times" in measures
            else None
        )
        self._cases = 0

    def _options(self, method: Method, measure: Measure, procedures: Procedures) -> Options:
        by_paper = procedures == "paper"
        return Options(
            goal=None if measure == "sizes" else Verdict.WEAK_PASS,
            record=measure == "sizes",
            reduction="none" if not method.por else "paper" if by_paper else "sound",
            local=LocalAnalyses("all") if method.loc else None,
            method="removal" if by_paper else "auto",
            should_stop=self._deadline.stop,
        )

    def measurements(self, subject: str, cases: Iterable[Case]) -> Iterator[Measurement]:
        """A measurement of every case. `subject` is the name of the interaction."""
        for case in cases:
            self._cases += 1
            wrong: list[tuple[Measure, str]] = []
            sizes: dict[str, int | None] = {}
            seconds: dict[str, float | None] = {}
            for name in self._in_turn("sizes"):
                walk, _ = self._walked(self._searchers["sizes"][name], case.multitrace)
                sizes[name] = None if walk.cut else walk.visited
                if not walk.cut and walk.verdict.passes != case.conforms:
                    wrong.append(("sizes", name))
            for name in self._in_turn("times"):
                walk, took = self._walked(self._searchers["times"][name], case.multitrace)
                seconds[name] = None if walk.cut else took
                if not walk.cut and walk.verdict.passes != case.conforms:
                    wrong.append(("times", name))
            if self._default is not None:
                self._deadline.begin()
                verdict = self._default.decide(case.multitrace).verdict
                took = self._deadline.passed()
                seconds[DEFAULT] = None if verdict.inconclusive else took
                if not verdict.inconclusive and verdict is not case.verdict:
                    wrong.append(("times", DEFAULT))
            yield Measurement(
                interaction=subject,
                case=case.name,
                kind=case.kind,
                length=case.multitrace.length,
                conforms=case.conforms,
                sizes=sizes,
                seconds=seconds,
                wrong=tuple(wrong),
            )

    def _in_turn(self, measure: Measure) -> list[str]:
        """The methods, another one first in every case."""
        names = list(self._searchers.get(measure, ()))
        first = self._cases % len(METHODS)
        return names[first:] + names[:first]

    def _walked(self, searcher: Searcher, multitrace: MultiTrace) -> tuple[Walk, float]:
        """The search for a multi-prefix, without the search for acceptance that otherwise follows,
        and the seconds that it took."""
        self._deadline.begin()
        walk = searcher.walk(multitrace)
        for _ in walk.visits():
            pass
        return walk, self._deadline.passed()


class TimeoutTable(NamedTuple):
    """A table as Fig. 15 and 17: `total` of every column, and timeouts in every row, in the order
    of `COLUMNS`."""

    total: tuple[int, ...]
    timeouts: dict[str, tuple[int, ...]]


def timeouts(measurements: Iterable[Measurement], measure: Measure) -> TimeoutTable:
    """The table of cases, and of the timeouts of each method."""
    total = [0] * len(COLUMNS)
    rows: dict[str, list[int]] = {}
    for one in measurements:
        place = next(
            number
            for number, (kind, conforms) in enumerate(COLUMNS)
            if kind == one.kind and conforms in (None, one.conforms)
        )
        total[place] += 1
        for method, value in one.values(measure).items():
            rows.setdefault(method, [0] * len(COLUMNS))[place] += value is None
    return TimeoutTable(
        tuple(total), {name: tuple(rows[name]) for name in sorted(rows, key=_order)}
    )


def _order(method: str) -> int:
    names = [known.name for known in METHODS]
    return names.index(method) if method in names else len(names)


class Distribution(NamedTuple):
    """The values of one method in one group of cases, in ascending order."""

    method: str
    group: str
    conforms: bool
    values: tuple[float, ...]


def distributions(
    measurements: Sequence[Measurement], measure: Measure, by: Grouping
) -> tuple[Distribution, ...]:
    """The distributions of Fig. 16 and 18, for every method, group and verdict that occurs: over
    the cases in which no method timed out, as in the paper. Groups by `length` are those of
    `CLASSES`."""
    found: dict[tuple[int, int, bool], tuple[str, str, list[float]]] = {}
    for one in measurements:
        values = one.values(measure)
        if None in values.values():
            continue
        rank, group = _class_of(one.length) if by == "length" else _kind_of(one.kind)
        for method, value in values.items():
            assert value is not None
            key = _order(method), rank, not one.conforms
            found.setdefault(key, (method, group, []))[2].append(value)
    return tuple(
        Distribution(method, group, not fails, tuple(sorted(values)))
        for (_, _, fails), (method, group, values) in sorted(found.items())
    )


def _class_of(length: int) -> tuple[int, str]:
    for rank, (shortest, longest) in enumerate(CLASSES):
        if longest is None:
            return rank, f"{shortest}+"
        if length <= longest:
            return rank, f"{shortest}-{longest}"
    raise AssertionError("the last class has no end")


def _kind_of(kind: Kind) -> tuple[int, str]:
    return KINDS.index(kind), kind
