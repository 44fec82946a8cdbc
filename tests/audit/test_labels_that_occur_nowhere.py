"""What happened how often in logs, and what a label that occurs nowhere may have meant."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.audit.occurrences import MOST_OTHERS, Counting, Occurrence, occurrence_of
from choreomon.audit.summary import Summary
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.terminal.audit_text import nowhere_lines

NAMES = ("a", "b", "c")
MESSAGES = ("pay", "ship", "refund")


def send(sender: str, name: str, receiver: str | None) -> RecordedEvent:
    return RecordedEvent(sender, SEND, name, Place("log", 1), receiver)


def handle(sender: str | None, name: str, receiver: str) -> RecordedEvent:
    return RecordedEvent(receiver, HANDLE, name, Place("log", 1), sender)


def label(sender: str, name: str, receiver: str, kind: str = "send") -> Label:
    return Label(SEND if kind == "send" else HANDLE, Message(sender, name, receiver))


REFUSED = label("bank", "refusd", "till")


def nearest(wanted: Label, *events: RecordedEvent, others: tuple[Label, ...] = ()) -> str:
    counting = Counting((wanted, *others))
    for event in events:
        counting.add(event)
    found = counting.found().of_labels()[0]
    assert not found.events
    return f"{found.nearest} {found.nearest_events}" if found.nearest else ""


@pytest.mark.parametrize("seed", range(200))
def test_counts_are_those_of_a_count_by_hand(seed: int) -> None:
    random = Random(seed)
    drawn = [
        (random.choice([send, handle]), random.choice(NAMES), random.choice(MESSAGES))
        for _ in range(random.randint(0, 60))
    ]
    events = [
        make(one, name, random.choice([each for each in NAMES if each != one]))
        for make, one, name in drawn
    ]
    events = [event._replace(peer=None) if random.random() < 0.2 else event for event in events]
    labels = {
        label(*random.sample(NAMES, 2)[:1], random.choice(MESSAGES), "d", kind)
        for kind in ("send", "handle")
    } | {
        label(one, random.choice(MESSAGES), other, random.choice(["send", "handle"]))
        for one, other in (random.sample(NAMES, 2) for _ in range(4))
    }
    whole, first, second = Counting(labels), Counting(labels), Counting(labels)
    for event in events:
        whole.add(event)
        random.choice([first, second]).add(event)
    both = Counting(labels)
    both.merge(first.found())
    both.merge(second.found())
    assert both.found().counts == whole.found().counts
    parts = first.found().of_labels(), second.found().of_labels()
    assert [each.sessions for each in both.found().of_labels()] == [
        bool(one.events) + bool(other.events) for one, other in zip(*parts, strict=True)
    ]
    for each in whole.found().of_labels():
        kind, (sender, name, receiver) = each.label
        own, other = (sender, receiver) if kind == SEND else (receiver, sender)
        assert each.events == sum(
            event.kind == kind
            and event.process == own
            and event.name == name
            and event.peer in (other, None)
            for event in events
        )


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(send("bank", "refused", "till"), id="name"),
        pytest.param(send("bank", "Refusd", "till"), id="case"),
        pytest.param(send("bank", "refusd", "shop"), id="receiver"),
        pytest.param(send("Bank", "refusd", "tills"), id="both-ends"),
        pytest.param(send("till", "refusd", "bank"), id="direction"),
        pytest.param(handle("bank", "refusd", "till"), id="kind"),
        pytest.param(send("bank", "refused", None), id="no-receiver"),
    ],
)
def test_what_was_meant(event: RecordedEvent) -> None:
    far = send("shop", "parcel", "carrier")
    expected = Occurrence(event.kind, event.process, event.name, event.peer)
    assert nearest(REFUSED, far, event, far, event) == f"{expected} 2"


def test_what_was_not_meant() -> None:
    far = [send("bank", "parcel", "till"), send("shop", "refusd", "carrier")]
    assert nearest(REFUSED, *far, send("shop", "refused", "till")) == ""
    assert nearest(REFUSED, handle("bank", "refused", "till")) == ""
    assert nearest(REFUSED, far[0]._replace(kind="local", name="refusd")) == ""


def test_what_is_most_alike_comes_first_then_what_is_most_frequent() -> None:
    near, nearer = send("bank", "refund", "till"), send("bank", "refused", "till")
    assert nearest(REFUSED, near, near, nearer) == "bank -> till : refused 1"
    equal = send("bank", "refusd", "east"), send("bank", "refusd", "west")
    assert nearest(REFUSED, *equal, equal[1]) == "bank -> west : refusd 2"
    assert nearest(REFUSED, *equal) == "bank -> east : refusd 1"


def test_what_another_label_says_was_not_meant() -> None:
    other = label("bank", "refused", "till")
    assert nearest(REFUSED, send("bank", "refused", "till"), others=(other,)) == ""


def test_labels_are_counted_however_much_else_there_is() -> None:
    counting = Counting([REFUSED])
    for number in range(MOST_OTHERS + 5):
        counting.add(send("bank", f"m{number}", "till"))
    counting.add(send("bank", "refusd", None))
    counting.add(send("bank", "refused", "till"))
    found = counting.found()
    assert len(found.counts) == MOST_OTHERS + 1
    assert [each.events for each in found.of_labels()] == [1]


def test_sessions_count_together() -> None:
    pay, ship = label("a", "pay", "b"), label("b", "ship", "c")
    stated = [StatedTransition("q0", pay, "q1"), StatedTransition("q1", ship, "q2")]
    automaton = sequence_automaton(initial=["q0"], final=["q2"], transitions=stated)
    summaries = Summary(), Summary()
    for rank, events in enumerate(([send("a", "pay", "b")], [send("a", "pay", "b")] * 2)):
        auditor = Auditor(automaton)
        for event in events:
            auditor.add(event)
        outcome = auditor.finish()
        assert Counter(outcome.occurrences.counts) == {occurrence_of(pay): len(events)}
        summaries[rank].add((0, rank), str(rank), outcome)
    summaries[0].merge(summaries[1])
    found = summaries[0].outcome().occurrences
    assert [each[:3] for each in found.of_labels()] == [(pay, 3, 2), (ship, 0, 0)]


def test_sentences() -> None:
    labels = [REFUSED, label("a", "pay", "b"), label("a", "ship", "b", "handle")]
    counting = Counting(labels)
    for event in [send("bank", "refused", "till")] * 1200:
        counting.add(event)
    nowhere = counting.found().nowhere()
    meant = (
        "Not exercised: bank -> till : refusd occurs nowhere in these logs; did you mean "
        "bank -> till : refused, which occurs 1,200 times?"
    )
    assert [each.sentence() for each in nowhere] == [
        meant,
        "Not exercised: a -> b : pay occurs nowhere in these logs.",
        "Not exercised: handle a -> b : ship occurs nowhere in these logs.",
    ]
    assert nowhere_lines(nowhere) == [
        meant,
        "Not exercised, since they occur nowhere in these logs: a -> b : pay, "
        "handle a -> b : ship.",
    ]
    assert nowhere_lines(nowhere[1:2]) == [
        "Not exercised, since it occurs nowhere in these logs: a -> b : pay."
    ]
    assert nowhere_lines([]) == []


def test_of_many_that_were_meant_otherwise_the_first_are_told_in_full() -> None:
    labels = [label("bank", f"refusd-{one}", "till") for one in "abcdefghijkl"]
    counting = Counting(labels)
    counting.add(send("bank", "refused", "till"))
    lines = nowhere_lines(counting.found().nowhere())
    assert len(lines) == 11
    assert lines[-1].endswith(": bank -> till : refusd-k, bank -> till : refusd-l.")
