"""What is counted where messages have no ids: the same in whatever order logs are read.

More of the law: `python -m benchmarks.audit_brute_force --mixed --orders 24`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from choreomon.audit import messages
from choreomon.audit.auditor import Auditor
from choreomon.audit.causality import Causality
from choreomon.audit.messages import Messages, Told
from choreomon.audit.numbers import SessionNumbers, WholeLog
from choreomon.audit.process import Key
from choreomon.core.message import SEND, Label, Message
from choreomon.core.recorded import RecordedEvent
from choreomon.properties.automaton import StatedTransition
from tests.audit.cases import case
from tests.audit.reading_orders import merges, read_in_orders
from tests.audit.test_logs_that_lack import audited, automaton, event, kinds


def said(*logs: list[RecordedEvent]) -> tuple[str, ...]:
    """Of `a` and then `b`, read in every order; fails where these differ."""
    found = {tuple(kinds(audited(events)[0])) for events in merges([*logs])}
    assert len(found) == 1, found
    return found.pop()


def counted(name: str, *numbers: int | None, **more: object) -> list[RecordedEvent]:
    return [event(f"P1!{name}>P2", at, number=at, **more) for at in numbers if at is not None]


RECEIVED = [event("P2?m<P1", 1, number=1), event("P2!b>P3", 2, number=2)]


def test_sends_are_counted_that_have_clocks_among_others_that_have_none() -> None:
    """`b` may come before `a`, and after it: it follows the first `m` only."""
    first, last = counted("m", 1, clock={"P1": 1}), counted("m", 3)
    assert said([*first, *counted("a", 2), *last], RECEIVED) == ("possibly-violated",)
    assert said([*counted("a", 1), *counted("m", 2, clock={"P1": 2})], RECEIVED) == ("violated",)


def test_sends_are_counted_of_who_has_clocks_elsewhere() -> None:
    """A clock before the send or after it changes nothing."""
    clock = counted("x", 1, clock={"P1": 1})
    assert said([*clock, *counted("a", 2), *counted("m", 3)], RECEIVED) == ("violated",)
    later = counted("x", 3, clock={"P1": 3})
    assert said([*counted("a", 1), *counted("m", 2), *later], RECEIVED) == ("violated",)


def test_what_a_counted_send_knows_by_its_clock_may_be_read_later() -> None:
    told = [event("P3!m>P2", 1, clock={"P1": 1, "P3": 1})]
    received = [event("P2?m<P3", 2), event("P2!b>P3", 3)]
    assert said(counted("a", 1), told, received) == ("violated",)


def test_a_send_with_an_id_ends_counting_its_message_and_not_what_came_before() -> None:
    log = [*counted("a", 1), *counted("m", 2), *counted("m", 3, message_id="3")]
    assert said(log, RECEIVED) == ("violated",)
    log = [*counted("a", 1), *counted("m", 2, message_id="2"), *counted("m", 3)]
    assert said(log, RECEIVED) == ("possibly-violated",)


def test_a_send_to_nobody_ends_counting_its_message_and_not_what_came_before() -> None:
    nobody = event("P1!m", 3, number=3)
    assert said([*counted("a", 1), *counted("m", 2), nobody], RECEIVED) == ("violated",)
    nobody = nobody._replace(number=1)
    log = [nobody, *counted("a", 2), *counted("m", 3)]
    assert said(log, RECEIVED) == ("possibly-violated",)


def test_what_is_not_counted_closes_no_cycle() -> None:
    """P2 received what P1 sent first, with an id or to nobody; not what it sends at last."""
    for first in (event("P1!m>P2", 1, message_id="1"), event("P1!m", 1)):
        sender = [event("P1?x<P2", 2), first, event("P1!a>P2", 3), event("P1!m>P2", 4)]
        receiver = [event("P2?m<P1", 5), event("P2!x>P1", 6), event("P2!b>P3", 7)]
        assert said(sender, receiver) == ("possibly-violated",)


def test_what_is_missing_from_all_sessions_closes_no_cycle() -> None:
    """Number 2 of P1 may have been the send of what P2 received at first."""
    numbers = [(1, "P1?x<P2"), (3, "P1!a>P2"), (4, "P1!m>P2")]
    sender = [event(told, 1, number=number) for number, told in numbers]
    numbers = [(1, "P2?m<P1"), (2, "P2!x>P1"), (3, "P2!b>P3")]
    receiver = [event(told, 1, number=number) for number, told in numbers]
    log = WholeLog("process")
    for each in (*sender, *receiver):
        log.add(each)
    numbering = SessionNumbers(log.found(), [*sender, *receiver])
    for events in merges([sender, receiver]):
        auditor = Auditor(automaton(), numbering=numbering)
        for each in events:
            auditor.add(each)
        assert kinds(auditor.finish()) == ["possibly-violated"]


@pytest.mark.parametrize("anew", [False, True])
def test_who_knows_events_of_other_sessions_waits_for_those_of_its_own(anew: bool) -> None:
    """P2 knows event 2 of P1, which is of another session, and event 1 of P3, which is of this;
    P3 may begin anew in each session."""
    logs = [
        [event("P1!x>P2", 1, number=1)],
        [event("P3!c>P2", 1, number=1)],
        [event("P2!b>P3", 1, clock={"P1": 2, "P2": 1, "P3": 1})],
    ]
    own = [each for log in logs for each in log]
    whole = WholeLog()
    others = [event("P1!x>P2", 2, number=2), event("P3!c>P2", 2, number=1 if anew else 2)]
    for each in (*own, *others):
        whole.add(each)
    assert whole.found().counted == ({"P1", "P2"} if anew else {"P1", "P2", "P3"})
    either = StatedTransition("q0", Label(SEND, Message("P3", "c", "P2")), "q1")
    for events in merges(logs):
        auditor = Auditor(automaton(either), numbering=SessionNumbers(whole.found(), own))
        for each in events:
            auditor.add(each)
        assert not auditor.waits("P2")
        assert kinds(auditor.finish(("P1", "P2", "P3"))) == ["violated"]


def test_ids_are_looked_for_also_where_other_sends_have_none() -> None:
    sender = [*counted("m", 1), *counted("a", 2), *counted("m", 3, message_id="3")]
    received = [event("P2?m<P1", 1, message_id="3"), event("P2!b>P3", 2)]
    assert said(sender, received) == ("violated",)


def test_ids_are_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where receptions alone have ids, they do not wait for the end of the logs."""
    monkeypatch.setattr(messages, "MAX_WITHOUT_ID", 2)
    waiting = []
    auditor = Causality(
        ("P1", "P2"),
        (),
        on_item=lambda _: None,
        on_lacking=lambda *_: None,
        on_diagnostic=lambda _: None,
    )
    auditor.add(event("P2?m<P1", 1, message_id="1"))
    for each in counted("m", 1, 2, 3, 4):
        waiting.append(auditor.waits("P2"))
        auditor.add(each)
    assert waiting == [True, True, True, False]


