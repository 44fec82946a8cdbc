"""Automata, and where their letters are, as JSON.

    {"kind": "automaton",
     "letters": ["a!m", "b?m"],
     "states": 3, "initial": [0], "final": [2],
     "edges": [[0, "a!m", 1], [1, "b?m", 2]],
     "lifelines": ["a", "b", "c"]}

States are numbered from 0. `lifelines` may be left out; it is for those on which nothing happens.
`letters` has all letters, those that are on no edge, too: an edge with another one is a mistake.

Letters are actions, `lifeline!message` or `lifeline?message`. Automata of other origin have letters
of any kind, which a second file gives to locations:

    {"kind": "locations", "locations": {"p": ["x", "y"], "q": ["z"], "r": []}}

Then the letter `x` of the location `p` is the action `p!x`. Each letter of the automaton is in
exactly one location, and no location has others.

Automata in the Timbuk format are read by `choreomon.interaction_files.timbuk`, with locations
always.
"""

from __future__ import annotations

import json
import os
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from choreomon.automata.automaton import MOST_STATES, Automaton, automaton, members
from choreomon.core.action import Action, emission
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import did_you_mean
from choreomon.files.input_files import WHOLE, PathLike
from choreomon.files.json_documents import Defects, decoded
from choreomon.files.json_shapes import JsonDocument
from choreomon.interaction_files.loading import text_of
from choreomon.interaction_files.locations import Locations
from choreomon.interaction_files.offline_json import NO_ACTION, read_action, written_action
from choreomon.interaction_files.timbuk import read_timbuk

TIMBUK: Final = ".timbuk"
"""The suffix of files in that format."""

_State: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=MOST_STATES)]
_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class AutomatonDocument(JsonDocument, forbid_unknown_fields=True):
    """The shape of an automaton."""

    kind: Literal["automaton"]
    letters: Annotated[
        list[_Name],
        msgspec.Meta(
            description="every letter once: actions, as `a!m` and `b?m`, or any texts where "
            "another file says where they are"
        ),
    ]
    states: Annotated[
        int,
        msgspec.Meta(
            ge=1, le=MOST_STATES, description="how many there are; they are numbered from 0"
        ),
    ]
    initial: Annotated[
        list[_State],
        msgspec.Meta(
            description="the states in which words begin, at least one",
            extra_json_schema={"minItems": 1},
        ),
    ]
    final: Annotated[
        list[_State], msgspec.Meta(description="the states in which accepted words end")
    ]
    edges: Annotated[
        list[tuple[_State, str, _State]],
        msgspec.Meta(description="from which state, by which letter, to which state"),
    ]
    lifelines: Annotated[
        list[_Name] | None,
        msgspec.Meta(description="lifelines; those of the letters need not be among them"),
    ] = None

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 6 + (self.lifelines is not None)


class LocationsDocument(JsonDocument, forbid_unknown_fields=True):
    """The shape of the locations of letters."""

    kind: Literal["locations"]
    locations: Annotated[
        dict[str, list[_Name]],
        msgspec.Meta(
            description="of each location its letters; names of locations have no `!` and no `?`",
            extra_json_schema={"minProperties": 1, "propertyNames": {"pattern": "^[^!?]+$"}},
        ),
    ]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 2 + len(self.locations)


def write_automaton(one: Automaton) -> str:
    """The automaton as a document, an edge a line.

    Raises ValueError for lifelines with `!` or `?` in their names.
    """
    letters = [written_action(letter) for letter in one.letters]
    head = {
        "kind": "automaton",
        "letters": letters,
        "states": one.states,
        "initial": list(members(one.initial)),
        "final": list(members(one.final)),
        "lifelines": list(one.lifelines),
    }
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    texts = [json.dumps(letter) for letter in letters]
    edges = ",\n  ".join(f"[{edge[0]}, {texts[edge[1]]}, {edge[2]}]" for edge in one.edges)
    fields.append(f'"edges": [\n  {edges}]' if edges else '"edges": []')
    return "{" + ",\n ".join(fields) + "}\n"


