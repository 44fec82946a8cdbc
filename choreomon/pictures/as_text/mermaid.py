"""Automata and runs as Mermaid text.

Mermaid has no general way to quote: names with a `#`, a `;`, a quote or the word `end` end a
statement or a diagram, and `wrap:` before a name is a command. Therefore everything but plain
letters, digits and a few harmless signs is written as a numeric entity, and states and processes
get generated ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from choreomon.core.message import ENVIRONMENT, SEND
from choreomon.core.run import RunEvent, RunVerdict, with_known_ends, with_lost_ends
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.pictures.space_time.window import AROUND_MARKS, Gap, View, window
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.wording import (
    declared,
    formula_in_words,
    milliseconds,
    with_arrow,
)

_HARMLESS: Final = frozenset(" _-.,:()")
_WORDS: Final = re.compile(r"\bend\b|^ *:?(?:no)?wrap(?=:)", re.IGNORECASE)


def escaped(text: str) -> str:
    """`text` for any place of a Mermaid diagram where text is allowed, on one line."""
    plain = "".join(
        character
        if character.isalnum() or character in _HARMLESS or character == "→"
        else " "
        if character.isspace() or not character.isprintable()
        else f"#{ord(character)};"
        for character in text
    )
    return _WORDS.sub(lambda word: f"#{ord(word[0][0])};{word[0][1:]}", plain)


def automaton_flowchart(automaton: SequenceAutomaton) -> str:
    """A flowchart from left to right: forward transitions solid, backward ones dotted,
    final states in double circles, initial states with an arrow out of a dot; each rule in a box
    with its name and what it says."""
    ids = {state: f"s{number}" for number, state in enumerate(automaton.states)}
    lines = ["flowchart LR"]

    def node(state: str) -> str:
        left, right = ("(((", ")))") if state in automaton.final else ("((", "))")
        return f'{ids[state]}{left}"{escaped(state)}"{right}'

    for number, (stated, states) in enumerate(automaton.rules):
        said = f": {with_arrow(stated.description)}" if stated.description else ""
        lines.append(f'    subgraph rule{number}["{escaped(stated.name + said)}"]')
        lines += [f"        {node(state)}" for state in automaton.states if state in states]
        lines.append("    end")
    if not automaton.rules:
        lines += [f"    {node(state)}" for state in automaton.states]
    lines += [
        f'    start_{ids[state]}[" "]:::start --> {ids[state]}' for state in automaton.initial
    ]
    for transitions, arrow in ((automaton.forward, "-->"), (automaton.backward, "-.->")):
        for t in transitions:
            label = escaped(with_arrow(automaton.written(t.label)))
            lines.append(f'    {ids[t.source]} {arrow}|"{label}"| {ids[t.target]}')
    for loop in automaton.self_loops:
        state, words = ids[loop.state], with_arrow(formula_in_words(loop.formula))
        lines.append(f'    {state} -->|"{escaped(words)}"| {state}')
    lines.append("    classDef start fill:none,stroke:none")
    return "\n".join(lines) + "\n"


def run_sequence_diagram(
    events: Sequence[RunEvent],
    processes: Sequence[str],
    highlights: Sequence[Highlight] = (),
    verdicts: Sequence[RunVerdict] = (),
    view: View = AROUND_MARKS,
) -> str:
    """The run as a sequence diagram, cut as `window` cuts it.

    Mermaid draws a message at one height, so each stands where it was sent; if its handling is
    marked or judged, a note says so. Steps of the sequence are numbered in notes.
    """
    known = with_known_ends(events)
    items = window(known, [highlight.event_index for highlight in highlights], view)
    shown = [item for item in items if isinstance(item, RunEvent)]
    names = [ENVIRONMENT] if any(e.message.sender == ENVIRONMENT for e in shown) else []
    names += [end for end in with_lost_ends(processes, shown) if end != ENVIRONMENT]
    ids = {process: f"p{number}" for number, process in enumerate(names)}
    lines = ["sequenceDiagram"]
    lines += [f"    participant {ids[name]} as {escaped(name)}" for name in names]
    everyone = f"{ids[names[0]]},{ids[names[-1]]}" if len(names) > 1 else "".join(ids.values())
    said: dict[int, list[RunVerdict]] = {}
    for verdict in verdicts:
        said.setdefault(verdict.event_index, []).append(verdict)
    marked = {highlight.event_index: highlight for highlight in highlights}
    for item in items:
        if isinstance(item, Gap):
            lines.append(f"    Note over {everyone}: events {escaped(str(item))} not shown")
            continue
        sender, _, receiver = item.message
        if item.kind == SEND or sender == ENVIRONMENT:
            lines.append(f"    {ids[sender]}-){ids[receiver]}: {escaped(item.name)}")
        words = _notes(item, marked.get(item.index), said.get(item.index, ()))
        if words:
            lines.append(f"    Note over {ids[item.process]}: {escaped(words)}")
    return "\n".join(lines) + "\n"


def _notes(event: RunEvent, highlight: Highlight | None, verdicts: Iterable[RunVerdict]) -> str:
    words = []
    if highlight is not None and highlight.role == "cancellation":
        words.append("message that may cancel a step")
    elif highlight is not None and highlight.step is not None:
        words.append(f"{'earlier ' if highlight.role == 'earlier' else ''}step {highlight.step}")
    words += map(declared, verdicts)
    if not words:
        return ""
    handled = "" if event.kind == SEND else f", {event.name} handled"
    return f"{', '.join(words)} (event {event.index}{handled}, {milliseconds(event.time)})"
