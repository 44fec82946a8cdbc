"""Summaries of the audits of many sessions: verdicts counted, and each kind once.

Sessions have ranks, the order in which they began. They may be added, and summaries put together,
in any order: what is kept of them, and shown, depends on the ranks alone, but for kinds beyond
`MOST_KINDS`, which also depends on which sessions were summed up together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from choreomon.audit.items import Gap
from choreomon.audit.kinds import Kind, kind_of
from choreomon.audit.occurrences import Counting, Occurrences
from choreomon.audit.outcome import AuditVerdict, Outcome, Overall
from choreomon.audit.verdicts_of_instances import InstanceVerdicts, VerdictsOfInstances
from choreomon.core.binding import Binding
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind

Rank: TypeAlias = tuple[int, int]
"""The place of a session's first event: which log, which line."""

INSTANCE: Final = "instance"
"""The word for a session that is an instance."""

GRAVEST_FIRST: Final = (VIOLATED, POSSIBLY_VIOLATED, None)

MOST_KINDS: Final = 200
"""Kinds that are kept, those that came first. Verdicts of others are only counted."""

MOST_WORST: Final = 100
"""Sessions that are named as the worst ones."""

MOST_NAMES: Final = 10
"""Sessions that are named for each kind."""

MOST_GAPS: Final = 1_000
MOST_DIAGNOSTICS: Final = 1_000


class Judged(NamedTuple):
    """The result of a session: its verdict, and how many events are `violated`, `possible` or
    undecided."""

    rank: Rank
    name: str
    verdict: VerdictKind | None
    violated: int
    possible: int
    undecided: int
    events: int
    binding: Binding = ()


class Example(NamedTuple):
    """A kind of verdict: the first one, with all that explains it, and how many there are in how
    many sessions, the first of which are named. `called` is the word for a session; `binding` that
    of the first one, if it is an instance."""

    kind: Kind
    verdict: AuditVerdict | Overall
    name: str
    sessions: int
    verdicts: int
    names: tuple[str, ...]
    called: str = "session"
    binding: Binding = ()

    @property
    def dots(self) -> str:
        """Dots after the names, if there are more."""
        return ", .." if self.sessions > len(self.names) else ""

    @property
    def event(self) -> RecordedEvent | None:
        """The event that the first verdict is about."""
        return self.verdict.item.event if isinstance(self.verdict, AuditVerdict) else None


class SessionsOutcome(NamedTuple):
    """The outcome of all sessions together. `verdicts` counts sessions by verdict, `undecided`
    those with something undecided. `kinds` are the gravest first, among equally grave ones those of
    most sessions; `others` counts verdicts of kinds that are not among them. `worst` are the
    sessions with the most verdicts, `gaps` and `late` the first of so many. `problems` are why
    sessions could not be judged, the first of `unjudged`. `occurrences` counts what happened in
    those that could; `far` says in how many of these each rule, from 0, reached how many steps;
    `called` is the word for a session. `each`: the verdicts, one by one, if sessions are
    instances."""

    sessions: int
    verdicts: dict[VerdictKind | None, int]
    undecided: int
    events: int
    labelled: int
    kinds: tuple[Example, ...]
    others: int
    worst: tuple[Judged, ...]
    gaps: tuple[Gap, ...]
    gap_count: int
    late: tuple[Gap, ...]
    late_count: int
    problems: tuple[str, ...]
    unjudged: int
    occurrences: Occurrences = Occurrences()
    far: Mapping[tuple[int, int], int] = MappingProxyType({})
    called: str = "session"
    each: InstanceVerdicts = InstanceVerdicts((), ())

    @property
    def verdict(self) -> VerdictKind | None:
        """The verdict of the gravest session."""
        return next((kind for kind in GRAVEST_FIRST if self.verdicts.get(kind)), None)


@dataclass
class _Kept:
    rank: Rank
    name: str
    verdict: AuditVerdict | Overall
    sessions: int = 0
    verdicts: int = 0
    names: list[tuple[Rank, str]] = field(default_factory=list)
    binding: Binding = ()


