"""What one search, and one window, may take: the bounds of docs/audit.md, to the last one."""

from __future__ import annotations

import pytest

from choreomon.audit import labelling
from choreomon.audit.auditor import Auditor
from choreomon.audit.causality import Causality
from choreomon.audit.items import Gap, Item
from choreomon.audit.search import Found, Way, further, happenings, search, shortened
from choreomon.audit.window import Limits
from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import SEND, Label, Message
from choreomon.core.recorded import RecordedEvent
from choreomon.properties.partial_order import LiveSet
from tests.audit.test_logs_that_lack import A, B, V, audited, event, kinds
from tests.properties.stated import automaton_of


def nothing_happens(label: Label, live: LiveSet) -> tuple[LiveSet, bool]:
    return live, False


def item(process: int, rank: int, *, gap: Gap | None = None, opens: bool = False) -> Item:
    """One of two processes that know nothing of each other."""
    clock = (rank, 0) if process == 0 else (0, rank)
    label = (A, B)[process] if gap is None else None
    return Item(process, rank, clock, 100 * process + rank, label, None, gap, opens)


def searched(*chains: list[Item], max_cuts: int) -> Found:
    return search(nothing_happens, chains, [[A], [B]], {0: None}, max_cuts=max_cuts)


def chain(process: int, length: int) -> list[Item]:
    return [item(process, rank) for rank in range(1, length + 1)]


@pytest.mark.parametrize(("left", "right"), [(0, 0), (1, 1), (2, 3), (5, 4)])
def test_a_search_looks_at_each_cut_once_and_at_no_more_than_it_may(left: int, right: int) -> None:
    cuts = (left + 1) * (right + 1)
    assert searched(chain(0, left), chain(1, right), max_cuts=cuts).cuts == cuts
    with pytest.raises(BudgetExceeded):
        searched(chain(0, left), chain(1, right), max_cuts=cuts - 1)


@pytest.mark.parametrize("length", [0, 1, 4])
def test_that_a_gap_opens_costs_no_cuts(length: int) -> None:
    gap = Gap("P1", "lost")
    ends = [item(0, 1, gap=gap, opens=True), item(0, 2, gap=gap)]
    assert searched(ends, chain(1, length), max_cuts=100).cuts == 2 * (length + 1)


@pytest.mark.parametrize("longest", [1, 3])
def test_a_way_is_as_long_as_it_says_and_never_twice_as_long_as_what_is_kept(longest: int) -> None:
    items = chain(0, 20)
    way: Way | None = None
    for number, each in enumerate(items, 1):
        way = shortened(further(way, each), longest)
        assert way is not None
        left = happenings(way)
        assert way.length == len(left) <= 2 * longest
        assert left == items[number - len(left) : number]
        assert way.cut_off == (len(left) < number)


def test_what_nobody_hears_of_is_kept_up_to_the_window_and_no_further() -> None:
    """P2 hears of nothing until the end, where it is still asked in which order all came."""
    for length, undecided in ((4, False), (5, True)):
        log = [event("P1!a>P2", line) for line in range(1, length)]
        outcome, _ = audited([*log, event("P2!b>P3", length)], patience=1, max_window=4)
        (verdict,) = outcome.verdicts
        assert (verdict.kind, verdict.undecided) == ("possibly-violated", undecided)
        assert ("(--max-window)" in verdict.reason) == undecided


def test_an_order_of_what_was_decided_is_shown_where_the_rest_was_not() -> None:
    """The budget ends behind the first window, so no order of all of it is known."""
    first = [event("P1!a>P2", 1), event("P2!b>P3", 2)]
    heard = [event("P1!x>P2", 3), event("P2?x<P1", 4), event("P2!y>P1", 5), event("P1?y<P2", 6)]
    rest = [event("P1!a>P2", 7), event("P1!a>P2", 8), event("P2!b>P3", 9), event("P2!b>P3", 10)]
    outcome, _ = audited([*first, *heard, *rest], patience=1, max_cuts=4)
    assert [each.undecided for each in outcome.verdicts] == [False, True, True]
    assert outcome.overall.undecided
    assert outcome.verdicts[0].formed is not None
    assert outcome.overall.formed == outcome.verdicts[0].formed


def all_hear(line: int) -> list[RecordedEvent]:
    """Each of three processes hears of all that the others did before."""
    pairs = [("P1", "P2"), ("P3", "P2"), ("P2", "P1"), ("P2", "P3")]
    return [
        each
        for place, (one, other) in enumerate(pairs)
        for each in (
            event(f"{one}!hear>{other}", line + 2 * place),
            event(f"{other}?hear<{one}", line + 2 * place + 1),
        )
    ]


def test_all_that_may_be_live_behind_a_window_beyond_the_budget_may_form_something() -> None:
    """Nobody knows whether `stop` came before `a`, nor before `c`: both may still be live."""
    c, d = Label(SEND, Message("P1", "c", "P2")), Label(SEND, Message("P2", "d", "P3"))
    stop = Label(SEND, Message("P3", "stop", "P1"))
    two = automaton_of(
        "q0",
        "q3",
        ("q0", A, "q1"),
        ("q0", c, "q2"),
        ("q1", B, "q3"),
        ("q2", d, "q3"),
        ("q1", stop, "q0"),
        ("q2", stop, "q0"),
    )
    auditor = Auditor(two, limits=Limits(max_cuts=5, patience=1, few_cuts=1))
    for each in (
        *(event("P1!a>P2", 1), event("P1!c>P2", 2), event("P3!stop>P1", 3)),
        *all_hear(4),
        *(event("P2!b>P3", 20), event("P2!d>P3", 21)),
    ):
        auditor.add(each)
    outcome = auditor.finish()
    assert kinds(outcome) == ["possibly-violated", "possibly-violated"]
    assert [verdict.undecided for verdict in outcome.verdicts] == [True, True]


