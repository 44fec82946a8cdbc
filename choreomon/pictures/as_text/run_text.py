"""A whole run as Mermaid or PlantUML text.

Every message is an arrow, in the order in which they were sent; one that is not handled before the
run ends is lost (`-x`). A handled message whose send is missing is an arrow where it is handled. A
diagram has no place for the handling, so a verdict about it is a note that says so, behind the last
arrow sent before it. Reading the text as an interaction (docs/diagrams.md) gives the messages back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from choreomon.core.message import ENVIRONMENT, SEND
from choreomon.core.run import RunEvent, RunVerdict, with_known_ends, with_lost_ends
from choreomon.interaction.diagram import OUTSIDE
from choreomon.pictures.as_text.sequence_text import in_mermaid, in_plantuml, participant_ids
from choreomon.sentences.wording import declared, milliseconds


class _Sent(NamedTuple):
    """A message; `sender` is None for the environment, a `lost` one is never handled."""

    sender: str | None
    name: str
    receiver: str
    lost: bool


def mermaid_run(
    events: Sequence[RunEvent],
    processes: Sequence[str],
    verdicts: Sequence[RunVerdict] = (),
    unlogged: Collection[str] = (),
) -> str:
    """The whole run as a Mermaid `sequenceDiagram`; `run_sequence_diagram` makes a short one.
    `unlogged`: processes whose handling is unknown, so that no message to them counts as lost.

    Raises ValueError for an empty name.
    """
    events = with_known_ends(events)
    ids = participant_ids(with_lost_ends(processes, events))
    lines = ["sequenceDiagram"]
    if any(event.message.sender == ENVIRONMENT for event in events):
        lines.append(f"    participant env as {OUTSIDE[1]}")
    lines += [
        f"    participant {own}" + ("" if own == name else f" as {in_mermaid(name)}")
        for name, own in ids.items()
    ]

    def arrow(one: _Sent) -> str:
        sender = "env" if one.sender is None else ids[one.sender]
        line = "-x" if one.lost else "->>"
        return f"{sender}{line}{ids[one.receiver]}: {in_mermaid(one.name)}"

    def note(process: str, words: str) -> str:
        return f"Note over {ids[process]}: {in_mermaid(words)}"

    lines += _body(events, verdicts, unlogged, arrow, note)
    return "\n".join(lines) + "\n"


def plantuml_run(
    events: Sequence[RunEvent],
    processes: Sequence[str],
    verdicts: Sequence[RunVerdict] = (),
    unlogged: Collection[str] = (),
) -> str:
    """The run as a PlantUML sequence diagram, as `mermaid_run`."""
    events = with_known_ends(events)
    ids = participant_ids(with_lost_ends(processes, events))
    lines = ["@startuml"]
    lines += [
        f"participant {own}" if own == name else f'participant "{in_plantuml(name)}" as {own}'
        for name, own in ids.items()
    ]

    def arrow(one: _Sent) -> str:
        text = in_plantuml(one.name)
        if one.sender is None:
            return f"[-> {ids[one.receiver]} : {text}"
        line = "->x" if one.lost else "->"
        return f"{ids[one.sender]} {line} {ids[one.receiver]} : {text}"

    def note(process: str, words: str) -> str:
        return f"note over {ids[process]} : {in_plantuml(words)}"

    lines += _body(events, verdicts, unlogged, arrow, note)
    return "\n".join([*lines, "@enduml"]) + "\n"


def _body(
    events: Sequence[RunEvent],
    verdicts: Sequence[RunVerdict],
    unlogged: Collection[str],
    arrow: Callable[[_Sent], str],
    note: Callable[[str, str], str],
) -> list[str]:
    handled = {event.sent_at for event in events}
    said: dict[int, list[RunVerdict]] = {}
    for verdict in verdicts:
        said.setdefault(verdict.event_index, []).append(verdict)
    lines: list[str] = []
    for event in events:
        sender, _, receiver = event.message
        name = event.name
        if event.kind == SEND:
            lost = event.index not in handled and receiver not in unlogged
            lines.append(arrow(_Sent(sender, name, receiver, lost)))
        elif event.sent_at is None:  # from outside, or its send was not recorded
            known = None if sender == ENVIRONMENT else sender
            lines.append(arrow(_Sent(known, name, receiver, False)))
        lines += [
            note(event.process, _words(event, verdict)) for verdict in said.get(event.index, ())
        ]
    return [f"    {line}" for line in lines]


def _words(event: RunEvent, verdict: RunVerdict) -> str:
    handled = "" if event.kind == SEND else f", {event.name} handled"
    return f"{declared(verdict)} (event {event.index}{handled}, {milliseconds(event.time)})"