def read_automaton(
    text: str | bytes, locations: Locations | None = None, file: str = "automaton"
) -> Automaton:
    """The automaton of a document; without `locations` its letters are actions.

    Raises DocumentError.
    """
    document = decoded(text, file, "automaton", AutomatonDocument)
    defects = Defects(text, file)
    actions: dict[str, Action] = {}
    for number, letter in enumerate(document.letters):
        action = read_action(letter) if locations is None else locations.actions.get(letter)
        if letter in actions:
            defects.add(("letters", number), f"{letter!r} comes twice: keep one of the two")
        elif action is None and locations is None:
            told = f"{NO_ACTION}; --locations says where letters of another kind are"
            defects.add(("letters", number), told)
        actions[letter] = action or emission("", letter)
    if locations is not None and (wrong := locations.strange(actions)):
        defects.add(("letters",), wrong)
    states = document.states
    if not document.initial:
        defects.add(("initial",), "has no initial state: write one at least, such as [0]")
    for field, numbers in (("initial", document.initial), ("final", document.final)):
        for place, state in enumerate(numbers):
            if state >= states:
                defects.add((field, place), _unknown_state(state, states))
    for place, (source, letter, target) in enumerate(document.edges):
        if letter not in actions:
            near = did_you_mean(letter, actions) or "; letters has them all"
            defects.add(("edges", place, 1), f"unknown letter {letter!r}{near}")
        for end, state in ((0, source), (2, target)):
            if state >= states:
                defects.add(("edges", place, end), _unknown_state(state, states))
    defects.raise_any()
    return automaton(
        ((source, actions[letter], target) for source, letter, target in document.edges),
        initial=document.initial,
        final=document.final,
        states=states,
        letters=actions.values(),
        lifelines=(*(document.lifelines or ()), *(locations.names if locations else ())),
    )


def _unknown_state(state: int, states: int) -> str:
    return f"unknown state {state}; they are 0 to {states - 1}, as `states` says"


def read_locations(text: str | bytes, file: str = "locations") -> Locations:
    """Read where letters are. Raises DocumentError, also for a letter that is in two locations."""
    document = decoded(text, file, "locations", LocationsDocument)
    defects = Defects(text, file)
    actions: dict[str, Action] = {}
    for name, letters in document.locations.items():
        if read_action(f"{name}!x") != emission(name, "x"):
            told = "names of locations are not empty, and have no `!` and no `?`"
            defects.add(("locations", name), told)
        for place, letter in enumerate(letters):
            known = actions.setdefault(letter, emission(name, letter))
            if known.lifeline != name:
                told = f"{letter!r} is in {known.lifeline}, too; a letter is in one location"
                defects.add(("locations", name, place), told)
    if not document.locations:
        defects.add(("locations",), "is empty: there is no location")
    defects.raise_any()
    return Locations(actions, tuple(document.locations), file)


def load_locations(path: PathLike) -> Locations:
    """The locations in a file. Raises DocumentError, also for a file that cannot be read."""
    file, text = text_of(path, WHOLE)
    return read_locations(text, file)


def load_automaton(path: PathLike, locations: Locations | None = None) -> Automaton:
    """The automaton in a file: Timbuk where its name ends in `.timbuk`, which needs `locations`,
    else JSON. Raises DocumentError, also for a file that cannot be read."""
    file = os.fspath(path)
    if PurePath(file).suffix.lower() != TIMBUK:
        return read_automaton(text_of(file, WHOLE)[1], locations, file)
    if locations is None:
        told = "has letters without locations: say by --locations FILE where they are"
        raise DocumentError((Problem(file, 0, "", told),))
    return read_timbuk(text_of(file, WHOLE)[1], locations, file)


def automaton_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of automata. Whether states and letters of edges are some of the
    automaton's only the reader decides."""
    return _schema(AutomatonDocument, "choreomon automaton")


def locations_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the locations of letters."""
    return _schema(LocationsDocument, "choreomon locations")


def _schema(shape: type[msgspec.Struct], title: str) -> dict[str, Any]:
    schema = msgspec.json.schema(shape)
    (body,) = schema["$defs"].values()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "title": title}