class Summary:
    """Sessions, one after the other, and what they come to. Memory is bounded, however many."""

    def __init__(self, called: str = "session") -> None:
        """`called`: what a session is called, as where it is an instance."""
        self._called = called
        self.sessions = 0
        self.named = 0
        """Sessions that have a name."""
        self.events = 0
        self._labelled = 0
        self._undecided = 0
        self._verdicts: Counter[VerdictKind | None] = Counter()
        self._kinds: dict[Kind, _Kept] = {}
        self._others = 0
        self._worst: list[Judged] = []
        self._gaps: list[tuple[Rank, Gap]] = []
        self._gap_count = 0
        self._late: list[tuple[Rank, Gap]] = []
        self._late_count = 0
        self._problems: list[tuple[Rank, str]] = []
        self._unjudged = 0
        self._counting: Counting | None = None
        self._far: Counter[tuple[int, int]] = Counter()
        self._strange: list[tuple[Rank, Diagnostic]] = []
        self.strange: Counter[str] = Counter()
        self._each = VerdictsOfInstances()

    def add(
        self,
        rank: Rank,
        name: str,
        outcome: Outcome,
        rules: Sequence[int] | None = None,
        binding: Binding = (),
    ) -> None:
        """Add a session; `rules`: the places of the rules that it is about, None: all. `binding`:
        that of an instance."""
        self.sessions += 1
        self.named += bool(name)
        self.events += outcome.events
        self._labelled += outcome.labelled
        if outcome.occurrences.labels:
            self._count(outcome.occurrences)
        places = range(len(outcome.far)) if rules is None else rules
        self._far.update(zip(places, outcome.far, strict=True))
        kind = outcome.overall.kind
        self._verdicts[kind] += 1
        self._gap_count += len(outcome.gaps)
        self._gaps += ((rank, gap) for gap in outcome.gaps)
        self._late_count += len(outcome.late)
        self._late += ((rank, gap) for gap in outcome.late)
        if kind is not None:
            self._take(rank, name, outcome, binding)
        if max(len(self._gaps), len(self._late), len(self._worst)) > 2 * MOST_GAPS:
            self._cut()

    def seen(self, events: int, labelled: int, occurrences: Occurrences) -> None:
        """Set the number of events in all, as the outcomes added share some."""
        self.events, self._labelled = events, labelled
        self._count(occurrences)

    def refuse(self, rank: Rank, events: int, problem: str) -> None:
        """Add a session that cannot be judged."""
        self.sessions += 1
        self.events += events
        self._unjudged += 1
        self._problems.append((rank, problem))
        if len(self._problems) > 2 * MOST_WORST:
            self._cut()

    def tell(self, rank: Rank, strange: Diagnostic) -> None:
        """Something strange about a session, or with the rank `BEFORE` about the logs."""
        self.strange[strange.kind] += 1
        self._strange.append((rank, strange))
        if len(self._strange) > 2 * MOST_DIAGNOSTICS:
            self._cut()

    def merge(self, other: Summary) -> None:
        """The sessions of another summary, none of which are in this one."""
        self.sessions += other.sessions
        self.named += other.named
        self.events += other.events
        self._labelled += other._labelled
        if other._counting is not None:
            self._count(other._counting.found())
        self._far.update(other._far)
        self._undecided += other._undecided
        self._verdicts.update(other._verdicts)
        for kind, kept in other._kinds.items():
            self._merge_kind(kind, kept)
        self._others += other._others
        self._worst += other._worst
        self._gaps += other._gaps
        self._gap_count += other._gap_count
        self._late += other._late
        self._late_count += other._late_count
        self._problems += other._problems
        self._unjudged += other._unjudged
        self._strange += other._strange
        self.strange.update(other.strange)
        self._cut()

    def diagnostics(self) -> list[Diagnostic]:
        """The first of those that were told."""
        self._cut()
        return [strange for _, strange in self._strange]

    def outcome(self) -> SessionsOutcome:
        """Sum up all that was added so far."""
        self._cut()
        kinds = sorted(self._kinds.items(), key=lambda each: _graver(*each))
        return SessionsOutcome(
            sessions=self.sessions,
            verdicts={kind: self._verdicts[kind] for kind in GRAVEST_FIRST if self._verdicts[kind]},
            undecided=self._undecided,
            events=self.events,
            labelled=self._labelled,
            kinds=tuple(
                Example(
                    kind=kind,
                    verdict=kept.verdict,
                    name=kept.name,
                    sessions=kept.sessions,
                    verdicts=kept.verdicts,
                    names=tuple(name for _, name in kept.names[:MOST_NAMES]),
                    called=self._called,
                    binding=kept.binding,
                )
                for kind, kept in kinds
            ),
            others=self._others,
            worst=tuple(self._worst),
            gaps=tuple(dict.fromkeys(gap for _, gap in self._gaps)),
            gap_count=self._gap_count,
            late=tuple(dict.fromkeys(gap for _, gap in self._late)),
            late_count=self._late_count,
            problems=tuple(problem for _, problem in self._problems),
            unjudged=self._unjudged,
            occurrences=Occurrences() if self._counting is None else self._counting.found(),
            far=MappingProxyType(dict(self._far)),
            called=self._called,
            each=self._each.found(),
        )

    def _count(self, occurrences: Occurrences) -> None:
        if self._counting is None:
            self._counting = Counting(occurrences.labels)
        self._counting.merge(occurrences)

    def _take(self, rank: Rank, name: str, outcome: Outcome, binding: Binding) -> None:
        overall = outcome.overall
        counts: Counter[VerdictKind | None] = Counter(each.kind for each in outcome.verdicts)
        undecided = sum(verdict.undecided for verdict in outcome.verdicts)
        self._undecided += bool(undecided or overall.undecided)
        self._worst.append(
            Judged(
                rank,
                name,
                overall.kind,
                violated=counts[VIOLATED],
                possible=counts[POSSIBLY_VIOLATED],
                undecided=undecided,
                events=outcome.events,
                binding=binding,
            )
        )
        found: dict[Kind, _Kept] = {}
        verdicts: list[AuditVerdict | Overall] = [*outcome.verdicts]
        if not counts[overall.kind]:
            verdicts.append(overall)  # no single event shows it
        if self._called == INSTANCE:
            self._each.add(binding, verdicts)
        for verdict in verdicts:
            kind = kind_of(verdict, outcome.occurrences.roles)
            kept = found.setdefault(kind, _Kept(rank, name, verdict, binding=binding))
            kept.verdicts += 1
            if kept.verdict.formed is None and verdict.formed is not None:
                kept.verdict = verdict
        for kind, kept in found.items():
            kept.sessions = 1
            kept.names.append((rank, name))
            self._merge_kind(kind, kept)

    def _merge_kind(self, kind: Kind, more: _Kept) -> None:
        kept = self._kinds.get(kind)
        if kept is None:
            self._kinds[kind] = more
            if len(self._kinds) > 2 * MOST_KINDS:
                self._cut()
            return
        if more.rank < kept.rank:
            kept.rank, kept.name, kept.verdict = more.rank, more.name, more.verdict
            kept.binding = more.binding
        kept.sessions += more.sessions
        kept.verdicts += more.verdicts
        kept.names += more.names
        if len(kept.names) > 4 * MOST_NAMES:
            kept.names = sorted(kept.names)[:MOST_NAMES]

    def _cut(self) -> None:
        """Keeps of everything what comes first."""
        if len(self._kinds) > MOST_KINDS:
            order = sorted(self._kinds, key=lambda kind: self._kinds[kind].rank)
            for kind in order[MOST_KINDS:]:
                self._others += self._kinds.pop(kind).verdicts
        for kept in self._kinds.values():
            kept.names = sorted(kept.names)[:MOST_NAMES]
        self._worst = sorted(self._worst, key=_worse)[:MOST_WORST]
        self._gaps = sorted(self._gaps, key=_rank)[:MOST_GAPS]
        self._late = sorted(self._late, key=_rank)[:MOST_GAPS]
        self._problems = sorted(self._problems, key=_rank)[:MOST_WORST]
        self._strange = sorted(self._strange, key=_rank)[:MOST_DIAGNOSTICS]


BEFORE: Final[Rank] = (-1, 0)
"""The rank of what is strange about the logs themselves."""


def _rank(ranked: tuple[Rank, object]) -> Rank:
    return ranked[0]


def _worse(one: Judged) -> tuple[int, int, int, Rank]:
    return GRAVEST_FIRST.index(one.verdict), -one.violated, -one.possible, one.rank


def _graver(kind: Kind, kept: _Kept) -> tuple[int, bool, int, Rank]:
    return GRAVEST_FIRST.index(kind.verdict), kind.undecided, -kept.sessions, kept.rank
