"""YAML or JSON text -> plain values, with the line of everything in them.

The author of a document is told the line of each mistake, so lines are kept from the
start. Nothing recurses and everything is bounded by the constants below, so that no text
can exhaust the stack or the memory, aliases of aliases ("billion laughs") included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, TypeAlias

import yaml

from choreomon.core.errors import DocumentError, Path, Problem
from choreomon.core.names import PLAIN_PATTERN
from choreomon.files.input_files import size
from choreomon.files.scalars import Scalar, ScalarError, json_scalar, shortened, yaml_scalar
from choreomon.files.yaml_hints import not_yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML was built without libyaml: the same events, slower.
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

MAX_BYTES: Final = 4 * 1024 * 1024
"""Size of a document."""
MAX_NESTING: Final = 64
"""Lists and mappings inside one another."""
MAX_NODES: Final = 200_000
"""Scalars, lists and mappings, counted again wherever an alias repeats them."""

_SIMPLE_KEY: Final = re.compile(PLAIN_PATTERN)
_COLLECTION_TAGS: Final = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True, slots=True)
class Positioned:
    """The values of a file (always a mapping) and the line of every path into them."""

    file: str
    value: dict[str, object]
    lines: Mapping[Path, int]

    def problem(self, path: Path, message: str) -> Problem:
        """The problem at `path`, at the line of the nearest thing that is there."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return Problem(self.file, self.lines.get(known, 0), field_name(path), message)


