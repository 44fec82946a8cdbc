"""Local verifiers and areas as JSON: what goes to the machines where the logs are, and what comes
back.

    {"kind": "verifier", "automaton": "9f..", "edges": 12, "lifelines": ["shop"],
     "letters": ["shop!charge", "shop?order"],
     "whole": [0, "301"], "late": [1, "fff"],
     "states": [[true, true, "fff"], ..],
     "steps": [[0, "shop?order", 2, "42"], ..]}

A set of edges is a hexadecimal number: its bit n is 1 where edge n of the automaton is in it, as
they are sorted there. `whole` is the state in which a log begins, with the edges that others may
have passed by before; `late` the same for logs that may begin late; null where nothing is accepted.
A state says whether a log may end there, whether one that ends early may, and what may be passed by
after that. A step says from which state, by which letter, to which state, and by which edges.

    {"kind": "area", "automaton": "9f..", "edges": 12, "mode": "accept", "lifelines": ["shop"],
     "area": "343", "trace": ["shop?order", "shop!charge"]}

`area` is null where the log is wrong by itself, `trace` where it stays where it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from choreomon.automata.automaton import Automaton
from choreomon.automata.local_verifier import End, LocalVerifier, Start, Step
from choreomon.core.action import Action
from choreomon.core.suggestion import did_you_mean
from choreomon.files.input_files import WHOLE, PathLike
from choreomon.files.json_documents import Defects, decoded
from choreomon.files.json_shapes import JsonDocument
from choreomon.interaction_files.loading import text_of
from choreomon.interaction_files.offline_json import NO_ACTION, read_action, written_action
from choreomon.verify.central_check import Area

_Digest: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        pattern="^[0-9a-f]{64}$", description="the digest of the automaton, as synthesize tells it"
    ),
]
_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
_Names: TypeAlias = Annotated[
    list[_Name],
    msgspec.Meta(min_length=1, description="the lifelines of the location, sorted"),
]
_State: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Edges: TypeAlias = Annotated[
    str, msgspec.Meta(pattern="^[0-9a-f]+$", description="a set of edges, as a hexadecimal number")
]
_Count: TypeAlias = Annotated[
    int, msgspec.Meta(ge=0, description="how many edges the automaton has")
]


class VerifierDocument(JsonDocument, forbid_unknown_fields=True):
    """The shape of a local verifier."""

    kind: Literal["verifier"]
    automaton: _Digest
    edges: _Count
    lifelines: _Names
    letters: Annotated[
        list[_Name], msgspec.Meta(description="the actions of the location, each once")
    ]
    whole: Annotated[
        tuple[_State, _Edges] | None,
        msgspec.Meta(description="where logs begin, and what may have been passed by before"),
    ]
    late: Annotated[
        tuple[_State, _Edges] | None,
        msgspec.Meta(description="the same for logs that may begin late"),
    ]
    states: Annotated[
        list[tuple[bool, bool, _Edges]],
        msgspec.Meta(
            description="whether a log may end here, whether it may if it ends early, and what may "
            "be passed by then"
        ),
    ]
    steps: Annotated[
        list[tuple[_State, str, _State, _Edges]],
        msgspec.Meta(description="from which state, by which letter, to which, by which edges"),
    ]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 9


class AreaDocument(JsonDocument, forbid_unknown_fields=True):
    """The shape of an area."""

    kind: Literal["area"]
    automaton: _Digest
    edges: _Count
    mode: Literal["accept", "multiprefix", "slice"]
    lifelines: _Names
    area: Annotated[
        _Edges | None, msgspec.Meta(description="null where the log is wrong by itself")
    ]
    trace: Annotated[list[_Name] | None, msgspec.Meta(description="the log, if it was sent")]

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        return 7


def write_verifier(one: LocalVerifier) -> str:
    """The verifier as a document, a step a line. Raises ValueError for lifelines with `!` or `?`
    in their names."""
    letters = sorted({letter for steps in one.steps for letter in steps})
    head = {
        "kind": "verifier",
        "automaton": one.digest,
        "edges": one.edges,
        "lifelines": list(one.lifelines),
        "letters": [written_action(letter) for letter in letters],
        "whole": None if one.whole is None else [one.whole.state, f"{one.whole.edges:x}"],
        "late": None if one.late is None else [one.late.state, f"{one.late.edges:x}"],
        "states": [[end.final, end.ends, f"{end.edges:x}"] for end in one.ends],
    }
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    steps = ",\n  ".join(
        json.dumps([source, written_action(letter), step.target, f"{step.edges:x}"])
        for source, found in enumerate(one.steps)
        for letter, step in sorted(found.items())
    )
    fields.append(f'"steps": [\n  {steps}]' if steps else '"steps": []')
    return "{" + ",\n ".join(fields) + "}\n"


def read_verifier(text: str | bytes, file: str = "verifier") -> LocalVerifier:
    """The verifier of a document. Raises DocumentError."""
    document = decoded(text, file, "verifier", VerifierDocument)
    defects = Defects(text, file)
    letters = {
        letter: _own_action(letter, document.lifelines, defects, ("letters", number))
        for number, letter in enumerate(document.letters)
    }
    count = len(document.states)

    def state(number: int, *path: str | int) -> int:
        if number >= count:
            defects.add(path, f"unknown state {number}; there are {count}")
        return number

    def edges(text: str, *path: str | int) -> int:
        return _edges(text, document.edges, defects, path)

    starts = [
        None if start is None else Start(state(start[0], field, 0), edges(start[1], field, 1))
        for field, start in (("whole", document.whole), ("late", document.late))
    ]
    ends = tuple(
        End(final, early, edges(after, "states", number, 2))
        for number, (final, early, after) in enumerate(document.states)
    )
    steps: tuple[dict[Action, Step], ...] = tuple({} for _ in ends)
    for number, (source, letter, target, by) in enumerate(document.steps):
        action = letters.get(letter)
        if letter not in letters:
            near = did_you_mean(letter, letters) or "; letters has them all"
            defects.add(("steps", number, 1), f"unknown letter {letter!r}{near}")
        found = Step(state(target, "steps", number, 2), edges(by, "steps", number, 3))
        if state(source, "steps", number, 0) < count and action is not None:
            if action in steps[source]:
                defects.add(("steps", number), f"there are two of {letter!r} from {source}")
            steps[source][action] = found
    defects.raise_any()
    return LocalVerifier(
        digest=document.automaton,
        edges=document.edges,
        lifelines=tuple(document.lifelines),
        whole=starts[0],
        late=starts[1],
        ends=ends,
        steps=steps,
    )


def write_area(one: Area, edges: int) -> str:
    """The area as a document; the automaton has this many edges. Raises as `write_verifier`."""
    document = {
        "kind": "area",
        "automaton": one.digest,
        "edges": edges,
        "mode": one.mode,
        "lifelines": list(one.lifelines),
        "area": None if one.edges is None else f"{one.edges:x}",
        "trace": None if one.trace is None else [written_action(action) for action in one.trace],
    }
    return json.dumps(document) + "\n"


def read_area(text: str | bytes, file: str = "area") -> Area:
    """The area of a document. Raises DocumentError."""
    document = decoded(text, file, "area", AreaDocument)
    defects = Defects(text, file)
    trace: list[Action | None] | None = None
    if document.trace is not None:
        trace = [
            _own_action(action, document.lifelines, defects, ("trace", number))
            for number, action in enumerate(document.trace)
        ]
    area = document.area
    found = None if area is None else _edges(area, document.edges, defects, ("area",))
    defects.raise_any()
    actions = None if trace is None else tuple(action for action in trace if action is not None)
    return Area(document.automaton, document.mode, tuple(document.lifelines), found, actions)


def _own_action(
    text: str, lifelines: Sequence[str], defects: Defects, path: tuple[str | int, ...]
) -> Action | None:
    action = read_action(text)
    if action is None:
        defects.add(path, NO_ACTION)
    elif action.lifeline not in lifelines:
        defects.add(path, f"{text} is on {action.lifeline}, which is not of this location")
    return action


def _edges(text: str, count: int, defects: Defects, path: tuple[str | int, ...]) -> int:
    found = int(text, 16)
    if found >> count:
        defects.add(path, f"has edges beyond the {count:,} of the automaton")
    return found


def load_verifier(path: PathLike) -> LocalVerifier:
    """The verifier in a file. Raises DocumentError, also for a file that cannot be read."""
    file, text = text_of(path, WHOLE)
    return read_verifier(text, file)


def load_area(path: PathLike) -> Area:
    """The area in a file. Raises DocumentError, also for a file that cannot be read."""
    file, text = text_of(path, WHOLE)
    return read_area(text, file)


def foreign(area: Area, automaton: Automaton) -> str:
    """The reason why an area does not belong to this automaton; empty if it does."""
    if area.digest != automaton.digest:
        return (
            f"is about the automaton {area.digest[:12]}.., not about {automaton.digest[:12]}..: "
            "its verifier was made of another one"
        )
    return ""


def verifier_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of local verifiers."""
    return _schema(VerifierDocument, "choreomon local verifier")


def area_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of areas."""
    return _schema(AreaDocument, "choreomon area")


def _schema(shape: type[msgspec.Struct], title: str) -> dict[str, Any]:
    schema = msgspec.json.schema(shape)
    (body,) = schema["$defs"].values()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "title": title}
