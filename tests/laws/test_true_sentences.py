"""Every sentence of an explanation is true: recomputed from the run and the property alone
(`tests.laws.sentences`). `python -m tests.laws.explanations` goes on with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from choreomon.core.message import HANDLE, SEND, Event, Label, Message
from choreomon.core.run import RunEvent, RunReason, RunVerdict
from choreomon.core.verdict import FRM
from choreomon.monitor import precise, rule_sets
from choreomon.monitor.history import Chain
from choreomon.monitor.precise import Precise
from choreomon.monitor.record_by_record import Sound
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences import event_names, explanation, formed_sequences
from tests.laws import families
from tests.laws.explanations import untrue_of
from tests.laws.orders import Orders
from tests.laws.planted import TrustsUncertainRecords, no_gap_records
from tests.laws.sentence_patterns import SENTENCES
from tests.laws.sentences import Explained, Reader, Trace
from tests.laws.stories import (
    PLAYED,
    Story,
    interleaved,
    reacting,
    rounds,
    simulated,
    stories,
)
from tests.properties.stated import automaton_of

STORIES = 300


def whys(told: Iterable[Story], seen: Counter[str] | None = None) -> list[str]:
    """What is wrong with their sentences."""
    seen = Counter() if seen is None else seen
    return [
        each.why
        for number, story in enumerate(told)
        for each in untrue_of(story, seen, verbose=number % 3 == 0, whole=number % 2 == 0)
    ]


def test_every_sentence_about_a_run_is_true() -> None:
    """Each kind of sentence is there, but what only bounds bring about."""
    seen: Counter[str] = Counter()
    assert not whys(islice(stories(0), STORIES), seen)
    assert seen["sentences"] > 10_000
    assert seen["too many orders"] <= STORIES / 50
    often = (
        "came before",
        "nothing cancelled",
        "may be cancelled",
        "left open",
        "known from, by messages",
    )
    assert min(seen[kind] for kind in often) > 300
    assert seen["cancelled for certain"] > 50
    assert min(seen[kind] for kind in SENTENCES if kind not in ("limit", "undecided")) > 1


class Short(Precise):
    """No bug: chains are merged down to two records, and nothing is kept that is dominated."""

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        return precise.merged(precise.without_dominated(chain, own, settled, 0), 2)


def test_what_bounds_leave_is_told_truly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rule_sets.RULES, "precise", Short())
    monkeypatch.setitem(families.RULES, "precise", Short())
    monkeypatch.setattr(precise, "MOST_EVIDENCE", 4)
    seen: Counter[str] = Counter()
    assert not whys(islice(stories(0), STORIES), seen)
    assert min(seen["merged"], seen["limit"], seen["undecided"]) > 2


# Planted bugs.


def all_that_matters(*given: Any) -> Any:
    """The reasons are all records that the search rests on."""
    return given[-1]


def test_the_law_notices_reasons_of_another_event(monkeypatch: pytest.MonkeyPatch) -> None:
    told = (409, 641)
    assert not whys(map(rounds, told))
    monkeypatch.setattr(precise, "mattering_directly", all_that_matters)
    assert any(why.endswith("was cancelled") for why in whys(map(rounds, told)))


class HearsEverybody(Sound):
    """Calls a record certain though who may have cancelled was not heard."""

    def _weighed(self, *given: Any) -> Any:
        return super()._weighed(*given[:-1], True)


def as_if_heard(verdict: RunVerdict, *given: Any, **named: Any) -> Any:
    """The sentences do not ask whether anybody is silent."""
    return _EXPLANATION(replace(verdict, silent=(), early=False), *given, **named)


_EXPLANATION = explanation.explanation


def test_the_law_notices_that_nobody_was_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [family for family in PLAYED if family.name in ("late", "dead", "giving up")]
    monkeypatch.setattr(precise, "SOUND", HearsEverybody())
    monkeypatch.setattr(explanation, "explanation", as_if_heard)
    found = whys(interleaved(family, seed) for family in told for seed in range(40))
    assert any(why.endswith("was cancelled") for why in found)


def test_the_law_notices_gaps_that_nobody_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    (family,) = (family for family in PLAYED if family.name == "gaps")
    monkeypatch.setattr(precise, "gap_records", no_gap_records)
    found = whys(interleaved(family, seed) for seed in range(60))
    assert any(why.endswith("was cancelled") for why in found)


def starting(verdict: RunVerdict) -> list[tuple[str, str]]:
    """What has no record needs none, while an earlier event is open, too."""
    return formed_sequences.starting(replace(verdict, early=False))


def test_the_law_notices_a_start_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    (family,) = (family for family in PLAYED if family.name == "deadlines")
    assert not whys([interleaved(family, 562)])
    monkeypatch.setattr(explanation, "starting", starting)
    assert "q2 is not initial" in whys([interleaved(family, 562)])


def test_the_law_notices_uncertain_records_that_are_called_certain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for sets in (rule_sets.RULES, rule_sets.WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", TrustsUncertainRecords())
    found = whys(map(reacting, range(60)))
    assert any(why.startswith("in some order it did not fire") for why in found)


def from_the_first(*given: Any) -> Any:
    """Messages that lead from the first event of all."""
    events, messages, _, second = given
    return _ORDER_SENTENCE(events, messages, 0, second)


_ORDER_SENTENCE = event_names.order_sentence


def test_the_law_notices_messages_that_do_not_lead_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_names, "order_sentence", from_the_first)
    assert any("not sent after what was known" in why for why in whys(map(simulated, range(40))))


def test_the_law_notices_times_in_another_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_names, "milliseconds", lambda microseconds: f"{microseconds} ms")
    found = whys(map(simulated, range(20)))
    assert {"it happened at another time", "it was declared at another time"} <= {*found}


# The reader, by one run: a, then v of another process that takes it back or not, and b.

A = Label(SEND, Message("P1", "a", "P2"))
V = Label(SEND, Message("P2", "v", "P1"))
B = Label(HANDLE, Message("P1", "a", "P2"))
PROPERTY: SequenceAutomaton = automaton_of(
    "q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"), ("q1", V, "q0")
)
EVENTS = [
    RunEvent(0, 0, A.kind, "P1", A.message, (1, 0)),
    RunEvent(1, 0, V.kind, "P2", V.message, (0, 1)),
    RunEvent(2, 0, B.kind, "P2", B.message, (1, 2), sent_at=0),
]
VERDICT = RunVerdict(
    verdict="possibly-violated",
    monitor="P2",
    event_index=2,
    transitions=(("q1", "q2"),),
    label=str(B),
    because=(RunReason(0, ("q0", "q1"), "pre", FRM, "before", False),),
    declared_at=0,
)
BEFORE = "The transition before it, q0 -> q1, fired at event 0 (send P1 -> P2 : a), before event 2."


def read(*sentences: str, word: str = "declares possibly violated", **fields: Any) -> list[str]:
    events = [Event(each.label, each.clock) for each in EVENTS]
    trace = Trace(PROPERTY, Orders(PROPERTY, ("P1", "P2"), events), EVENTS)
    headline = f"P2 {word} at event 2 (handle P1 -> P2 : a)."
    told = Explained(VERDICT, headline, sentences, **fields)
    return [each.why for each in Reader(trace, told, Counter()).untrue()]


def test_what_is_true_of_the_run() -> None:
    assert not read(
        "Transition q1 -> q2 may have fired here; it would complete the sequence.",
        BEFORE,
        "This transition may have been cancelled by q1 -> q0 at event 1 (send P2 -> P1 : v): "
        "event 1 may have come before or after event 0.",
        "So the forbidden sequence may have been formed: what the monitors know leaves that open.",
        settled=True,
    )


UNTRUE: Sequence[tuple[tuple[str, ...], str]] = [
    ((BEFORE, "Nothing cancelled this transition."), "in some order that of event 0 was cancelled"),
    (
        (
            BEFORE,
            "This transition was certainly cancelled by q1 -> q0 at event 1 "
            "(send P2 -> P1 : v), or before.",
        ),
        "event 1 is not known to be between the two",
    ),
    (
        ("In every possible order the forbidden sequence was formed.",),
        "some order does not form it",
    ),
    (
        ("Transition q1 -> q2 certainly fired here; it completes the sequence.",),
        "some order does not fire it",
    ),
    (("Later answers showed that the sequence was not formed here.",), "some order forms it"),
    ((BEFORE.replace("event 0 (send", "event 0 (handle"),), "event 0 was something else"),
    (
        (BEFORE.replace("before event", "which may have come before or after event"),),
        "the order of event 0 is known",
    ),
    (("It leaves an initial state, so nothing had to happen before it.",), "q1 is not initial"),
    (("Nobody knows why.",), "not understood"),
]


@pytest.mark.parametrize(("sentences", "why"), UNTRUE)
def test_what_is_not(sentences: tuple[str, ...], why: str) -> None:
    assert why in read(*sentences)


def test_a_headline_that_says_too_much() -> None:
    assert read(word="declares violated") == ["some order does not form it"]
    assert read(word="withdraws its verdict") == ["some order forms it"]
    assert not read()
