"""Applications for tests: a tiny language, and random ones.

    P1.go: >P2.m x=true ?x[>P2.m]     a handler of P1 that sends, assigns and decides
    P2.m:                             one that does nothing

Statements are `>PROCESS.MESSAGE`, `VARIABLE=CONSTANT`, `?VARIABLE[THEN]`,
`?VARIABLE[THEN|OTHERWISE]`, and `?!VARIABLE[..]` for a negated condition; every variable
is boolean and false at first, or 0 where its name begins with `n`. Starts are
`PROCESS.MESSAGE` or `PROCESS.MESSAGE@MICROSECONDS`. Messages carry values that are written behind
their names, as in `>P2.m(k=17,l=$k)` and `P1.go(k=17)@5`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeAlias

from hypothesis import strategies as st

from choreomon.actors.application import (
    Application,
    Assign,
    Given,
    If,
    OfHandled,
    Process,
    Repeat,
    Start,
    Statement,
    Tell,
)

Handler: TypeAlias = tuple[Statement, ...]

TOKEN = re.compile(r"[\[\]|]|[^\s\[\]|]+")


def application(text: str, *starts: str) -> Application:
    """The application that the lines of `text` describe, started by `starts`."""
    handled: dict[str, dict[str, Handler]] = {}
    variables: dict[str, dict[str, int | bool]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        head, body = line.split(":")
        process, message = head.split(".")
        tokens = TOKEN.findall(body)
        handled.setdefault(process, {})[message] = _statements(tokens)
        named = variables.setdefault(process, {})
        for name in re.findall(r"(?<![(,])\b(\w+)=|\?!?(\w+)\[", body):
            variable = name[0] or name[1]
            named[variable] = 0 if variable.startswith("n") else False
    processes = tuple(Process(id, handled[id], variables[id]) for id in handled)
    return Application(processes, tuple(map(_start, starts)))


def _start(text: str) -> Start:
    message, _, at = text.partition("@")
    process, name, values = _message(message)
    constants = tuple((key, value) for key, value in values if isinstance(value, str))
    return Start(process, name, int(at or 0), constants)


def _message(text: str) -> tuple[str, str, Given]:
    """`PROCESS.MESSAGE` or `PROCESS.MESSAGE(k=17,l=$k)`."""
    head, _, values = text.rstrip(")").partition("(")
    process, name = head.split(".")
    pairs = [value.split("=") for value in values.split(",") if value]
    given = ((key, OfHandled(text[1:]) if text[0] == "$" else text) for key, text in pairs)
    return process, name, tuple(sorted(given, key=itemgetter(0)))


def _statements(tokens: list[str]) -> Handler:
    """Takes the tokens up to the end of the block that they begin in."""
    statements: list[Statement] = []
    while tokens and tokens[0] not in "]|":
        token = tokens.pop(0)
        if token.startswith(">"):
            statements.append(Tell(*_message(token[1:])))
        elif token.startswith("?"):
            assert tokens.pop(0) == "["
            then = _statements(tokens)
            otherwise = _statements(tokens) if tokens.pop(0) == "|" else None
            if otherwise is not None:
                assert tokens.pop(0) == "]"
            statements.append(If(token.lstrip("?!"), then, otherwise or (), "!" in token))
        else:
            variable, value = token.split("=")
            statements.append(Assign(variable, CONSTANTS.get(value) or int(value)))
    return tuple(statements)


def _block(statements: Sequence[Statement]) -> Handler:
    return tuple(statements)


CONSTANTS = {"true": True}
VARIABLES = ("a", "b", "c")


CARRIED = ("k", "l")
VALUES = ("1", "2", "A-17")
COUNTS = st.integers(1, 3)


def handlers(
    names: Sequence[str], messages: Sequence[str], *, carrying: bool = False
) -> st.SearchStrategy[Handler]:
    """Statements that nest up to two deep and send any message to any process. `carrying`: each
    carries values of all of `CARRIED`, constants or those that the handled message has."""
    value = st.one_of(st.sampled_from(VALUES), st.sampled_from(CARRIED).map(OfHandled))
    given = st.tuples(*(st.tuples(st.just(name), value) for name in CARRIED))
    sends = st.builds(
        Tell, st.sampled_from(names), st.sampled_from(messages), given if carrying else st.just(())
    )
    assigns = st.builds(Assign, st.sampled_from(VARIABLES), st.booleans())
    simple = st.one_of(sends, sends, assigns)
    blocks = st.lists(simple, max_size=3).map(_block)
    for _ in range(2):
        ifs = st.builds(If, st.sampled_from(VARIABLES), blocks, blocks, st.booleans())
        blocks = st.lists(st.one_of(simple, ifs), max_size=2).map(_block)
    return blocks


@st.composite
def applications(draw: st.DrawFn) -> Application:
    """Up to four processes with up to three handlers each, which send to any process,
    themselves included, and start in any way; in half of them messages carry values."""
    carrying = draw(st.booleans())
    names = [f"P{n}" for n in range(1, draw(st.integers(1, 4)) + 1)]
    messages = ["m", "n", "o"][: draw(st.integers(1, 3))]
    blocks = handlers(names, messages, carrying=carrying)
    processes = tuple(
        Process(
            name,
            {message: draw(blocks) for message in messages},
            {variable: draw(st.booleans()) for variable in VARIABLES},
        )
        for name in names
    )
    values = [st.tuples(st.just(name), st.sampled_from(VALUES)) for name in CARRIED]
    start = (st.sampled_from(names), st.sampled_from(messages), st.integers(0, 3000))
    starts = st.builds(Start, *start)
    if carrying:
        ranges = st.builds(lambda first, more: range(first, first + more), COUNTS, COUNTS)
        repeats = st.builds(Repeat, st.just(CARRIED[0]), ranges, st.integers(0, 2000))
        starts = st.builds(Start, *start, st.tuples(*values)) | st.builds(
            Start, *start, st.tuples(*values[1:]), repeats
        )
    return Application(processes, tuple(draw(st.lists(starts, min_size=1, max_size=4))))