def test_messages_that_were_received_are_not_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    """However they were received: by who has a clock, and by who is counted."""
    monkeypatch.setattr(messages, "MAX_IN_FLIGHT", 2)
    for clocks in (True, False):
        log = []
        for at in range(1, 9):
            clock = {"P2": at} if clocks else None
            log += [event("P1!m>P2", at), event("P2?m<P1", at, clock=clock)]
        log += [event("P1!a>P2", 9), event("P1!m>P2", 10)]
        log += [event("P2?m<P1", 9), event("P2!b>P3", 10)]
        assert kinds(audited(log)[0]) == ["violated"]


def test_events_that_numbers_do_not_count_end_counting() -> None:
    """P1 numbers some of its events only, so that others may be missing."""
    log = [event("P1!x>P3", 1), *counted("a", 1), *counted("m", 2)]
    assert said(log, RECEIVED) == ("possibly-violated",)


def wrong(seeds: range, at_most: int = 12) -> list[str]:
    return [
        f"seed {seed}: {each}"
        for seed in seeds
        for each in read_in_orders(case(seed, mixed=True), at_most=at_most).wrong
    ]


def test_the_answer_is_that_of_brute_force_in_every_order_of_reading() -> None:
    assert wrong(range(250)) == []


_reception = Messages.reception


def _no_id_behind_a_send_without(
    self: Messages, event: RecordedEvent
) -> tuple[Told | None, Key | None]:
    told, key = _reception(self, event)
    return told, None if event.message_id is not None and self.without_id(event) else key


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (Messages, "reception", _no_id_behind_a_send_without),
    ],
)
def test_counting_that_hangs_on_the_order_of_reading_is_found(
    monkeypatch: pytest.MonkeyPatch, where: type, name: str, planted: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, planted)
    assert any(wrong(range(seed, seed + 1)) for seed in range(4_000))