def test_what_one_part_of_a_property_forms_stays_so_where_another_part_may_lack_events() -> None:
    """That P3 lacks a send is found late. It is none of the business of `a` and then `b`, of which
    the order that is shown ends where they were formed."""
    c = Label(SEND, Message("P3", "c", "P2"))
    two = automaton_of(
        "q0 r0", "q2 r2", ("q0", A, "q1"), ("q1", B, "q2"), ("r0", B, "r1"), ("r1", c, "r2")
    )
    auditor = Auditor(two)
    first = [event("P1!a>P2", 1), event("P2?a<P1", 2), event("P2!b>P3", 3)]
    for each in (*first, *all_hear(4), event("P1!a>P2", 20), *all_hear(21)):
        auditor.add(each)
    auditor.settle()
    assert [each.kind for each in auditor.verdicts] == ["violated"]
    auditor.add(event("P2?lost<P3", 40))
    outcome = auditor.finish()
    assert [gap.process for gap in outcome.late] == ["P3"]
    assert outcome.overall.kind == "violated"
    assert outcome.overall.formed is not None
    assert [each.label for each in outcome.overall.formed.events] == [A, B]


def test_the_searches_for_all_of_a_property_have_one_budget() -> None:
    """Of the first window nine cuts, since nothing is known of the order, of the second one three.
    Each part by itself has fewer."""
    c, d = Label(SEND, Message("P1", "c", "P2")), Label(SEND, Message("P2", "d", "P3"))
    two = automaton_of(
        "q0 r0", "q2 r2", ("q0", A, "q1"), ("q1", B, "q2"), ("r0", c, "r1"), ("r1", d, "r2")
    )
    first = [event("P1!a>P2", 1), event("P1!c>P2", 2), event("P2!b>P3", 3), event("P2!d>P3", 4)]
    for max_cuts in (12, 11):
        auditor = Auditor(two, limits=Limits(max_cuts=max_cuts, patience=1))
        for each in (*first, *all_hear(5), event("P1!a>P2", 20), event("P1!c>P2", 21)):
            auditor.add(each)
        outcome = auditor.finish()
        assert kinds(outcome) == ["possibly-violated", "possibly-violated"]
        assert not any(verdict.undecided for verdict in outcome.verdicts)
        assert outcome.overall.kind == "possibly-violated"
        assert outcome.overall.undecided == (max_cuts < 12)


def test_look_ups_know_what_was_live_before_the_window() -> None:
    log = [event("P1!a>P2", 1), *all_hear(2), event("P2!b>P3", 20)]
    outcome, _ = audited(log, patience=1, few_cuts=1, max_cuts=0)
    (verdict,) = outcome.verdicts
    assert (verdict.kind, verdict.undecided) == ("violated", False)


def test_numbers_are_found_behind_those_that_were_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P2 knows two `a`, so the first one's number is forgotten; then it knows `v`, too. A process
    that the property does not have knows nothing of them, which is no reason to keep it."""
    monkeypatch.setattr(labelling, "NUMBERS_KEPT", 1)
    log = [
        event("P9!x>P2", 1, clock={"P9": 1}),
        event("P1!a>P2", 2, clock={"P1": 1}),
        event("P1!a>P2", 3, clock={"P1": 2}),
        event("P2?a<P1", 4, clock={"P1": 2, "P2": 1}),
        event("P1!v>P2", 5, clock={"P1": 3}),
    ]
    found = Causality(
        ("P1", "P2"),
        (A, B, V),
        on_item=lambda _: None,
        on_lacking=lambda *_: None,
        on_diagnostic=lambda _: None,
    )
    for each in log:
        found.add(each)
    assert found._watching[0].forgotten == 1
    outcome, _ = audited([*log, event("P2!b>P3", 6, clock={"P1": 3, "P2": 2})])
    assert kinds(outcome) == []


@pytest.mark.parametrize("formed_before", [False, True])
def test_beyond_the_window_all_is_decided_again_once_all_have_heard(formed_before: bool) -> None:
    """What came before is known to nobody, and once `a`, `b` and `v` were told nobody needs to."""
    first = [event("P1!a>P2", 1), *all_hear(2), event("P2!b>P3", 10)]
    log = [
        *(first if formed_before else []),
        *all_hear(11),
        *(event("P1!a>P2", line) for line in range(20, 26)),
        *all_hear(30),
        *(*first, *all_hear(40), event("P1!v>P2", 50), *all_hear(51)),
        *(event("P1!a>P2", 60), event("P2!b>P3", 61)),
    ]
    outcome, _ = audited(log, patience=1, max_window=3)
    before = ["violated"] if formed_before else []
    assert kinds(outcome) == [*before, "violated", "possibly-violated"]
    assert not any(verdict.undecided for verdict in outcome.verdicts)
