"""The shape of a mapping document, field by field: what a line or a span of a log means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeAlias

from choreomon.files.fields import SCHEMA, Items, Name, OneOrMore, one_key
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Choice, NotEmpty, Parsed, Part, Refused, field
from choreomon.logs.formats import MappedFormat, fitting
from choreomon.logs.mappings.expressions import text_of
from choreomon.logs.mappings.field_path import parse_path
from choreomon.logs.mappings.user_patterns import UserPattern
from choreomon.logs.readers.span_ends import parse_route


def _text_for(what: str, parse: Callable[[str], object]) -> Callable[[object], str]:
    """Refuses what is no text, or cannot be parsed: `parse` raises ValueError, which says why."""

    def checked(value: object) -> str:
        if not isinstance(value, str):
            raise Refused(f"should be {what}, not {shown(value)}")
        try:
            parse(value)
        except ValueError as wrong:
            raise Refused(str(wrong)) from None
        return value

    return checked


def _scalar(value: object) -> str:
    text = text_of(value)
    if text is None:
        raise Refused(f"should be text, a number, true or false, not {shown(value)}")
    return text


def _one_or_more_scalars(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        if not value:
            raise Refused("should not be empty: give at least one value")
        return tuple(_scalar(each) for each in value)
    return (_scalar(value),)


def _replica_patterns(value: object) -> tuple[str, ...]:
    """Parse one or more patterns of names, of which none fits everything."""
    patterns = _one_or_more_scalars(value)
    for pattern in patterns:
        if not pattern.strip("*"):
            told = f"{pattern!r} fits every name" if pattern else "an empty name fits nothing"
            raise Refused(f"{told}: write what replicas have in common, as in shop-*")
    return patterns


_SCALAR_SCHEMA: Final[dict[str, Any]] = {"type": ["string", "boolean", "number"]}

FieldPath: TypeAlias = Annotated[
    str,
    Parsed(_text_for("the path of a field", parse_path), {"type": "string", "minLength": 1}),
]
Pattern: TypeAlias = Annotated[
    str,
    Parsed(_text_for("a regular expression", UserPattern), {"type": "string", "format": "regex"}),
]
RouteText: TypeAlias = Annotated[
    str,
    Parsed(_text_for("a route", parse_route), {"type": "string", "pattern": "^([A-Z]+ +)?/\\S*$"}),
]
Text: TypeAlias = Annotated[str, Parsed(_scalar, _SCALAR_SCHEMA)]
Texts: TypeAlias = Annotated[
    tuple[str, ...],
    Parsed(
        _one_or_more_scalars,
        {"anyOf": [_SCALAR_SCHEMA, {"type": "array", "items": _SCALAR_SCHEMA, "minItems": 1}]},
    ),
]


ReplicaPatterns: TypeAlias = Annotated[
    tuple[str, ...],
    Parsed(
        _replica_patterns,
        {
            "anyOf": [
                {"type": "string", "pattern": "[^*]"},
                {
                    "type": "array",
                    "items": {"type": "string", "pattern": "[^*]"},
                    "minItems": 1,
                },
            ]
        },
    ),
]


class ConstantExpression(Part):
    """An expression that is always the same."""

    constant: Text = field(description="the value")


class TableExpression(Part):
    """A value for each of some values."""

    table: Annotated[dict[str, Text], NotEmpty()] = field(description="from values to values")
    of: ExpressionDocument = field(description="what is looked up in it")
    otherwise: Text | None = field(
        default=None, description="for what is not in the table; null: nothing"
    )


class MatchExpression(Part):
    """The text that a group of a regular expression matches."""

    match: Pattern = field(description="a regular expression with a named group")
    of: ExpressionDocument = field(description="what is searched")
    group: str = field(default="value", description="the group that gives the value")


class JoinExpression(Part):
    """Several values in a row."""

    join: OneOrMore[ExpressionDocument] = field(description="a list of expressions")


RIGHT: Final = (
    "the path of a field, {constant: value}, {table: {value: value}, of: "
    "...}, {match: expression, of: ...} or {join: [...]}"
)


def _single(value: object) -> int:
    if isinstance(value, dict):
        return 1 + one_key(("constant", "table", "match", "join"), RIGHT)(value)
    if isinstance(value, str):
        return 0
    raise Refused(f"should be {RIGHT}, not {shown(value)}")


def _one_or_several(value: object) -> int:
    if value == []:
        raise Refused("should not be empty: give at least one expression")
    return 1 if isinstance(value, list) else 0


Single: TypeAlias = Annotated[
    FieldPath | ConstantExpression | TableExpression | MatchExpression | JoinExpression,
    Choice(_single),
]
ExpressionDocument: TypeAlias = Annotated[Single | Items[Single], Choice(_one_or_several)]


class ValuesDocument(Part):
    """Expressions for the values of an event."""

    process: ExpressionDocument | None = field(default=None, description="whose event it is")
    kind: ExpressionDocument | None = field(
        default=None, description="send, handle, local, or ignored for what makes no event"
    )
    name: ExpressionDocument | None = field(
        default=None, description="the message's name; of a local event, what is written"
    )
    peer: ExpressionDocument | None = field(
        default=None, description="the process at the other end of the message"
    )
    message_id: ExpressionDocument | None = field(
        default=None,
        description="the same for a send and the handling of what was sent, and for no others",
    )
    clock: FieldPath | None = field(
        default=None, description="the field with the vector clock: an object, or its JSON as text"
    )
    number: ExpressionDocument | None = field(
        default=None, description="its place among the events of its process, from 1"
    )
    session: ExpressionDocument | None = field(
        default=None, description="the run, trace or session that it belongs to"
    )
    time: ExpressionDocument | None = field(
        default=None,
        description="when it happened, as written; of spans, nanoseconds that order the events of "
        "a process, and nothing else",
    )
    fields: dict[str, ExpressionDocument] = field(
        default={}, description="what else is kept, for people"
    )
    parameters: dict[str, ExpressionDocument] = field(
        default={}, description="what gives the values of the parameters of a property"
    )


class RuleDocument(ValuesDocument):
    """Records that have what is asked for, and the event that each makes. What a rule does not say
    is as in the mapping."""

    where: dict[FieldPath, Texts] = field(
        default={}, description="fields, and the value or the values that they may have"
    )
    present: Items[FieldPath] = field(default=(), description="fields that must be there")
    absent: Items[FieldPath] = field(default=(), description="fields that must not be there")
    match: dict[FieldPath, Pattern] = field(
        default={},
        description="fields, and regular expressions that they must match: a named group gives "
        "the value of its name, or is a field match.NAME",
    )
    each: FieldPath | None = field(
        default=None, description="a list: an event for each of its items, which is the field each"
    )


class MappingDocument(ValuesDocument):
    """A mapping document."""

    format: MappedFormat | None = field(
        default=None, description="the format of the logs; null: found by looking at them"
    )
    parser: Pattern | None = field(
        default=None,
        description=f"of {fitting('parser')}: the regular expression of an event, with the groups "
        "event, and perhaps host and clock",
    )
    delimiter: Pattern | None = field(
        default=None,
        description=f"of {fitting('delimiter')}: what stands between runs; its group trace is the "
        "session, without it runs are numbered",
    )
    instance: ExpressionDocument | None = field(
        default=None,
        description=f"of {fitting('instance')}: what tells apart several instances of a process, "
        "each of which is then a process of its own, PROCESS.INSTANCE",
    )
    processes: Annotated[dict[str, Text], NotEmpty()] | None = field(
        default=None,
        description=f"of {fitting('instance')}: the process at an address (HOST:PORT or HOST), a "
        "topic or queue, a service of RPC, a tool, or a peer.service",
    )
    routes: Items[RouteText] | None = field(
        default=None,
        description=f"of {fitting('instance')}: routes by which requests are called, as POST "
        "/orders/{order}/cancel; what stands at the places is route.order",
    )
    replicas: dict[Name, ReplicaPatterns] = field(
        default={},
        description="roles, and the names that their replicas have in logs beside ROLE/NUMBER: one "
        "or several, in which * stands for anything, as in shop-*",
    )
    plain_names: bool = field(
        default=False,
        description="whether characters of names that need quotes in labels become _",
    )
    events: Items[RuleDocument] = field(
        default=(),
        description="rules: each that fits a record makes an event; where none does, what the "
        "mapping itself says is made",
    )
    schema_for_editors: str | None = SCHEMA
