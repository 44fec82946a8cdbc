"""The procedures of the automata paper side by side: its Table 1, section 5.

Multi-traces of each kind are drawn (`choreomon.experiments.offline.procedure_traces`) until there
are enough, or too many tries were made; the semi-centralized procedure decides the kind of each.
Then each is decided by both procedures of the paper, by the reduced form, and if the automaton is
that of an interaction, also by the search over that. All answers are compared.  The set-up, done
once for an automaton and its locations, makes the local verifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from choreomon.automata.automaton import Automaton
from choreomon.automata.centralized import centralized
from choreomon.automata.logs import Decided
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.core.errors import BudgetExceeded
from choreomon.experiments.offline.deadline import Clock
from choreomon.experiments.offline.procedure_traces import KINDS, Drawing, Kind
from choreomon.experiments.offline.statistics import Summary, summary
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.projection import Partition
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Verdict

if TYPE_CHECKING:
    from random import Random

CENTRALIZED: Final = "centralized"
SEMI_CENTRALIZED: Final = "semi-centralized"
REDUCED: Final = "reduced"
SEARCH: Final = "search"
PROCEDURES: Final = (CENTRALIZED, SEMI_CENTRALIZED, REDUCED, SEARCH)

PUBLISHED: Final[dict[tuple[int, int], dict[Kind, int]]] = {
    (94, 320): {"Pass": 1000, "LocalError": 196, "InterError": 2004, "CentralError": 910},
    (35, 75): {"Pass": 1000, "LocalError": 1339, "InterError": 1569, "CentralError": 358},
    (15, 23): {"Pass": 1000, "LocalError": 2017, "InterError": 1569, "CentralError": 1015},
}
"""The numbers of multi-traces of each kind that the paper measured, by states and edges of the
automaton. (Its Table 1 has the edges of the last two exchanged, and its times are not legible in
our copy.)"""


class Protocol(NamedTuple):
    """The subject of the experiment. `interaction` is that of the automaton, if there is one."""

    name: str
    automaton: Automaton
    onto: Partition
    interaction: Interaction | None = None


class Plan(NamedTuple):
    """The plan: how many multi-traces of each kind are wanted, and how many tries are made for
    them; their lengths, and how many states the paper's procedures may build for one."""

    wanted: int = 1_000
    tries: int = 100_000
    shortest: int = 200
    longest: int = 250
    max_states: int = 300_000


class Sample(NamedTuple):
    """Multi-traces of one kind. `tries`: how many were drawn for them; `unfinished`: how many
    exceeded the states before their kind was known."""

    kind: Kind
    multitraces: tuple[MultiTrace, ...]
    tries: int
    unfinished: int


class Measurement(NamedTuple):
    """The measurement of a procedure on a multi-trace. `visited`: states or cuts. `passes` is None
    if it did not finish."""

    procedure: str
    kind: Kind
    seconds: float
    visited: int
    passes: bool | None

    @property
    def is_wrong(self) -> bool:
        return self.passes is not None and self.passes != (self.kind == "Pass")


class Row(NamedTuple):
    """The results of a procedure on all multi-traces of a kind; `kind` None: of all kinds."""

    kind: Kind | None
    procedure: str
    number: int
    seconds: Summary
    visited: Summary
    unfinished: int


class Results(NamedTuple):
    """The results for one protocol. `setup`: the seconds that its local verifiers took, and how
    many states they have together."""

    protocol: Protocol
    setup: float
    verifier_states: int
    samples: tuple[Sample, ...]
    measurements: tuple[Measurement, ...]

    @property
    def wrong(self) -> int:
        return sum(one.is_wrong for one in self.measurements)


def results(rng: Random, protocol: Protocol, plan: Plan, clock: Clock) -> Results:
    """Draws, decides and measures. Raises ValueError if no accepted word has such a length."""
    began = clock()
    verifiers = LocalVerifiers(protocol.automaton)
    verifiers.prepare(protocol.onto, plan.max_states)
    setup = clock() - began
    drawing = Drawing(
        protocol.automaton, protocol.onto, shortest=plan.shortest, longest=plan.longest
    )
    samples = tuple(sample(rng, drawing, verifiers, kind, plan) for kind in KINDS)
    return Results(
        protocol,
        setup,
        sum(len(verifiers.at(lifelines).subsets) for lifelines in protocol.onto),
        samples,
        tuple(measured(protocol, verifiers, samples, plan, clock)),
    )


def sample(
    rng: Random, drawing: Drawing, verifiers: LocalVerifiers, kind: Kind, plan: Plan
) -> Sample:
    """Multi-traces of one kind, no two equal."""
    found: dict[MultiTrace, None] = {}
    unfinished = tries = 0
    while len(found) < plan.wanted and tries < plan.tries:
        tries += 1
        made = drawing.candidate(rng, kind)
        if made is None or made in found:
            continue
        try:
            error = verifiers.decide(made.components, limit=plan.max_states).error
        except BudgetExceeded:
            unfinished += 1
            continue
        if (error or "Pass") == kind:
            found[made] = None
    return Sample(kind, (*found,), tries, unfinished)


def measured(
    protocol: Protocol,
    verifiers: LocalVerifiers,
    samples: Sequence[Sample],
    plan: Plan,
    clock: Clock,
) -> Iterable[Measurement]:
    """Measure each procedure on each multi-trace, one procedure after the other."""
    automaton, limit = protocol.automaton, plan.max_states
    reduced = Reduced(automaton, verifiers)

    def semi_centralized(one: MultiTrace) -> Decided:
        found = verifiers.decide(one.components, limit=limit)
        return Decided(found.error is None, found.states)

    procedures: dict[str, Callable[[MultiTrace], Decided]] = {
        CENTRALIZED: lambda one: centralized(automaton, one.components, limit=limit),
        SEMI_CENTRALIZED: semi_centralized,
        REDUCED: lambda one: reduced.decide(one.components),
    }
    if protocol.interaction is not None:
        search = ExactDecider(protocol.interaction, "accept")

        def searched(one: MultiTrace) -> Decided:
            answer = search.decide(one)
            return Decided(answer.verdict is Verdict.PASS, answer.vertices)

        procedures[SEARCH] = searched
    for name, decide in procedures.items():
        for kind, multitraces, *_ in samples:
            for one in multitraces:
                began = clock()
                try:
                    found: Decided | None = decide(one)
                except BudgetExceeded:
                    found = None
                seconds = clock() - began
                visited = limit if found is None else found.visited
                passes = None if found is None else found.explained
                yield Measurement(name, kind, seconds, visited, passes)


def rows(measurements: Sequence[Measurement]) -> list[Row]:
    """Rows by kind, then by procedure; all kinds together at the end."""
    found: list[Row] = []
    for kind in (*KINDS, None):
        for procedure in PROCEDURES:
            some = [
                one
                for one in measurements
                if one.procedure == procedure and kind in (None, one.kind)
            ]
            if some:
                found.append(
                    Row(
                        kind,
                        procedure,
                        len(some),
                        summary([one.seconds for one in some]),
                        summary([one.visited for one in some]),
                        sum(one.passes is None for one in some),
                    )
                )
    return found
