"""Precise rules (choreomon/monitor/precise.py, evidence.py) piece by piece: what is kept, what is
told, who may ask for it; and one run in which the second inquiry settles what the
first leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import (
    FRM,
    FRM_P,
    GAP,
    NEVER,
    POSSIBLY_VIOLATED,
    VIOLATED,
    Reference,
)
from choreomon.monitor import precise
from choreomon.monitor.effects import Declared, Effect, Send, Unsettled
from choreomon.monitor.evidence import concerning, known_records, standing_for
from choreomon.monitor.gaps import MAX_GAPS, Gap, open_since
from choreomon.monitor.history import OPEN, Chain, Record, RecordResult
from choreomon.monitor.messages import MOST_EVIDENCE_TOLD, Inquiry, Named, Response
from choreomon.monitor.plan import Plan
from choreomon.monitor.precise import MOST_RECORDS, PRECISE, merged, without_dominated
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rights import Rights, rights_of
from choreomon.monitor.rules import Rules
from choreomon.monitor.rules import Told as Answer
from choreomon.monitor.state import Evidence, GiveUp, Inspection
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.tables import transition_tables
from tests.laws import planted
from tests.laws.interleaving import System, Told
from tests.laws.test_guarantees import draw_run, runs
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of

# What is kept.

X = Reference("q0", "P1", "q1")
STATES: dict[str, RecordResult] = {"F": FRM, "p": FRM_P, "?": OPEN}


def chain_of(results: str) -> Chain:
    """One letter a record: `F` surely, `p` possibly, `?` open; clocks 1, 2, ..."""
    return tuple(Record(X, (n,), STATES[letter]) for n, letter in enumerate(results, 1))


def shown(chain: Chain) -> str:
    """Each with its count, and that since when it stands."""
    letters = {result: letter for letter, result in STATES.items()}
    return " ".join(
        f"{letters[r.result]}{r.since[0] if r.since else ''}{'-' if r.since else ''}{r.clock[0]}"
        for r in chain
    )


@pytest.mark.parametrize(
    ("results", "settled", "few", "kept"),
    [
        ("", 9, 0, ""),
        ("F", 9, 0, "F1"),
        ("pp", 9, 0, "p1 p2"),
        ("pFp", 9, 0, "F1-2 p3"),
        ("FpF", 9, 0, "F1-3"),
        ("FpF", 2, 0, "F1 p2 F3"),
        ("FFpF", 2, 0, "F1-2 p3 F4"),
        ("p?F", 9, 0, "?2 F1-3"),
        ("?F", 9, 0, "?1 F2"),
        ("pFpp", 1, 0, "p1 F2 p3 p4"),
        ("ppF", 9, 1, "p2 F1-3"),
        ("pF", 9, 1, "p1 F2"),
        ("p?pF", 9, 1, "?2 p3 F1-4"),
        ("FppFp", 9, 2, "p2 p3 F1-4 p5"),
    ],
)
def test_what_is_before_a_sure_record_that_all_know_is_dropped_but_for_the_last_few(
    results: str, settled: int, few: int, kept: str
) -> None:
    assert shown(without_dominated(chain_of(results), 0, settled, few)) == kept


@pytest.mark.parametrize(("few", "first", "then"), [(0, "F1-2", "F1-4"), (1, "p1 F2", "p3 F1-4")])
def test_a_sure_record_remembers_all_that_was_ever_dropped_for_it(
    few: int, first: str, then: str
) -> None:
    once = without_dominated(chain_of("pF"), 0, 2, few)
    assert shown(once) == first
    twice = without_dominated((*once, Record(X, (3,), FRM_P), Record(X, (4,), FRM)), 0, 4, few)
    assert shown(twice) == then
    assert shown(without_dominated(twice, 0, 9, few)) == then
    assert shown(without_dominated(twice, 0, 9, 0)) == "F1-4"


@pytest.mark.parametrize(
    ("results", "longest", "kept"),
    [
        ("pp", 2, "p1 p2"),
        ("ppp", 2, "p1-2 p3"),
        ("pppp", 2, "p1-3 p4"),
        ("Fpp", 2, "F1 p2-3"),
        ("FF", 1, "p1-2"),
        ("p?p", 1, "p1 ?2 p3"),
        ("pp?F", 3, "p1-2 ?3 F4"),
        ("p?pF", 3, "p1 ?2 p3-4"),
    ],
)
def test_the_oldest_neighbours_are_merged_but_open_ones_never(
    results: str, longest: int, kept: str
) -> None:
    assert shown(merged(chain_of(results), longest)) == kept


def test_no_record_is_lost_without_one_that_stands_for_it() -> None:
    """However a chain was dropped from and merged, for each event that it was of there is a record,
    and this is not surer than what was there. Planted: the same, where what is left of a chain does
    not say since when."""

    def lost(keep: Any) -> int:
        gone = 0
        for seed in range(300):
            random = Random(seed)
            whole: list[Record] = []
            chain: Chain = ()
            for count in range(1, random.randint(2, 12)):
                record = Record(X, (count,), STATES[random.choice("FFppp?")])
                whole.append(record)
                few = random.randint(0, 2)
                chain = keep((*chain, record), random.randint(0, count), few, random.randint(1, 4))
            for record in whole:
                found = standing_for(chain, 0, record.clock[0])
                gone += found is None
                if found is not None and found.clock == record.clock and found.result == FRM:
                    assert record.result == FRM
            opened = [record for record in whole if record.result == OPEN]
            assert [record for record in chain if record.result == OPEN] == opened
        return gone

    def kept(chain: Chain, settled: int, few: int, longest: int) -> Chain:
        return merged(without_dominated(chain, 0, settled, few), longest)

    def unmarked(chain: Chain, settled: int, few: int, longest: int) -> Chain:
        left = kept(chain, settled, few, longest)
        return tuple([record._replace(since=None) for record in left])

    assert lost(kept) == 0
    assert lost(unmarked) > 100


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, "p1-3"),
        (2, "p1-3"),
        (3, "p1-3"),
        (4, "p4"),
        (5, "F5-7"),
        (6, "F5-7"),
        (7, "F5-7"),
        (8, ""),
    ],
)
def test_what_stands_for_an_event_is_its_own_record_or_one_that_was_made_of_it(
    count: int, expected: str
) -> None:
    chain = (
        Record(X, (3,), FRM_P, (1,)),
        Record(X, (4,), FRM_P),
        Record(X, (7,), FRM, (5,)),
    )
    found = standing_for(chain, 0, count)
    assert shown((found,) if found else ()) == expected


@pytest.mark.parametrize(("count", "stands"), [(1, False), (2, False), (3, True), (4, True)])
def test_a_gap_stands_for_nothing_that_was_before_it(count: int, stands: bool) -> None:
    gap = Record(X, (NEVER,), GAP, (2,))
    assert standing_for((gap,), 0, count) == (gap if stands else None)


def test_a_sure_record_that_stands_for_older_ones_is_not_forgotten_when_it_is_merged() -> None:
    """The first of these was kept, though others before it are gone."""
    chain = (Record(X, (4,), FRM_P), Record(X, (5,), FRM, (1,)))
    assert shown(merged(chain, 1)) == "p1-5"


# What is told.

A, B, C = Message("P1", "a", "P2"), Message("P2", "b", "P3"), Message("P3", "c", "P1")
CHAIN = automaton_of("q0", "q3", ("q0", A, "q1"), ("q1", B, "q2"), ("q2", C, "q3"))
NAMES = ("P1", "P2", "P3")
A_FIRES = Reference("q0", "P1", "q1")
B_FIRES = Reference("q1", "P2", "q2")
C_FIRES = Reference("q2", "P3", "q3")


def monitor_of(process: str, **settings: Any) -> Monitor:
    table = transition_tables(CHAIN, NAMES, "precise")[process]
    return Monitor(table, NAMES, PRECISE, **settings)


P2 = monitor_of("P2")


def told_by_p2(
    records: Sequence[Record],
    rests_on: Sequence[Evidence] = (),
    *,
    event: VectorClock = (0, 0, 5),
    asked: tuple[Reference, ...] = (B_FIRES,),
    named: tuple[Named, ...] = (),
    **rest: Any,
) -> Answer:
    """The answer of P2 with this history to P3."""
    state = P2.initial()._replace(history=(tuple(records),), evidence=tuple(rests_on), **rest)
    inquiry = Inquiry("P3", "P2", C_FIRES, event, asked, event, 0, named)
    return PRECISE.answer(P2, state, inquiry)


RECORDS = (
    Record(B_FIRES, (0, 1, 0), FRM),
    Record(B_FIRES, (2, 2, 0), FRM_P),
    Record(B_FIRES, (2, 3, 0), OPEN),
    Record(B_FIRES, (2, 4, 5), FRM_P),
)
OF_A = (Record(A_FIRES, (1, 0, 0), FRM), Record(A_FIRES, (3, 0, 5), FRM))


def test_an_answer_tells_all_that_is_not_after_the_event_as_it_is() -> None:
    assert told_by_p2(RECORDS) == Answer(RECORDS[:3])
    assert told_by_p2(RECORDS, event=(0, 0, 6)) == Answer(RECORDS)
    assert told_by_p2(RECORDS, asked=(A_FIRES,)) == Answer(())


def test_it_tells_all_that_undecided_records_rest_on_also_what_is_after_the_event() -> None:
    """Others rest on these records, too, which are about events that are not before this one."""
    resting = [Evidence(2, OF_A), Evidence(4, (Record(A_FIRES, (2, 0, 0), FRM),))]
    assert told_by_p2(RECORDS, resting) == Answer(RECORDS[:3], OF_A)
    assert told_by_p2(RECORDS[:1], resting) == Answer(RECORDS[:1])


def test_nothing_is_told_of_what_an_undecided_record_does_not_rest_on() -> None:
    stray = Record(C_FIRES, (0, 0, 1), FRM)
    assert told_by_p2(RECORDS, [Evidence(2, (stray, *OF_A))]).evidence == OF_A


def test_events_that_wait_to_be_judged_are_told_as_open() -> None:
    label = Label(SEND, B)
    waiting = (Event(label, (0, 6, 0)), Event(label, (0, 7, 5)))
    told = told_by_p2((), unprocessed=waiting)
    assert told == Answer((Record(B_FIRES, (0, 6, 0), OPEN),))


def test_gaps_are_told_that_began_before_the_event() -> None:
    gaps = (Gap((0, 1, 0), (0, 3, 0)), Gap((0, 4, 5), (0, 6, 5)))
    assert told_by_p2((), gaps=gaps) == Answer((Record(B_FIRES, (0, 3, 0), GAP, (0, 1, 0)),))


def test_what_is_asked_about_by_name_is_told_or_what_stands_for_it() -> None:
    records = (Record(B_FIRES, (0, 3, 0), FRM, (0, 1, 0)), *RECORDS[3:])
    named = (Named(2, B_FIRES), Named(3, B_FIRES), Named(9, B_FIRES), Named(4, A_FIRES))
    assert told_by_p2(records, named=named) == Answer(records[:1])
    resting = [Evidence(4, OF_A)]
    told = told_by_p2(records, resting, named=(Named(4, B_FIRES),))
    assert told == Answer(records[1:], OF_A)


def test_evidence_that_is_too_much_is_not_told_and_what_rests_on_it_may_have_fired() -> None:
    many = tuple(Record(A_FIRES, (n, 0, 0), FRM) for n in range(1, MOST_EVIDENCE_TOLD + 2))
    assert told_by_p2(RECORDS, [Evidence(2, many[1:])]).evidence == many[1:]
    told = told_by_p2(RECORDS, [Evidence(2, many)])
    assert not told.evidence
    assert set(told.records) == {
        RECORDS[0],
        RECORDS[2],
        RECORDS[1]._replace(since=RECORDS[1].clock),
    }


# The second inquiry. P2 sends b, and asks P1 about a. P3 sends c, and asks P2 about b, which does
# not know yet; nor does P3 know that b came first.


def b_is_still_open(rules: Rules, automaton: SequenceAutomaton = CHAIN) -> Told:
    run = Told.of(System(automaton, NAMES, rules, queued=False))
    run.sends(B)
    run.sends(C)
    run.delivers("P3", "P2")
    return run


def messages(effects: list[Effect]) -> list[object]:
    return [effect.message for effect in effects if isinstance(effect, Send)]


def test_what_is_open_is_asked_about_by_name_and_waited_for() -> None:
    run = b_is_still_open(PRECISE)
    [inquiry] = messages(run.delivers("P2", "P3"))
    assert isinstance(inquiry, Inquiry)
    assert (inquiry.receiver, inquiry.asked) == ("P2", ())
    assert inquiry.named == (Named(1, B_FIRES),)
    assert run.delivers("P3", "P2") == []
    assert run.world.states[1].postponed == (inquiry,)
    run.delivers("P2", "P1")
    [answer] = messages(run.delivers("P1", "P2"))
    assert isinstance(answer, Response)
    assert (answer.named, answer.records, answer.evidence) == (inquiry.named, (), ())
    [word] = run.delivers("P2", "P3")
    assert isinstance(word, Declared)
    assert word.verdict is None
    assert not run.run.unfinished()


def test_sound_rules_leave_that_open_though_all_orders_agree() -> None:
    run = b_is_still_open(SOUND).settles()
    assert run.last_verdicts() == {1: POSSIBLY_VIOLATED}
    assert evaluate(CHAIN, NAMES, run.events)[1] == Formed.NEVER
    assert not run.formed


def test_whoever_is_asked_by_name_knows_what_the_asker_knew() -> None:
    run = b_is_still_open(PRECISE)
    run.sends(C)
    run.delivers("P2", "P3")
    assert run.world.clocks[1][2] == 1
    run.delivers("P3", "P2")
    run.delivers("P3", "P2")
    assert run.world.clocks[1][2] == 2


def test_clocks_of_second_inquiries_are_merged() -> None:
    """No run is known in which a guarantee rests on it."""
    asked = 0
    for run in runs(200, PRECISE):
        before = run.worlds[0]
        for (move, place, _), after in zip(run.steps, run.worlds[1:], strict=True):
            if move.kind == "deliver":
                message = before.channels[move.place][move.which]
                if isinstance(message, Inquiry) and message.named:
                    asked += 1
                    pairs = zip(message.clock, after.clocks[place], strict=True)
                    assert not any(told > known for told, known in pairs)
            before = after
    assert asked


def test_what_was_dropped_and_is_asked_about_may_have_fired(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One long run in which who holds an open record asks after it was dropped. Planted: the record
    that was left does not say so, and a formation is missed."""
    for module in ("inspection", "pull"):
        monkeypatch.setattr(f"choreomon.monitor.{module}.SMALL", 1)
    monkeypatch.setattr(precise, "KEPT_DOMINATED", 0)
    settings: dict[str, Any] = {"count": (3, 4), "events": (15, 30)}
    run = draw_run(Random(421), PRECISE, **settings)
    assert not run.missed()
    assert any(isinstance(effect, Unsettled) for _, _, effects in run.steps for effect in effects)
    assert draw_run(Random(421), planted.DropsWithoutMark(), **settings).missed() == {30}


