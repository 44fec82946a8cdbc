"""What logs may lack or have too often: gaps, diagnostics, errors; and what then is said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from random import Random

import pytest

from choreomon.audit import messages
from choreomon.audit.auditor import Auditor
from choreomon.audit.items import Gap
from choreomon.audit.outcome import Outcome
from choreomon.audit.reading import side_by_side
from choreomon.audit.window import Limits
from choreomon.core.errors import DocumentError
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.logs.readers.reading import read_recorded
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.reports.audit_json import audit_json
from tests.audit.cases import case

A = Label(SEND, Message("P1", "a", "P2"))
B = Label(SEND, Message("P2", "b", "P3"))
V = Label(SEND, Message("P1", "v", "P2"))


def automaton(*more: StatedTransition) -> SequenceAutomaton:
    """`a` and then `b`, unless `v` is in between."""
    return sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition("q0", A, "q1"),
            StatedTransition("q1", B, "q2"),
            StatedTransition("q1", V, "q0"),
            *more,
        ],
    )


def event(text: str, line: int = 1, **more: object) -> RecordedEvent:
    """`P1!a>P2` is a send to P2, `P2?a<P1` a handling; the other end may be left out."""
    process, kind, rest = text[:2], text[2], text[3:]
    name, _, peer = rest.replace("<", ">").partition(">")
    what = SEND if kind == "!" else HANDLE
    return RecordedEvent(process, what, name, Place("log", line), peer or None, **more)  # type: ignore[arg-type]


def audited(
    events: Sequence[RecordedEvent], *, incomplete: Sequence[str] = (), **limits: int
) -> tuple[Outcome, list[Diagnostic]]:
    strange: list[Diagnostic] = []
    auditor = Auditor(
        automaton(),
        incomplete=incomplete,
        limits=Limits(**limits),
        on_diagnostic=strange.append,
    )
    for each in events:
        auditor.add(each)
    return auditor.finish(), strange


def kinds(outcome: Outcome) -> list[str]:
    return [verdict.kind for verdict in outcome.verdicts]


RECEIVED = [event("P1!a>P2"), event("P2?a<P1", 2), event("P2!b>P3", 3)]


def test_messages_are_counted_where_they_have_no_ids() -> None:
    outcome, strange = audited(RECEIVED)
    assert kinds(outcome) == ["violated"]
    assert strange == []


def test_sends_of_an_incomplete_process_are_not_counted() -> None:
    outcome, _ = audited(RECEIVED, incomplete=["P1"])
    assert kinds(outcome) == ["possibly-violated"]


def test_a_send_to_nobody_is_not_counted() -> None:
    outcome, strange = audited([event("P1!x"), event("P2?x<P1", 2), event("P2!b>P3", 3)])
    assert (kinds(outcome), strange) == ([], [])


def test_a_reception_that_has_no_send_makes_the_log_of_its_sender_a_gap() -> None:
    outcome, strange = audited([event("P1!x>P3"), event("P2?a<P1", 2), event("P2!b>P3", 3)])
    assert kinds(outcome) == ["possibly-violated"]
    assert [gap.reason for gap in outcome.gaps] == ["the log of P1 lacks the send of a to P2"]
    assert [each.kind for each in strange] == ["reception-without-send"]


def test_messages_from_the_environment_have_no_send() -> None:
    outcome, strange = audited([event("P1?go<env"), *RECEIVED])
    assert (kinds(outcome), strange) == (["violated"], [])


def test_two_receptions_of_one_message_are_told() -> None:
    sent = event("P1!a>P2", message_id="1")
    received = [event("P2?a<P1", line, message_id="1") for line in (2, 3)]
    outcome, strange = audited([sent, *received, event("P2!b>P3", 4)])
    assert kinds(outcome) == ["violated"]
    assert [each.kind for each in strange] == ["two-receptions"]


@pytest.mark.parametrize("clock", [None, {"P3": 1}])
def test_who_receives_a_message_that_others_received_is_after_its_send(
    clock: dict[str, int] | None,
) -> None:
    sent = event("P1!a>P2", 1, message_id="1")
    other = event("P3?a<P1", 2, message_id="1", clock=clock)
    own = [event("P2?a<P1", 3, message_id="1"), event("P2!b>P3", 4)]
    for order in ([sent, other, *own], [other, sent, *own], [other, *own, sent]):
        assert kinds(audited(order)[0]) == ["violated"]


def test_who_has_clocks_has_received_what_is_read_later() -> None:
    sent = event("P1!a>P2", 1, message_id="1", clock={"P1": 1})
    received = event("P2?a<P1", 2, message_id="1", clock={"P1": 1, "P2": 1})
    for order in ([sent, received], [received, sent]):
        assert audited(order)[1] == []


def test_of_two_sends_only_what_both_knew_is_told() -> None:
    sent = [event("P1!a>P2", 1, message_id="1"), event("P3!x>P2", 2, message_id="1")]
    received = event("P2?a<P1", 3, message_id="1")
    outcome, strange = audited([*sent, received, event("P2!b>P3", 4)])
    assert kinds(outcome) == ["possibly-violated"]
    assert [each.kind for each in strange] == ["two-sends"]


def test_a_message_that_nobody_received_is_told() -> None:
    _, strange = audited([event("P1!a>P2", message_id="1"), event("P2!b>P3", 2)])
    assert [each.kind for each in strange] == ["send-without-reception"]


def test_sends_without_end_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MAX_IN_FLIGHT", 3)
    counted = [event("P1!a>P2", line) for line in range(1, 6)]
    outcome, _ = audited([*counted, event("P2?a<P1", 6), event("P2!b>P3", 7)])
    assert kinds(outcome) == ["possibly-violated"]  # it is not known that the first one came before
    told = [event("P1!a>P2", line, message_id=str(line)) for line in range(1, 6)]
    outcome, strange = audited([*told, event("P2?a<P1", 6, message_id="1"), event("P2!b>P3", 7)])
    assert kinds(outcome) == ["possibly-violated"]
    assert strange[0].kind == "reception-without-send"


def test_an_event_that_may_have_several_labels_is_a_gap() -> None:
    other = StatedTransition("q0", Label(SEND, Message("P1", "a", "P3")), "q1")
    strange: list[Diagnostic] = []
    auditor = Auditor(automaton(other), on_diagnostic=strange.append)
    for each in (event("P1!a"), event("P2!b>P3", 2)):
        auditor.add(each)
    outcome = auditor.finish()
    assert kinds(outcome) == ["possibly-violated"]
    assert "does not say to whom" in outcome.verdicts[0].gaps[0].reason
    assert strange[0].kind == "not-understood"


def test_a_log_that_ends_early_is_a_gap() -> None:
    clocks = [{"P1": 1}, {"P1": 3, "P2": 1}, {"P1": 3, "P2": 2}]
    events = [each._replace(clock=clock) for each, clock in zip(RECEIVED, clocks, strict=True)]
    outcome, _ = audited(events)
    assert kinds(outcome) == ["possibly-violated"]
    assert outcome.verdicts[0].gaps[0].reason == (
        "the log of P1 ends with event 1, and others know of event 3"
    )


def test_events_without_a_clock_among_others_are_known_by_who_knows_the_next_one() -> None:
    first = event("P1!a>P2", 1)
    events = [
        event("P1!x>P2", 2, clock={"P1": 1}),
        first,
        event("P2!b>P3", 3, clock={"P1": 1, "P2": 1}),
    ]
    assert kinds(audited(events)[0]) == ["possibly-violated"]
    events = [events[0], first, event("P1!x>P2", 4, clock={"P1": 2})]
    events.append(event("P2!b>P3", 3, clock={"P1": 2, "P2": 1}))
    assert kinds(audited(events)[0]) == ["violated"]


def test_events_before_the_first_clock_are_counted_only_if_all_can_have_been() -> None:
    """A live monitor counts what its property mentions; others count all, and say so later."""
    events = [
        event("P1!a>P2", 1),
        event("P1!x>P2", 2, clock={"P1": 1}),
        event("P2!b>P3", 3, clock={"P1": 1, "P2": 1}),
    ]
    assert kinds(audited(events)[0]) == ["violated"]
    events[1] = event("P1!x>P2", 2, clock={"P1": 2})
    assert kinds(audited(events)[0]) == ["violated"]
    events[1] = event("P1!x>P2", 2, clock={"P1": 3})
    outcome, _ = audited(events)
    assert [gap.reason for gap in outcome.gaps] == ["event 2 of P1 is not in its log"]


def test_where_events_say_no_number_a_gap_may_be_anywhere() -> None:
    events = [
        event("P1!a>P2", 1, number=1),
        event("P1!x>P2", 2),
        event("P1!x>P2", 3, number=3),
    ]
    outcome, strange = audited(events)
    told = "event 2 of P1 is not in its log, or does not say its number there"
    assert outcome.gaps[0] == Gap("P1", told)
    assert Diagnostic("gap", told, Place("log", 3)) in strange


def test_an_item_without_a_clock_waits_for_what_its_process_was_told() -> None:
    events = [
        event("P2?x<P1", 1, clock={"P1": 1, "P2": 1}),
        event("P2!b>P3", 2),
        event("P1!a>P2", 3, clock={"P1": 1}),
    ]
    assert kinds(audited(events)[0]) == ["violated"]


def test_what_a_clock_says_is_passed_on_by_ids() -> None:
    """P3 has clocks, and was told of what is read later; P2 has none."""
    events = [
        event("P3?x<P1", 1, clock={"P1": 1, "P3": 1}),
        event("P3!y>P2", 2, clock={"P1": 1, "P3": 2}, message_id="y"),
        event("P2?y<P3", 3, message_id="y"),
        event("P2!b>P3", 4),
        event("P1!a>P2", 5, clock={"P1": 1}),
    ]
    assert kinds(audited(events)[0]) == ["violated"]


@pytest.mark.parametrize("sends", ["1", None])
def test_where_one_end_of_messages_has_ids_nothing_is_known(sends: str | None) -> None:
    receptions = None if sends else "1"
    events = [
        event("P1!a>P2", message_id=sends),
        event("P2?a<P1", 2, message_id=receptions),
        event("P2!b>P3", 3),
    ]
    for order in (events, [*events[1:], events[0]]):
        outcome, strange = audited(order)
        assert kinds(outcome) == ["possibly-violated"]
        assert not {"reception-without-send", "gap"} & {each.kind for each in strange}


def test_messages_are_counted_up_to_a_gap() -> None:
    """The second reception may be of a send in the gap."""
    events = [
        event("P1!c>P2", 1, number=1),
        event("P1!c>P2", 2, number=3),
        event("P1!a>P2", 3, number=4),
        event("P2?c<P1", 4, number=1),
        event("P2?a<P1", 5, number=2),
        event("P2!b>P3", 6, number=3),
    ]
    outcome, strange = audited(events)
    assert kinds(outcome) == ["possibly-violated"]
    assert "reception-without-send" not in {each.kind for each in strange}
    whole = [each._replace(number=None) for each in events]
    assert kinds(audited(whole)[0]) == ["violated"]


def test_what_cannot_be_counted_closes_no_cycle() -> None:
    """P1's first event is missing; it may have been the send of what P2 received at first."""
    events = [
        event("P1?x<P2", 1, number=2),
        event("P1!a>P2", 2, number=3),
        event("P2?a<P1", 3, number=1),
        event("P2!x>P1", 4, number=2),
        event("P2!b>P3", 5, number=3),
    ]
    assert kinds(audited(events)[0]) == ["possibly-violated"]
    events = [each._replace(number=None) for each in events]
    with pytest.raises(DocumentError, match="happened-before has a cycle"):
        audited(events)


