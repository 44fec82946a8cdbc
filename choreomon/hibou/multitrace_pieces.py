"""Reads the whole language of `.htf` files, in pieces, and says what is wrong.

The fast reader (`choreomon.hibou.multitrace`) leaves to this one what it does not know, and
everything long: of the text never more is held than the piece at hand and what of the last one
was not used up, so a log of millions of actions needs no more memory than its codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from choreomon.core.action import Action
from choreomon.hibou.scanner import NAME_RULE, is_name, refusal, shown, without_comments
from choreomon.hibou.signature import Signature, unknown
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace

NAME: Final = r"[A-Za-z][A-Za-z0-9_]*"
ACTION: Final = re.compile(rf"\s*({NAME})\s*([!?])\s*({NAME})\s*")
BODY_ENDS: Final = ";}]{["
_IN_NAMES: Final = (*"-/:$+'",)
"""Signs that people write in names, and that mean nothing here."""
_ACTION_OF_OTHERS: Final = re.compile(r"[-\w/:$+']+[!?][-\w/:$+']+")
_VISIBLE: Final = re.compile(r"\S")
_WORD: Final = re.compile(r"#?\w+|\S")

MANY_SPELLINGS: Final = 1 << 16
"""Most spellings of actions that a reader remembers before it forgets them all."""


SIMULTANEOUS: Final = "simultaneous actions `{..}` are not supported"

LONGEST_ACTION: Final = 1 << 20
"""Longer ones are refused, so that garbage without an end is not gathered in memory."""


class _Codes(dict[str, int]):
    """Codes of actions by their spelling; spellings met for the first time are parsed.

    Raises KeyError for what is no action, is on a lifeline that is not in `lifelines`, or is not
    declared.
    """

    def __init__(
        self,
        builder: TraceBuilder,
        lifelines: frozenset[str] | None,
        signature: Signature | None,
    ) -> None:
        self._builder = builder
        self._lifelines = lifelines
        self._signature = signature

    def __missing__(self, word: str) -> int:
        found = ACTION.fullmatch(word)
        if found is None:
            raise KeyError(word)
        action = Action(found[1], "!" if found[2] == "!" else "?", found[3])
        if self._lifelines is not None and action.lifeline not in self._lifelines:
            raise KeyError(word)
        if self._signature is not None and self._signature.strange(action):
            raise KeyError(word)
        code = self._builder.code(action)
        if len(self) >= MANY_SPELLINGS:
            self.clear()
        self[word] = code
        return code


class PieceReader:
    """Reads one multi-trace. For `lifelines` and `signature` see `MultiTraceReader`.

    `_text[_at:]` is what was fetched and not read yet; `_line` is the line of `_text[0]`.
    """

    def __init__(
        self,
        chunks: Iterable[str],
        file: str,
        lifelines: tuple[str, ...],
        signature: Signature | None,
    ) -> None:
        self._chunks: Iterator[str] = without_comments(chunks, file)
        self._file = file
        self._lifelines = lifelines
        self._signature = signature
        self._text = ""
        self._at = 0
        self._line = 1
        self._owners: dict[str, int] = {}
        self._opened = 0  # the line of `{` until it is closed

    def read(self) -> MultiTrace:
        """The multi-trace. Raises DocumentError."""
        first = self._peek()
        if first == "\ufeff":
            self._at += 1
            first = self._peek()
        if not first:
            raise refusal(
                self._file, 0, "is empty: expected a multi-trace such as `{[l1] l1!m; [l2] l2?m}`"
            )
        if first == "{":
            return self._in_braces()
        if first == "[":
            parts = self._components("")
            return self._whole(parts)
        builder, end = self._body(None, "")
        if end:
            self._expected("`.` or the end of the file after the trace")
        trace = builder.trace()
        lifelines = tuple(sorted({*self._lifelines, *builder.lifelines}))
        return MultiTrace((Component(lifelines, trace),))

    def _in_braces(self) -> MultiTrace:
        self._opened = self._line_here()
        self._at += 1
        if self._peek() not in ("[", "}", ";", ""):
            self._refuse_headless()
        parts = [] if self._peek() == "}" else self._components("}")
        if self._peek() != "}":
            self._expected("`;` or `}` after a component")
        self._opened = 0
        self._at += 1
        if self._peek():
            self._expected("the end of the file after `}`")
        return self._whole(parts)

    def _whole(self, parts: list[Component]) -> MultiTrace:
        missing = (Component((name,), ()) for name in self._lifelines if name not in self._owners)
        return MultiTrace((*parts, *missing))

    def _components(self, closing: str) -> list[Component]:
        """`component; component; ..` up to `closing` or the end of the file, which are left."""
        parts: list[Component] = []
        number = 0
        while True:
            number += 1
            if self._peek() != "[":
                self._expected("`[` and the lifelines of a component")
            line = self._line_here()
            self._at += 1
            lifelines = self._head()
            builder, end = self._body(lifelines, closing)
            own = tuple(sorted(builder.lifelines)) if lifelines is None else lifelines
            self._own(own, number, line)
            if own:
                parts.append(Component(own, builder.trace()))
            if end != ";":
                if end != closing:
                    self._expected(f"`;` or `{closing}`" if closing else "`;`")
                return parts
            self._at += 1
            if self._peek() == closing:
                return parts

    def _own(self, lifelines: tuple[str, ...], number: int, line: int) -> None:
        for name in lifelines:
            if name in self._owners:
                raise refusal(
                    self._file,
                    line,
                    f"{name} is in components {self._owners[name]} and {number}; a lifeline has "
                    "one clock",
                )
        self._owners.update(dict.fromkeys(lifelines, number))

    def _head(self) -> tuple[str, ...] | None:
        """The lifelines up to `]`, which is passed; None for `#any`."""
        if self._peek() == "#":
            keyword = self._word()
            if keyword not in ("#any", "#all"):
                self._at -= len(keyword)
                self._expected("`#any`, `#all` or lifelines")
            self._closing_bracket("`]`")
            return None if keyword == "#any" else self._lifelines
        named: dict[str, None] = {}
        while True:
            self._peek()
            name = self._word()
            if not is_name(name):
                self._at -= len(name)
                self._expected("the name of a lifeline" if named else "lifelines, #any or #all")
            if name in named:
                self._fail(f"{name} is named twice in one component")
            if self._signature is not None and name not in self._signature.lifelines:
                self._fail(unknown("lifeline", name, self._signature.lifelines))
            named[name] = None
            if self._peek() != ",":
                break
            self._at += 1
        self._closing_bracket("`,` or `]`")
        return tuple(sorted(named))

    def _closing_bracket(self, expected: str) -> None:
        if self._peek() != "]":
            self._expected(expected)
        self._at += 1

    def _word(self) -> str:
        """The word that begins at `_at`, which is passed; empty at the end."""
        while True:
            found = _WORD.match(self._text, self._at)
            ends = found is None or found.end() == len(self._text)
            if ends and len(self._text) - self._at <= LONGEST_ACTION and self._fetch():
                continue
            if found is None:
                return ""
            self._at = found.end()
            return found[0]

    def _body(self, lifelines: tuple[str, ...] | None, closing: str) -> tuple[TraceBuilder, str]:
        """A trace and the sign after it, which is left; empty at the end of the file."""
        builder = TraceBuilder()
        own = None if lifelines is None else frozenset(lifelines)
        codes = _Codes(builder, own, self._signature)
        if self._peek() in (";", closing) or not self._peek():
            return builder, self._peek()
        while True:
            end = _end_of_body(self._text, self._at)
            if end < 0:
                # Without the last word, which may continue in the next piece.
                cut = self._text.rfind(".", self._at)
                if cut >= 0:
                    self._add(builder, codes, self._at, cut, own)
                    self._at = cut + 1
                visible = _VISIBLE.search(self._text, self._at)
                self._at = len(self._text) if visible is None else visible.start()
                if len(self._text) - self._at > LONGEST_ACTION:
                    self._fail(f"expected an action of at most {LONGEST_ACTION} characters")
                if self._fetch():
                    continue
                self._add(builder, codes, self._at, len(self._text), own)
                self._at = len(self._text)
                return builder, ""
            if self._text[end] == "{":
                self._add_before_braces(builder, codes, end, own)
            self._add(builder, codes, self._at, end, own)
            self._at = end
            return builder, self._text[end]

    def _add_before_braces(
        self, builder: TraceBuilder, codes: _Codes, at: int, own: frozenset[str] | None
    ) -> None:
        before = self._text[self._at : at]
        if before.strip() and before.rstrip().endswith("."):
            self._add(builder, codes, self._at, self._at + before.rindex("."), own)
            self._at = at
            self._refuse_braces()
        if not before.strip():
            self._at = at
            self._refuse_braces()

    def _add(
        self, builder: TraceBuilder, codes: _Codes, start: int, end: int, own: frozenset[str] | None
    ) -> None:
        """Adds the actions of a part of the text."""
        words = self._text[start:end].split(".")
        try:
            builder.extend([codes[word] for word in words])
        except KeyError:
            self._explain(words, start, codes, own)

    def _explain(
        self, words: list[str], start: int, codes: _Codes, own: frozenset[str] | None
    ) -> NoReturn:
        """Raises DocumentError about the first of `words` that is wrong."""
        for word in words:
            try:
                codes[word]
            except KeyError:
                break
            start += len(word) + 1
        found = ACTION.match(word)
        self._at = start
        if found is None:
            self._peek()
            # All of it: in `l1->m` the name of the lifeline is not the mistake.
            self._expected("an action such as `l1!m` or `l2?m`", word.strip())
        self._at = start + len(word) - len(word.lstrip())
        if found.end() < len(word):
            self._at = start + found.end()
            self._expected("`.` between two actions")
        action = Action(found[1], "!" if found[2] == "!" else "?", found[3])
        strange = "" if self._signature is None else self._signature.strange(action)
        if strange:
            self._fail(strange)
        assert own is not None
        self._fail(
            f"{action} is on {action.lifeline}, which is not in the component "
            f"[{','.join(sorted(own))}]"
        )

    def _refuse_headless(self) -> NoReturn:
        """Refuse what follows `{`: simultaneous actions are told from a component without its
        lifelines by the comma after the first one."""
        line = self._line_here()
        words = []
        for _ in range(4):
            self._peek()
            words.append(self._word())
        if words[1] in ("!", "?") and words[3] == ",":
            raise refusal(self._file, line, SIMULTANEOUS)
        raise refusal(
            self._file,
            line,
            "expected `[` and the lifelines of a component, as in `{[l1] l1!m}`, found "
            f"{shown(words[0])}",
        )

    def _refuse_braces(self) -> NoReturn:
        self._fail(SIMULTANEOUS)

    def _peek(self) -> str:
        """The next character that is no space, which `_at` then points to; empty at the end."""
        while True:
            found = _VISIBLE.search(self._text, self._at)
            if found is not None:
                self._at = found.start()
                return found[0]
            self._at = len(self._text)
            if not self._fetch():
                return ""

    def _fetch(self) -> bool:
        """Appends the next piece, and forgets what was read; whether there was one."""
        piece = next(self._chunks, None)
        if piece is None:
            return False
        self._line += self._text.count("\n", 0, self._at)
        self._text = self._text[self._at :] + piece
        self._at = 0
        return True

    def _line_here(self) -> int:
        return self._line + self._text.count("\n", 0, self._at)

    def _fail(self, message: str) -> NoReturn:
        raise refusal(self._file, self._line_here(), message)

    def _expected(self, what: str, found: str = "") -> NoReturn:
        """`found` is what to show, the next word where it is empty."""
        self._peek()
        line = self._line_here()
        before = self._text[self._at - 1 : self._at]
        word = found or self._word()
        message = f"expected {what}, found {shown(word)}"
        if _ACTION_OF_OTHERS.fullmatch(found) or (before.isalnum() and word in _IN_NAMES):
            message += f"; {NAME_RULE}"
        if not word and self._opened:
            message += f"; `{{` of line {self._opened} is not closed"
        raise refusal(self._file, line, message)


def _end_of_body(text: str, at: int) -> int:
    """Find the first of the signs that no trace has, from `at` on; -1 if there is none. Much faster
    than a regular expression, which looks at every character."""
    first = -1
    for sign in BODY_ENDS:
        found = text.find(sign, at) if first < 0 else text.find(sign, at, first)
        if found >= 0:
            first = found
    return first
