"""Whole runs as Mermaid and PlantUML: every message and every verdict, and read back as they were
sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from diagram_grammars import read_mermaid as check_mermaid
from diagram_grammars import read_plantuml as check_plantuml

from choreomon.core.action import emission, reception
from choreomon.core.message import ENVIRONMENT, SEND, Message
from choreomon.core.run import Run, with_known_ends
from choreomon.diagrams.mermaid import read_mermaid
from choreomon.diagrams.plantuml import read_plantuml
from choreomon.interaction.term import EMPTY, Interaction, act, seq, strict
from choreomon.pictures.as_text.run_text import mermaid_run, plantuml_run
from tests.diagrams.samples import HOSTILE
from tests.logs.writers.runs_to_export import SCENARIOS, run_of

Write = Callable[..., str]
LANGUAGES = {
    "mermaid": (mermaid_run, read_mermaid, check_mermaid),
    "plantuml": (plantuml_run, read_plantuml, check_plantuml),
}
both = pytest.mark.parametrize(("write", "read", "check"), LANGUAGES.values(), ids=LANGUAGES)


def messages_of(run: Run) -> Interaction:
    """What was sent, in its order; a message that nobody handled is only sent."""
    handled = {event.sent_at for event in run.kept_events}
    parts = []
    for event in with_known_ends(run.kept_events):
        sender, _, receiver = event.message
        name = event.name  # with what it carries
        received = act(reception(receiver, name))
        if sender == ENVIRONMENT:
            parts.append(received)
        elif event.kind == SEND:
            sent = act(emission(sender, name))
            parts.append(strict(sent, received) if event.index in handled else sent)
    return seq(*parts) if parts else EMPTY


@both
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_message_and_every_verdict_is_there(
    scenario: str,
    write: Write,
    read: Callable[[str], Interaction],
    check: Callable[[str], list[str]],
) -> None:
    run = run_of(scenario)
    text = write(run.kept_events, run.processes, run.verdicts)
    assert read(text) is messages_of(run)
    kinds = check(text)
    assert kinds.count("note") == len(run.verdicts)
    assert kinds.count("participant") - len(run.processes) in (0, 1)


@both
def test_a_message_that_is_still_on_its_way_is_lost(
    write: Write, read: Callable[[str], Interaction], check: Callable[[str], list[str]]
) -> None:
    run = run_of("fig1-violating")
    cut = replace(run, kept_events=run.kept_events[:2])
    text = write(cut.kept_events, cut.processes)
    assert read(text) is messages_of(cut)
    assert "P2-xP1: m0" in text or "P2 ->x P1 : m0" in text
    assert check(text).count("message") == 2
    unlogged = write(cut.kept_events, cut.processes, unlogged=("P1",))
    assert "P2-xP1: m0" not in unlogged
    assert "P2 ->x P1 : m0" not in unlogged
    assert check(unlogged).count("message") == 2


@both
@pytest.mark.parametrize("name", [name for name in HOSTILE if name != ENVIRONMENT])
def test_no_name_changes_the_diagram(
    write: Write,
    read: Callable[[str], Interaction],
    check: Callable[[str], list[str]],
    name: str,
) -> None:
    run = run_of("fig1-violating")
    sent = run.kept_events[1]
    event = replace(sent, process=name, message=Message(name, name, "P1"))
    verdict = replace(run.verdicts[0], event_index=event.index, monitor=name)
    text = write([event], [name, "P1"], [verdict])
    assert check(text) == ["participant", "participant", "message", "note"]
    assert read(text) is act(emission(name, name))


def test_a_verdict_is_a_note_with_its_event() -> None:
    run = run_of("fig1-violating")
    text = mermaid_run(run.kept_events, run.processes, run.verdicts)
    assert "Note over P3: P3 declares violated (event 9, 200 ms)" in text
