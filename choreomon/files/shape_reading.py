"""Values of documents -> their shapes, with an error an author understands for all that is wrong.

A shape is made into functions when it is first read, part by part, so that a command pays for no
other parts than its document has. Each function takes a value, its path, and the list of what is
wrong so far; where it adds to this list, what it returns means nothing.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Mapping
from itertools import cycle
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from choreomon.core.errors import DocumentError, Path
from choreomon.core.suggestion import did_you_mean
from choreomon.files.shape_words import hint_of_list, hint_of_time, shown
from choreomon.files.shapes import (
    REQUIRED,
    After,
    Before,
    Bounds,
    Choice,
    NotEmpty,
    Parsed,
    Part,
    Pattern,
    Refused,
    fields_of,
)
from choreomon.files.source_positions import Positioned

_Wrong: TypeAlias = list[tuple[Path, str]]
_Reader: TypeAlias = Callable[[Any, Path, _Wrong], Any]
_Shape = TypeVar("_Shape", bound=Part)


def in_shape(shape: type[_Shape], located: Positioned) -> _Shape:
    """A document in its shape. Raises DocumentError with all problems, in the order of the
    document."""
    found, wrong = read_shape(shape, located.value)
    if wrong:
        problems = [located.problem(path, message) for path, message in wrong]
        raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))
    return found


def read_shape(shape: type[_Shape], value: object) -> tuple[_Shape, list[tuple[Path, str]]]:
    """A value in its shape, and what is wrong with it, by path; if anything is, the first means
    nothing."""
    wrong: _Wrong = []
    return _read_part(shape, value, (), wrong), wrong


# ---------------------------------------------------------------- parts


class _FieldReader(NamedTuple):
    name: str
    read: _Reader
    missing: str
    """What is said where it is missing; empty where it has a default."""


class _PartReader(NamedTuple):
    fields: Mapping[str, _FieldReader]
    """By key."""
    others: _Reader | None


_MADE: Final[dict[type[Part], _PartReader]] = {}


def _readers(part: type[Part]) -> _PartReader:
    if part not in _MADE:
        _MADE[part] = _made(part)
    return _MADE[part]


def _made(part: type[Part]) -> _PartReader:
    types_of = get_type_hints(part, include_extras=True)
    readers = {
        one.key: _FieldReader(
            name,
            _reader(types_of[name], types_of[name]),
            f"is missing: give {one.description}" if one.default is REQUIRED else "",
        )
        for name, one in part.__fields__.items()
    }
    others = part.__others__
    return _PartReader(readers, None if others is None else _reader(others, others))


def _read_part(part: type[_Shape], value: object, path: Path, wrong: _Wrong) -> _Shape:
    found = part.__new__(part)
    before = len(wrong)
    if not isinstance(value, dict):
        right = f"a mapping of {', '.join(fields_of(part))}"
        wrong.append((path, f"should be {right}, not {shown(value)}"))
        return found
    try:
        part.look(value)
        found.__dict__.update(_given(part, value, path, wrong))
        if len(wrong) == before:
            found.check()
    except Refused as refused:
        wrong.append((path, str(refused)))
    return found


def _given(
    part: type[Part], value: Mapping[str, object], path: Path, wrong: _Wrong
) -> dict[str, Any]:
    """The fields that the mapping gives, by their names."""
    fields, others = _readers(part)
    given: dict[str, Any] = {}
    for key, (name, read, missing) in fields.items():
        if key in value:
            given[name] = read(value[key], (*path, key), wrong)
        elif missing:
            wrong.append(((*path, key), missing))
    for key in value:
        if key in fields:
            continue
        if others is not None:
            given[key] = others(value[key], (*path, key), wrong)
        else:
            meant = did_you_mean(key, fields) or f"; known here: {', '.join(fields)}"
            wrong.append(((*path, key), f"is no key of this mapping{meant}"))
    return given


# ---------------------------------------------------------------- types


def _reader(annotation: Any, field: Any) -> _Reader:
    """The function for a type; `field` is the type of the whole field in which it stands."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _marked(annotation, field)
    if origin is tuple:
        return _list(arguments, field)
    if origin is dict:
        return _mapping(*(_reader(each, field) for each in arguments))
    if origin is Literal:
        return _literal(arguments)
    if origin in (Union, types.UnionType):
        return _or_none(arguments, field)
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return lambda value, path, wrong: _read_part(annotation, value, path, wrong)
    return _PLAIN[annotation]


def _marked(annotation: Any, field: Any) -> _Reader:
    kind, *marks = get_args(annotation)
    if any(isinstance(mark, Choice) for mark in marks):
        read = _choice(get_args(kind), marks, field)
    elif any(isinstance(mark, Parsed) for mark in marks):
        read = _any
    else:
        read = _reader(kind, field)
    for mark in marks:
        match mark:
            case Before(look):
                read = _after_look(look, read)
            case After(look) | Parsed(look, _):
                read = _then(read, look)
            case Bounds():
                read = _bounded(read, mark)
            case NotEmpty():
                read = _then(read, _something)
            case Pattern():
                read = _then(read, _fitting(mark))
    return read


