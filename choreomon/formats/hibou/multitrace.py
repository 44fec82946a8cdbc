"""Multi-traces as HIBOU writes them (`.htf` files).

Paper 001, Fig. 16. What is read:

- `{ [a,b] b!m.a!m; [c] }`: components in braces, empty ones and a trailing `;` included; the
  same without braces;
- `[#any]`: the lifelines of the component's own actions (without actions there is none, and the
  component says nothing: it is left out); `[#all]`: all lifelines;
- a bare trace `a!m.b?m`: the trivial partition, all lifelines share one clock;
- lifelines that no component is about get an empty component of their own.

Simultaneous actions `{a!m,b?m}` are outside of the papers: refused by name.

Two readers stand here. The first knows only the usual form, in braces with lifelines by name,
and looks every action up in a table of those met before. It never reports an error: what it does
not know it leaves to the second, which reads in pieces, so that a log of millions of actions
needs no more memory than its codes (`choreomon.multitrace.coded`). The tests hold them equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NoReturn

from choreomon.core.action import Action
from choreomon.formats.hibou.scanner import is_name, refusal, shown, without_comments
from choreomon.formats.hibou.signature import Signature, checked_names, unknown
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace

_NAME: Final = r"[A-Za-z][A-Za-z0-9_]*"
_ACTION: Final = re.compile(rf"\s*({_NAME})\s*([!?])\s*({_NAME})\s*")
_HEAD: Final = re.compile(rf"\s*\[\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*")
_COMMA: Final = re.compile(r"\s*,\s*")
_BODY_END: Final = re.compile(r"[\[\]{};]")
_REST: Final = re.compile(rf"\s*({_NAME}|\S|$)")

MANY_WORDS: Final = 1 << 16
"""How many spellings of actions a reader remembers before it forgets them all."""


class MultiTraceReader:
    """Reads multi-traces of one system, and remembers how its actions are spelt.

    `lifelines` are those that are known without the trace; with a `signature` also its own, and
    what it does not declare is refused.
    """

    def __init__(self, lifelines: Iterable[str] = (), signature: Signature | None = None) -> None:
        declared = () if signature is None else signature.lifelines
        self._lifelines = tuple(sorted({*lifelines, *declared}))
        self._signature = signature
        self._heads: dict[str, tuple[tuple[str, ...], dict[str, Action]]] = {}
        self._spellings = 0

    def read(self, text: str, file: str = "trace") -> MultiTrace:
        """The multi-trace of a text; `file` is what errors call it. Raises DocumentError."""
        known = self._quickly(text) if len(text) < _LONG else None
        return self.read_chunks((text,), file) if known is None else known

    def read_chunks(self, chunks: Iterable[str], file: str = "trace") -> MultiTrace:
        """The multi-trace of a text that comes in pieces, of any size. Raises DocumentError."""
        return _SlowReader(chunks, file, self._lifelines, self._signature).read()

    def _quickly(self, text: str) -> MultiTrace | None:
        """The multi-trace of a text in the usual form; None for anything else."""
        stripped = text.strip()
        if stripped[:1] != "{" or stripped[-1:] != "}":
            return None
        heads = self._heads
        parts: list[Component] = []
        count = 0
        pieces = stripped[1:-1].split(";")
        if not pieces[-1].strip():
            pieces.pop()
        for piece in pieces:
            head, closed, body = piece.partition("]")
            if not closed:
                return None
            known = heads.get(head)
            if known is None:
                known = self._learn_head(head)
                if known is None:
                    return None
            lifelines, actions = known
            body = body.strip()
            if body:
                words = body.split(".")
                try:
                    trace = tuple([actions[word] for word in words])
                except KeyError:
                    if not self._learn(words, lifelines, actions):
                        return None
                    trace = tuple([actions[word] for word in words])
                parts.append(Component(lifelines, trace))
            else:
                parts.append(Component(lifelines, ()))
            count += len(lifelines)
        mentioned = {name for part in parts for name in part.lifelines}
        if len(mentioned) != count:
            return None
        parts.extend(Component((name,), ()) for name in self._lifelines if name not in mentioned)
        return MultiTrace(tuple(parts))

    def _learn_head(self, head: str) -> tuple[tuple[str, ...], dict[str, Action]] | None:
        found = _HEAD.fullmatch(head)
        if found is None:
            return None
        named = _COMMA.split(found[1])
        lifelines = tuple(sorted(set(named)))
        if len(lifelines) != len(named):
            return None
        if self._signature is not None and not set(lifelines) <= set(self._signature.lifelines):
            return None
        self._make_room()
        known: tuple[tuple[str, ...], dict[str, Action]] = (lifelines, {})
        self._heads[head] = known
        return known

    def _learn(
        self, words: Sequence[str], lifelines: tuple[str, ...], actions: dict[str, Action]
    ) -> bool:
        """Adds the words that `actions` has not; False where one is none of these lifelines."""
        for word in words:
            if word in actions:
                continue
            found = _ACTION.fullmatch(word)
            if found is None or found[1] not in lifelines:
                return False
            action = Action(found[1], "!" if found[2] == "!" else "?", found[3])
            if self._signature is not None and self._signature.strange(action):
                return False
            actions[word] = action
            self._spellings += 1
        return True

    def _make_room(self) -> None:
        self._spellings += 1
        if self._spellings > MANY_WORDS:
            self._heads.clear()
            self._spellings = 1


_LONG: Final = 1 << 16
"""Texts of so many characters are read in pieces: their actions are to be stored tightly."""


@lru_cache(maxsize=64)
def _reader(lifelines: tuple[str, ...], signature: Signature | None) -> MultiTraceReader:
    return MultiTraceReader(lifelines, signature)


def read_multi_trace(
    text: str,
    lifelines: Iterable[str] = (),
    signature: Signature | None = None,
    file: str = "trace",
) -> MultiTrace:
    """The multi-trace of a `.htf` text. For the arguments see `MultiTraceReader`.

    Raises DocumentError.
    """
    return _reader(tuple(lifelines), signature).read(text, file)


class _Codes(dict[str, int]):
    """From the spelling of an action to its code; spellings met for the first time are parsed.

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
        found = _ACTION.fullmatch(word)
        if found is None:
            raise KeyError(word)
        action = Action(found[1], "!" if found[2] == "!" else "?", found[3])
        if self._lifelines is not None and action.lifeline not in self._lifelines:
            raise KeyError(word)
        if self._signature is not None and self._signature.strange(action):
            raise KeyError(word)
        code = self._builder.code(action)
        if len(self) >= MANY_WORDS:
            self.clear()
        self[word] = code
        return code


