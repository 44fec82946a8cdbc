"""Runs of tests with real monitors, by threads, loops and hypothesis."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import ChoreomonError, DocumentError, ProcessClosed
from choreomon.core.run import RunFormation
from choreomon.documents.read import Document, parse_document
from choreomon.properties.reference import formations
from choreomon.testing import Declared, MonitoredRun, monitored

PROPERTY = """
property:
  sequences:
    - steps: ["A -> B : a", "B -> A : b"]
      cancel: [{on: "A -> B : c", after: [1, 1], back_to: 0}]
"""
DOCUMENT = parse_document(PROPERTY, "p.yaml")


def forms(run: MonitoredRun) -> None:
    a, b = run.blocking("A"), run.blocking("B")
    b.handling(a.sending("B", "unmentioned"))
    b.handling(a.sending("B", "a"))
    a.handling(b.sending("A", "b"))


def test_what_is_formed_is_declared_with_all_that_happened() -> None:
    with pytest.raises(Declared) as caught, monitored(DOCUMENT) as run:
        forms(run)
    text = str(caught.value)
    assert text.startswith("p.yaml: p\nB declares violated at event 4 (send B -> A : b).\n")
    assert "In every possible order the forbidden sequence was formed." in text
    found = caught.value.run
    assert found.formed == (RunFormation(4, (2, 4)),)
    assert [(one.process, str(one.label), one.clock, one.sent_at) for one in found.kept_events] == [
        ("A", "A -> B : unmentioned", (0, 0), None),
        ("B", "handle A -> B : unmentioned", (0, 0), 0),
        ("A", "A -> B : a", (1, 0), None),
        ("B", "handle A -> B : a", (1, 0), 2),
        ("B", "B -> A : b", (1, 1), None),
        ("A", "handle B -> A : b", (1, 1), 4),
    ]


ORDERS = parse_document(
    """
property:
  for_each: [order]
  sequences: [{steps: ["A -> B : refund(order)", "B -> A : ship(order)"]}]
""",
    "orders.yaml",
)


def ships_one(run: MonitoredRun) -> None:
    a, b = run.blocking("A"), run.blocking("B")
    for order in ("A-17", 18):
        b.handling(a.sending("B", "refund", order=order), order=order)
    b.sending("A", "ship", order=19)
    b.sending("A", "ship", order=18)
    with pytest.raises(ValueError, match="send ship carries order: give it order="):
        b.sending("A", "ship")


def test_each_instance_is_judged_by_itself() -> None:
    with pytest.raises(Declared) as caught, monitored(ORDERS) as run:
        ships_one(run)
    found = caught.value.run
    assert [(each.verdict, dict(each.binding)) for each in found.verdicts] == [
        ("violated", {"order": "18"})
    ]
    assert found.formed == (RunFormation(5, (2, 5)),)
    assert [dict(event.values) for event in found.kept_events] == [
        {"order": order} for order in ("A-17", "A-17", "18", "18", "19", "18")
    ]


def concurrently(run: MonitoredRun) -> None:
    """Without the clock nobody knows which came first."""
    run.blocking("A").sending("B", "a")
    run.blocking("B").sending("A", "b")


UNPAID = parse_document(
    """
property:
  for_each: [order]
  sequences:
    - steps: [begin, "B -> A : ship(order)"]
      cancel: [{on: "A -> B : paid(order)", after: [1, 1], back_to: 0}]
""",
    "unpaid.yaml",
)


def ships_one_unpaid(run: MonitoredRun) -> None:
    a, b = run.blocking("A"), run.blocking("B")
    b.handling(a.sending("B", "paid", order="A-17"), order="A-17")
    b.sending("A", "ship", order="A-17")
    b.sending("A", "ship", order="A-18")


def test_each_instance_has_its_beginning() -> None:
    with pytest.raises(Declared) as caught, monitored(UNPAID) as run:
        ships_one_unpaid(run)
    assert "B declares violated for order=A-18 at event 3" in str(caught.value)
    assert "The step before it happened before everything else." in str(caught.value)
    assert caught.value.run.formed == (RunFormation(3, (3,)),)


def test_what_is_not_formed_is_not_declared() -> None:
    with monitored(DOCUMENT) as run:
        a, b = run.blocking("A"), run.blocking("B")
        a.handling_from_outside("go")
        b.handling(a.sending("B", "a"))
        b.handling(a.sending("B", "c"))
        a.handling(b.sending("A", "b"))
    found = run.finish()
    assert (found.events, found.verdicts, found.formed) == (7, (), ())


RULES = parse_document(
    """
rules:
  - {id: a-and-then-b, description: Nothing comes back., never: "B -> A : b", after: "A -> B : a"}
  - {id: no-c-before-b, never: "A -> B : c", unless: "B -> A : b"}
