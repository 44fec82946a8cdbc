"""Judging again and again comes to an end, and to the right one in any order of changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from random import Random

import pytest

import choreomon.monitor.reevaluation
from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference, Result
from choreomon.monitor.effects import Send
from choreomon.monitor.history import FAR_BACK, Chain, Record, RecordResult, relevant
from choreomon.monitor.messages import Push
from choreomon.monitor.push import PushMonitor
from choreomon.monitor.record_by_record import PAPER, SOUND
from choreomon.monitor.reevaluation import MAX_REVISIONS, RecordChange, Reevaluation
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.tables import transition_tables
from tests.simulator.counting_rules import Counting
from tests.simulator.monitored import draw_simulation

PROCESSES = ("P1", "P2", "P3")


def send(sender: str, name: str) -> Label:
    return Label(SEND, Message(sender, name, "P1" if sender != "P1" else "P3"))


X, Y, S, V = send("P1", "x"), send("P2", "y"), send("P3", "s"), send("P3", "v")
X_CLOCK: VectorClock = (1, 0, 2)  # after s and v
Y_CLOCK: VectorClock = (0, 1, 0)  # concurrent to all others


def each_other() -> SequenceAutomaton:
    """`x` leads from q1 to q2 and `y` back from q2 to q1, both forward, so each continues
    the other; `s` leads to q1, and `v` takes that back."""
    return sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition(source, label, target)
            for source, label, target in (
                ("q0", S, "q1"),
                ("q0", send("P3", "r"), "q2"),
                ("q1", X, "q2"),
                ("q2", Y, "q1"),
                ("q1", send("P3", "f"), "q3"),
                ("q2", send("P3", "g"), "q3"),
                ("q1", V, "q0"),
            )
        ],
    )


def steps_until_quiet(limit: int) -> tuple[int, dict[str, PushMonitor]]:
    """`x` and `y` have happened, then the pushes of `s` and `v` arrive, the oldest push
    first; how many pushes arrived until none was under way, at most `limit`."""
    tables = transition_tables(each_other(), PROCESSES)
    monitors = {process: PushMonitor(tables[process], PROCESSES, SOUND) for process in PROCESSES}
    under_way: deque[Push] = deque()

    def carry_out(effects: Iterable[object]) -> None:
        under_way.extend(effect.message for effect in effects if isinstance(effect, Send))  # type: ignore[misc]

    assert not monitors["P1"].observe(Event(X, X_CLOCK), X_CLOCK)
    assert not monitors["P2"].observe(Event(Y, Y_CLOCK), Y_CLOCK)
    carry_out(monitors["P3"].observe(Event(S, (0, 0, 1)), (0, 0, 1)))
    carry_out(monitors["P3"].observe(Event(V, (0, 0, 2)), (0, 0, 2)))
    clocks = {"P1": X_CLOCK, "P2": Y_CLOCK, "P3": (0, 0, 2)}
    # P2 hears of s and v only after it has heard of x, on a slow link.
    slow = [push for push in under_way if push.receiver == "P2"]
    under_way = deque(push for push in under_way if push.receiver != "P2")
    steps = 0
    while (under_way or slow) and steps < limit:
        if not under_way:
            under_way.extend(slow)
            slow = []
        push = under_way.popleft()
        clock, effects = monitors[push.receiver].receive(push, clocks[push.receiver])
        clocks[push.receiver] = clock
        carry_out(effects)
        steps += 1
    return steps, monitors


def test_events_that_support_each_other_are_revised_only_so_often() -> None:
    steps, monitors = steps_until_quiet(limit=1000)
    assert steps < 10 * MAX_REVISIONS
    for process, reference in (("P1", ("q1", "q2")), ("P2", ("q2", "q1"))):
        reevaluation = monitors[process]._reevaluation
        (judged,) = reevaluation.judged[Reference(reference[0], process, reference[1])]
        assert judged.judgement.result == FRM_P
        assert judged.revision <= MAX_REVISIONS + 1


def test_without_that_bound_they_would_be_revised_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The case above is one that the bound is for."""
    monkeypatch.setattr(choreomon.monitor.reevaluation, "MAX_REVISIONS", 10**9)
    steps, _ = steps_until_quiet(limit=5000)
    assert steps == 5000


def events_of(seed: int) -> tuple[SequenceAutomaton, tuple[str, ...], list[RunEvent]]:
    simulation = draw_simulation(Random(seed), seed)
    automaton = simulation.automaton
    assert automaton is not None
    run = simulation.run(seed, keep_events=True, strategy="central")
    labelled = [event for event in run.kept_events if event.label in automaton.labels]
    return automaton, run.processes, labelled


