"""A scenario that was made, not read -> the text of its document.

What `choreomon.documents.read` makes of the text is what was written. YAML is written for readers:
what fits into a line stands in one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

from choreomon.actors.application import (
    Application,
    Assign,
    Given,
    If,
    OfHandled,
    Process,
    Repeat,
    Statement,
    Tell,
)
from choreomon.actors.balancing import NO_REPLICAS, ByKey, Replicas
from choreomon.actors.delays import Constant, Delay, Exponential, LogNormal, Uniform
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import Label
from choreomon.files.scalars import json_in_yaml
from choreomon.properties.instances import Parameters
from choreomon.properties.sequences import MessageSequence

WIDTH: Final = 96
"""Characters, up to which a list or a mapping stands in one line."""

_PLAIN: Final = re.compile(r"\$?(?!(?:true|false|null)\b)[a-z_]\w*", re.ASCII | re.IGNORECASE)
"""Text that needs no quotes."""

_Value: TypeAlias = Mapping[str, Any] | Sequence[Any] | str | bool | float


def scenario_document(
    name: str,
    application: Application,
    delay: Delay,
    sequences: Iterable[MessageSequence],
    parameters: Parameters | None = None,
    replicas: Replicas = NO_REPLICAS,
) -> dict[str, Any]:
    """The document as plain values, in the order in which they are written. `parameters`: those
    of a property for each instance; `replicas`: of processes that are roles."""
    for_each = {} if parameters is None else {"for_each": [*parameters.names]}
    return {
        "name": name,
        **_roles(replicas),
        "application": {
            "processes": [_process(process) for process in application.processes],
            "start": [
                {
                    "to": start.to,
                    "message": start.message,
                    "at": _milliseconds(start.at),
                    **_with(start.values),
                    **_repeated(start.repeat),
                }
                for start in application.start
            ],
        },
        "network": {"delay": _delay(delay)},
        "property": for_each
        | {"sequences": [_sequence(sequence, parameters) for sequence in sequences]},
    }


def _roles(replicas: Replicas) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for role, slots in replicas.roles.slots.items():
        balance = replicas.balancing.get(role)
        by = {"by": balance.name} if isinstance(balance, ByKey) else balance
        found[role] = slots if by is None else {"slots": slots, "balance": by}
    return {"roles": found} if found else {}


def document_as_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


def document_as_yaml(document: Mapping[str, Any], comment: str = "") -> str:
    """The document as YAML, with a comment of one line at its top."""
    head = f"# {comment}\n" if comment else ""
    return head + "".join(f"{line}\n" for line in _lines(document, 0))


def _process(process: Process) -> dict[str, Any]:
    variables = {"variables": dict(process.variables)} if process.variables else {}
    handlers = {name: [*_statements(own)] for name, own in process.handlers.items()}
    return {"id": process.id, **variables, "handlers": handlers}


def _statements(statements: Iterable[Statement]) -> Iterator[dict[str, Any]]:
    for statement in statements:
        match statement:
            case Tell(to, message, given):
                yield {"send": {"to": to, "message": message, **_with(given)}}
            case Assign(variable, value):
                yield {"assign": {variable: value}}
            case If(variable, then, otherwise, negated):
                condition = {"not": variable} if negated else variable
                rest = {"else": [*_statements(otherwise)]} if otherwise else {}
                yield {"if": condition, "then": [*_statements(then)], **rest}
            case _:
                assert_never(statement)


def _with(given: Given) -> dict[str, Any]:
    values = {name: f"${v.name}" if isinstance(v, OfHandled) else v for name, v in given}
    return {"with": values} if values else {}


def _repeated(repeat: Repeat | None) -> dict[str, Any]:
    if repeat is None:
        return {}
    values = f"{repeat.values[0]}..{repeat.values[-1]}"
    return {"repeat": {repeat.name: values, "every": _milliseconds(repeat.every)}}


def _delay(delay: Delay) -> dict[str, Any]:
    match delay:
        case Uniform(least, most):
            return {"uniform": [least, most]}
        case Exponential(mean):
            return {"exponential": mean}
        case LogNormal(median, sigma):
            return {"lognormal": [median, sigma]}
        case Constant(value):
            return {"constant": value}
    assert_never(delay)


def _sequence(sequence: MessageSequence, parameters: Parameters | None) -> dict[str, Any]:
    def told(label: Label) -> str:
        return str(CarryingLabel(label, () if parameters is None else parameters.of(label)))

    cancel = [
        {"on": told(on), "after": [*after], "back_to": back_to}
        for on, after, back_to in sequence.cancel
    ]
    steps = [told(label) for label in sequence.steps]
    return {"steps": steps, **({"cancel": cancel} if cancel else {})}


def _milliseconds(microseconds: int) -> int | float:
    whole, rest = divmod(microseconds, 1000)
    return microseconds / 1000 if rest else whole


def _lines(value: _Value, indent: int) -> Iterator[str]:
    """The lines of a mapping or list that is not empty, in block style."""
    space = " " * indent
    if isinstance(value, Mapping):
        for key, held in value.items():
            flow = f"{space}{_text(key)}: {_flow(held)}"
            if _stands_in_one(held, flow) and (indent or not _has_parts(held)):
                yield flow
            else:
                yield f"{space}{_text(key)}:"
                yield from _lines(held, indent + 2)
    elif isinstance(value, Sequence):
        for held in value:
            flow = f"{space}- {_flow(held)}"
            if _stands_in_one(held, flow):
                yield flow
            else:
                first, *rest = _lines(held, indent + 2)
                yield f"{space}- {first.lstrip()}"
                yield from rest


def _has_parts(value: _Value) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _stands_in_one(value: _Value, flow: str) -> bool:
    """Return whether it stands in one line, which would be `flow`: whatever cannot be divided, and
    what is short and has no labels in it, of which each has a line."""
    return not _has_parts(value) or (len(flow) <= WIDTH and not _holds_labels(value))


def _holds_labels(value: _Value) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_labels, value.values()))
    if isinstance(value, str) or not isinstance(value, Sequence):
        return False
    return any(isinstance(held, str) or _holds_labels(held) for held in value)


def _flow(value: _Value) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_flow(v)}" for key, v in value.items()) + "}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return json_in_yaml(text)
