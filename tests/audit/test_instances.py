"""Audits of each instance, beside audits of each slice of the log by itself."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from choreomon.audit import instances as instances_module
from choreomon.audit.auditor import Auditor
from choreomon.audit.instances import InstancesAuditor
from choreomon.audit.outcome import Outcome
from choreomon.audit.summary import SessionsOutcome
from choreomon.audit.units import Units
from choreomon.audit.verdicts import Verdicts
from choreomon.audit.window import Limits
from choreomon.core.binding import Binding, agree, in_words
from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import Parameters, instance_defects
from choreomon.properties.progress import rules_of
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from tests.audit.cases import OTHER, PROCESSES, Case, case, random_automaton, recorded
from tests.properties.test_fresh import NAMES as FRESH_NAMES
from tests.properties.test_fresh import Drawn, draw, formed_slowly

NAMES = ("order", "tenant")


def carrying(random: Random, one: Case) -> Parameters | None:
    """Parameters for the labels of a property that may be so."""
    messages = list(dict.fromkeys(label.message for label in one.automaton.labels))
    for _ in range(20):
        drawn = {
            message: tuple(name for name in NAMES if random.random() < 0.6) for message in messages
        }
        found = Parameters(NAMES, drawn)
        if any(drawn.values()) and not [*instance_defects(one.automaton, found, {})]:
            return found
    return None


def valued(random: Random, one: Case, parameters: Parameters) -> list[RecordedEvent]:
    """The events with values; all of them, so that each event carries what its message does."""
    return [
        event._replace(values={name: random.choice("12") for name in NAMES}) for event in one.events
    ]


def outcomes(
    one: Case, parameters: Parameters, events: list[RecordedEvent]
) -> dict[str, list[Outcome]]:
    """Of each binding, one for each group of parts."""
    auditor = InstancesAuditor(one.automaton, parameters, incomplete=one.incomplete)
    found: dict[str, list[Outcome]] = {}

    def add(rank: Any, name: str, outcome: Outcome, rules: Any, binding: Binding) -> None:
        found.setdefault(name, []).append(outcome)

    auditor.summary.add = add  # type: ignore[method-assign]
    for event in events:
        auditor.add(event)
    auditor.finish()
    return found


def sliced(
    one: Case, parameters: Parameters, events: list[RecordedEvent], binding: Binding
) -> list[RecordedEvent]:
    """The log in which what is of other instances is something else."""
    found = []
    for event in events:
        for label in one.automaton.labels:
            sender, name, receiver = label.message
            own, other = (sender, receiver) if label.kind == "send" else (receiver, sender)
            told = (event.kind, event.process, event.name) == (label.kind, own, name)
            if told and event.peer in (None, other):
                of = parameters.binding(label, event.values)
                assert of is not None
                if not agree(binding, of):
                    event = event._replace(name=f"other {name}")
                break
        found.append(event)
    return found


def said(outcome: Outcome) -> object:
    verdicts = Counter(
        (each.item.event.place, each.kind, each.undecided)
        for each in outcome.verdicts
        if each.item.event is not None
    )
    return verdicts, outcome.overall.kind, outcome.overall.undecided


def wrong(seeds: range) -> tuple[list[int], int]:
    """The seeds of logs with an instance that is judged otherwise than its slice; and how many
    instances there were."""
    found, instances = [], 0
    for seed in seeds:
        random = Random(seed)
        one = case(seed, lossy=False if seed % 2 else None)
        counted = one.says not in ("clocks", "ids")  # what is counted differs in a slice
        if counted or len(rules_of(one.automaton)) != 1 or not one.events:
            continue
        parameters = carrying(random, one)
        if parameters is None:
            continue
        events = valued(random, one, parameters)
        names = instances_module.names_of(one.automaton.labels, parameters)
        try:
            judged = outcomes(one, parameters, events)
        except DocumentError:
            continue
        for values in [(x, y) for x in "12" for y in "12"]:
            binding = tuple((n, v) for n, v in zip(NAMES, values, strict=True) if n in names)
            if in_words(binding) not in judged:
                continue
            (mine,) = judged.pop(in_words(binding))
            instances += 1
            auditor = Auditor(one.automaton, incomplete=one.incomplete)
            for event in sliced(one, parameters, events, binding):
                auditor.add(event)
            if said(mine) != said(auditor.finish()):
                found.append(seed)
                break
    return found, instances


def test_an_instance_is_judged_as_its_slice() -> None:
    found, instances = wrong(range(600))
    assert found == []
    assert instances > 300


def test_planted_bugs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared items are forgotten, at the beginning and at the end; gaps too; instances mix."""

    def without_gaps(auditor: InstancesAuditor, units: Units) -> Verdicts:
        return Verdicts(units, auditor._knowledge, Limits())

    parts = instances_module.Parts
    for owner, name, planted, seeds in (
        (parts, "take_all", lambda *_: None, range(200)),
        (parts, "take_the_rest", lambda *_, **__: None, range(600)),
        (InstancesAuditor, "new_verdicts", without_gaps, range(400, 800)),
        (instances_module, "agree", lambda one, other: True, range(200)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, planted)
            assert wrong(seeds)[0], name


def event(label: Label, line: int, **values: str) -> RecordedEvent:
    kind, (sender, name, receiver) = label
    own, other = (sender, receiver) if kind == SEND else (receiver, sender)
    return RecordedEvent(own, kind, name, Place("log", line), other, number=line, values=values)


PAY = Label(SEND, Message("shop", "pay", "bank"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))
CLOSE = Label(SEND, Message("shop", "close", "bank"))
AUTOMATON = sequences_automaton(
    [MessageSequence((PAY, SHIP), (Cancellation(CLOSE, (1, 1), 0),)), MessageSequence((CLOSE, PAY))]
)
ORDERS = Parameters(("order",), {PAY.message: ("order",), SHIP.message: ("order",)})


def audited(*events: RecordedEvent, **options: Any) -> SessionsOutcome:
    auditor = InstancesAuditor(AUTOMATON, ORDERS, **options)
    for each in events:
        auditor.add(each)
    return auditor.finish({"shop"}).outcome()


def test_orders_do_not_mix_and_what_carries_less_belongs_to_all() -> None:
    assert [*instance_defects(AUTOMATON, ORDERS, {})] == []
    one = audited(event(PAY, 1, order="1"), event(SHIP, 2, order="2"))
    assert (one.sessions, one.verdict, one.called) == (2, None, "instance")
    assert one.labelled == 2
    same = audited(event(PAY, 1, order="1"), event(SHIP, 2, order="1"))
    assert [each.names for each in same.kinds] == [("order=1",)]
    closed = audited(event(PAY, 1, order="1"), event(CLOSE, 2), event(SHIP, 3, order="1"))
    assert closed.verdict is None
    late = audited(event(CLOSE, 1), event(PAY, 2, order="7"), event(PAY, 3, order="8"))
    assert [each.sessions for each in late.kinds] == [2]
    counted = zip(late.occurrences.labels, late.occurrences.sessions, strict=True)
    assert dict(counted) == {PAY: 2, SHIP: 0, CLOSE: 2}


def test_an_event_without_its_value_may_be_of_any_instance() -> None:
    found = audited(event(PAY, 1), event(SHIP, 2, order="1"))
    assert found.verdict == "possibly-violated"
    assert found.verdicts == {"possibly-violated": 1}


@pytest.mark.parametrize("value", ["", "x" * 257, "\N{SNOWMAN}" * 86])
def test_a_value_that_is_empty_or_too_long_is_none(value: str) -> None:
    auditor = InstancesAuditor(AUTOMATON, ORDERS)
    auditor.add(event(PAY, 1, order=value))
    auditor.add(event(SHIP, 2, order="1"))
    summary = auditor.finish({"shop"})
    (strange,) = summary.diagnostics()
    assert strange.kind == "not-understood"
    fix = "log its digest instead" if value else "log its value"
    assert strange.message == f"it carries no order of 1 to 256 bytes of UTF-8: {fix}"
    assert strange.place == Place("log", 1)
    assert summary.outcome().verdicts == {"possibly-violated": 1}


def test_values_of_256_bytes_are_told_apart() -> None:
    for one, other in (("x" * 256, "x" * 255 + "y"), ("\N{SNOWMAN}" * 85, "\N{SNOWMAN}" * 84)):
        assert audited(event(PAY, 1, order=one), event(SHIP, 2, order=other)).verdict is None
        assert audited(event(PAY, 1, order=one), event(SHIP, 2, order=one)).verdict == "violated"


def test_instances_are_bounded() -> None:
    events = [event(PAY, number, order=f"{number}") for number in range(1, 6)]
    auditor = InstancesAuditor(AUTOMATON, ORDERS, most=3)
    for each in events:
        auditor.add(each)
    summary = auditor.finish({"shop"})
    (strange,) = summary.diagnostics()
    assert strange.message.startswith("2 events are of more than 3 instances")
    outcome = summary.outcome()
    assert (outcome.verdicts, outcome.unjudged) == ({None: 3}, 1)
    assert outcome.problems == (strange.message,)


def test_an_incomplete_process_is_so_for_all_instances() -> None:
    found = audited(event(SHIP, 1, order="1"), event(SHIP, 2, order="2"), incomplete=["shop"])
    assert found.verdicts == {"possibly-violated": 2}
    with pytest.raises(ValueError, match="did you mean 'shop'"):
        audited(incomplete=["shpo"])


# Labels that begin instances anew.


def orders(events: list[RecordedEvent]) -> list[list[int]]:
    """All orders of events that their clocks allow."""
    before = {
        place: {
            other
            for other, one in enumerate(events)
            if other != place and known(event, one.process) >= known(one, one.process)
        }
        for place, event in enumerate(events)
    }

    def extend(order: list[int], left: set[int]) -> list[list[int]]:
        found = [] if left else [order]
        for place in sorted(left):
            if not before[place] & left:
                found += extend([*order, place], left - {place})
        return found

    return extend([], {*range(len(events))})


def known(event: RecordedEvent, process: str) -> int:
    assert event.clock is not None
    return event.clock.get(process, 0)


def label_of(automaton: SequenceAutomaton, event: RecordedEvent) -> Label | None:
    for label in automaton.labels:
        kind, (sender, name, receiver) = label
        own, other = (sender, receiver) if kind == SEND else (receiver, sender)
        if (event.kind, event.process, event.name, event.peer) == (kind, own, name, other):
            return label
    return None


def judged_with_fresh(seed: int) -> tuple[object, object] | None:
    """What the audit says of a random log of a property with fresh labels, and what the slow
    definition says over all orders; by place and binding."""
    random = Random(f"audit fresh {seed}")
    drawn = draw(random, random_automaton(random))
    if not isinstance(drawn, Drawn):
        return None
    if len(rules_of(drawn.whole)) != 1:
        return None
    log = recorded(random, drawn.whole, "clocks")
    events = [
        event._replace(values={name: random.choice("12") for name in FRESH_NAMES}) for event in log
    ]
    auditor = InstancesAuditor(drawn.whole, drawn.parameters)
    said: dict[object, str] = {}

    def add(rank: Any, name: str, outcome: Outcome, rules: Any, binding: Binding) -> None:
        for each in outcome.verdicts:
            assert each.item.event is not None
            said[each.item.event.place, name] = each.kind

    auditor.summary.add = add  # type: ignore[method-assign]
    for event in events:
        auditor.add(event)
    auditor.finish((*PROCESSES, OTHER))
    labelled = [event for event in events if label_of(drawn.whole, event) is not None]
    if len(labelled) > 7 or len(labelled) < 2:
        return None
    counted: Counter[object] = Counter()
    words = orders(labelled)
    for word in words:
        told = [(label_of(drawn.whole, labelled[at]), labelled[at].values) for at in word]
        for place, binding in formed_slowly(drawn, told):  # type: ignore[arg-type]
            counted[labelled[word[place]].place, in_words(binding)] += 1
    true = {
        key: "violated" if times == len(words) else "possibly-violated"
        for key, times in counted.items()
    }
    return said, true


def test_an_audit_of_fresh_labels_agrees_with_the_slow_definition() -> None:
    found = [judged_with_fresh(seed) for seed in range(1500)]
    judged = [each for each in found if each is not None]
    assert [said for said, true in judged if said != true] == []
    assert len(judged) > 150
    kinds = Counter(kind for _, true in judged for kind in true.values())  # type: ignore[attr-defined]
    assert kinds["violated"] > 20
    assert kinds["possibly-violated"] > 20


OPEN = Label(SEND, Message("shop", "open", "bank"))
REFUND = Label(SEND, Message("billing", "refund", "bank"))


def after_a_gap(*, fresh: bool) -> list[str]:
    """What is said of a hundred orders that are opened and shipped after a gap of billing of which
    the shop knows the end."""
    message_parameters = {each.message: ("order",) for each in (OPEN, REFUND, SHIP)}
    parameters = Parameters(("order",), message_parameters)
    automaton = sequences_automaton([MessageSequence((REFUND, SHIP))])
    if fresh:
        automaton = begun_anew(automaton, parameters, [(("fresh", 0), OPEN)])
    auditor = InstancesAuditor(automaton, parameters)
    place = Place("log", 1)
    auditor.add(RecordedEvent("billing", SEND, "told", place, "shop", "m", number=3))
    auditor.add(RecordedEvent("shop", "handle", "told", place, "billing", "m", number=1))
    for order in range(100):
        auditor.add(event(OPEN, 2 * order + 2, order=f"{order}"))
        auditor.add(event(SHIP, 2 * order + 3, order=f"{order}"))
    outcome = auditor.finish({"shop", "billing"}).outcome()
    return [each.kind.verdict for each in outcome.kinds for _ in range(each.sessions)]


def test_a_gap_does_not_make_orders_possible_that_begin_after_it() -> None:
    assert after_a_gap(fresh=False) == ["possibly-violated"] * 100
    assert after_a_gap(fresh=True) == []
