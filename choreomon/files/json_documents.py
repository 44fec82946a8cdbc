"""Documents of JSON that say what they are: decoding, and what is wrong with them, with lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Protocol, TypeVar

import msgspec

from choreomon.core.errors import DocumentError, Path, Problem
from choreomon.files.json_keys import repeated_key
from choreomon.files.json_shapes import shape_problem
from choreomon.files.source_positions import field_name, read_positioned

_AT: Final = re.compile(r" - at `\$(.*)`\Z", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


class _Document(Protocol):
    def keys(self) -> int:
        """Count the keys of mappings that were read."""


_Decoded = TypeVar("_Decoded", bound=_Document)


class _Kind(msgspec.Struct):
    kind: str = ""


class Defects:
    """Defects of a document that could be decoded, with lines where the document is small enough to
    look for them."""

    def __init__(self, text: str | bytes, file: str) -> None:
        self._text = text
        self._file = file
        self._found: list[tuple[Path, str]] = []

    def add(self, path: Path, message: str) -> None:
        """Notes what is wrong at a place. Only the first few are kept."""
        if len(self._found) < _MANY:
            self._found.append((path, message))

    def raise_any(self) -> None:
        """Raises DocumentError if there is something."""
        if self._found:
            raise _located(self._text, self._file, self._found)


_MANY: Final = 20


def _located(
    text: str | bytes, file: str, found: Iterable[tuple[Path, str]], *, malformed: bool = False
) -> DocumentError:
    """The error about what was found, with lines where the document is small enough. Of one that
    is `malformed` it is known only that it is no JSON: then what reads it again tells more."""
    try:
        located = read_positioned(text, file, as_json=True)
    except DocumentError as error:
        if malformed and error.problems[0].line:
            return error
        return DocumentError(
            tuple(Problem(file, 0, field_name(path), message) for path, message in found)
        )
    problems = [located.problem(path, message) for path, message in found]
    return DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))


def refuse_no_mapping(text: str | bytes, file: str) -> None:
    """Raises DocumentError for a text that is empty or no JSON object."""
    start = text.strip()[:1]
    if not start:
        raise DocumentError((Problem(file, 0, "", "is empty: expected a mapping"),))
    if start in ("[", b"["):
        raise DocumentError((Problem(file, 1, "", "is a list: expected a mapping"),))
    if start not in ("{", b"{"):
        raise DocumentError((Problem(file, 0, "", "is no mapping: expected one, in braces"),))


def stated_kind(content: bytes) -> object:
    """The kind that a JSON document states; None where it says nothing, or is no JSON object. Of
    the rest nothing is kept, however large it is."""
    try:
        fields = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        found: object = msgspec.json.decode(fields.get("kind", msgspec.Raw(b"null")))
    except (UnicodeError, RecursionError, msgspec.DecodeError):
        return None
    return found


def decoded(text: str | bytes, file: str, kind: str, shape: type[_Decoded]) -> _Decoded:
    """The document, which says that it is of this kind, in the right shape. Raises
    DocumentError, also where a key comes twice."""
    refuse_no_mapping(text, file)
    try:
        found = msgspec.json.decode(text, type=_Kind).kind
        if found != kind:
            said = f"is {found!r}" if found else "is missing"
            raise _located(text, file, [(("kind",), f"{said}: expected {kind!r}")])
        document = msgspec.json.decode(text, type=shape)
    except msgspec.ValidationError as wrong:
        message = str(wrong)
        at = _AT.search(message)
        path = _path(at[1]) if at else ()
        raise _located(text, file, [(path, shape_problem(_AT.sub("", message)))]) from None
    except (msgspec.DecodeError, UnicodeError) as wrong:
        raise _located(text, file, [((), f"is not JSON: {wrong}")], malformed=True) from None
    except RecursionError:
        raise _located(text, file, [((), "is nested too deeply")], malformed=True) from None
    twice = repeated_key(text, document.keys())
    if twice is not None:
        raise _comes_twice(text, file, twice)
    return document


def _comes_twice(text: str | bytes, file: str, key: str) -> DocumentError:
    try:
        read_positioned(text, file, as_json=True)
    except DocumentError as error:
        if error.problems[0].field:  # small enough to be examined
            return error
    told = f"has the key {key!r} twice in one mapping: keep one of the two"
    return DocumentError((Problem(file, 0, "", told),))


def _path(at: str) -> Path:
    steps: list[str | int] = []
    for found in _STEP.finditer(at):
        if found[2] == "...":
            break
        steps.append(int(found[2]) if found[2] else found[1])
    return tuple(steps)
