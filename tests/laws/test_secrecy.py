"""No monitor, and nothing that a monitor says, reveals the messages of another process
(docs/adr/022-monitors.md, "Secrecy"). Every message of a random property has a name of its
own, so that it can be looked for in anything that is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from choreomon.agent_files.wire import encode
from choreomon.core.message import Message
from choreomon.core.verdict import FRM, GAP, Reference
from choreomon.monitor import pull
from choreomon.monitor.effects import Declared, Send
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.precise import PRECISE, Precise
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules, Told
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState
from choreomon.monitor.wait_for_graph import notice_of_waiting
from tests.laws.drawn import NOISE
from tests.laws.faults import Faults, executions
from tests.laws.interleaving import Run, System, following, play
from tests.laws.test_guarantees import runs
from tests.laws.unreliable import Execution
from tests.properties.stated import automaton_of


def foreign_names(run: Run, process: str) -> set[str]:
    """The names of messages that no label of this process speaks of."""
    labels = run.system.automaton.labels
    own = {label.message.name for label in labels if label.process == process}
    return {label.message.name for label in labels} - own | {NOISE}


def leaks(run: Run) -> Iterator[str]:
    names = {label.message.name for label in run.system.automaton.labels} | {NOISE}
    for place, process in enumerate(run.system.processes):
        foreign = foreign_names(run, process)
        written = [repr(run.system.monitors[place].table)]
        written += [repr(world.states[place]) for world in run.worlds]
        for _, stepped, effects in run.steps:
            if stepped == place:
                written += map(repr, effects)
        for text in written:
            yield from (f"{process}: {name}" for name in foreign if f"'{name}'" in text)
    for _, _, effects in run.steps:
        for effect in effects:
            if isinstance(effect, Send):
                data = encode(effect.message)
                yield from (f"wire: {name}" for name in names if name.encode() in data)


@pytest.mark.parametrize("rules", [SOUND, PRECISE], ids=lambda rules: rules.name)
def test_no_table_state_effect_or_message_names_a_message_of_another_process(rules: Rules) -> None:
    """Nor any evidence, nor a second inquiry of precise rules: they name references and counts."""
    seen: Counter[str] = Counter()
    for run in runs(120, rules):
        assert not list(leaks(run))
        for _, _, effects in run.steps:
            for effect in effects:
                if isinstance(effect, Send):
                    seen["sent"] += 1
                    seen["evidence"] += bool(getattr(effect.message, "evidence", ()))
                    seen["named"] += bool(getattr(effect.message, "named", ()))
    assert seen["sent"] > 500
    if rules is PRECISE:
        assert min(seen["evidence"], seen["named"]) > 50


def test_that_law_notices_evidence_that_names_transitions_by_their_messages() -> None:
    """Planted: evidence speaks of the message of a transition of the monitor that tells it."""

    class WithLabels(Precise):
        def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
            told = super().answer(monitor, state, inquiry)
            name = monitor.table.rows[0].transition.label.message.name
            record = Record(Reference(name, monitor.process, "q0"), inquiry.event, FRM)
            return told._replace(evidence=(*told.evidence, record))

    assert any(list(leaks(run)) for run in runs(120, WithLabels()))


def leaks_of(run: Execution) -> Iterator[str]:
    """The same of hosts, to which everything happens that can: gaps, silence, repetitions."""
    labels = run.automaton.labels
    names = {label.message.name for label in labels} | {NOISE}
    for place, (process, host) in enumerate(
        zip(run.setting.processes, run.setting.hosts, strict=True)
    ):
        own = {label.message.name for label in labels if label.process == process}
        written = [repr(host)]
        for step in run.steps:
            if step.process == place:
                written += [repr(step.after), *map(repr, step.effects)]
        for text in written:
            yield from (f"{process}: {name}" for name in names - own if f"'{name}'" in text)
    for _, effect in run.effects():
        if isinstance(effect, Send):
            data = encode(effect.message)
            yield from (f"wire: {name}" for name in names if name.encode() in data)


@pytest.mark.parametrize("rules", [SOUND, PRECISE], ids=lambda rules: rules.name)
def test_no_notice_of_waiting_nor_gap_names_a_message_of_another_process(rules: Rules) -> None:
    seen: Counter[str] = Counter()
    faults = Faults(gaps=4, losses=5, repeats=9, give_ups=2)
    for run in executions(150, faults, deadline=True, rules=rules):
        assert not list(leaks_of(run))
        for _, effect in run.effects():
            if isinstance(effect, Send):
                message = effect.message
                seen[type(message).__name__] += 1
                if isinstance(message, Response):
                    seen[GAP] += any(record.result == GAP for record in message.records)
            elif isinstance(effect, Declared) and effect.verdict:
                seen["unseen"] += effect.verdict.unseen
    assert min(seen[kind] for kind in ("Inquiry", "Response", "Waiting", GAP, "unseen")) > 20


def test_that_law_notices_a_notice_of_waiting_that_says_for_which_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: instead of the transition that is inspected, the event that it waits for."""

    def with_label(monitor: Monitor, state: MonitorState, *rest: Any) -> Waiting:
        waiting = notice_of_waiting(monitor, state, *rest)
        row = monitor.table.rows[0].transition
        return waiting._replace(inspected=Reference(row.label.message.name, "P1", "q1"))

    monkeypatch.setattr(pull, "notice_of_waiting", with_label)
    assert any(list(leaks_of(run)) for run in executions(150, Faults(repeats=9)))


def test_the_law_notices_states_that_are_named_after_messages() -> None:
    """Planted: a state called after the message that leads into it, so that references
    tell the message."""
    a, b = Message("P1", "secret-a", "P2"), Message("P2", "secret-b", "P1")
    automaton = automaton_of("q0", "q2", ("q0", a, "secret-a"), ("secret-a", b, "q2"))
    run = play(System(automaton, ("P1", "P2")), ((a,), (b,)), following(b""))
    assert {leak.split(":")[0] for leak in leaks(run)} == {"P2", "wire"}
