"""What an audit says of each rule, how far it came, and what to record to know more."""

from __future__ import annotations

import json

from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import Outcome
from choreomon.audit.rules import RuleResult, rules_of_run, rules_of_sessions
from choreomon.audit.summary import Summary
from choreomon.audit.to_record import to_record
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.reports.audit_json import audit_json
from choreomon.terminal.audit_text import overall_text
from choreomon.terminal.rules_text import rule_lines

PAY = Label(SEND, Message("shop", "pay", "bank"))
PARCEL = Label(SEND, Message("shop", "parcel", "depot"))
REFUSED = Label(SEND, Message("bank", "refused", "shop"))
TAKEN = Label(HANDLE, Message("shop", "parcel", "depot"))

TWO = sequences_automaton([MessageSequence((PAY, PARCEL)), MessageSequence((REFUSED, PARCEL))])


def recorded(label: Label, line: int, **told: object) -> RecordedEvent:
    other = label.message.receiver if label.kind == SEND else label.message.sender
    place = Place(label.process, line)
    event = RecordedEvent(label.process, label.kind, label.message.name, place, other)
    return event._replace(**told)  # type: ignore[arg-type]


def audited(automaton: SequenceAutomaton, *events: RecordedEvent) -> Outcome:
    auditor = Auditor(automaton)
    for event in events:
        auditor.add(event)
    return auditor.finish({"shop", "bank", "depot"})


def words(rules: tuple[RuleResult, ...]) -> list[tuple[str, int]]:
    return [(rule.word, rule.farthest) for rule in rules]


def test_a_rule_is_violated_or_not_exercised_by_itself() -> None:
    outcome = audited(TWO, recorded(PAY, 1), recorded(PARCEL, 2))
    rules = rules_of_run(TWO, outcome)
    assert words(rules) == [("violated", 2), ("not-exercised", 0)]
    assert rule_lines(rules) == [
        "Rule 1: violated: shop -> bank : pay, then shop -> depot : parcel",
        "Rule 2: not exercised, none of its 2 steps was made: "
        "bank -> shop : refused, then shop -> depot : parcel",
    ]
    told = json.loads(audit_json(outcome, rules, {}, []))["rules"]
    assert told[0] == {
        "rule": 1,
        "steps": ["shop -> bank : pay", "shop -> depot : parcel"],
        "result": "violated",
        "farthest": 2,
        "sessions_by_steps": [0, 0, 1],
    }


def test_a_single_rule_is_told_by_how_far_it_came() -> None:
    one = sequences_automaton([MessageSequence((PAY, PARCEL))])
    outcome = audited(one, recorded(PARCEL, 1), recorded(PAY, 2))
    rules = rules_of_run(one, outcome)
    assert words(rules) == [("nothing", 1)]
    assert "It came 1 of 2 steps far." in overall_text(outcome, rules).plain


def test_sessions_are_counted_by_how_far_they_came() -> None:
    one = sequences_automaton([MessageSequence((PAY, PARCEL))])
    first, second = Summary(), Summary()
    runs = [(PAY,), (PARCEL,), (PARCEL, PAY), (PAY,), ()]
    for number, labels in enumerate(runs):
        outcome = audited(one, *(recorded(each, line) for line, each in enumerate(labels, 1)))
        (first if number % 2 else second).add((0, number), f"s{number}", outcome)
    first.merge(second)
    (rule,) = rules_of_sessions(one, first.outcome())
    assert (rule.word, rule.far) == ("nothing", (2, 3, 0))
    assert rule_lines([rule]) == ["It came 1 of 2 steps far in 3 of 5 sessions."]


def test_who_should_log_what_it_handles_is_said() -> None:
    one = sequences_automaton([MessageSequence((REFUSED, PARCEL))])
    outcome = audited(one, recorded(REFUSED, 1, number=1), recorded(PARCEL, 1, number=1))
    assert words(rules_of_run(one, outcome)) == [("possibly-violated", 2)]
    told = to_record(outcome.verdicts, outcome.occurrences)
    assert told == (
        "what shop handled, or vector clocks of bank and shop would tell the order of bank -> shop "
        ": refused and shop -> depot : parcel, or that they had none",
    )
    refused = Label(HANDLE, REFUSED.message)
    more = audited(one, recorded(REFUSED, 1), recorded(refused, 1), recorded(PARCEL, 2))
    assert words(rules_of_run(one, more)) == [("violated", 2)]
    assert to_record(more.verdicts, more.occurrences) == ()


def test_events_that_are_independent_by_their_clocks_stay_so() -> None:
    one = sequences_automaton([MessageSequence((REFUSED, PARCEL))])
    outcome = audited(
        one, recorded(REFUSED, 1, clock={"bank": 1}), recorded(PARCEL, 1, clock={"shop": 1})
    )
    assert to_record(outcome.verdicts, outcome.occurrences) == (
        "the order of bank -> shop : refused and shop -> depot : parcel is open in fact: neither "
        "of them was known where the other happened",
    )


def test_a_log_that_lacks_events_is_named() -> None:
    one = sequences_automaton([MessageSequence((PAY, TAKEN))])
    outcome = audited(one, recorded(TAKEN, 3))
    told = to_record(outcome.verdicts or (outcome.overall,), outcome.occurrences)
    assert told == ("the whole log of shop would say whether it happened",)