def _after_look(look: Callable[[object], object], then: _Reader) -> _Reader:
    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        try:
            seen = look(value)
        except Refused as refused:
            wrong.append((path, str(refused)))
            return None
        return then(seen, path, wrong)

    return read


def _then(first: _Reader, look: Callable[[Any], object]) -> _Reader:
    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        before = len(wrong)
        found = first(value, path, wrong)
        if len(wrong) > before:
            return None
        try:
            return look(found)
        except Refused as refused:
            wrong.append((path, str(refused)))
            return None

    return read


def _bounded(first: _Reader, bounds: Bounds) -> _Reader:
    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        before = len(wrong)
        found = first(value, path, wrong)
        if len(wrong) == before and (right := _out_of(bounds, found)):
            wrong.append((path, f"should be {right}, not {shown(value)}"))
        return found

    return read


def _choice(kinds: tuple[Any, ...], marks: list[Any], field: Any) -> _Reader:
    readers = [_reader(kind, field) for kind in kinds]
    (choose,) = (mark.choose for mark in marks if isinstance(mark, Choice))

    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        try:
            place = choose(value)
        except Refused as refused:
            wrong.append((path, str(refused)))
            return None
        return readers[place](value, path, wrong)

    return read


def _or_none(kinds: tuple[Any, ...], field: Any) -> _Reader:
    (kind,) = (each for each in kinds if each is not type(None))
    other = _reader(kind, field)
    return lambda value, path, wrong: None if value is None else other(value, path, wrong)


def _list(kinds: tuple[Any, ...], field: Any) -> _Reader:
    """Lists: all of one type, or as many as there are types, which a look has counted before."""
    readers = [_reader(kind, field) for kind in kinds if kind is not ...]

    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        if not isinstance(value, list):
            hint = hint_of_list(value, field)
            wrong.append((path, f"should be a list, not {shown(value)}{hint}"))
            return None
        places = zip(cycle(readers), value, strict=False)
        return tuple([one(part, (*path, place), wrong) for place, (one, part) in enumerate(places)])

    return read


def _mapping(read_key: _Reader, read_value: _Reader) -> _Reader:
    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        if not isinstance(value, dict):
            hint = " (write {} for an empty one)" if value is None else ""
            wrong.append((path, f"should be a mapping, not {shown(value)}{hint}"))
            return None
        return {
            read_key(key, (*path, key), wrong): read_value(part, (*path, key), wrong)
            for key, part in value.items()
        }

    return read


def _literal(values: tuple[Any, ...]) -> _Reader:
    quoted = [repr(each) for each in values]
    right = " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))

    def read(value: object, path: Path, wrong: _Wrong) -> Any:
        if not any(type(value) is type(each) and value == each for each in values):
            wrong.append((path, f"should be {right}, not {shown(value)}"))
        return value

    return read


def _any(value: object, _path: Path, _wrong: _Wrong) -> Any:
    return value


def _text(value: object, path: Path, wrong: _Wrong) -> Any:
    if not isinstance(value, str):
        hint = " (put it in quotes)" if isinstance(value, bool | int | float) else ""
        wrong.append((path, f"should be text, not {shown(value)}{hint}"))
    return value


def _truth(value: object, path: Path, wrong: _Wrong) -> Any:
    if not isinstance(value, bool):
        wrong.append((path, f"should be true or false, not {shown(value)}"))
    return value


def _integer(value: object, path: Path, wrong: _Wrong) -> Any:
    if not isinstance(value, int) or isinstance(value, bool):
        wrong.append((path, f"should be an integer, not {shown(value)}"))
    return value


def _number(value: object, path: Path, wrong: _Wrong) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        wrong.append((path, f"should be a number, not {shown(value)}{hint_of_time(value)}"))
        return None
    try:
        number = float(value)
    except OverflowError:
        wrong.append((path, "is too large: give a smaller number"))
        return None
    if not math.isfinite(number):
        wrong.append((path, f"should be a finite number, not {shown(value)}"))
    return number


_PLAIN: Final[Mapping[Any, _Reader]] = {
    Any: _any,
    str: _text,
    bool: _truth,
    int: _integer,
    float: _number,
}


# ---------------------------------------------------------------- what marks look at


def _out_of(bounds: Bounds, value: float) -> str:
    """The bound that a number does not keep; empty if it keeps all."""
    if bounds.most is not None and value > bounds.most:
        return f"at most {_bound(bounds.most)}"
    if bounds.least is not None and value < bounds.least:
        return f"at least {_bound(bounds.least)}"
    if bounds.above is not None and value <= bounds.above:
        return f"greater than {_bound(bounds.above)}"
    return ""


def _bound(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:g}"


def _something(value: object) -> object:
    if not value:
        one = "one" if isinstance(value, tuple) else "1"
        raise Refused(f"should not be empty: give at least {one}")
    return value


def _fitting(mark: Pattern) -> Callable[[str], object]:
    fits = re.compile(mark.pattern).fullmatch

    def look(value: str) -> object:
        if not fits(value):
            raise Refused(f"should be {mark.right}, not {shown(value)}")
        return value

    return look
