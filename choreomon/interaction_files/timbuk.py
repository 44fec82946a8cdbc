"""Automata in the Timbuk format, as the AutomatArk collection has them.

    Ops a:1 b:1 x:0

    Automaton A
    States q0 q1
    Final States q1
    Transitions
    x -> q0
    a(q0) -> q1
    b(q1) -> q1

The format is one of tree automata. An automaton of words is one whose symbols have arity 1, its
letters, or 0: those mark the beginning, and states that they lead to are initial. States are
numbered in the order in which the file lists them.

A file that was cut off between two transitions looks whole: nothing in the format says how many
there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from choreomon.automata.automaton import MOST_STATES, Automaton, automaton
from choreomon.core.action import Action
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import did_you_mean
from choreomon.interaction_files.locations import Locations

_SECTIONS: Final = ("Ops", "Automaton", "States", "Final States", "Transitions")
"""The sections, in this order, each once."""
_START: Final = re.compile(r"(Ops|Automaton|States|Final\s+States|Transitions)(?:\s+(.*))?\Z")
_TRANSITION: Final = re.compile(r"([^\s()]+)\s*(?:\(([^()]*)\))?\s*->\s*(\S+)\Z")
_SHOWN: Final = 40


def read_timbuk(text: str, locations: Locations, file: str = "automaton") -> Automaton:
    """The automaton of a file; `locations` say where its letters are.

    Raises DocumentError.
    """
    sections = _sections(text, file)
    arities = _arities(sections, file)
    letters = {symbol: arity for symbol, arity in arities.items() if arity}
    if wrong := locations.strange(letters):
        raise _refused(file, 0, "Ops", wrong)
    numbers: dict[str, int] = {}
    for line, word in _words(sections["States"]):
        state = _state(word)
        if state in numbers:
            raise _refused(file, line, "States", f"{_shown(word)} comes twice: keep one of the two")
        if len(numbers) == MOST_STATES:
            raise _refused(file, line, "States", f"has more than {MOST_STATES:,} states")
        numbers[state] = len(numbers)
    final = [
        _number(word, numbers, file, line, "Final States")
        for line, word in _words(sections["Final States"])
    ]
    initial: list[int] = []
    edges: list[tuple[int, Action, int]] = []
    for line, content in sections["Transitions"]:
        symbol, source, target = _transition(content, arities, numbers, file, line)
        if source is None:
            initial.append(target)
        else:
            edges.append((source, locations.actions[symbol], target))
    if not initial:
        told = "has no initial state: write a transition such as x -> q0, with x:0 in Ops"
        raise _refused(file, 0, "Transitions", told)
    return automaton(
        edges,
        initial=initial,
        final=final,
        states=len(numbers),
        letters=[locations.actions[letter] for letter in letters],
        lifelines=locations.names,
    )


def timbuk_letters(text: str, file: str = "automaton") -> list[str]:
    """The letters of a file, in its order. Raises DocumentError."""
    arities = _arities(_sections(text, file), file)
    return [symbol for symbol, arity in arities.items() if arity]


def _sections(text: str, file: str) -> dict[str, list[tuple[int, str]]]:
    """The lines of each section, without empty ones."""
    sections: dict[str, list[tuple[int, str]]] = {}
    name = ""
    for line, content in enumerate(text.splitlines(), 1):
        content = content.strip()
        if not content:
            continue
        if start := _START.match(content):
            name = " ".join(start[1].split())
            if name in sections:
                told = "comes twice: one automaton is in a file, and each section of it once"
                raise _refused(file, line, name, told)
            if _SECTIONS.index(name) != len(sections):
                wanted = _SECTIONS[len(sections)]
                raise _refused(file, line, name, f"comes too early: expected {wanted} first")
            sections[name] = []
            content = start[2] or ""
        elif not name:
            told = f"starts with {_shown(content)}: a Timbuk file starts with Ops"
            raise _refused(file, line, "", told)
        if content:
            sections[name].append((line, content))
    if not sections:
        raise _refused(file, 0, "", "is empty: expected an automaton in the Timbuk format")
    if len(sections) < len(_SECTIONS):
        missing = _SECTIONS[len(sections)]
        raise _refused(file, 0, missing, "is missing: the file may have been cut off")
    return sections


def _arities(sections: dict[str, list[tuple[int, str]]], file: str) -> dict[str, int]:
    """The arity of each symbol."""
    arities: dict[str, int] = {}
    for line, word in _words(sections["Ops"]):
        symbol, colon, arity = word.rpartition(":")
        if not symbol or not colon or not arity.isdecimal():
            raise _refused(file, line, "Ops", f"{_shown(word)} is no symbol with its arity, as a:1")
        if int(arity) > 1:
            told = (
                f"{_shown(symbol)} has arity {arity}: this is an automaton of trees, not of words"
            )
            raise _refused(file, line, "Ops", told)
        if symbol in arities:
            raise _refused(file, line, "Ops", f"{_shown(symbol)} comes twice: keep one of the two")
        arities[symbol] = int(arity)
    return arities


def _words(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for line, content in lines:
        for word in content.split():
            yield line, word


def _state(word: str) -> str:
    """The name of a state, of which some files say that its arity is 0."""
    return word.removesuffix(":0")


def _transition(
    content: str, arities: dict[str, int], numbers: dict[str, int], file: str, line: int
) -> tuple[str, int | None, int]:
    """Symbol, source (None: the beginning) and target."""
    field = "Transitions"
    found = _TRANSITION.match(content)
    if found is None:
        told = f"{_shown(content)} is no transition, as a(q0) -> q1 or x -> q0"
        raise _refused(file, line, field, told)
    symbol, inside, target = found.groups()
    sources = [word.strip() for word in inside.split(",")] if inside and inside.strip() else []
    arity = arities.get(symbol)
    if arity is None and symbol in numbers and inside is None:
        told = f"{_shown(content)} has no letter: only transitions with one are understood"
        raise _refused(file, line, field, told)
    if arity is None:
        near = did_you_mean(symbol, arities) or "; Ops has them all"
        raise _refused(file, line, field, f"unknown letter {_shown(symbol)}{near}")
    if len(sources) != arity:
        wanted = f"{symbol}(STATE) -> STATE" if arity else f"{symbol} -> STATE"
        told = f"{_shown(content)}: {_shown(symbol)} has arity {arity}; write {wanted}"
        raise _refused(file, line, field, told)
    source = _number(sources[0], numbers, file, line, field) if sources else None
    return symbol, source, _number(target, numbers, file, line, field)


def _number(word: str, numbers: dict[str, int], file: str, line: int, field: str) -> int:
    number = numbers.get(_state(word))
    if number is None:
        near = did_you_mean(word, numbers) or "; States has them all"
        raise _refused(file, line, field, f"unknown state {_shown(word)}{near}")
    return number


def _refused(file: str, line: int, field: str, message: str) -> DocumentError:
    return DocumentError((Problem(file, line, field, message),))


def _shown(word: str) -> str:
    return repr(word if len(word) <= _SHOWN else f"{word[:_SHOWN]}...")