def field_name(path: Path) -> str:
    """`path` as authors read it: `application.processes[1].handlers.leave`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        elif _SIMPLE_KEY.fullmatch(key) and len(key) <= 60:
            text += f".{key}" if text else key
        else:
            text += f"[{shortened(key)}]"
    return text


def read_positioned(
    text: str | bytes,
    file: str,
    *,
    as_json: bool,
    wanted: str = "a document with an application or a property",
    keys: str = "application: and property:",
) -> Positioned:
    """The values of a document in JSON, or else in YAML 1.2. `wanted` and `keys` are what its
    author is told to write where there is nothing, or no mapping.

    Raises `DocumentError` for text that is not UTF-8, too large, too deep, empty, not of
    the syntax or not a mapping; for several documents in one file; for keys that are not
    strings or come twice; for unknown tags and numbers of absurd length.
    """
    decoded = _decoded(text, file)
    events = _json_events(decoded, file) if as_json else _yaml_events(decoded, file)
    root = _composed(events, file)
    if root is None or (isinstance(root, _Scalar) and root.plain and not root.text):
        raise _refused(file, 0, f"is empty: write {wanted}")
    return _expanded(root, file, keys)


def _decoded(text: str | bytes, file: str) -> str:
    if isinstance(text, str):
        try:
            encoded = text.encode()
        except UnicodeEncodeError as wrong:
            line = text.count("\n", 0, wrong.start) + 1
            raise _refused(file, line, "holds half of a surrogate pair: save it as UTF-8") from None
    else:
        encoded = text
    if len(encoded) > MAX_BYTES:
        raise _refused(
            file, 0, f"is larger than {size(MAX_BYTES)}, the most that a document has: split it"
        )
    try:
        return encoded.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = encoded.count(b"\n", 0, wrong.start) + 1
        raise _refused(
            file, line, f"is not UTF-8 (byte {wrong.start} of the file): save it as UTF-8"
        ) from None


def _refused(file: str, line: int, message: str) -> DocumentError:
    return DocumentError((Problem(file, line, "", message),))


# ---------------------------------------------------------------- nodes and events


@dataclass(slots=True)
class _Scalar:
    line: int
    text: str
    plain: bool = True
    tag: str | None = None
    json: bool = False

    def value(self) -> Scalar:
        if self.json:
            return json_scalar(self.text)
        return yaml_scalar(self.text, plain=self.plain, tag=self.tag)


@dataclass(slots=True)
class _Collection:
    """A list, or a mapping whose children are its keys and values in turn."""

    line: int
    mapping: bool
    tag: str | None = None
    children: list[_Node] = field(default_factory=list)
    open: bool = True


_Node: TypeAlias = _Scalar | _Collection


class _Close:
    """The end of the innermost collection."""


_Event: TypeAlias = _Node | _Close


def _composed(events: Iterator[_Event], file: str) -> _Node | None:
    """The root node; an anchored node is shared by its aliases. `None`: no document."""
    root: _Node | None = None
    within: list[_Collection] = []
    for count, event in enumerate(events):
        if isinstance(event, _Close):
            within.pop().open = False
            continue
        if count > 2 * MAX_NODES:
            raise _too_many(file, event.line)
        if within:
            within[-1].children.append(event)
        else:
            root = event
        if isinstance(event, _Collection) and event.open:
            within.append(event)
            if len(within) > MAX_NESTING:
                raise _too_deep(file, event.line)
    return root


def _too_deep(file: str, line: int) -> DocumentError:
    return _refused(file, line, f"is nested deeper than {MAX_NESTING} levels: make it flatter")


def _too_many(file: str, line: int) -> DocumentError:
    return _refused(file, line, f"holds more than {MAX_NODES} values: make it smaller")


def _yaml_events(text: str, file: str) -> Iterator[_Event]:
    anchors: dict[str, _Node] = {}
    documents = 0
    try:
        for event in yaml.parse(text.encode(), Loader=Loader):
            line = event.start_mark.line + 1 if event.start_mark else 0
            node: _Node
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused(
                        file, line, "holds several documents: put each in a file of its own"
                    )
                continue
            if isinstance(event, yaml.CollectionEndEvent):
                yield _Close()
                continue
            if isinstance(event, yaml.AliasEvent):
                anchored = anchors.get(str(event.anchor))
                if anchored is None:
                    raise _refused(
                        file, line, f"unknown alias *{event.anchor}: no anchor has this name"
                    )
                if isinstance(anchored, _Collection) and anchored.open:
                    raise _refused(
                        file, line, f"the alias *{event.anchor} lies inside of what it repeats"
                    )
                yield anchored
                continue
            if isinstance(event, yaml.ScalarEvent):
                plain = not event.style
                node = _Scalar(line, event.value, plain, event.tag)
            elif isinstance(event, yaml.CollectionStartEvent):
                node = _Collection(line, isinstance(event, yaml.MappingStartEvent), event.tag)
            else:
                continue
            if event.anchor is not None:
                anchors[event.anchor] = node
            yield node
    except yaml.YAMLError as wrong:
        raise _refused(file, *not_yaml(wrong, text)) from None
    except (ValueError, OverflowError) as wrong:
        # PyYAML's scanner raises these for absurd escapes and version numbers.
        raise _refused(file, 0, f"is not YAML: {wrong}") from None


# Possessive, with an optional end, so that it stays linear on text that is no JSON.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]|[^][{}:,"\s]+|\n')


def _json_events(text: str, file: str) -> Iterator[_Event]:
    """The events of a JSON text: `json` decides whether it is one, so that the tokens
    below need no further check."""
    depth, line = 0, 1
    for token in _TOKEN.finditer(text):
        line += token[0] == "\n"
        depth += (token[0] in "[{") - (token[0] in "]}")
        if depth > MAX_NESTING:
            raise _too_deep(file, line)
    if not text.strip():
        return
    try:
        json.loads(text, parse_int=len, parse_float=len)
    except json.JSONDecodeError as wrong:
        raise _refused(
            file, wrong.lineno, f"is not JSON: {wrong.msg} (column {wrong.colno})"
        ) from None
    line = 1
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "\n":
                line += 1
            case "{" | "[":
                yield _Collection(line, token[0] == "{")
            case "}" | "]":
                yield _Close()
            case scalar:
                yield _Scalar(line, scalar, plain=False, json=True)


# ---------------------------------------------------------------- values


def _expanded(root: _Node, file: str, keys: str) -> Positioned:
    """Nodes -> values, aliases written out, with the line of every path."""
    holder: list[object] = [None]
    lines: dict[Path, int] = {(): root.line}
    wrong: list[_Wrong] = []
    todo: list[tuple[_Node, Path, Any, str | int]] = [(root, (), holder, 0)]
    done = 0
    while todo:
        node, path, container, slot = todo.pop()
        done += 1
        if done + len(todo) > MAX_NODES:
            raise _too_many(file, node.line)
        if isinstance(node, _Scalar):
            try:
                container[slot] = node.value()
            except ScalarError as error:
                wrong.append((lines[path], path, str(error)))
        elif node.tag not in _COLLECTION_TAGS:
            reason = f"unknown tag {shortened(str(node.tag))}: leave it out"
            wrong.append((lines[path], path, reason))
        elif len(path) >= MAX_NESTING:
            raise _too_deep(file, node.line)
        elif node.mapping:
            mapping: dict[str, object] = {}
            container[slot] = mapping
            for key, line, child in _entries(node, path, wrong):
                here = (*path, key)
                if key in mapping:
                    wrong.append(
                        (
                            line,
                            here,
                            f"comes twice, first on line {lines[here]}: keep one of the two",
                        )
                    )
                    continue
                lines[here] = line
                mapping[key] = None
                todo.append((child, here, mapping, key))
        else:
            items: list[object] = [None] * len(node.children)
            container[slot] = items
            for position, child in enumerate(node.children):
                lines[*path, position] = child.line
                todo.append((child, (*path, position), items, position))
    if wrong:
        told = dict.fromkeys(sorted(wrong, key=itemgetter(0)))
        raise DocumentError(
            tuple(Problem(file, line, field_name(path), message) for line, path, message in told)
        )
    value = holder[0]
    if not isinstance(value, dict):
        raise _refused(file, root.line, f"is not a mapping: write keys such as {keys}")
    return Positioned(file, value, lines)


_Wrong: TypeAlias = tuple[int, Path, str]


def _entries(
    node: _Collection, path: Path, wrong: list[_Wrong]
) -> Iterator[tuple[str, int, _Node]]:
    """The entries of a mapping that have a string as key: key, line, value."""
    for key_node, value_node in zip(node.children[::2], node.children[1::2], strict=True):
        line = value_node.line if isinstance(value_node, _Scalar) else key_node.line
        if isinstance(key_node, _Collection):
            wrong.append((key_node.line, path, "a list or mapping cannot be a key: write a name"))
            continue
        try:
            key = key_node.value()
        except ScalarError as error:
            wrong.append((key_node.line, path, f"wrong key: {error}"))
            continue
        if isinstance(key, str):
            yield key, line, value_node
        else:
            wrong.append(
                (
                    key_node.line,
                    path,
                    f"the key {key_node.text[:40] or '(nothing)'} is not text: put it in quotes",
                )
            )
