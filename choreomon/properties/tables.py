"""Transition tables (the paper, Definition 7): what one monitor knows of a property.

A row names a transition that this monitor watches, one of its pre-transitions and the
vio-transitions of that one, the latter two only as references without labels.

Three kinds of tables: those of the `paper` rules are Definition 7 to the letter. Those of
the `sound` rules add what G1 needs (docs/adr/022-monitors.md, "3. A cancellation from a state
that was left" and "4. A start in the middle"): the vio-transitions of backward rows, and
a row without pre-transition for every forward transition that leaves an initial state. Those
of the `precise` rules add the *skeleton*: what the transitions that the rows name rest on in
turn, and so on, without labels (docs/adr/022-monitors.md, "Precise rules").

`readers` says which monitors may ask for which own reference, and `followers` which others may
ask about single events of it, since it is in their skeletons. Both name processes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from choreomon.core.message import BEGIN, BEGINNING, Label
from choreomon.core.stated_rule import NOT_TOLD, RuleStates
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.certain_cancellations import certain_cancellations
from choreomon.properties.classification import Pair
from choreomon.properties.instances import Forgetting, Parameters
from choreomon.properties.resting import Need, Rested, Resting, needs_of, states_of

RulesName: TypeAlias = Literal["precise", "sound", "paper"]
RULES_NAMES: Final[tuple[RulesName, ...]] = get_args(RulesName)
DEFAULT_RULES: Final[RulesName] = "precise"


class Row(NamedTuple):
    """`(t, fin, pre, vio)`; `pre` is `None` where the transition starts a sequence."""

    transition: Transition
    final: bool
    pre: Reference | None
    vio: tuple[Reference, ...]


class Inspected(NamedTuple):
    """Transition that a label may fire: the rows of a table that share it.

    `starts`: there is a row without pre-transition, so it fires whenever it is seen.
    `asks` are the references to ask for, by owner, the owner's in the order of the rows.
    """

    reference: Reference
    final: bool
    starts: bool
    needs: tuple[Need, ...]
    asks: tuple[tuple[str, tuple[Reference, ...]], ...]


Skeleton: TypeAlias = Mapping[Reference, tuple[Need, ...]]
"""The needs of each transition, without labels: its pre-transitions, with what may cancel them."""


@dataclass(frozen=True)
class TransitionTable:
    """The table of one process; `readers` and `followers` by own reference, in the order of
    processes. Both `followers` and `skeleton` are empty but in tables of the `precise` rules;
    there the skeleton has the own transitions, and whatever they rest on. `parameters`: those of a
    property for each instance, else empty; `carries`: which of them own labels carry. `rules`: of a
    property that is written as rules, each with the states of own transitions; of one whose last
    step somebody else watches, nothing but these. `forgetting`: which of the instances that own
    labels are about may be forgotten, where any may."""

    process: str
    rows: tuple[Row, ...]
    readers: Mapping[Reference, tuple[str, ...]]
    skeleton: Skeleton = field(default_factory=dict)
    followers: Mapping[Reference, tuple[str, ...]] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    carries: Mapping[Label, tuple[str, ...]] = field(default_factory=dict)
    rules: tuple[RuleStates, ...] = ()
    forgetting: Forgetting | None = None

    @cached_property
    def rule_of(self) -> Mapping[Reference, int]:
        """Map each own reference to the place of its rule; to 0 where there are none."""
        places = {state: place for place, rule in enumerate(self.rules) for state in rule.states}
        return {reference: places.get(reference.source, 0) for reference in self.readers}

    @cached_property
    def inspections(self) -> Mapping[Label, tuple[Inspected, ...]]:
        """The inspections to make when an event with this label happens."""
        rows: dict[Label, dict[Reference, list[Row]]] = {}
        for row in self.rows:
            by_reference = rows.setdefault(row.transition.label, {})
            by_reference.setdefault(row.transition.reference, []).append(row)
        return {
            label: tuple(_inspected(reference, group) for reference, group in groups.items())
            for label, groups in rows.items()
        }

    @cached_property
    def watched_by(self) -> Mapping[Reference, frozenset[Label]]:
        """The labels of each own reference: several where parallel transitions share one."""
        labels: dict[Reference, set[Label]] = {}
        for row in self.rows:
            labels.setdefault(row.transition.reference, set()).add(row.transition.label)
        return {reference: frozenset(group) for reference, group in labels.items()}


def _inspected(reference: Reference, rows: Sequence[Row]) -> Inspected:
    needs = needs_of(Rested(row.pre, row.vio) for row in rows if row.pre is not None)
    asks: dict[str, dict[Reference, None]] = {}
    for need in needs:
        for asked in (*need.pres, *need.vio):
            if asked.process != BEGINNING:  # each answers for it by itself
                asks.setdefault(asked.process, {})[asked] = None
    return Inspected(
        reference=reference,
        final=rows[0].final,
        starts=any(row.pre is None for row in rows),
        needs=needs,
        asks=tuple((owner, tuple(asked)) for owner, asked in asks.items()),
    )


def transition_tables(
    automaton: SequenceAutomaton,
    processes: Sequence[str],
    rules: RulesName = "sound",
    parameters: Parameters | None = None,
) -> dict[str, TransitionTable]:
    """The table of every process, in the order of `processes`, which must name every
    process that watches a label. With `parameters` the tables are those of a property for each
    instance, where cancellations that need not look at what is live do not ask: then `rules` have
    to be `precise`. References to `BEGIN` are in tables of all rules, since audits read in sound
    ones what labels need; only monitors by precise rules know of it, to which callers see."""
    transitions = (*automaton.forward, *automaton.backward)
    certain = frozenset[Reference]() if parameters is None else certain_cancellations(automaton)
    resting = Resting(automaton)
    rows: dict[str, list[Row]] = {process: [] for process in processes}
    for transition in transitions:
        if transition.label == BEGIN:
            continue
        if transition.reference in certain:
            rows[transition.label.process].append(Row(transition, False, None, ()))
        else:
            rows[transition.label.process] += _rows(automaton, resting, transition, rules)
    own = {
        process: tuple(dict.fromkeys(row.transition.reference for row in rows[process]))
        for process in processes
    }
    readers = _readers(rows)
    skeletons: dict[str, Skeleton] = {process: {} for process in processes}
    if rules == "precise":
        needs = {
            t.reference: () if t.reference in certain else resting.needs(t) for t in transitions
        }
        for process in processes:
            skeletons[process] = {each: needs[each] for each in closure(needs, own[process])}
    followers: dict[Reference, dict[str, None]] = {}
    for process in processes:
        for reference in skeletons[process]:
            if reference.process != process:
                followers.setdefault(reference, {})[process] = None
    return {
        process: TransitionTable(
            process=process,
            rows=tuple(rows[process]),
            readers={each: tuple(readers.get(states_of(each), ())) for each in own[process]},
            skeleton=skeletons[process],
            followers={each: tuple(followers.get(each, ())) for each in own[process]}
            if rules == "precise"
            else {},
            parameters=() if parameters is None else parameters.names,
            carries={}
            if parameters is None
            else {
                row.transition.label: parameters.of(row.transition.label) for row in rows[process]
            },
            rules=_own_rules(automaton.rules, rows[process]),
            forgetting=_own_forgetting(parameters, rows[process]),
        )
        for process in processes
    }


def _own_forgetting(parameters: Parameters | None, rows: Sequence[Row]) -> Forgetting | None:
    """Return what of it concerns labels of rows."""
    if parameters is None or parameters.forgetting is None:
        return None
    after, bindings = parameters.forgetting
    carried = {tuple(sorted(parameters.of(row.transition.label))) for row in rows}
    own = bindings & carried
    return Forgetting(after, own) if own else None


def _own_rules(rules: Sequence[RuleStates], rows: Sequence[Row]) -> tuple[RuleStates, ...]:
    """Return the rules of rows, in their order, without their places in documents."""
    states = {state for row in rows for state in row.transition.reference[::2]}
    ends = {row.transition.target for row in rows if row.final}
    return tuple(
        RuleStates(
            NOT_TOLD if rule.states.isdisjoint(ends) else rule.stated._replace(line=0, file=""),
            own,
        )
        for rule in rules
        if (own := rule.states & states)
    )


def _readers(rows: Mapping[str, Sequence[Row]]) -> dict[Pair, dict[str, None]]:
    """Map the states of a transition to the processes that ask about it, in their order: whoever
    asks about one of its owners asks about all of them."""
    readers: dict[Pair, dict[str, None]] = {}
    for process, own in rows.items():
        asked = {(states_of(row.pre), id(row.vio)): row.vio for row in own if row.pre is not None}
        for (pre, _), vio in asked.items():  # shared by many, so compared by name
            for states in {pre, *map(states_of, vio)}:
                readers.setdefault(states, {})[process] = None
    return readers


def closure(skeleton: Skeleton, references: Iterable[Reference]) -> dict[Reference, None]:
    """The references, and whatever they rest on, in the order in which it is found."""
    found = dict.fromkeys(references)
    queue = [*found]
    seen: set[int] = set()
    for reference in queue:
        needs = skeleton[reference]
        if id(needs) in seen:  # shared by all between the same states
            continue
        seen.add(id(needs))
        for pre, vio, others in needs:
            new = [each for each in (pre, *others, *vio) if each not in found]
            found.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
    return found


def _rows(
    automaton: SequenceAutomaton, resting: Resting, transition: Transition, rules: RulesName
) -> Iterator[Row]:
    backward = resting.is_backward(transition)
    final = not backward and transition.target in automaton.final
    rested = resting.rested(transition)
    if resting.starts(transition) and (rules != "paper" or not rested):
        yield Row(transition, final, None, ())
    for pre, vio in rested:
        yield Row(transition, final, pre, () if backward and rules == "paper" else vio)