def final_results(reevaluation: Reevaluation) -> dict[tuple[Reference, VectorClock], object]:
    return {
        (reference, entry.event): entry.judgement.result
        for reference, entries in reevaluation.judged.items()
        for entry in entries
        if entry.inspected.final
    }


def test_the_order_in_which_notices_arrive_does_not_matter_in_the_end() -> None:
    """As long as nothing was revised too often; then it may cost precision alone."""
    compared = 0
    for seed in range(120):
        automaton, processes, labelled = events_of(seed)
        results = []
        for shuffling in range(3):
            reevaluation = Reevaluation(
                tuple(transition_tables(automaton, processes).values()), processes, SOUND
            )
            order = [*labelled]
            if shuffling:
                Random(shuffling).shuffle(order)
            for event in order:
                reevaluation.observe(Event(event.label, event.clock))
            revisions = [e.revision for es in reevaluation.judged.values() for e in es]
            if max(revisions, default=0) < MAX_REVISIONS:
                results.append(final_results(reevaluation))
        assert all(result == results[0] for result in results)
        compared += len(results) > 1 and bool(results[0])
    assert compared > 50


def test_a_change_that_is_older_than_what_is_known_changes_nothing() -> None:
    table = transition_tables(each_other(), PROCESSES)["P1"]
    reevaluation = Reevaluation([table], PROCESSES, SOUND)
    reevaluation.observe(Event(X, X_CLOCK))
    s = Reference("q0", "P3", "q1")
    assert reevaluation.learn(s, (0, 0, 1), None, 2) == []
    assert reevaluation.learn(s, (0, 0, 1), "Frm", 1) == []
    assert reevaluation.records == 0
    (revised,) = reevaluation.learn(s, (0, 0, 1), "Frm", 3)
    assert (revised.judgement.result, revised.revision) == ("Frm", 1)
    assert reevaluation.records == 2


class JudgesEverythingAnew(Reevaluation):
    """No bug: what did not happen before the change is judged anew, whatever it is."""

    def _concerned(
        self, needing: Reference, appearing: set[Result | None], change: RecordChange
    ) -> Iterator[int]:
        own = self.index_of[needing.process]
        entries = self.judged.get(needing, [])
        for place in range(len(entries) - 1, -1, -1):
            if entries[place].event[own] > change.event[own]:
                yield place


class JudgesNothingAnew(Reevaluation):
    """Planted: the first word is the last."""

    def _concerned(
        self, needing: Reference, appearing: set[Result | None], change: RecordChange
    ) -> Iterator[int]:
        yield from ()


class TakesConcurrentForHarmless(Reevaluation):
    """Planted: only what happened after the change is judged anew."""

    def _concerned(
        self, needing: Reference, appearing: set[Result | None], change: RecordChange
    ) -> Iterator[int]:
        other = self.index_of[change.reference.process]
        for place in super()._concerned(needing, appearing, change):
            if self.judged[needing][place].event[other] >= change.event[other]:
                yield place


class ForgetsVanishedPreRecords(Reevaluation):
    """Planted: a pre record that vanishes changes only what happened after it."""

    kept: Result | None = FRM

    def _concerned(
        self, needing: Reference, appearing: set[Result | None], change: RecordChange
    ) -> Iterator[int]:
        other = self.index_of[change.reference.process]
        for place in super()._concerned(needing, appearing, change):
            knows = self.judged[needing][place].event[other] >= change.event[other]
            if knows or change.now is not None or self.kept in appearing:
                yield place


class ForgetsVanishedVioRecords(ForgetsVanishedPreRecords):
    """Planted: a vio record that vanishes changes only what happened after it."""

    kept = None


Given = list[tuple[SequenceAutomaton, tuple[str, ...], list[RunEvent]]]


@pytest.fixture(scope="module")
def shuffled() -> Given:
    """The labelled events of random runs, in orders in which notices may arrive; in the
    last two it matters that a concurrent record vanishes, which is rare."""
    given = []
    for seed, shuffling in (*((seed, seed) for seed in range(300)), (389, 0), (1077, 0)):
        automaton, processes, labelled = events_of(seed)
        Random(shuffling).shuffle(labelled)
        given.append((automaton, processes, labelled))
    return given


def results(reevaluation: Reevaluation) -> dict[tuple[Reference, VectorClock], Result | None]:
    return {
        (reference, entry.event): entry.judgement.result
        for reference, entries in reevaluation.judged.items()
        for entry in entries
    }


