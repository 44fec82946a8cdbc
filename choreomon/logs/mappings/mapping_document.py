"""Mapping documents -> mappings, ready for use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Final

from choreomon.core.errors import DocumentError, Path, Problem
from choreomon.files.input_files import beginning
from choreomon.files.shape_reading import in_shape
from choreomon.files.source_positions import MAX_BYTES, Positioned, read_positioned
from choreomon.logs.formats import FORMATS, LogFormat, MappedFormat, Option, fitting
from choreomon.logs.mappings import expressions
from choreomon.logs.mappings.expressions import Expression
from choreomon.logs.mappings.field_path import getter, parse_path
from choreomon.logs.mappings.mapping import KINDS, RecordMapping, Rule, Values
from choreomon.logs.mappings.mapping_shape import (
    ConstantExpression,
    JoinExpression,
    MappingDocument,
    MatchExpression,
    RuleDocument,
    TableExpression,
    ValuesDocument,
)
from choreomon.logs.mappings.user_patterns import UserPattern
from choreomon.logs.readers.span_ends import SpanEnds

_PARTS: Final = ("process", "kind", "name", "peer", "message_id", "number", "session", "time")
"""The values that are expressions."""

_OF_FORMATS: Final[tuple[Option, ...]] = (
    *("parser", "delimiter", "instance", "processes", "routes"),
)
"""Keys that only some formats have a use for."""

_OF_GROUPS: Final = {"process": "host", "name": "event", "time": "timestamp"}
"""Values of records that a parser makes, where a mapping does not say them."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """A checked mapping document. `document` says also what the file leaves to the built-in mapping
    of its format (`completed`). `parser` and `delimiter` are expressions of logs that are
    parsed by one; `instance` is of spans."""

    file: str
    format: MappedFormat | None
    parser: str | None
    delimiter: str | None
    document: MappingDocument
    names_open: bool = False
    """True if nobody said what becomes of names that need quotes in labels."""
    by_conventions: bool = False
    """True if the rules are those of the built-in mapping of spans."""

    def records(self, format: LogFormat, session: str | None = None) -> RecordMapping:
        """The mapping at work, for records of a format. `session`: the path of the field that
        tells sessions apart, whatever the document says of them."""
        one = self.document
        fits = FORMATS[format].fits
        defaults = _OF_GROUPS if "parser" in fits else {}
        clock = "clock" if "parser" in fits and one.clock is None else one.clock
        values = _values(one, Values(), defaults, clock, session)
        if "instance" in fits:  # the reader of spans tells instances apart
            values = replace(values, process=expressions.field(getter(("process",))))
        rules = tuple(_rule(rule, values, session) for rule in one.events)
        return RecordMapping(values, rules, plain_names=one.plain_names, file=self.file)

    def with_names_kept(self) -> Mapping:
        """The mapping with names left unchanged, unless somebody said otherwise."""
        if not self.names_open:
            return self
        return replace(self, document=self.document.but(plain_names=False))

    def with_parameters(self, names: Iterable[str]) -> Mapping:
        """The mapping with the values of these parameters in fields that are called so."""
        found = {name: (name, f"values.{name}") for name in names}
        return replace(self, document=self.document.but(parameters=found))

    def span_ends(self) -> SpanEnds:
        """Finder of the other ends of spans, by its processes and routes."""
        return SpanEnds(self.document.processes or {}, self.document.routes or ())

    def asked_of(self, field: str) -> frozenset[str]:
        """Names that expressions look up in this field of a record, such as `headers`."""
        paths = {part for _, part in _expressions(self.document) if isinstance(part, str)}
        for each in self.document.events:
            paths |= {*each.where, *each.present, *each.absent, *each.match}
        steps = [parse_path(path) for path in paths]
        return frozenset(".".join(map(str, path[1:])) for path in steps if path[0] == field)

    @property
    def splits(self) -> bool:
        """True if it tells sessions apart: by a field, or by what stands between runs."""
        one = self.document
        sessions = (one.session, *(rule.session for rule in one.events))
        return one.delimiter is not None or any(each is not None for each in sessions)

    @property
    def instance(self) -> Expression | None:
        """The expression that tells instances of a process apart."""
        return None if self.document.instance is None else compiled(self.document.instance)

    @property
    def process(self) -> Expression | None:
        """The expression for the process of a record."""
        return None if self.document.process is None else compiled(self.document.process)


def load_mapping(path: str | os.PathLike[str]) -> Mapping:
    """The mapping in a file; a name that ends in `.json` is JSON, any other YAML.

    Raises `DocumentError`, also for a file that cannot be read.
    """
    file = os.fspath(path)
    content = beginning(file, MAX_BYTES + 1)
    return parse_mapping(content, file)


def parse_mapping(text: str | bytes, file: str) -> Mapping:
    """The mapping that `text` holds; `file` is what problems call it. Raises `DocumentError` with
    all problems found."""
    located = read_positioned(
        text,
        file,
        as_json=PurePath(file).suffix.lower() == ".json",
        wanted="what gives process, name and kind of an event",
        keys="process:, name: and kind:",
    )
    document = in_shape(MappingDocument, located)
    if problems := [*_problems(document, located)]:
        raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))
    names_open = by_conventions(document) and "plain_names" not in vars(document)
    return Mapping(
        *(file, document.format, document.parser, document.delimiter, completed(document)),
        names_open,
        by_conventions(document),
    )


@cache
def built_in(name: str) -> Mapping:
    """A mapping that comes with choreomon: `opentelemetry` or `json-lines`."""
    source = files("choreomon.logs.mappings").joinpath(f"{name}.yaml")
    return replace(parse_mapping(source.read_bytes(), f"{name}.yaml"), names_open=True)


_OF_CONVENTIONS: Final = ("kind", "name", "peer", "message_id", "clock", "number", "time")
"""Keys of events, which all come from the conventions where a mapping of spans has none of them."""


def by_conventions(document: MappingDocument) -> bool:
    """Tell whether its events are those of OpenTelemetry's conventions, and it says only what these
    leave open."""
    own = document.events or any(getattr(document, key) is not None for key in _OF_CONVENTIONS)
    return document.format == "otlp" and not own


def completed(document: MappingDocument) -> MappingDocument:
    """The document; one that is `by_conventions` with all that the built-in mapping says and it
    does not."""
    if not by_conventions(document):
        return document
    whole = built_in("opentelemetry").document
    return whole.but(**{**vars(document), "fields": {**whole.fields, **document.fields}})


# ---------------------------------------------------------------- what a shape cannot say


def _problems(document: MappingDocument, located: Positioned) -> Iterator[Problem]:
    fits = None if document.format is None else FORMATS[document.format].fits
    for option in _OF_FORMATS:
        if getattr(document, option) is not None and fits is not None and option not in fits:
            told = f"is of {fitting(option)}, and the format is {document.format}: leave it out"
            yield located.problem((option,), told)
    yield from _group_problems(document, located)
    yield from _kind_problems(document.kind, ("kind",), located)
    for number, rule in enumerate(document.events):
        place: Path = ("events", number)
        yield from _kind_problems(rule.kind, (*place, "kind"), located)
        if not (rule.where or rule.present or rule.absent or rule.match):
            told = "asks for nothing, so that it fits every record: give where, present or match"
            yield located.problem(place, told)
        if rule.kind is None and document.kind is None and "kind" not in _groups(rule):
            told = "is missing: say what the record is, as in kind: {constant: send}"
            yield located.problem((*place, "kind"), told)
    texts = fits is None or "parser" in fits or document.parser is not None
    texts = texts or by_conventions(document)
    for key in () if texts else ("process", "name"):
        rules = document.events
        if getattr(document, key) is None and not (
            rules and all(getattr(rule, key) is not None or key in _groups(rule) for rule in rules)
        ):
            told = "is missing: say what gives it, as in "
            yield located.problem((key,), f"{told}{key}: {'service' if key == 'process' else key}")


def _group_problems(document: MappingDocument, located: Positioned) -> Iterator[Problem]:
    if document.parser is not None and "event" not in UserPattern(document.parser).groups:
        told = "has no group 'event': write (?<event>...) around what gives it"
        yield located.problem(("parser",), told)
    for path, expression in _expressions(document):
        if isinstance(expression, MatchExpression):
            groups = UserPattern(expression.match).groups
            if expression.group not in groups:
                told = (
                    f"is {expression.group!r}, which is no group of {expression.match}: write "
                    f"(?<{expression.group}>...) around what gives the value, or name another group"
                )
                yield located.problem((*path, "group"), told)


def _expressions(document: MappingDocument) -> Iterator[tuple[Path, object]]:
    todo: list[tuple[Path, object]] = []
    places: list[tuple[Path, ValuesDocument]] = [((), document)]
    places += [(("events", number), rule) for number, rule in enumerate(document.events)]
    for place, values in places:
        todo += [((*place, key), getattr(values, key)) for key in _PARTS]
        todo += [((*place, "fields", key), part) for key, part in values.fields.items()]
        todo += [((*place, "parameters", key), part) for key, part in values.parameters.items()]
    todo.append((("instance",), document.instance))
    while todo:
        path, part = todo.pop()
        yield path, part
        match part:
            case tuple():
                todo += [((*path, number), each) for number, each in enumerate(part)]
            case TableExpression() | MatchExpression():
                todo.append(((*path, "of"), part.of))
            case JoinExpression():
                todo += [((*path, "join", n), each) for n, each in enumerate(part.join)]
            case _:
                pass


def _kind_problems(expression: object, path: Path, located: Positioned) -> Iterator[Problem]:
    """Constants that are no kinds; what fields hold is seen only in logs."""
    match expression:
        case ConstantExpression(constant=text):
            if text not in KINDS:
                yield located.problem((*path, "constant"), _no_kind(text))
        case TableExpression():
            for key, text in expression.table.items():
                if text not in KINDS:
                    yield located.problem((*path, "table", key), _no_kind(text))
            if expression.otherwise not in (None, *KINDS):
                yield located.problem((*path, "otherwise"), _no_kind(str(expression.otherwise)))
        case tuple():
            for number, each in enumerate(expression):
                yield from _kind_problems(each, (*path, number), located)
        case str() if expression in KINDS:
            told = f"is a field called {expression}: for the kind, write {{constant: {expression}}}"
            yield located.problem(path, told)
        case _:
            pass


def _no_kind(text: str) -> str:
    return f"should be send, handle, local or ignored, not {text!r}"


# ---------------------------------------------------------------- compiling


def compiled(part: Any) -> Expression:
    """An expression of a document as a function."""
    match part:
        case str():
            return expressions.field(getter(parse_path(part)))
        case tuple():
            steps = [parse_path(each) if isinstance(each, str) else () for each in part]
            if all(len(path) == 1 and isinstance(path[0], str) for path in steps):
                return expressions.first_of_keys(tuple(str(path[0]) for path in steps))
            return expressions.first_of([compiled(each) for each in part])
        case ConstantExpression(constant=value):
            return expressions.constant(value)
        case TableExpression(table=table, of=of, otherwise=otherwise):
            return expressions.looked_up(table, compiled(of), otherwise)
        case MatchExpression(match=pattern, of=of, group=group):
            return expressions.matched(UserPattern(pattern), compiled(of), group)
        case JoinExpression(join=parts):
            return expressions.joined([compiled(each) for each in parts])
        case _:
            raise TypeError(part)


def _values(
    document: ValuesDocument,
    base: Values,
    defaults: dict[str, str],
    clock: str | None,
    session: str | None,
) -> Values:
    found: dict[str, Expression | None] = {}
    shown: dict[str, str] = dict(base.shown)
    groups = _groups(document)
    for key in _PARTS:
        part = getattr(document, key)
        if key == "session" and session is not None:
            part = session
        elif part is None and key in groups:
            part = f"match.{key}"
        elif part is None:
            part = defaults.get(key)
        if part is not None:
            shown[key] = _told(part)
            found[key] = compiled(part)
        else:
            found[key] = getattr(base, key)
    kept = tuple((key, compiled(part)) for key, part in document.fields.items())
    own = {key: compiled(part) for key, part in document.parameters.items()}
    return Values(
        **found,
        clock=base.clock if clock is None else getter(parse_path(clock)),
        fields=(*base.fields, *kept),
        parameters=tuple({**dict(base.parameters), **own}.items()),
        shown=shown,
    )


def _rule(document: RuleDocument, base: Values, session: str | None) -> Rule:
    return Rule(
        _values(document, base, {}, document.clock, session),
        tuple((compiled(path), frozenset(allowed)) for path, allowed in document.where.items()),
        tuple(getter(parse_path(path)) for path in document.present),
        tuple(getter(parse_path(path)) for path in document.absent),
        tuple((compiled(path), UserPattern(text)) for path, text in document.match.items()),
        None if document.each is None else getter(parse_path(document.each)),
    )


def _groups(document: ValuesDocument) -> frozenset[str]:
    if not isinstance(document, RuleDocument):
        return frozenset()
    return frozenset(name for text in document.match.values() for name in UserPattern(text).groups)


def _told(part: Any) -> str:
    match part:
        case str():
            return part
        case tuple():
            return " or ".join(_told(each) for each in part)
        case TableExpression() | MatchExpression():
            return _told(part.of)
        case JoinExpression(join=parts):
            return " and ".join(_told(each) for each in parts)
        case _:
            return "a constant"
