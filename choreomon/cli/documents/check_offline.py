"""`choreomon check` of interactions, signatures, multi-traces, configurations, automata and the
locations of their letters: that they can be read, and what is in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import click

from choreomon.interaction_files.offline_kind import Kind


class _Content(NamedTuple):
    """The content of a file: for machines `facts`, for people a sentence and a table."""

    facts: dict[str, Any]
    said: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, ...]]


def check_offline(file: str, kind: Kind, *, locations: str | None, as_json: bool) -> None:
    """Say what the file holds; `locations` is the file that says where the letters of an automaton
    are. Raises `DocumentError` where it cannot be read."""
    content = _automaton(file, locations) if kind == "automaton" else _CONTENT[kind](file)
    if as_json:
        click.echo(json.dumps({"file": file, "kind": kind, **content.facts}, indent=2))
    else:
        valid = "are valid" if kind == "locations" else "is valid"
        _show(f"{file}: the {kind} {valid}: {content.said}", content)


def _interaction(file: str) -> _Content:
    from choreomon.core.action import EMISSION
    from choreomon.documents.interactions import load_interaction
    from choreomon.interaction.measures import metrics
    from choreomon.interaction.term import subterms
    from choreomon.sentences.wording import counted

    term = load_interaction(file)
    measured = metrics(term)
    lifelines: dict[str, dict[str, set[str]]] = {
        name: {"sends": set(), "receives": set()} for name in measured.lifelines
    }
    for part in subterms(term):
        if part.action is not None:
            end = "sends" if part.action.kind == EMISSION else "receives"
            lifelines[part.action.lifeline][end].add(part.action.message)
    sorted_ends = {
        name: {end: sorted(messages) for end, messages in ends.items()}
        for name, ends in lifelines.items()
    }
    return _Content(
        {**measured._asdict(), "lifelines": sorted_ends},
        f"{counted(measured.symbols, 'symbol')}, {counted(measured.loops, 'loop')}, "
        f"{counted(len(measured.messages), 'message')}",
        ("lifeline", "sends", "receives"),
        [
            (name, ", ".join(ends["sends"]), ", ".join(ends["receives"]))
            for name, ends in sorted_ends.items()
        ],
    )


def _signature(file: str) -> _Content:
    from choreomon.interaction_files.loading import load_signature
    from choreomon.sentences.wording import counted

    lifelines, messages = load_signature(file)
    return _Content(
        {"lifelines": [*lifelines], "messages": [*messages]},
        f"{counted(len(lifelines), 'lifeline')}, {counted(len(messages), 'message')}",
        ("lifelines", "messages"),
        [(", ".join(lifelines), ", ".join(messages))],
    )


def _multi_trace(file: str) -> _Content:
    from choreomon.interaction_files.loading import load_multi_trace
    from choreomon.sentences.wording import counted

    multitrace = load_multi_trace(file)
    parts = [(part.lifelines, len(part.actions)) for part in multitrace.components]
    return _Content(
        {"components": [{"lifelines": [*names], "actions": count} for names, count in parts]},
        f"{counted(multitrace.length, 'action')} on {counted(len(parts), 'clock')}",
        ("lifelines with a clock", "actions"),
        [(", ".join(names), f"{count:,}") for names, count in parts],
    )


def _configuration(file: str) -> _Content:
    from choreomon.interaction_files.configuration_json import write_configuration_json
    from choreomon.interaction_files.loading import load_configuration
    from choreomon.sentences.wording import counted

    facts = json.loads(write_configuration_json(load_configuration(file)))
    del facts["kind"]
    return _Content(
        facts,
        counted(len(facts), "section"),
        ("section", "option", "value"),
        [
            (section, option, json.dumps(value))
            for section, options in facts.items()
            for option, value in options.items()
        ],
    )


def _automaton(file: str, locations: str | None) -> _Content:
    from choreomon.automata.emptiness import shortest_word, useful
    from choreomon.interaction_files.automaton_file import load_automaton, load_locations
    from choreomon.sentences.wording import counted

    places = None if locations is None else load_locations(locations)
    one = load_automaton(file, places)
    idle = one.states - useful(one).bit_count()
    shortest = shortest_word(one)
    letters = {
        name: [str(one.letters[number]) for number in numbers]
        for name, numbers in one.letters_of.items()
    }
    how = "deterministic" if one.is_deterministic else "nondeterministic"
    said = (
        f"{counted(one.states, 'state')}, {counted(len(one.edges), 'edge')}, "
        f"{counted(len(one.letters), 'letter')}, {how}"
    )
    if shortest is None:
        said += "; it accepts nothing"
    elif idle:
        said += f"; {counted(idle, 'state')} on no way from the beginning to an end"
    return _Content(
        {
            "states": one.states,
            "edges": len(one.edges),
            "initial": one.initial.bit_count(),
            "final": one.final.bit_count(),
            "idle": idle,
            "deterministic": one.is_deterministic,
            "letters": letters,
            "shortest": None if shortest is None else list(map(str, shortest)),
            "digest": one.digest,
        },
        said,
        ("lifeline", "letters"),
        [(name, ", ".join(own)) for name, own in letters.items()],
    )


def _locations(file: str) -> _Content:
    from choreomon.interaction_files.automaton_file import load_locations
    from choreomon.sentences.wording import counted

    places = load_locations(file)
    letters: dict[str, list[str]] = {name: [] for name in places.names}
    for letter, action in places.actions.items():
        letters[action.lifeline].append(letter)
    return _Content(
        {"locations": letters},
        f"{counted(len(places.actions), 'letter')} in {counted(len(letters), 'location')}",
        ("location", "letters"),
        [(name, ", ".join(own)) for name, own in letters.items()],
    )


_CONTENT: Final[dict[Kind, Callable[[str], _Content]]] = {
    "interaction": _interaction,
    "signature": _signature,
    "multi-trace": _multi_trace,
    "configuration": _configuration,
    "locations": _locations,
}


def _show(said: str, content: _Content) -> None:
    from choreomon.cli.command_line.screen import print_bold, print_grid
    from choreomon.terminal.grid import Cell, Grid

    print_bold(said)
    print_grid(Grid(tuple(content.columns), tuple(tuple(map(Cell, row)) for row in content.rows)))
