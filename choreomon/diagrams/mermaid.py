"""Reader of sequence diagrams in Mermaid (`.mmd`, `.mermaid`). docs/diagrams.md gives their
meaning.

A line is a statement, or several with `;` between them. `#59;` and `#quot;` are signs by their
code, another `#` begins a comment. Statements on the looks of a diagram are skipped.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final, NoReturn

from choreomon.diagrams.composing import LIVES, Composer, Kind
from choreomon.diagrams.skipping import without
from choreomon.hibou.scanner import refusal, shown
from choreomon.hibou.signature import Signature
from choreomon.interaction.diagram import NOTHING, SAME
from choreomon.interaction.term import Interaction

_HEADER: Final = "sequenceDiagram"
_PIECE: Final = re.compile(r"(?:#\w+;|[^;#])+|;|#")
_ENTITY: Final = re.compile(r"#(\w+);")
_BREAK: Final = re.compile(r"<br */?>|\\n", re.IGNORECASE)
_WRAP: Final = re.compile(r":?(?:no)?wrap:", re.IGNORECASE)
_SHAPE: Final = re.compile(r"@\{[^{}]*\}")
_ARROW: Final = re.compile(r"<<--?>>|--?>>|--?[x)]|--?>")
_LIKE_AN_ARROW: Final = re.compile(r"[-=~<>]{2}|-[|/\\]|[<>]")
_SIGNS: Final = ("<", ">", "=", "~", "|", "/", "\\")
"""Signs with which no participant begins or ends: they are parts of an unknown arrow."""
_WORD: Final = re.compile(r"(\w+)(?:[\s:]+|$)")
_AS: Final = re.compile(r"(?<!\s)\s++as\s++", re.IGNORECASE)

_BLOCKS: Final[dict[str, tuple[Kind, tuple[str, ...]]]] = {
    "alt": ("alt", ("else",)),
    "opt": ("opt", ()),
    "loop": ("loop", ()),
    "par": ("par", ("and",)),
    "par_over": ("par", ("and",)),
    "break": ("break", ()),
    "critical": ("critical", ("option",)),
}
_FRAMES: Final = ("rect", "box")
_BETWEEN: Final = ("else", "and", "option")
_SKIPPED: Final = (
    *("activate", "deactivate", "autonumber", "title", "acctitle", "accdescr"),
    *("links", "link", "properties", "details"),
)


def read_mermaid(
    text: str, signature: Signature | None = None, file: str = "diagram"
) -> Interaction:
    """The interaction of a Mermaid `sequenceDiagram`. With a `signature`, names that it does not
    declare are refused.

    Raises DocumentError.
    """
    return _Reader(file, signature).read(text)


class _Reader:
    def __init__(self, file: str, signature: Signature | None) -> None:
        self._file = file
        self._composer = Composer(file, _decoded, signature)

    def read(self, text: str) -> Interaction:
        lines = without(text.removeprefix("\ufeff"), "%%{", "}%%").split("\n")
        number = _after_front_matter(lines)
        begun = described = False
        for line, written in enumerate(lines[number:], start=number + 1):
            if described:
                described = "}" not in written
                continue
            if written.lstrip().startswith("%%"):
                continue
            for statement in _statements(written):
                if not begun:
                    statement = self._after_header(line, statement)
                    begun = True
                if re.match(r"accdescr\s*\{[^}]*$", statement, re.IGNORECASE):
                    described = True
                elif statement:
                    self._statement(line, statement)
        if not begun:
            raise refusal(self._file, 0, f"is empty: expected `{_HEADER}` and what happens")
        return self._composer.interaction()

    def _after_header(self, line: int, statement: str) -> str:
        word, _, rest = statement.partition(" ")
        if word != _HEADER:
            hint = f"; write it `{_HEADER}`" if word.lower() == _HEADER.lower() else ""
            raise refusal(
                self._file,
                line,
                f"expected `{_HEADER}`, the first word of Mermaid's sequence diagrams, found "
                f"{shown(word)}{hint}",
            )
        return rest.strip()

    def _statement(self, line: int, statement: str) -> None:
        found = _WORD.match(statement)
        word = found[1].lower() if found else ""
        rest = statement[found.end() :].strip() if found else ""
        composer = self._composer
        if word in ("participant", "actor"):
            self._participant(line, rest)
        elif word in _BLOCKS:
            kind, between = _BLOCKS[word]
            composer.start(line, kind, word, rest, between)
        elif word in _FRAMES:
            composer.start(line, "plain", word, "", ())
        elif word in _BETWEEN:
            composer.next_operand(line, word)
        elif word == "end":
            if rest:
                composer.refuse(line, "end", f"closes a block, and {shown(rest)} stands behind it")
            composer.end(line)
        elif word == "note":
            if statement.partition(":")[2].strip() == NOTHING:
                composer.nothing()
        elif word in LIVES:
            composer.refuse(line, word, LIVES[word])
        elif word not in _SKIPPED:
            self._message(line, statement)

    def _participant(self, line: int, rest: str) -> None:
        own, *alias = _AS.split(_SHAPE.sub(" ", rest).strip(), maxsplit=1)
        own = own.strip()
        if own.lower() == "end":
            self._composer.refuse(
                line, "participant", "`end` closes blocks: write `participant e as end`"
            )
        self._composer.declare(line, own, _unwrapped(alias[0]) if alias else own)

    def _message(self, line: int, statement: str) -> None:
        composer = self._composer
        ends, colon, text = statement.partition(":")
        found = _ARROW.search(ends)
        if found is None:
            if _LIKE_AN_ARROW.search(ends):
                self._refuse_arrow(line, ends)
            composer.refuse(
                line,
                "",
                "expected a message such as `a->>b: m`, a participant, a note or a block, found "
                f"{shown(statement)}",
            )
        sender, receiver = ends[: found.start()].strip(), ends[found.end() :].strip()
        if sender.endswith(_SIGNS) or receiver.startswith(_SIGNS):
            self._refuse_arrow(line, ends)
        receiver = receiver[receiver.startswith(("+", "-")) :].strip()
        if found[0].startswith("<<"):
            composer.refuse(
                line, "arrow", f"{found[0]!r} is two messages: write one arrow for each"
            )
        for own, what in ((sender, "sender"), (receiver, "receiver")):
            if not own:
                composer.refuse(line, what, f"is missing: name it beside the `{found[0]}`")
            if own.startswith("()") or own.endswith("()"):
                composer.refuse(line, what, "`()` has no meaning here: leave it out")
            if own.lower() == "end":
                composer.refuse(line, what, "`end` closes blocks: write `participant e as end`")
        if not colon:
            composer.refuse(
                line, "message", "has no text, which is its name: write it behind a `:`"
            )
        if found[0].endswith("x"):
            composer.message(line, sender, _unwrapped(text), None)
        elif text.rstrip().endswith(SAME):
            composer.message_again(
                line, sender, _unwrapped(text.rstrip().removesuffix(SAME)), receiver
            )
        else:
            composer.message(line, sender, _unwrapped(text), receiver)

    def _refuse_arrow(self, line: int, ends: str) -> NoReturn:
        self._composer.refuse(
            line,
            "arrow",
            f"unknown in {shown(ends.strip())}: write `->>`, or one of `->`, `-->`, `-->>`, `-)` "
            "and `--)`, which mean the same, or `-x` for a message that is lost",
        )


def _after_front_matter(lines: list[str]) -> int:
    """Count the lines before the diagram, between two lines `---`."""
    if lines and lines[0].strip() == "---":
        for number, line in enumerate(lines[1:], start=2):
            if line.strip() == "---":
                return number
    return 0


def _statements(line: str) -> list[str]:
    """The statements of a line, without its comment and blanks around them."""
    found = [""]
    for piece in _PIECE.findall(line):
        if piece == "#":
            break
        if piece == ";":
            found.append("")
        else:
            found[-1] += piece
    return [statement for part in found if (statement := part.strip())]


def _unwrapped(text: str) -> str:
    """A text without the command to wrap it, or not to."""
    bare = text.strip()
    found = _WRAP.match(bare)
    return bare[found.end() :].strip() if found else bare


def _decoded(text: str) -> str:
    """Decode a text: signs for their codes, a blank for a line break."""
    return _ENTITY.sub(_sign, _BREAK.sub(" ", text.strip()))


def _sign(entity: re.Match[str]) -> str:
    code = entity[1]
    if code.isascii() and code.isdigit():
        return chr(int(code)) if len(code) < 8 and int(code) <= 0x10FFFF else entity[0]
    named = unescape(f"&{code};")
    return entity[0] if named == f"&{code};" else named