class _SlowReader:
    """Reads the whole language, in pieces, and says what is wrong.

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

    def read(self) -> MultiTrace:
        first = self._peek()
        if first == "\ufeff":
            self._at += 1
            first = self._peek()
        if not first:
            raise refusal(self._file, 0, "is empty")
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
        opened = self._line_here()
        self._at += 1
        if self._peek() not in ("[", "}", ";", ""):
            self._refuse_braces()
        parts = [] if self._peek() == "}" else self._components("}")
        if self._peek() != "}":
            if not self._peek():
                raise refusal(
                    self._file, opened, "`{` is not closed: expected `}`, found the end of the file"
                )
            self._expected("`;` or `}` after a component")
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
            if (found is None or found.end() == len(self._text)) and self._fetch():
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
            end = _BODY_END.search(self._text, self._at)
            if end is None:
                # All but the last word, which may go on in the next piece.
                cut = self._text.rfind(".", self._at)
                if cut >= 0:
                    self._add(builder, codes, self._at, cut, own)
                    self._at = cut + 1
                if self._fetch():
                    continue
                self._add(builder, codes, self._at, len(self._text), own)
                self._at = len(self._text)
                return builder, ""
            if end[0] == "{":
                self._add_before_braces(builder, codes, end.start(), own)
            self._add(builder, codes, self._at, end.start(), own)
            self._at = end.start()
            return builder, end[0]

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
        found = _ACTION.match(word)
        self._at = start
        if found is None:
            self._peek()
            self._expected("an action such as `l1!m` or `l2?m`")
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

    def _refuse_braces(self) -> NoReturn:
        self._fail("simultaneous actions `{..}` are not supported")

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

    def _expected(self, what: str) -> NoReturn:
        self._peek()
        line = self._line_here()
        raise refusal(self._file, line, f"expected {what}, found {shown(self._word())}")


_VISIBLE: Final = re.compile(r"\S")
_WORD: Final = re.compile(r"#?\w+|\S")


def write_multi_trace(multitrace: MultiTrace) -> str:
    """The text of a `.htf` file: one component a line, in braces.

    Raises ValueError for names that the files cannot express.
    """
    checked: set[str] = set()
    lines: list[str] = []
    for part in multitrace.components:
        checked.update(part.lifelines)
        checked.update({action.message for action in part.actions})
        actions = ".".join(map(str, part.actions))
        lines.append(f"[{','.join(part.lifelines)}] {actions}".rstrip())
    checked_names(sorted(checked))
    return "{\n" + ";\n".join(lines) + "\n}\n" if lines else "{\n}\n"
