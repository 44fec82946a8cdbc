"""Types of fields of documents, and errors an author understands.

Pydantic's own errors speak of tuples, of literals and of every branch of a union. `Part`
and the types below replace them by one sentence each, which says what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, TypeAlias, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PlainValidator,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from choreomon.core.errors import DocumentError, Path
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
from choreomon.files.source_positions import Positioned

MAX_MILLISECONDS: Final = 1e12
"""Longest time, about 31 years: every time stays exact in whole microseconds as a float."""


class Part(BaseModel):
    """A mapping of a document: frozen, with no other keys than its fields."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, validate_default=False
    )

    @model_validator(mode="wrap")
    @classmethod
    def _explained(cls, value: object, validate: ModelWrapValidatorHandler[Any]) -> Any:
        try:
            return validate(value)
        except ValidationError as error:
            told = [_in_words(cls, details) for details in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(cls.__name__, told) from None


_Shape = TypeVar("_Shape", bound=Part)

SCHEMA: Final = Field(
    default=None,
    alias="$schema",
    description="the JSON Schema of the document, for editors; it means nothing here",
)
"""The field that editors write at the top of whole documents."""


def in_shape(shape: type[_Shape], located: Positioned) -> _Shape:
    """A document in its shape. Raises DocumentError with all problems, in the order of the
    document."""
    try:
        return shape.model_validate(located.value)
    except ValidationError as error:
        problems = [
            located.problem(_path(details), str(_in_words(None, details)["type"]))
            for details in error.errors(include_url=False)
        ]
        raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line))) from None