def test_numbers_begin_with_one_and_grow() -> None:
    with pytest.raises(DocumentError, match=r"number 0 of P1: .* numbered from 1"):
        audited([event("P1!a>P2", number=0)])
    with pytest.raises(DocumentError, match=r"number 1 of P1, after number 2 \(log:1\)"):
        audited([event("P1!a>P2", number=2), event("P1!a>P2", number=1)])


def test_two_runs_in_one_file_contradict_each_other() -> None:
    clocks = ({"P1": 1}, {"P1": 2}, {"P1": 1})
    log = b"\n".join(written(event("P1!a>P2", clock=clock)) for clock in clocks)
    read = [*read_recorded(BytesIO(log), "events", file="log")]
    with pytest.raises(DocumentError, match=r"log:3: the send of a at P1 is number 1 of P1, after"):
        audited([each for each in read if isinstance(each, RecordedEvent)])


def test_a_gap_that_is_found_late_takes_verdicts_back() -> None:
    more = [
        event("P3!x>P1", 4),
        event("P1?x<P3", 5),
        event("P1!y>P2", 6),
        event("P2?y<P1", 7),
        event("P2!z>P1", 8),
        event("P1?z<P2", 9),
    ]
    more += [event("P2!b>P3", 10), event("P1?lost<P2", 11)]
    outcome, _ = audited([*RECEIVED, *more], patience=1)
    early, late = outcome.verdicts
    assert (early.kind, early.undecided) == ("possibly-violated", True)
    assert early.reason.endswith("name P2 as incomplete to have it judged by that (--incomplete)")
    assert (late.kind, late.undecided) == ("violated", False)
    assert (outcome.overall.kind, outcome.overall.undecided) == ("violated", False)
    assert [gap.process for gap in outcome.late] == ["P2"]
    assert json.loads(audit_json(outcome, (), {}, []))["late"] == [0]


