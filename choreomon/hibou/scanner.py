"""The words of HIBOU's files, and a cursor over them.

All four formats share their words: names (a letter, then letters, digits and `_`), numbers,
signs, sections such as `@message`, keywords such as `#any`, and comments `/* .. */`. Comments
from `//` to the end of the line are read as well; HIBOU itself does not know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple, NoReturn

from choreomon.core.errors import DocumentError, Problem

END: Final = ""
"""The word after the last one."""

_WORD: Final = re.compile(
    r"""[^\W\d_]\w*          # a name
      | \d+                  # a number
      | [@\#]\w*             # a section, or a keyword
      | -- | -> | \S         # a sign""",
    re.VERBOSE,
)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
WAY_OUT: Final = "; JSON has no such limit"
NAME_RULE: Final = f"a name is a letter, then letters, digits and `_`{WAY_OUT}"
"""The rule for names, in errors."""

_COMMENT: Final = re.compile(r"/[*/]")
_NOT_A_LINE_END: Final = re.compile(r"[^\n]")
_AT_ONCE: Final = 1000
"""Words that are looked for at a time."""
_SHOWN: Final = 30
"""Most characters of a wrong word that are shown."""


def is_name(word: str) -> bool:
    """Return whether the files can express `word` as the name of a lifeline or of a message."""
    return _NAME.fullmatch(word) is not None


def shown(word: str) -> str:
    """A word as error messages quote it."""
    if word == END:
        return "the end of the file"
    return repr(word if len(word) <= _SHOWN else word[:_SHOWN] + "...")


def refusal(file: str, line: int, message: str) -> DocumentError:
    """The error of one problem."""
    return DocumentError((Problem(file, line, "", message),))


def without_comments(chunks: Iterable[str], file: str) -> Iterator[str]:
    """The text with spaces in the place of comments; every character stays where it was.

    Raises DocumentError where a comment is not closed.
    """
    held = ""  # the first half of what may be a sign of two characters
    inside = ""  # "/*" or "//" within such a comment
    line = opened = 1
    for chunk in chunks:
        text, held = held + chunk, ""
        if not inside and "/" not in text:
            line += text.count("\n")
            yield text
            continue
        clean: list[str] = []
        at = 0
        while at < len(text):
            if not inside:
                found = _COMMENT.search(text, at)
                if found is None:
                    held = "/" if text.endswith("/") else ""
                    clean.append(text[at : len(text) - len(held)])
                    break
                inside = found[0]
                opened = line + text.count("\n", 0, found.start())
                clean.append(text[at : found.start()])
                clean.append("  ")
                at = found.end()
            elif inside == "/*":
                end = text.find("*/", at)
                if end < 0:
                    held = "*" if text.endswith("*") and len(text) > at else ""
                    clean.append(_blank(text[at : len(text) - len(held)]))
                    break
                clean.append(_blank(text[at:end]))
                clean.append("  ")
                at, inside = end + 2, ""
            else:
                end = text.find("\n", at)
                if end < 0:
                    clean.append(_blank(text[at:]))
                    break
                clean.append(_blank(text[at:end]))
                at, inside = end, ""
        line += text.count("\n")
        yield "".join(clean)
    if inside == "/*":
        raise refusal(file, opened, "this comment is not closed: expected `*/` after its `/*`")
    if held and not inside:
        yield held


def _blank(comment: str) -> str:
    return _NOT_A_LINE_END.sub(" ", comment)


class Token(NamedTuple):
    """A word and where it begins: characters from the start of the text, from 0."""

    text: str
    at: int


class Cursor:
    """Reads the words of a text one after the other."""

    def __init__(self, text: str, file: str, wanted: str) -> None:
        """Raises DocumentError where a comment is not closed, or where there are no words;
        `wanted` says what they should be."""
        self.file = file
        self._text = "".join(without_comments((text.removeprefix("\ufeff"),), file))
        self._found = _WORD.finditer(self._text)
        self._words: list[Token] = []
        self._next = 0
        self._read_on()
        if self.word == END:
            raise refusal(file, 0, f"is empty: expected {wanted}")

    def _read_on(self) -> None:
        """Adds the next words, END after the last one: not all are read from a wrong file."""
        found = [Token(each[0], each.start()) for each in islice(self._found, _AT_ONCE)]
        if len(found) < _AT_ONCE:
            found.append(Token(END, len(self._text.rstrip())))
        self._words += found

    def _pass(self) -> None:
        self._next += 1
        if self._next == len(self._words):
            self._read_on()

    @property
    def word(self) -> str:
        """The next word, END after the last."""
        return self._words[self._next].text

    @property
    def at(self) -> int:
        """The place at which the next word begins."""
        return self._words[self._next].at

    def ahead(self, number: int) -> str:
        """The word that many places after the next one."""
        place = self._next + number
        while len(self._words) <= place and self._words[-1].text != END:
            self._read_on()
        return self._words[place].text if place < len(self._words) else END

    def take(self) -> str:
        """The next word, which is passed; END is never passed."""
        word = self._words[self._next].text
        if word != END:
            self._pass()
        return word

    def accepts(self, word: str) -> bool:
        """Passes the next word if it is `word`; whether it was."""
        if self._words[self._next].text == word and word != END:
            self._pass()
            return True
        return False

    def expect(self, word: str, where: str = "") -> None:
        """Passes `word`. Raises DocumentError where something else comes."""
        if not self.accepts(word):
            self.expected(f"`{word}`{where}")

    def name(self, of: str) -> str:
        """Passes a name and returns it; `of` says what it should name.

        Raises DocumentError where something else comes.
        """
        if not is_name(self.word):
            self.expected(f"the name of {of}")
        return self.take()

    def names(self, of: str, closing: str) -> tuple[str, ...]:
        """Passes `name, name, .. closing`."""
        found = [self.name(of)]
        while self.accepts(","):
            found.append(self.name(of))
        if not self.accepts(closing):
            self.expected(f"`,` or `{closing}`")
        return tuple(found)

    def line(self, at: int) -> int:
        """The line, from 1, of a place in the text."""
        return self._text.count("\n", 0, at) + 1

    def problem(self, at: int, message: str) -> Problem:
        """A problem at a place in the text."""
        return Problem(self.file, self.line(at), "", message)

    def refuse(self, at: int, message: str) -> NoReturn:
        """Raises DocumentError about a place in the text."""
        raise DocumentError((self.problem(at, message),))

    def expected(self, what: str) -> NoReturn:
        """Raises DocumentError: `what` should come, and something else does."""
        hint = f"; {NAME_RULE}" if self._breaks_a_name() else ""
        self.refuse(self.at, f"expected {what}, found {shown(self.word)}{hint}")

    def _breaks_a_name(self) -> bool:
        """Return whether the next word may be meant as a name, or as a part of the name before it,
        which it follows at once, and is no sign that may follow a name."""
        if self.word[:1].isalpha() and not is_name(self.word):
            return True
        if not self._next or self.word in (END, "--", "->", *"()[]{},;=!?@"):
            return False
        before = self._words[self._next - 1]
        return is_name(before.text) and before.at + len(before.text) == self.at
