"""Signatures: which lifelines and which messages there are (`.hsf` files).

The slices paper, Fig. 14. Sections may come in any order and more than once; a name must not be
declared twice in sections of one kind. `@gate` is outside of the papers: refused by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from choreomon.core import suggestion
from choreomon.core.action import Action
from choreomon.core.errors import DocumentError, Problem
from choreomon.hibou.scanner import NAME_RULE, Cursor, is_name


class Signature(NamedTuple):
    """The lifelines and the messages of a system, in the order of their declaration."""

    lifelines: tuple[str, ...]
    messages: tuple[str, ...]

    def strange(self, action: Action) -> str:
        """Name the undeclared parts of an action, for errors; empty if all are declared."""
        if action.lifeline not in self.lifelines:
            return unknown("lifeline", action.lifeline, self.lifelines)
        if action.message not in self.messages:
            return unknown("message", action.message, self.messages)
        return ""


def unknown(kind: str, name: str, known: Collection[str]) -> str:
    """Say that a name is not declared, and which are."""
    if not known:
        return f"unknown {kind} {name!r}; no {kind}s are declared"
    return suggestion.unknown(kind, name, known)


class SignatureSections:
    """Collects the sections of a signature while a file is read."""

    def __init__(self) -> None:
        self.found = False
        self._names: dict[str, dict[str, None]] = {"@lifeline": {}, "@message": {}}

    def read(self, cursor: Cursor) -> bool:
        """Passes one section, if the next is of a signature; whether it was.

        Raises DocumentError where it is not as it should be.
        """
        section, at = cursor.word, cursor.at
        if section == "@gate":
            cursor.refuse(at, "`@gate` is not supported: gates are outside of the language")
        if section not in self._names:
            return False
        cursor.take()
        self.found = True
        of = "a lifeline" if section == "@lifeline" else "a message"
        known = self._names[section]
        cursor.expect("{", f" after `{section}`")
        twice: list[Problem] = []
        while not cursor.accepts("}"):
            place, name = cursor.at, cursor.name(of)
            if name in known:
                twice.append(cursor.problem(place, f"{name!r} is declared twice"))
            known[name] = None
            if cursor.word != "}" and not cursor.accepts(";"):
                cursor.expected("`;` or `}`")
        if twice:
            raise DocumentError(tuple(twice))
        return True

    @property
    def signature(self) -> Signature:
        """The signature declared so far."""
        return Signature(tuple(self._names["@lifeline"]), tuple(self._names["@message"]))


def write_signature(signature: Signature) -> str:
    """The text of a `.hsf` file.

    Raises ValueError for names that the files cannot express, and where nothing is declared:
    an empty file is no signature.
    """
    sections = []
    for section, names in (("@message", signature.messages), ("@lifeline", signature.lifelines)):
        checked_names(names)
        if names:
            sections.append(f"{section}{{\n    {';'.join(names)}\n}}\n")
    if not sections:
        raise ValueError("a signature needs a lifeline or a message")
    return "".join(sections)


def checked_names(names: Iterable[str]) -> None:
    """Raises ValueError for a name that HIBOU's files cannot express."""
    for name in names:
        if not is_name(name):
            raise ValueError(f"{name!r} cannot be written in HIBOU's files; {NAME_RULE}")