def differing(given: Given, kind: type[Reevaluation], rules: Rules = SOUND) -> tuple[int, int]:
    """In how many runs one `kind` of reevaluation came to other results than judging
    everything anew does, and how many were compared: those where nothing was revised too
    often."""
    different = compared = 0
    for automaton, processes, events in given:
        tables = tuple(transition_tables(automaton, processes, rules.name).values())
        found = kind(tables, processes, rules)
        expected = JudgesEverythingAnew(tables, processes, rules)
        for event in events:
            found.observe(Event(event.label, event.clock))
            expected.observe(Event(event.label, event.clock))
        revised = [e.revision for g in (found, expected) for es in g.judged.values() for e in es]
        if max(revised, default=0) < MAX_REVISIONS:
            compared += 1
            different += results(found) != results(expected)
    return different, compared


@pytest.mark.parametrize("rules", [SOUND, PAPER], ids=["sound", "paper"])
def test_passing_over_what_a_change_cannot_affect_changes_no_result(
    shuffled: Given, rules: Rules
) -> None:
    different, compared = differing(shuffled, Reevaluation, rules)
    assert different == 0
    assert compared > 250


@pytest.mark.parametrize(
    "planted",
    [
        JudgesNothingAnew,
        TakesConcurrentForHarmless,
        ForgetsVanishedPreRecords,
        ForgetsVanishedVioRecords,
    ],
)
def test_the_comparison_notices_passing_over_too_much(
    shuffled: Given, planted: type[Reevaluation]
) -> None:
    different, _ = differing(shuffled, planted)
    assert different > 0


def judgements_of_silent_processes(
    labels: tuple[Label, ...], rounds: int, kind: type[Reevaluation] = Reevaluation
) -> int:
    """How many judgements it takes when each process sends its message over and over and
    never hears of the others: a, then b, unless v in between."""
    processes = tuple(label.process for label in labels)
    stated = [
        StatedTransition("q0", labels[0], "q1"),
        StatedTransition("q1", labels[1], "q2"),
        *(StatedTransition("q1", label, "q0") for label in labels[2:]),
    ]
    automaton = sequence_automaton(initial=["q0"], final=["q2"], transitions=stated)
    rules = Counting()
    tables = tuple(transition_tables(automaton, processes).values())
    reevaluation = kind(tables, processes, rules)
    for count in range(1, rounds + 1):
        for place, label in enumerate(labels):
            clock = tuple(count if i == place else 0 for i in range(len(labels)))
            reevaluation.observe(Event(label, clock))
    assert all(
        entry.judgement.result == FRM_P
        for entry in reevaluation.judged[Reference("q1", processes[1], "q2")]
    )
    return rules.judgements


@pytest.mark.parametrize("labels", [(X, Y), (X, Y, V)], ids=["two", "three"])
def test_processes_that_never_hear_of_each_other_are_judged_hardly_more_than_once(
    labels: tuple[Label, ...],
) -> None:
    assert judgements_of_silent_processes(labels, 400) <= 2 * len(labels) * 400


def test_the_count_of_judgements_notices_judging_everything_anew() -> None:
    assert judgements_of_silent_processes((X, Y), 400, JudgesEverythingAnew) > 100 * 2 * 400


def test_a_long_chain_is_answered_as_by_looking_at_every_record() -> None:
    """Of the records before the event the last and the last `Frm`; of the others that did
    not happen after it the last."""
    reference = Reference("q0", "P1", "q1")
    random = Random(0)
    far = 0
    for _ in range(400):
        chain: Chain = ()
        count = heard = 0
        for _ in range(random.randint(FAR_BACK - 2, 3 * FAR_BACK)):
            since = (count + 1, heard) if random.random() < 0.2 else None
            count, heard = count + random.randint(1, 2), heard + random.randint(0, 1)
            state: RecordResult = random.choice((FRM, FRM_P, FRM_P))
            chain += (Record(reference, (count + (since is not None), heard), state, since),)
            count = chain[-1].clock[0]
        event = (random.randint(0, count), random.randint(0, heard + 2))
        before = [r for r in chain if r.clock[0] <= event[0]]
        others = [r for r in chain if r.clock[0] > event[0] and r.first[1] < event[1]]
        surely = [r for r in before if r.result == FRM]
        expected = dict.fromkeys(others[-1:] + before[-1:] + surely[-1:])
        assert relevant(chain, 0, event, 1) == list(expected)
        far += len(chain) - len(before) >= FAR_BACK
    assert far > 100
