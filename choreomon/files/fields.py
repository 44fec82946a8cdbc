"""Types of fields of documents: names, labels, constants, times; and choices among mappings by
their keys. The errors of each say what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Final, TypeAlias, TypeVar

from choreomon.core.label_hints import label_meant, quotes_defect
from choreomon.core.labels import (
    CARRYING_LABEL_PATTERN,
    LABEL_PATTERN,
    CarryingLabel,
    parse_carrying_label,
    parse_label,
)
from choreomon.core.message import BEGIN, Label
from choreomon.core.names import (
    NAME_RULE,
    PLAIN_PATTERN,
    PLAIN_RULE,
    is_plain,
    name_defect,
)
from choreomon.core.names import SCHEMA as NAME_SCHEMA
from choreomon.core.suggestion import did_you_mean
from choreomon.files.scalars import in_quotes, shortened
from choreomon.files.shape_words import shown
from choreomon.files.shapes import (
    After,
    Before,
    Bounds,
    NotEmpty,
    Parsed,
    Pattern,
    Refused,
    Schema,
    field,
)

MAX_MILLISECONDS: Final = 1e12
"""Longest time, about 31 years: every time stays exact in whole microseconds as a float."""

SCHEMA: Final = field(
    default=None,
    key="$schema",
    description="the JSON Schema of the document, for editors; it means nothing here",
)
"""The field that editors write at the top of whole documents."""

# ---------------------------------------------------------------- choices


def one_key(keys: tuple[str, ...], right: str) -> Callable[[object], int]:
    """The choice among mappings that have exactly one of `keys` each, in this order. `right` says
    what would be right."""

    def place(value: object) -> int:
        if not isinstance(value, dict):
            raise Refused(f"should be {right}, not {shown(value)}")
        found = [key for key in keys if key in value]
        if len(found) == 1:
            return keys.index(found[0])
        if found:
            raise Refused(f"has both {' and '.join(found)}: should be {right}")
        suggestion = did_you_mean(next(iter(value)), keys) if value else ""
        given = ", ".join(map(shortened, [*value][:5])) + (", ..." if len(value) > 5 else "")
        named = f"a mapping of {given}" if value else "an empty mapping"
        raise Refused(f"should be {right}, not {named}{suggestion}")

    return place


# ---------------------------------------------------------------- types


_OPERATOR: Final = re.compile("[-+*/%]|[(][)]")


def _constant(value: object) -> bool | int:
    if isinstance(value, bool | int):
        return value
    computed = isinstance(value, str) and _OPERATOR.search(value)
    told = "; values are constants, nothing is computed" if computed else ""
    raise Refused(f"should be an integer, true or false, not {shown(value)}{told}")


def unquoted_label(value: object) -> Refused | None:
    """The error of a label without quotes, which YAML takes for a mapping of one key in a
    list or below a key; `None` where `value` is none."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((key, name),) = value.items()
    if not isinstance(key, str) or is_plain(key):
        return None
    written = f"{key} : {name}" if type(name) in (str, int) else ""
    meant = parse_label(written) or label_meant(written)
    if not meant and "->" not in key:
        return None
    right = f": {in_quotes(str(meant))}" if meant else ', as in "A -> B : m"'
    return Refused(f"is a label that YAML takes for a mapping: put it in quotes{right}")


def _label(value: object) -> Label:
    if value == str(BEGIN):
        raise Refused(
            "should be a label, not begin, which happens once, before everything else: it can be "
            "the first step of a sequence, or lead from an initial state of an automaton"
        )
    label = parse_label(value) if isinstance(value, str) else None
    if label is None:
        raise label_refused(value, 'a label "[handle] SENDER -> RECEIVER : NAME"')
    return label


def label_refused(value: object, right: str) -> Refused:
    """The error of what is no label; `right` says what would be."""
    if isinstance(value, str) and (defect := quotes_defect(value)):
        return Refused(defect)
    meant = label_meant(value) if isinstance(value, str) else ""
    suggestion = f"; did you mean {in_quotes(meant)}?" if meant else ""
    return unquoted_label(value) or Refused(f"should be {right}, not {shown(value)}{suggestion}")


def _carrying_label(value: object) -> CarryingLabel:
    found = parse_carrying_label(value) if isinstance(value, str) else None
    if found is None:
        if isinstance(value, str) and "(" in value and parse_label(value.partition("(")[0]):
            raise Refused(
                f"should end in names of parameters, each once, as in (order, tenant), not "
                f"{shown(value)}"
            )
        return CarryingLabel(_label(value))
    return found


def _name(value: str) -> str:
    if defect := name_defect(value):
        raise Refused(f"{defect}; should be a name of {NAME_RULE}, not {shown(value)}")
    return value


def _step(value: object) -> CarryingLabel:
    return CarryingLabel(BEGIN) if value == str(BEGIN) else _carrying_label(value)


def _title(value: object) -> object:
    if isinstance(value, str) and not (value.strip() and value.isprintable()):
        raise Refused("should be one line of text")
    return value


T = TypeVar("T")
Items: TypeAlias = tuple[T, ...]
"""A list."""
OneOrMore: TypeAlias = Annotated[tuple[T, ...], NotEmpty()]
Name: TypeAlias = Annotated[str, After(_name), Schema(NAME_SCHEMA)]
"""The name of a process or a message."""
PlainName: TypeAlias = Annotated[str, Pattern(PLAIN_PATTERN, f"a name of {PLAIN_RULE}")]
"""The name of a state, a parameter or a variable."""
Title: TypeAlias = Annotated[str, NotEmpty(), Before(_title)]
Constant: TypeAlias = Annotated[bool | int, Parsed(_constant, {"type": ["boolean", "integer"]})]
LabelText: TypeAlias = Annotated[
    Label, Parsed(_label, {"type": "string", "pattern": f"^{LABEL_PATTERN}$"})
]
CarryingLabelText: TypeAlias = Annotated[
    CarryingLabel,
    Parsed(_carrying_label, {"type": "string", "pattern": f"^{CARRYING_LABEL_PATTERN}$"}),
]
StepText: TypeAlias = Annotated[
    CarryingLabel,
    Parsed(_step, {"type": "string", "pattern": f"^({BEGIN}|{CARRYING_LABEL_PATTERN})$"}),
]
"""A label, or `begin`."""
Milliseconds: TypeAlias = Annotated[float, Bounds(least=0, most=MAX_MILLISECONDS)]
PositiveMilliseconds: TypeAlias = Annotated[float, Bounds(above=0, most=MAX_MILLISECONDS)]