@pytest.mark.parametrize("seed", [4639, 7781])
def test_the_last_few_that_are_dominated_settle_what_would_stay_open(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found among 12,000 runs in which all that is dominated was dropped at once."""

    def settles() -> bool:
        steps = draw_run(Random(seed), PRECISE).steps
        return not any(isinstance(each, Unsettled) for _, _, effects in steps for each in effects)

    assert settles()
    monkeypatch.setattr(precise, "KEPT_DOMINATED", 0)
    assert not settles()


def test_what_is_given_up_is_not_settled() -> None:
    run = b_is_still_open(PRECISE)
    p3, event = run.system.monitors[2], run.run.events[1].clock
    *_, effects = p3.step(run.world.states[2], run.world.clocks[2], GiveUp(event))
    [unsettled, word] = effects
    assert unsettled == Unsettled(event)
    assert isinstance(word, Declared)
    assert word.verdict is not None
    assert word.verdict.kind == POSSIBLY_VIOLATED


def test_nothing_is_asked_twice_about_an_event_that_violates_anyway() -> None:
    """c starts a sequence, too, which it ends."""
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q3", "q4"],
        transitions=[
            *(StatedTransition(t.source, t.label, t.target) for t in CHAIN.forward),
            StatedTransition("q0", Label(SEND, C), "q4"),
        ],
    )
    [word] = b_is_still_open(PRECISE, automaton).delivers("P2", "P3")
    assert isinstance(word, Declared)
    assert word.verdict is not None
    assert word.verdict.kind == VIOLATED


def test_an_own_record_that_was_open_elsewhere_is_sure_though_others_were_dropped_for_it() -> None:
    p1 = monitor_of("P1")
    sure = Record(A_FIRES, (2, 0, 0), FRM, (1, 0, 0))
    state = p1.initial()._replace(history=((sure,),))
    told_back = Record(A_FIRES, (2, 0, 0), OPEN)
    plan = Plan((), (), (), (), starts=False)
    inspection = Inspection((3, 0, 0), plan, (), evidence=(told_back,))
    assert known_records(p1, state, inspection) == [sure]


def test_an_own_event_that_waits_to_be_judged_is_open_though_no_record_is_left_of_it() -> None:
    """Somebody tells back that it is; that its history has nothing of it says nothing."""
    p1 = monitor_of("P1")
    state = p1.initial()._replace(unprocessed=(Event(Label(SEND, A), (4, 0, 0)),))
    waits, gone = Record(A_FIRES, (4, 0, 0), OPEN), Record(A_FIRES, (2, 0, 0), OPEN)
    plan = Plan((), (), (), (), starts=False)
    inspection = Inspection((3, 0, 0), plan, (), evidence=(waits, gone))
    assert known_records(p1, state, inspection) == [waits]


def inspected_by_p3(evidence: tuple[Record, ...], answer: tuple[Record, ...] = ()) -> Inspection:
    """The inspection of the event (0, 0, 5) of P3, P2's answer being there."""
    plan = Plan((), (), (("P2", 1, (B_FIRES,)),), (), starts=False)
    return Inspection((0, 0, 5), plan, (), answer, (), evidence)


def test_an_answer_says_nothing_of_what_is_after_the_event() -> None:
    """So what is open there, as others tell, is not known to have come to nothing."""
    p3 = monitor_of("P3")
    after, before = Record(B_FIRES, (0, 9, 5), OPEN), Record(B_FIRES, (0, 3, 4), OPEN)
    inspection = inspected_by_p3((after, before))
    known = known_records(p3, p3.initial(), inspection)
    assert known == [after]
    assert concerning(p3, inspection, known) == []


@pytest.mark.parametrize("told", [(), (Record(B_FIRES, (0, 6, 0), GAP, (0, 4, 0)),)])
def test_who_answers_says_which_gaps_there_are_for_the_event(told: tuple[Record, ...]) -> None:
    """Others may have been told of one in which nothing was lost. They may be right all the same:
    who lost its disk has forgotten what it had answered."""
    p3 = monitor_of("P3")
    heard = Record(B_FIRES, (0, NEVER, 0), GAP, (0, 2, 0))
    inspection = inspected_by_p3((heard,), told)
    known = known_records(p3, p3.initial(), inspection)
    assert {*known} == {heard, *told}
    assert concerning(p3, inspection, known) == [*told]


def test_a_gap_in_which_nothing_was_lost_leaves_nothing_open_for_later_events() -> None:
    """P2 answers the second event of P1 after its gap has ended, and the first one in it."""
    a, b = Message("P1", "a", "P2"), Message("P2", "b", "P1")
    automaton = automaton_of(
        "q0", "q3", ("q0", a, "q1"), ("q1", b, "q2"), ("q2", a, "q3"), ("q2", a, "q1")
    )
    run = Execution(Setting(automaton, ("P1", "P2"), PRECISE, in_order=False))
    run.sends(a)
    run.opens(1)
    run.delivers(0, 1)
    run.ends(1, lost=False)
    run.sends(a)
    run.delivers(0, 1)
    run.settles()
    assert run.words() == {0: POSSIBLY_VIOLATED, 1: None}


# Rights.


def rights(process: str, **settings: Any) -> Rights:
    return rights_of(monitor_of(process, **settings))


def named_inquiry(sender: str, receiver: str, *named: Named, clock: VectorClock) -> Inquiry:
    inspected = {"P1": A_FIRES, "P2": B_FIRES, "P3": C_FIRES}[sender]
    return Inquiry(sender, receiver, inspected, (0, 0, 0), (), clock, 0, named)


def test_what_a_transition_rests_on_may_be_asked_about_by_name_and_not_otherwise() -> None:
    """P3 needs b alone; but b rests on a."""
    named = named_inquiry("P3", "P1", Named(2, A_FIRES), clock=(2, 0, 1))
    assert rights("P1").wrong_inquiry(named) is None
    refused = rights("P1").wrong_inquiry(named._replace(named=(), asked=(A_FIRES,)))
    assert refused is not None
    assert refused.reason == "rights"


@pytest.mark.parametrize(
    ("inquiry", "reason"),
    [
        (named_inquiry("P1", "P2", Named(1, B_FIRES), clock=(1, 1, 0)), "rights"),
        (named_inquiry("P3", "P2", Named(1, C_FIRES), clock=(0, 1, 1)), "rights"),
        (named_inquiry("P3", "P2", Named(2, B_FIRES), clock=(0, 1, 1)), "clock"),
        (named_inquiry("P3", "P2", Named(0, B_FIRES), clock=(0, 1, 1)), "clock"),
        (
            named_inquiry(
                "P3", "P2", *[Named(1, B_FIRES)] * (MOST_EVIDENCE_TOLD + 1), clock=(0, 1, 1)
            ),
            "rights",
        ),
        (
            named_inquiry("P3", "P2", Named(1, B_FIRES), clock=(0, 1, 1))._replace(
                asked=(C_FIRES,)
            ),
            "rights",
        ),
    ],
    ids=[
        "no follower",
        "not its own",
        "beyond the clock",
        "no event",
        "too many",
        "and asks besides",
    ],
)
def test_second_inquiries_are_refused(inquiry: Inquiry, reason: str) -> None:
    refused = rights("P2").wrong_inquiry(inquiry)
    assert refused is not None
    assert refused.reason == reason


def response(
    *told: Record, named: tuple[Named, ...] = (), records: Sequence[Record] = ()
) -> Response:
    """P2 tells P3 this evidence."""
    return Response("P2", "P3", C_FIRES, 1, tuple(records), (1, 1, 1), 0, told, named)


A_BEFORE = Record(A_FIRES, (1, 0, 0), FRM)


def test_evidence_is_taken_of_what_the_own_transitions_rest_on() -> None:
    mine = Record(C_FIRES, (0, 0, 1), OPEN)
    assert rights("P3").wrong_response((0, 0, 1), response(A_BEFORE, mine)) is None
    opened = [Record(B_FIRES, (0, 1, 0), OPEN)]
    assert rights("P3").wrong_response((0, 0, 1), response(records=opened)) is None


def test_as_much_evidence_and_as_many_names_are_taken_as_may_be_told() -> None:
    told = response(*[A_BEFORE] * MOST_EVIDENCE_TOLD)
    assert rights("P3").wrong_response((0, 0, 1), told) is None
    names = [Named(1, B_FIRES)] * MOST_EVIDENCE_TOLD
    asked = named_inquiry("P3", "P2", *names, clock=(0, 1, 1))
    assert rights("P2").wrong_inquiry(asked) is None


def test_an_answer_is_refused_where_any_transition_has_more_records_than_may_be() -> None:
    other = Reference("q7", "P2", "q8")
    asked = {(C_FIRES, "P2"): frozenset((B_FIRES, other))}
    allowed = replace(rights("P3"), asked_of=asked, most_records=2)
    b, c = Record(B_FIRES, (0, 1, 0), FRM), Record(other, (0, 1, 0), FRM)
    assert allowed.wrong_response((0, 0, 1), response(records=[b, b, c, c])) is None
    for records in ([b, b, b, c], [c, b, b, b], [b, b, b]):
        refused = allowed.wrong_response((0, 0, 1), response(records=records))
        assert refused is not None
        assert (refused.reason, refused.detail[:9]) == ("answer", "3 records")


@pytest.mark.parametrize("most_open", [0, 1, 3, 512])
def test_an_answer_after_which_as_many_were_opened_as_may_be_is_not_refused(most_open: int) -> None:
    """The chain is as long as merging leaves it, one gap is open, and before it there were as many
    as are told apart."""
    count = MOST_RECORDS + most_open
    results = [FRM_P if number <= MOST_RECORDS else OPEN for number in range(1, count + 1)]
    chain = tuple(Record(B_FIRES, (0, n, 0), result) for n, result in enumerate(results, 1))
    assert merged(chain[:MOST_RECORDS]) == chain[:MOST_RECORDS]
    ends = [count + 1 + 2 * number for number in range(MAX_GAPS)]
    gaps = [Gap((0, until - 1, 0), (0, until, 0)) for until in ends]
    told = told_by_p2(chain, gaps=(*gaps, open_since((0, ends[-1], 0), 1)))
    assert len(told.records) == MOST_RECORDS + most_open + MAX_GAPS + 1
    answer = response(records=told.records)._replace(clock=(0, ends[-1], 1))
    assert rights("P3", most_open=most_open).wrong_response((0, 0, 1), answer) is None


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (response(Record(Reference("q7", "P1", "q8"), (1, 0, 0), FRM)), "answer"),
        (response(Record(Reference("q7", "P3", "q8"), (0, 0, 1), FRM)), "answer"),
        (response(Record(A_FIRES, (1, 0, 2), FRM)), "clock"),
        (response(Record(C_FIRES, (0, 0, 2), FRM)), "clock"),
        (response(*[A_BEFORE] * (MOST_EVIDENCE_TOLD + 1)), "answer"),
        (response(named=(Named(1, B_FIRES),), records=[A_BEFORE]), "answer"),
    ],
    ids=[
        "outside of the skeleton",
        "no own transition",
        "beyond the clock",
        "an own event that did not happen",
        "too much",
        "of another in place of its own",
    ],
)
def test_evidence_is_refused(message: Response, reason: str) -> None:
    refused = rights("P3").wrong_response((0, 0, 1), message)
    assert refused is not None
    assert refused.reason == reason