def test_a_process_that_waits_is_read_later() -> None:
    logs = [
        iter([event("P2?a<P1", 1), event("P2!b>P3", 2)]),
        iter([event("P1!x>P3", 3), event("P1!x>P3", 4), event("P1!a>P2", 5)]),
    ]
    read = []
    waiting = {"P2"}
    for what in side_by_side(logs, waiting.__contains__):
        assert isinstance(what, RecordedEvent)
        read.append(what.place.line)
        if what.place.line == 5:
            waiting.clear()
    assert read == [1, 3, 4, 5, 2]


def test_all_is_read_even_where_all_wait() -> None:
    logs = [iter([event("P1!x>P3", 1), event("P1!x>P3", 2)]), iter([event("P2!b>P3", 3)])]
    read = [what.place.line for what in side_by_side(logs, lambda _: True) if what is not None]
    assert sorted(read) == [1, 2, 3]


def test_mutants_of_logs_end_in_an_error_or_a_diagnostic() -> None:
    random = Random(5)
    refused = 0
    for seed in range(300):
        one = case(seed)
        lines = [written(each) for each in one.events]
        for _ in range(random.randint(1, 3)):
            lines = mutated(random, lines)
        limits = Limits(
            random.choice((5, 5_000)), random.choice((3, 100)), 2, random.choice((1, 99))
        )
        auditor = Auditor(one.automaton, limits=limits, max_waiting=random.choice((2, 100)))
        try:
            for each in read_recorded(BytesIO(b"\n".join(lines)), "events", file="log"):
                if isinstance(each, RecordedEvent):
                    auditor.add(each)
            audit_json(auditor.finish(), (), {}, [])
        except DocumentError:
            refused += 1
    assert 0 < refused < 300


def written(each: RecordedEvent) -> bytes:
    ends = (each.process, each.peer or "env")
    sender, receiver = ends if each.kind == "send" else ends[::-1]
    told = {
        "event": each.kind,
        "process": each.process,
        "message": {"sender": sender, "name": each.name, "receiver": receiver},
        "clock": each.clock,
        "id": each.message_id,
        "number": each.number,
    }
    return json.dumps(told).encode()


def mutated(random: Random, lines: list[bytes]) -> list[bytes]:
    """One line less, twice, elsewhere, cut off, or with another byte."""
    if not lines:
        return lines
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    line, rest = lines[place], [*lines[:place], *lines[place + 1 :]]
    at = random.randrange(len(line) + 1)
    return random.choice(
        (
            rest,
            [*lines, line],
            [*rest[:other], line, *rest[other:]],
            [*lines[:place], line[:at], *lines[place + 1 :]],
            [*lines[:place], line[:at] + b"9" + line[at + 1 :], *lines[place + 1 :]],
        )
    )
