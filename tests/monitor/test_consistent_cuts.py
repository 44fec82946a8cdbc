"""The search over consistent cuts (choreomon/monitor/consistent_cuts.py), against one order after
the other, with whatever is open coming out either way in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pytest

from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, knows, zero
from choreomon.core.verdict import FRM, FRM_P, GAP, NEVER, Reference
from choreomon.monitor import consistent_cuts
from choreomon.monitor.consistent_cuts import Bits, Found, Live, Outcomes, possible_outcomes
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.precise import PRECISE
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed, evaluate, evaluate_slowly
from choreomon.properties.relations import cancels, pre_transitions
from choreomon.properties.resting import Need
from choreomon.properties.tables import TransitionTable, transition_tables
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.interleaving import System, play, weighted

NAMED: Mapping[Formed, Outcomes] = {
    Formed.ALWAYS: Outcomes(yes=True),
    Formed.NEVER: Outcomes(no=True),
    Formed.SOMETIMES: Outcomes(yes=True, no=True),
}


class Played(NamedTuple):
    """The labelled events of a random run, with the tables of its processes."""

    automaton: SequenceAutomaton
    names: tuple[str, ...]
    tables: Mapping[str, TransitionTable]
    events: tuple[Event, ...]

    @property
    def index_of(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def records(self) -> list[tuple[Event, Record]]:
        """What each event may have fired: what starts a sequence surely, the rest perhaps."""
        return [
            (
                event,
                Record(each.reference, event.clock, FRM if each.starts else FRM_P),
            )
            for event in self.events
            for each in self.tables[event.process].inspections[event.label]
        ]


def draw_played(random: Random, most: tuple[int, int]) -> Played:
    while True:
        names = processes(random.randint(2, 4))
        automaton = draw_automaton(random, names)
        scripts = draw_scripts(random, automaton, names, events=most)
        tables = transition_tables(automaton, names, "precise")
        run = play(System(automaton, names, PRECISE), scripts, weighted(random))
        labels = {*automaton.labels}
        events = tuple(event for event in run.events if event.label in labels)
        if len(events) <= most[1]:
            return Played(automaton, names, tables, events)


def found_at(
    played: Played, event: Event, records: Sequence[Record], **bound: int
) -> tuple[list[tuple[Reference, bool]], Found]:
    """What is asked at an event, and what is found by these records."""
    table = played.tables[event.process]
    inspected = table.inspections[event.label]
    asked = [(each.reference, each.final) for each in inspected if not each.starts]
    index_of = played.index_of
    known = [record for record in records if record.reference in table.skeleton]
    own = index_of[event.process]
    bits = Bits(table.skeleton)
    return asked, possible_outcomes(bits, index_of, event.clock, own, asked, known, **bound)


# The slow counterpart.

Modes: TypeAlias = Mapping[VectorClock, Sequence[tuple[Reference, str]]]
"""For each event, by its clock, what it may fire, and how certain that is."""


def orders(played: Played) -> Iterator[tuple[Event, ...]]:
    """All that are consistent with happened-before."""
    index_of = played.index_of

    def before(first: Event, second: Event) -> bool:
        place = index_of[first.process]
        return first is not second and knows(second.clock, place, first.clock[place])

    def extend(done: tuple[Event, ...], left: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
        if not left:
            yield done
        for event in left:
            if not any(before(other, event) for other in left):
                yield from extend((*done, event), tuple(e for e in left if e is not event))

    return extend((), played.events)


class Slowly:
    """What is live along an order, by the definitions."""

    def __init__(self, played: Played) -> None:
        automaton = played.automaton
        every = (*automaton.forward, *automaton.backward)
        self.forward = {t.reference for t in automaton.forward}
        self.pre: dict[Reference, set[Reference]] = {t.reference: set() for t in every}
        self.cancels: dict[Reference, set[Reference]] = {t.reference: set() for t in every}
        for t in every:
            self.pre[t.reference] |= {p.reference for p in pre_transitions(automaton, t)}
        for t in automaton.backward:
            self.cancels[t.reference] |= {
                r.reference for r in automaton.forward if cancels(automaton, t, r)
            }
        self.orders = list(orders(played))

    def outcomes(self, event: Event, asked: Sequence[Reference], modes: Modes) -> Outcomes:
        """Whether any of these fired at the event: in some order surely, in some surely not, and
        in some either way."""
        outcomes = Outcomes()
        for order in self.orders:
            lives: set[frozenset[Reference]] = {frozenset()}
            for happening in order:
                if happening is event:
                    break
                lives = {
                    after
                    for live in lives
                    for after in self._after(live, modes.get(happening.clock, ()))
                }
            ways = {any(live & self.pre[each] for each in asked) for live in lives}
            outcomes.add(ways == {True}, True in ways)
        return outcomes

    def _after(
        self, live: frozenset[Reference], effects: Sequence[tuple[Reference, str]]
    ) -> Iterator[frozenset[Reference]]:
        """One for each way in which what is open may come out."""
        ways = [
            (True, False) if mode == OPEN else (mode == FRM or bool(live & self.pre[reference]),)
            for reference, mode in effects
        ]
        for fires in product(*ways):
            fired = {each for (each, _), does in zip(effects, fires, strict=True) if does}
            gone = {cancelled for each in fired for cancelled in self.cancels[each]}
            yield frozenset((live - gone) | (fired & self.forward))


def modes_of(records: Sequence[Record]) -> Modes:
    modes: dict[VectorClock, list[tuple[Reference, str]]] = {}
    for reference, clock, result, _ in records:
        modes.setdefault(clock, []).append((reference, result))
    return modes


def assert_within(found: Outcomes, slow: Outcomes) -> None:
    """What is said holds; what is not said is at least called unknown. But the search is over
    once the orders are known to disagree."""
    assert slow.yes or not found.yes
    assert slow.no or not found.no
    assert found.unknown or found.both or found == slow


# Nothing is open: the search is exact.


def test_where_nothing_is_open_the_search_is_that_over_all_orders() -> None:
    kinds: list[tuple[bool, bool]] = []
    for seed in range(120):
        played = draw_played(Random(seed), (3, 7))
        records = [record for _, record in played.records()]
        slowly, modes = Slowly(played), modes_of(records)
        for event in played.events:
            asked, found = found_at(played, event, records)
            for (reference, _), outcomes in zip(asked, found.each, strict=True):
                assert outcomes == slowly.outcomes(event, [reference], modes)
                kinds.append((outcomes.yes, outcomes.no))
            finals = [reference for reference, final in asked if final]
            if finals:
                assert found.final == slowly.outcomes(event, finals, modes)
            assert not found.cut_off
    assert min(kinds.count(kind) for kind in ((True, False), (False, True), (True, True))) > 20


@pytest.mark.parametrize(
    ("reference", "most", "number"),
    [(evaluate_slowly, (3, 7), 150), (evaluate, (6, 20), 300)],
    ids=["slowly", "by cuts"],
)
def test_the_final_outcome_is_where_the_property_is_formed(
    reference: Any, most: tuple[int, int], number: int
) -> None:
    seen: list[Formed] = []
    for seed in range(number):
        played = draw_played(Random(seed), most)
        records = [record for _, record in played.records()]
        exact = reference(played.automaton, played.names, played.events)
        for event, formed in zip(played.events, exact, strict=True):
            asked, found = found_at(played, event, records)
            inspected = played.tables[event.process].inspections[event.label]
            if any(final for _, final in asked) and not any(
                i.starts and i.final for i in inspected
            ):
                assert found.final == NAMED[formed]
                seen.append(formed)
    assert min(seen.count(formed) for formed in Formed) > 10


def test_what_surely_fired_may_be_called_so_and_what_did_not_may_be_left_out() -> None:
    """That is how records come: each with what the search at its own event found."""
    certain = 0
    for seed in range(300):
        played = draw_played(Random(seed), (6, 16))
        possibly = played.records()
        judged: list[Record] = []
        for event, record in possibly:
            asked, found = found_at(played, event, [each for _, each in possibly])
            outcome = {
                reference: each for (reference, _), each in zip(asked, found.each, strict=True)
            }
            each = outcome.get(record.reference)
            if each is None or each.always:
                judged.append(record._replace(result=FRM))
                certain += each is not None
            elif not each.never:
                judged.append(record)
        for event in played.events:
            expected = found_at(played, event, [each for _, each in possibly])
            assert found_at(played, event, judged) == expected
    assert certain > 300


# Something is open.


def draw_open(random: Random, played: Played) -> tuple[list[Record], list[Record]]:
    """Records of which some are open, and, of the same, some merged or in a gap: as the search gets
    them, and with each event for itself."""
    fast = [record for _, record in played.records()]
    fast = [r._replace(result=OPEN) if random.random() < 0.25 else r for r in fast]
    slow = list(fast)
    index_of = played.index_of
    if random.random() < 0.7:
        reference = random.choice(fast).reference
        own = index_of[reference.process]
        chain = sorted((r for r in fast if r.reference == reference), key=lambda r: r.clock[own])
        first = random.randrange(len(chain))
        run = chain[first : first + random.randint(1, 3)]
        merged = Record(reference, run[-1].clock, FRM_P, run[0].clock)
        fast = [*(r for r in fast if r not in run), merged]
        slow = [r._replace(result=OPEN) if r in run else r for r in slow]
    if random.random() < 0.4:
        process = random.choice(played.names)
        own = index_of[process]
        clocks = [e.clock for e in played.events if e.process == process]
        since = random.choice([zero(len(played.names)), *clocks])
        later = [clock for clock in clocks if clock[own] > since[own]]
        until = random.choice([*later, (*since[:own], NEVER, *since[own + 1 :])])
        inside = [
            r
            for r in slow
            if r.reference.process == process and since[own] < r.clock[own] < until[own]
        ]
        slow = [r._replace(result=OPEN) if r in inside else r for r in slow]
        fast = [r for r in fast if r not in inside]
        references = [t.reference for t in played.automaton.forward + played.automaton.backward]
        fast += [
            Record(reference, until, GAP, since)
            for reference in dict.fromkeys(references)
            if reference.process == process
        ]
    return fast, slow


def check_open(number: int, **bound: int) -> tuple[int, int, int]:
    """How many outcomes were certain, left unknown, and unknown where they need not be."""
    certain = unknown = needless = 0
    for seed in range(number):
        random = Random(seed)
        played = draw_played(random, (3, 6))
        if not played.events:
            continue
        fast, slow = draw_open(random, played)
        slowly, modes = Slowly(played), modes_of(slow)
        for event in played.events:
            asked, found = found_at(played, event, fast, **bound)
            finals = [reference for reference, final in asked if final]
            groups = [
                ([reference], each) for (reference, _), each in zip(asked, found.each, strict=True)
            ]
            for references, outcomes in [*groups, *([(finals, found.final)] if finals else [])]:
                expected = slowly.outcomes(event, references, modes)
                assert_within(outcomes, expected)
                certain += not outcomes.unknown
                unknown += outcomes.unknown
                needless += outcomes.unknown and not expected.unknown
                assert outcomes.unknown or not found.cut_off
    return certain, unknown, needless


def test_what_is_said_is_so_whatever_becomes_of_what_is_open() -> None:
    certain, unknown, needless = check_open(600)
    assert certain > 500
    assert unknown > 300
    assert needless < unknown / 3  # of what is put together and not branched on, and of stretches


@pytest.mark.parametrize("most", [1, 2, 6, 20])
def test_a_search_that_is_cut_off_says_nothing_that_is_not_so(most: int) -> None:
    certain, unknown, needless = check_open(100, most=most)
    assert certain > 20
    assert unknown > needless > 0


def test_the_law_notices_open_records_that_are_taken_for_not_fired(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after = consistent_cuts.after

    def none_open(effects: Any, live: Live) -> Live:
        return after([each for each in effects if each.result != OPEN], live)

    monkeypatch.setattr(consistent_cuts, "after", none_open)
    with pytest.raises(AssertionError):
        check_open(100)


def test_the_law_notices_transitions_that_see_what_their_own_event_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after = consistent_cuts.after

    def one_by_one(effects: Any, live: Live) -> Live:
        for each in effects:
            live = after([each], live)
        return live

    monkeypatch.setattr(consistent_cuts, "after", one_by_one)
    with pytest.raises(AssertionError):
        check_open(400)


# By hand: a of P1 leads to q1, b of P2 on to q2; v of P3 takes a back.

A, B, V = Reference("q0", "P1", "q1"), Reference("q1", "P2", "q2"), Reference("q1", "P3", "q0")
C, D = Reference("q1", "P2", "q3"), Reference("q4", "P2", "q5")
E = Reference("q0", "P1", "q4")
BITS = Bits(
    {
        A: (),
        E: (),
        B: (Need(A, (V,)),),
        C: (Need(A, (V,)),),
        D: (Need(E, ()),),
        V: (Need(A, (V,)),),
    }
)
INDEX_OF = {"P1": 0, "P2": 1, "P3": 2}

YES, NO, BOTH = Outcomes(yes=True), Outcomes(no=True), Outcomes(yes=True, no=True)


def at(event: VectorClock, *records: Record, **bound: int) -> Found:
    """B, which is final, at an event of P2."""
    return possible_outcomes(BITS, INDEX_OF, event, 1, [(B, True)], records, **bound)


BY_HAND = {
    "nothing known": ((0, 1, 0), [], NO),
    "a before": ((1, 1, 0), [Record(A, (1, 0, 0), FRM)], YES),
    "a concurrent": ((0, 1, 0), [Record(A, (1, 0, 0), FRM)], BOTH),
    "a after": ((0, 1, 0), [Record(A, (1, 1, 0), FRM)], NO),
    "a open": ((1, 1, 0), [Record(A, (1, 0, 0), OPEN)], Outcomes(unknown=True)),
    "a open and concurrent": (
        (0, 1, 0),
        [Record(A, (1, 0, 0), OPEN)],
        Outcomes(no=True, unknown=True),
    ),
    "a taken back": ((1, 1, 1), [Record(A, (1, 0, 0), FRM), Record(V, (1, 0, 1), FRM_P)], NO),
    "a perhaps taken back": (
        (1, 1, 0),
        [Record(A, (1, 0, 0), FRM), Record(V, (1, 0, 1), FRM)],
        BOTH,
    ),
    "v before a": ((1, 1, 1), [Record(A, (1, 0, 1), FRM), Record(V, (0, 0, 1), FRM_P)], YES),
    "v with nothing to take back": (
        (1, 1, 1),
        [Record(A, (1, 0, 0), FRM), Record(V, (0, 0, 1), FRM_P)],
        BOTH,
    ),
    "v open after a": (
        (1, 1, 1),
        [Record(A, (1, 0, 0), FRM), Record(V, (1, 0, 1), OPEN)],
        Outcomes(unknown=True),
    ),
    "a again after v": (
        (3, 1, 1),
        [Record(A, (1, 0, 0), FRM), Record(V, (1, 0, 1), FRM), Record(A, (3, 0, 1), FRM)],
        YES,
    ),
    "a merged": ((3, 1, 0), [Record(A, (3, 0, 0), FRM_P, (1, 0, 0))], Outcomes(unknown=True)),
    "a gap of P3 after a": (
        (1, 1, 5),
        [Record(A, (1, 0, 0), FRM), Record(V, (1, 0, 5), GAP, (1, 0, 1))],
        Outcomes(unknown=True),
    ),
    "a gap of P3 before a": (
        (1, 1, 5),
        [Record(A, (1, 0, 5), FRM), Record(V, (0, 0, 5), GAP, (0, 0, 1))],
        YES,
    ),
    "a gap of P3 after an event of P1 that need not have happened": (
        (1, 1, 0),
        [
            Record(A, (1, 0, 0), FRM),
            Record(E, (2, 0, 0), FRM),
            Record(V, (2, 0, 5), GAP, (2, 0, 1)),
        ],
        Outcomes(yes=True, unknown=True),
    ),
    "an open gap of P1": (
        (0, 1, 0),
        [Record(A, (NEVER, 0, 0), GAP, (0, 0, 0))],
        Outcomes(unknown=True),
    ),
}


@pytest.mark.parametrize(("event", "records", "expected"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(event: VectorClock, records: list[Record], expected: Outcomes) -> None:
    found = at(event, *records)
    assert found == Found((expected,), expected, False)


def test_of_two_final_transitions_one_may_fire_in_every_order_and_neither_does() -> None:
    """a leads to where b starts. Along with it, something else that is taken back by what v may do
    does not; so whichever comes first, one of both is there."""
    w = Reference("q1", "P1", "q0")
    bits = Bits({A: (), E: (), B: (Need(A, (w,)),), D: (Need(E, ()),), w: (Need(A, (w,)),)})
    records = [
        Record(A, (1, 0, 0), FRM),
        # The second event of P1 takes a back, and leads to where d starts.
        Record(w, (2, 0, 0), FRM_P),
        Record(E, (2, 0, 0), FRM),
    ]
    found = possible_outcomes(bits, INDEX_OF, (1, 1, 0), 1, [(B, True), (D, True)], records)
    assert found.each == (BOTH, BOTH)
    assert found.final.always


def test_what_is_not_final_is_not_counted_among_what_is() -> None:
    records = [Record(A, (1, 0, 0), FRM)]
    found = possible_outcomes(BITS, INDEX_OF, (1, 1, 0), 1, [(B, False), (D, True)], records)
    assert found == Found((YES, NO), NO, False)


def test_one_state_is_enough_for_nothing_but_not_for_more() -> None:
    assert at((0, 1, 0), most=1) == Found((NO,), NO, False)
    found = at((1, 1, 0), Record(A, (1, 0, 0), FRM), most=1)
    assert found.cut_off
    assert found.final.unknown
    assert not found.final.always
    assert not found.final.never


@pytest.mark.parametrize(
    ("lengths", "states", "cut_off"), [((19, 19, 19), 8_000, False), ((8, 6, 126), 8_001, True)]
)
def test_as_many_states_are_looked_at_as_is_promised_and_no_more(
    lengths: tuple[int, int, int], states: int, cut_off: bool
) -> None:
    """Events that know nothing of each other, and take nothing back, so there is one state for each
    cut. d is asked about: it never fires, and nothing ends the search early."""
    assert prod(length + 1 for length in lengths) == states
    w = Reference("q0", "P3", "q6")
    bits = Bits({A: (), B: (Need(A, ()),), D: (Need(E, ()),), E: (), w: ()})
    records = [
        Record(fires, (*(0,) * process, number, *(0,) * (2 - process)), FRM)
        for process, (fires, length) in enumerate(zip((A, B, w), lengths, strict=True))
        for number in range(1, length + 1)
    ]
    event = (0, lengths[1] + 1, 0)
    found = possible_outcomes(bits, INDEX_OF, event, 1, [(D, True)], records)
    assert found.cut_off == found.final.unknown == cut_off