""",
    "rules.yaml",
)


def one_after_the_other(run: MonitoredRun) -> None:
    a, b = run.blocking("A"), run.blocking("B")
    b.handling(a.sending("B", "a"))
    a.handling(b.sending("A", "b"))
    b.handling(a.sending("B", "c"))


def test_of_rules_it_is_said_which_failed() -> None:
    with pytest.raises(Declared) as caught, monitored(RULES) as run:
        one_after_the_other(run)
    told = str(caught.value)
    assert "a-and-then-b" in told
    assert "Nothing comes back." in told
    assert "no-c-before-b" not in told


def test_only_some_rules_may_be_wanted() -> None:
    with monitored(RULES, rules=["no-c-before-b"]) as run:
        run.blocking("B").handling(run.blocking("A").sending("B", "a"))
        run.blocking("B").sending("A", "b")
    assert run.finish().verdicts == ()
    with pytest.raises(ValueError, match="unknown rule 'no-c'"), monitored(RULES, rules=["no-c"]):
        pass


def test_what_is_only_possible_counts_unless_it_is_said_not_to() -> None:
    with pytest.raises(Declared, match="possibly violated"), monitored(DOCUMENT) as run:
        concurrently(run)
    with monitored(DOCUMENT, possible=False) as run:
        concurrently(run)
    assert [verdict.verdict for verdict in run.finish().verdicts] == ["possibly-violated"]


def test_what_a_test_raises_is_what_it_fails_by() -> None:
    def fails(run: MonitoredRun) -> None:
        forms(run)
        raise KeyError

    before = threading.active_count()
    with pytest.raises(KeyError), monitored(DOCUMENT) as run:
        fails(run)
    assert threading.active_count() == before


@pytest.mark.asyncio
async def test_code_on_another_loop_tells_the_same_monitors() -> None:

    async def exchange(run: MonitoredRun) -> None:
        a, b = run.process("A"), run.process("B")
        headers: dict[str, str] = {}
        a.inject(headers, await a.sending("B", "a"))
        carried = b.extract(headers)
        assert carried is not None
        await b.handling(carried)
        await a.handling(await b.sending("A", "b"))

    with pytest.raises(Declared), monitored(DOCUMENT) as run:
        await exchange(run)


def test_processes_may_be_of_different_threads_and_loops() -> None:
    """B's own loop is in a thread of its own."""

    async def answer(run: MonitoredRun) -> None:
        b = run.process("B")
        for _ in range(50):
            await b.handling(await asyncio.to_thread(run.blocking("A").sending, "B", "a"))

    with monitored(DOCUMENT) as run, ThreadPoolExecutor(4) as threads:
        work = [threads.submit(asyncio.run, answer(run)) for _ in range(4)]
        for each in work:
            each.result()
    found = run.finish()
    assert found.events == 400
    assert [event.index for event in found.kept_events] == [*range(400)]
    assert found.kept_events[-1].clock[0] == 200


@settings(max_examples=25)
@given(st.lists(st.sampled_from("abc"), max_size=6))
def test_every_order_is_judged_as_the_reference_does(messages: list[str]) -> None:
    """Each message is handled at once, so that there is one order only."""
    words: set[str] = set()
    try:
        with monitored(DOCUMENT) as run:
            for name in messages:
                sender, receiver = ("B", "A") if name == "b" else ("A", "B")
                carried = run.blocking(sender).sending(receiver, name)
                run.blocking(receiver).handling(carried)
    except Declared as declared:
        words = {one.verdict for one in declared.run.verdicts}
    assert DOCUMENT.property is not None
    labels = [event.label for event in run.finish().kept_events]
    formed = formations(DOCUMENT.property.automaton, labels)
    assert words == ({"violated"} if formed else set())


def test_processes_that_nobody_knows_and_documents_without_a_property_are_told() -> None:
    with monitored(DOCUMENT) as run:
        with pytest.raises(ChoreomonError, match=r"p\.yaml: has no process 'C'; it has A, B"):
            run.blocking("C")
        with pytest.raises(ChoreomonError, match="has no process 'a'"):
            run.process("a")
    empty = parse_document("application: {processes: [{id: A}]}", "e.yaml")
    with pytest.raises(ChoreomonError, match=r"e\.yaml: has no property"):
        MonitoredRun(empty)
    with pytest.raises(DocumentError), monitored("missing.yaml"):
        pass


def test_a_run_that_is_over_takes_nothing_and_says_the_same_again(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PROPERTY, encoding="utf-8")
    with monitored(tmp_path / "p.yaml") as run:
        run.blocking("A").sending("B", "a")
        found = run.finish()
        with pytest.raises(ProcessClosed):
            run.blocking("A").sending("B", "a")
    assert run.finish() is found
    assert isinstance(run.document, Document)
