"""Shapes of documents: classes whose fields have types, and marks on these types.

    class LinkDocument(Part):
        \"\"\"The delay of one direction between two processes.\"\"\"

        source: Name = field(key="from", description="the id of the sending process")

Values are read into them by `choreomon.files.shape_reading`; their JSON Schema is made by
`choreomon.files.shape_schema`. Types are those of JSON: `str`, `int`, `float`, `bool`, `Any`,
`Literal`, `tuple` for lists, `dict`, other parts, and `X | None`. Marks stand beside a type in
`Annotated` and are applied in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple, Self, dataclass_transform


class Refused(ValueError):
    """A value that is not what it should be. The message says what would be right."""


# ---------------------------------------------------------------- marks


class Before(NamedTuple):
    """A look at what the file holds, before it is read; what it returns is read. It raises
    `Refused`."""

    look: Callable[[object], object]


class After(NamedTuple):
    """A look at what was read; what it returns is the value. It raises `Refused`."""

    look: Callable[[Any], object]


class Parsed:
    """Another way to read it than by its type. `parse` raises `Refused`; `schema` is its JSON
    Schema."""

    __match_args__ = ("parse", "schema")

    def __init__(self, parse: Callable[[object], object], schema: Mapping[str, Any]) -> None:
        self.parse = parse
        self.schema = schema


class Choice(NamedTuple):
    """Type of a union that a value is read as, by its place in the union. `choose` raises
    `Refused`."""

    choose: Callable[[object], int]


class Bounds(NamedTuple):
    """Bounds of a number."""

    least: float | None = None
    above: float | None = None
    most: float | None = None


class NotEmpty(NamedTuple):
    """A text, a list or a mapping that holds something."""


class Pattern(NamedTuple):
    """A regular expression of whole texts, and what these are."""

    pattern: str
    right: str


class Schema:
    """A JSON Schema in the place of that of the type."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema


# ---------------------------------------------------------------- parts

REQUIRED: Final[Any] = ...
"""The default of fields that have none."""


class Field(NamedTuple):
    """A field: its default, its key in documents, and words for errors and the JSON Schema."""

    default: Any
    key: str
    description: str
    shown_default: Any
    """The default as documents write it, where that is another value; else None."""


def field(
    *, description: str, default: Any = REQUIRED, key: str = "", shown_default: Any = None
) -> Any:
    """A field of a part; without `key`, documents call it as Python does."""
    return Field(default, key, description, shown_default)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Part:
    """A mapping of a document: a frozen value with no other keys than its fields.

    An instance has what was given to it in its `vars`, all else from its class. Whoever calls the
    class in Python gives right values: only reading checks them.
    """

    __fields__: ClassVar[Mapping[str, Field]] = {}
    """By their names in Python."""
    __others__: ClassVar[Any] = None
    """The type of values under keys that are no fields; None where there are no such keys."""
    __schema__: ClassVar[Mapping[str, Any]] = {}
    """What its JSON Schema says beside its fields."""

    def __init_subclass__(cls, others: Any = None, schema: Mapping[str, Any] | None = None) -> None:
        own = {name: said for name, said in vars(cls).items() if isinstance(said, Field)}
        for name, said in own.items():
            if said.default is REQUIRED:
                delattr(cls, name)
            else:
                setattr(cls, name, said.default)
        named = {name: said._replace(key=said.key or name) for name, said in own.items()}
        cls.__fields__ = {**cls.__fields__, **named}
        cls.__others__ = others
        cls.__schema__ = schema or {}

    def __init__(self, **given: Any) -> None:
        fields = type(self).__fields__
        missing = [
            name for name, one in fields.items() if one.default is REQUIRED and name not in given
        ]
        if missing or not given.keys() <= fields.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}")
        self.__dict__.update(given)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(tuple(_values(self).values()))

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in _values(self).items())
        return f"{type(self).__name__}({told})"

    def but(self, **changes: Any) -> Self:
        """The same with other values for some fields."""
        changed = type(self).__new__(type(self))
        changed.__dict__.update(vars(self), **changes)
        return changed

    @classmethod
    def look(cls, value: Mapping[str, object]) -> None:
        """Look at the mapping before its fields are read. Raises `Refused`."""

    def check(self) -> None:
        """Check what fields have to do with each other. Raises `Refused`."""


def _values(part: Any) -> dict[str, Any]:
    return {**{name: getattr(part, name) for name in part.__fields__}, **vars(part)}


def fields_of(part: type[Part]) -> dict[str, Field]:
    """The fields of a part, by their keys in documents."""
    return {one.key: one for one in part.__fields__.values()}
