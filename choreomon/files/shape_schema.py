"""Shapes of documents -> JSON Schema 2020-12, as editors use it: with titles, descriptions and
defaults."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from choreomon.files.shapes import (
    REQUIRED,
    Bounds,
    Choice,
    Field,
    NotEmpty,
    Parsed,
    Part,
    Pattern,
    Schema,
)


def json_schema(shape: type[Part]) -> dict[str, Any]:
    """The schema of a part, and in `$defs` those of all other parts that it has, by the names of
    their classes."""
    parts: dict[str, type[Part]] = {}
    whole = _of_part(shape, parts)
    done: dict[str, Any] = {}
    while todo := parts.keys() - done.keys():
        for name in todo:
            done[name] = _of_part(parts[name], parts)
    return {**whole, "$defs": dict(sorted(done.items()))} if done else whole


def _of_part(part: type[Part], parts: dict[str, type[Part]]) -> dict[str, Any]:
    types_of = get_type_hints(part, include_extras=True)
    required = [one.key for one in part.__fields__.values() if one.default is REQUIRED]
    schema = {
        "additionalProperties": False,
        "description": (part.__doc__ or "").replace("\n    ", "\n"),
        "properties": {
            one.key: _of_field(one, types_of[name], parts) for name, one in part.__fields__.items()
        },
        **({"required": required} if required else {}),
        "title": part.__name__,
        "type": "object",
        **part.__schema__,
    }
    return dict(sorted(schema.items()))


def _of_field(field: Field, annotation: Any, parts: dict[str, type[Part]]) -> dict[str, Any]:
    schema = _of(annotation, parts)
    if "$ref" not in schema.get("anyOf", [schema])[0]:
        schema = {**schema, "title": field.key.replace("_", " ").title()}
    if field.default is not REQUIRED:
        shown = field.default if field.shown_default is None else field.shown_default
        schema = {"default": _plain(shown), **schema}
    return dict(sorted({**schema, "description": field.description}.items()))


def _of(annotation: Any, parts: dict[str, type[Part]]) -> dict[str, Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of_marked(annotation, parts)
    if origin is tuple and arguments[-1] is ...:
        return {"items": _of(arguments[0], parts), "type": "array"}
    if origin is tuple:
        count = len(arguments)
        items = [_of(each, parts) for each in arguments]
        return {"maxItems": count, "minItems": count, "prefixItems": items, "type": "array"}
    if origin is dict:
        return _of_mapping(*(_of(each, parts) for each in arguments))
    if origin is Literal:
        kind = _KINDS[type(arguments[0])]
        said = {"const": arguments[0]} if len(arguments) == 1 else {"enum": [*arguments]}
        return {**said, "type": kind}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(each, parts) for each in arguments]}
    if isinstance(annotation, type) and issubclass(annotation, Part):
        parts[annotation.__name__] = annotation
        return {"$ref": f"#/$defs/{annotation.__name__}"}
    return {} if annotation is Any else {"type": _KINDS[annotation]}


_KINDS: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def _of_marked(annotation: Any, parts: dict[str, type[Part]]) -> dict[str, Any]:
    kind, *marks = get_args(annotation)
    for mark in marks:
        if isinstance(mark, Parsed | Schema):
            return {**mark.schema}
    if any(isinstance(mark, Choice) for mark in marks):
        return {"oneOf": [_of(each, parts) for each in get_args(kind)]}
    schema = _of(kind, parts)
    for mark in marks:
        match mark:
            case Bounds(least, above, most):
                bounds = {"minimum": least, "exclusiveMinimum": above, "maximum": most}
                schema |= {name: bound for name, bound in bounds.items() if bound is not None}
            case NotEmpty():
                schema[_LEAST[schema["type"]]] = 1
            case Pattern(pattern):
                schema["pattern"] = f"^{pattern}$"
    return schema


_LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}


def _of_mapping(key: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Names of keys that have a pattern let no other keys through."""
    names = {name: said for name, said in key.items() if name not in ("type", "pattern")}
    also = {"propertyNames": names} if names else {}
    if "pattern" not in key:
        return {"additionalProperties": value or True, **also, "type": "object"}
    pattern = {key["pattern"]: value}
    return {"additionalProperties": False, "patternProperties": pattern, **also, "type": "object"}


def _plain(value: Any) -> Any:
    """A value of a shape as documents write it, with all defaults."""
    if isinstance(value, Part):
        fields = value.__fields__.items()
        return {one.key: _plain(getattr(value, name)) for name, one in fields}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value