def test_an_answer_in_which_every_other_record_is_open_is_not_refused() -> None:
    """P2 sends b and d in turn, either of which leads on after a. What b fires besides, P4 has to
    answer for, which is dead; so b stays open, d does not, and no two neighbours can be merged."""
    d, z = Message("P2", "d", "P3"), Message("P4", "z", "P1")
    automaton = automaton_of(
        "q0 q4",
        "q3",
        ("q0", A, "q1"),
        ("q1", B, "q2"),
        ("q1", d, "q2"),
        ("q4", z, "q5"),
        ("q5", B, "q6"),
        ("q2", C, "q3"),
        ("q6", C, "q3"),
    )
    most_open = 2 * MOST_RECORDS
    run = Execution(Setting(automaton, (*NAMES, "P4"), PRECISE, most_open=most_open), dead=[3])
    run.sends(A)
    for _ in range(most_open):
        run.sends(B)
        run.sends(d)
        run.settles()
    # The last d took the place of one.
    assert len(run.states[1].monitor.inspections) == most_open - 1
    run.sends(C)
    run.settles()
    assert run.refused() == []
    answers = [step.given for step in run.steps if step.process == 2]
    assert 2 * most_open - 1 in [
        sum(record.reference == B_FIRES for record in answer.records)
        for answer in answers
        if isinstance(answer, Response)
    ]


def test_no_answer_of_a_real_run_is_refused() -> None:
    told = 0
    for run in runs(200, PRECISE):
        for number, (move, place, _) in enumerate(run.steps):
            if move.kind != "deliver":
                continue
            world = run.worlds[number]
            message = world.channels[move.place][move.which]
            allowed = rights_of(run.system.monitors[place])
            if isinstance(message, Inquiry):
                assert allowed.wrong_inquiry(message) is None
                told += bool(message.named)
            else:
                assert isinstance(message, Response)
                assert allowed.wrong_response(world.clocks[place], message) is None
                told += bool(message.evidence)
    assert told > 100