def shown(value: object) -> str:
    """A value as its author wrote it, roughly, short enough for a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return shortened(value)
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case dict():
            return "a mapping"
        case _:
            text = str(value)
            return text if len(text) <= 40 else f"{text[:37]}..."


def refused(message: str) -> PydanticCustomError:
    """The error of one field. Braces in `message` are kept as they are."""
    return PydanticCustomError("document", "{message}", {"message": message})


# ---------------------------------------------------------------- errors in words

_EXPECTED: Final = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "an integer",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "finite_number": "a finite number",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "string_pattern_mismatch": f"a name of {PLAIN_RULE}",
}


def _in_words(part: type[Part] | None, details: ErrorDetails) -> InitErrorDetails:
    """The error with a message for the author; `part` is where it came up."""
    return InitErrorDetails(
        type=refused(_words(part, details)), loc=details["loc"], input=details["input"]
    )


def _words(part: type[Part] | None, details: ErrorDetails) -> str:
    kind, loc, value = details["type"], details["loc"], details["input"]
    context = details.get("ctx", {})
    if kind == "document":
        return details["msg"]
    if kind == "missing":
        meaning = _descriptions(part).get(str(loc[-1]), "")
        return f"is missing{': give ' + meaning if meaning else ''}"
    if kind == "extra_forbidden":
        known = _descriptions(part)
        suggestion = did_you_mean(str(loc[-1]), known) or f"; known here: {', '.join(known)}"
        return f"is no key of this mapping{suggestion}"
    if kind == "too_short":
        return f"should not be empty: give at least {context['min_length']}"
    if kind == "float_type" and type(value) is int:
        return "is too large: give a smaller number"
    if kind in _EXPECTED:
        bounds = {key: f"{bound:g}" for key, bound in context.items() if isinstance(bound, float)}
        expected = _EXPECTED[kind].format(**(context | bounds))
        if kind == "model_type":
            expected += f" of {', '.join(_descriptions(part))}"
        return f"should be {expected}, not {shown(value)}{_hint(kind, value, _items_of(part, loc))}"
    return f"{details['msg']}, not {shown(value)}"


_WITH_UNIT: Final = re.compile(
    r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>ms|msec|s|secs?|m|mins?|h)", re.IGNORECASE
)
_MILLISECONDS: Final = {"ms": 1, "msec": 1, "s": 1000, "sec": 1000, "secs": 1000}


def _hint(kind: str, value: object, items: frozenset[str]) -> str:
    """A hint beside what is expected; `items` are the keys of what a list should hold."""
    if kind == "string_type" and isinstance(value, bool | int | float):
        return " (put it in quotes)"
    if kind == "float_type" and isinstance(value, str) and (time := _WITH_UNIT.fullmatch(value)):
        factor = _MILLISECONDS.get(time["unit"].lower())
        meant = f": {float(time['number']) * factor:.15g}" if factor else ""
        return f" (times are milliseconds without a unit{meant})"
    if kind == "tuple_type" and isinstance(value, dict) and not items.isdisjoint(value):
        return " (put [ ] around it for a list of one)"
    if kind == "tuple_type" and isinstance(value, str) and (not items or "->" in value):
        return " (put [ ] around it for a list of one)"
    if value is None and kind in ("tuple_type", "dict_type"):
        return f" (write {'[]' if kind == 'tuple_type' else '{}'} for an empty one)"
    return ""


def _items_of(part: type[Part] | None, loc: tuple[str | int, ...]) -> frozenset[str]:
    """The keys of the mappings that a field of `part` may hold in its list."""
    if part is None or not loc:
        return frozenset()
    fields = {field.alias or name: field for name, field in part.model_fields.items()}
    todo: list[object] = [fields[str(loc[0])].annotation] if str(loc[0]) in fields else []
    keys: set[str] = set()
    while todo:
        annotation = todo.pop()
        if isinstance(annotation, type) and issubclass(annotation, Part):
            keys.update(_descriptions(annotation))
        todo += get_args(annotation)
    return frozenset(keys)


def _descriptions(part: type[Part] | None) -> dict[str, str]:
    fields = part.model_fields if part else {}
    return {field.alias or name: field.description or "" for name, field in fields.items()}


def _path(details: ErrorDetails) -> Path:
    """The path without what pydantic adds: the branch of a union, the mark of a dictionary's
    key."""
    last = len(details["loc"]) - 1
    return tuple(
        key
        for place, key in enumerate(details["loc"])
        if (key, place) != ("[key]", last) and not (isinstance(key, str) and key.startswith(BRANCH))
    )


# ---------------------------------------------------------------- unions

BRANCH: Final = "\0"
"""Starts the name of a branch of a union, which no name in a document can."""


def branch_by_key(value: object) -> str | None:
    """The branch of a mapping that its first key tells apart (see `one_key`)."""
    if isinstance(value, Part):
        return f"{BRANCH}{next(iter(_descriptions(type(value))))}"
    return f"{BRANCH}{next(iter(value))}" if isinstance(value, dict) and value else None


def one_key(keys: tuple[str, ...], right: str) -> Callable[[object], object]:
    """A check that a value is a mapping with exactly one of `keys`; it puts that key
    first. `right` says what would be right."""

    def check(value: object) -> object:
        if not isinstance(value, dict):
            raise refused(f"should be {right}, not {shown(value)}")
        found = [key for key in keys if key in value]
        if len(found) == 1:
            return {found[0]: value[found[0]], **value}
        if found:
            raise refused(f"has both {' and '.join(found)}: should be {right}")
        suggestion = did_you_mean(next(iter(value)), keys) if value else ""
        given = ", ".join(map(shortened, [*value][:5])) + (", ..." if len(value) > 5 else "")
        named = f"a mapping of {given}" if value else "an empty mapping"
        raise refused(f"should be {right}, not {named}{suggestion}")

    return check


# ---------------------------------------------------------------- types


_OPERATOR: Final = re.compile("[-+*/%]|[(][)]")


def _constant(value: object) -> bool | int:
    if isinstance(value, bool | int):
        return value
    computed = isinstance(value, str) and _OPERATOR.search(value)
    told = "; values are constants, nothing is computed" if computed else ""
    raise refused(f"should be an integer, true or false, not {shown(value)}{told}")


def unquoted_label(value: object) -> PydanticCustomError | None:
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
    return refused(f"is a label that YAML takes for a mapping: put it in quotes{right}")


def _label(value: object) -> Label:
    if value == str(BEGIN):
        raise refused(
            "should be a label, not begin, which happens once, before everything else: it can be "
            "the first step of a sequence, or lead from an initial state of an automaton"
        )
    label = parse_label(value) if isinstance(value, str) else None
    if label is None:
        raise label_refused(value, 'a label "[handle] SENDER -> RECEIVER : NAME"')
    return label


def label_refused(value: object, right: str) -> PydanticCustomError:
    """The error of what is no label; `right` says what would be."""
    if isinstance(value, str) and (defect := quotes_defect(value)):
        return refused(defect)
    meant = label_meant(value) if isinstance(value, str) else ""
    suggestion = f"; did you mean {in_quotes(meant)}?" if meant else ""
    return unquoted_label(value) or refused(f"should be {right}, not {shown(value)}{suggestion}")


def _carrying_label(value: object) -> CarryingLabel:
    found = parse_carrying_label(value) if isinstance(value, str) else None
    if found is None:
        if isinstance(value, str) and "(" in value and parse_label(value.partition("(")[0]):
            raise refused(
                f"should end in names of parameters, each once, as in (order, tenant), not "
                f"{shown(value)}"
            )
        return CarryingLabel(_label(value))
    return found


def _name(value: str) -> str:
    if defect := name_defect(value):
        raise refused(f"{defect}; should be a name of {NAME_RULE}, not {shown(value)}")
    return value


def _step(value: object) -> CarryingLabel:
    return CarryingLabel(BEGIN) if value == str(BEGIN) else _carrying_label(value)


def _title(value: object) -> object:
    if isinstance(value, str) and not (value.strip() and value.isprintable()):
        raise refused("should be one line of text")
    return value


def _not_empty(value: object) -> object:
    # Pydantic's own check counts valid items only, and would report one mistake twice.
    if value == []:
        raise refused("should not be empty: give at least one")
    return value


T = TypeVar("T")
Items: TypeAlias = Annotated[tuple[T, ...], Field(strict=False)]
"""A list; strict pydantic would want a tuple, which no file holds."""
OneOrMore: TypeAlias = Annotated[
    tuple[T, ...],
    Field(strict=False, json_schema_extra={"minItems": 1}),
    BeforeValidator(_not_empty),
]
Name: TypeAlias = Annotated[str, AfterValidator(_name), WithJsonSchema(NAME_SCHEMA)]
"""The name of a process or a message."""
PlainName: TypeAlias = Annotated[str, StringConstraints(pattern=f"^{PLAIN_PATTERN}$")]
"""The name of a state, a parameter or a variable."""
Title: TypeAlias = Annotated[str, Field(min_length=1), BeforeValidator(_title)]
Constant: TypeAlias = Annotated[
    bool | int, PlainValidator(_constant), WithJsonSchema({"type": ["boolean", "integer"]})
]
LabelText: TypeAlias = Annotated[
    Label,
    PlainValidator(_label),
    WithJsonSchema({"type": "string", "pattern": f"^{LABEL_PATTERN}$"}),
]
CarryingLabelText: TypeAlias = Annotated[
    CarryingLabel,
    PlainValidator(_carrying_label),
    WithJsonSchema({"type": "string", "pattern": f"^{CARRYING_LABEL_PATTERN}$"}),
]
StepText: TypeAlias = Annotated[
    CarryingLabel,
    PlainValidator(_step),
    WithJsonSchema({"type": "string", "pattern": f"^({BEGIN}|{CARRYING_LABEL_PATTERN})$"}),
]
"""A label, or `begin`."""
Milliseconds: TypeAlias = Annotated[float, Field(ge=0, le=MAX_MILLISECONDS)]
PositiveMilliseconds: TypeAlias = Annotated[float, Field(gt=0, le=MAX_MILLISECONDS)]
