"""Reader of sequence diagrams in PlantUML (`.puml`, `.plantuml`). docs/diagrams.md gives their
meaning.

A line is a statement. `<U+0041>` is a sign by its code. Statements on the looks of a diagram are
skipped; those of the preprocessor are not followed, but refused.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from choreomon.diagrams.composing import LIVES, Composer, Kind
from choreomon.diagrams.skipping import without
from choreomon.hibou.scanner import refusal, shown
from choreomon.hibou.signature import Signature
from choreomon.interaction.diagram import NOTHING, SAME
from choreomon.interaction.term import Interaction

_CODE: Final = re.compile(r"<U\+([0-9A-Fa-f]{4,6})>")
_LINE_END: Final = re.compile(r"\\n|<br */?>", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z0-9]+(?![\w.@])", re.IGNORECASE)
_COLORS: Final = re.compile(r"(?:\s*+#\w++){1,2}(?=\s|$)")

_NAME: Final = r'"[^"]*"|[\w.@]+'
_DECLARED: Final = re.compile(
    rf"(?P<first>{_NAME})(?:\s++as\s++(?P<second>{_NAME}))?"
    r"(?:\s*+(?:<<[^<>]*>>|order\s++-?\d++|\[\[[^\[\]]*\]\]|#\S++))*+",
    re.IGNORECASE,
)
_ARROW: Final = re.compile(
    rf"(?P<left>{_NAME}|[\[?])?\s*+"
    r"(?P<tail>(?:(?<![\w.@])[ox])?(?:<<?|//?|\\\\?)?(?:[ox](?=-))?)"
    r"-(?:\[[^\[\]]*\])?-*"
    r"(?P<head>(?:>>?|//?|\\\\?)?(?:[ox](?![\w.@]))?)"
    rf"\s*+(?P<right>{_NAME}|[\]?])?\s*+"
    r"(?P<lives>(?:\+\+|--|\*\*|!!){1,2}\s*+(?:#\w++\s*+)?)?"
    r"(?::(?P<text>.*))?"
)
_LIKE_AN_ARROW: Final = re.compile(r"--|-[^\w\s]|[^\w\s]-|\.\.>|=+>")
_HEADS: Final = ("<", ">", "/", "\\")

_PARTICIPANTS: Final = (
    *("participant", "actor", "boundary", "control", "entity", "database", "collections", "queue"),
)
_DIVIDED: Final = ("else", "also")
_BLOCKS: Final[dict[str, tuple[Kind, tuple[str, ...]]]] = {
    "alt": ("alt", _DIVIDED),
    "opt": ("opt", ()),
    "loop": ("loop", ()),
    "par": ("par", _DIVIDED),
    "par2": ("par", _DIVIDED),
    "break": ("break", ()),
    "critical": ("critical", _DIVIDED),
    "group": ("plain", _DIVIDED),
}
_SKIPPED: Final = (
    *("activate", "deactivate", "autoactivate", "autonumber", "hide", "show", "scale"),
    *("mainframe", "newpage", "caption"),
)
_SKIPPED_TEXTS: Final = {
    **{word: (f"end {word}", f"end{word}") for word in ("title", "header", "footer", "legend")},
    **{
        word: (f"end {word}", f"end{word}", "end note", "endnote")
        for word in ("note", "hnote", "rnote")
    },
}
"""Words whose text is on their line, or below it, up to one of these lines."""

_REFUSED: Final = {
    **LIVES,
    "ref": "`ref` stands for another diagram, which is not read: write what happens there",
    "return": "`return` says neither who sends nor to whom: write the arrow",
}


def read_plantuml(
    text: str, signature: Signature | None = None, file: str = "diagram"
) -> Interaction:
    """The interaction of a PlantUML sequence diagram. With a `signature`, names that it does not
    declare are refused.

    Raises DocumentError.
    """
    return _Reader(file, signature).read(text)


class _Reader:
    def __init__(self, file: str, signature: Signature | None) -> None:
        self._file = file
        self._composer = Composer(file, _decoded, signature)
        self._ends: tuple[str, ...] = ()
        """The lines that end what is being skipped; none if nothing is."""
        self._skipped_from = 0

    def read(self, text: str) -> Interaction:
        begun = ended = False
        lines = without(text.removeprefix("\ufeff"), "/'", "'/").split("\n")
        for line, written in enumerate(lines, start=1):
            statement = written.strip()
            first = statement.lower()
            if first.startswith("@startuml"):
                if begun:
                    raise refusal(self._file, line, "a second diagram begins: one is read a file")
                begun = True
            elif first.startswith("@enduml") and begun:
                ended = True
                break
            elif begun and self._ends:
                if first in self._ends:
                    self._ends = ()
            elif begun and statement and not statement.startswith("'"):
                self._statement(line, statement)
        if self._ends:
            raise refusal(
                self._file, self._skipped_from, f"does not end: expected `{self._ends[0]}`"
            )
        if not ended:
            wanted = "`@enduml` at its end" if begun else "`@startuml`, what happens and `@enduml`"
            raise refusal(self._file, 0, f"is no diagram of PlantUML: expected {wanted}")
        return self._composer.interaction()

    def _statement(self, line: int, statement: str) -> None:
        composer = self._composer
        found = _WORD.match(statement)
        word = found[0].lower() if found else ""
        rest = statement[found.end() :] if found else ""
        if word and _begins_an_arrow(rest):
            self._message(line, statement)
        elif word in _PARTICIPANTS:
            self._participant(line, rest.strip())
        elif word in _BLOCKS:
            kind, between = _BLOCKS[word]
            composer.start(line, kind, word, _uncolored(rest), between)
        elif word in _DIVIDED:
            composer.next_operand(line, word)
        elif word == "box":
            composer.start(line, "plain", word, "", ())
        elif word in ("end", "endbox"):
            composer.end(line)
        elif word in _REFUSED:
            composer.refuse(line, word, _REFUSED[word])
        elif word in _SKIPPED_TEXTS:
            self._skip_text(line, word, rest)
        elif word == "skinparam" or statement.lower().startswith("<style>"):
            self._skip_style(line, statement)
        elif statement.startswith("!"):
            self._preprocessor(line, statement)
        elif statement.startswith(("/ note", "/note")):
            self._skip_text(line, "note", statement)
        elif statement.startswith("&"):
            composer.refuse(
                line, "&", "stands for what happens at the same time: write `par`, `else` and `end`"
            )
        elif word not in _SKIPPED and not statement.startswith(("==", "...", "||")):
            self._message(line, statement)

    def _participant(self, line: int, rest: str) -> None:
        found = _DECLARED.fullmatch(rest)
        if found is None:
            self._composer.refuse(
                line,
                "participant",
                f'expected `a`, or `"What is shown" as a`, found {shown(rest)}',
            )
        first, second = found["first"], found["second"]
        own, name = (second or first, first)
        if second is not None and second.startswith('"'):
            own, name = first, second
        self._composer.declare(line, _unquoted(own), _unquoted(name))

    def _message(self, line: int, statement: str) -> None:
        composer = self._composer
        found = _ARROW.fullmatch(statement)
        if found is None:
            if _LIKE_AN_ARROW.search(statement.partition(":")[0]):
                self._refuse_arrow(line, statement)
            composer.refuse(
                line,
                "",
                "expected a message such as `a -> b : m`, a participant, a note or a block, found "
                f"{shown(statement)}",
            )
        tail, head, text = found["tail"], found["head"], found["text"]
        leftwards = any(sign in tail for sign in _HEADS)
        if leftwards and any(sign in head for sign in _HEADS):
            composer.refuse(line, "arrow", "points both ways: write one arrow for each message")
        if not leftwards and not any(sign in head for sign in _HEADS):
            self._refuse_arrow(line, statement)
        at_receiver, at_sender = (tail, head) if leftwards else (head, tail)
        if "x" in at_sender:
            self._refuse_arrow(line, statement)
        sides = (found["right"], found["left"]) if leftwards else (found["left"], found["right"])
        for side, what in zip(sides, ("sender", "receiver"), strict=True):
            if side is None:
                composer.refuse(line, what, "is missing: name it beside the arrow")
        if any(sign in (found["lives"] or "") for sign in ("**", "!!")):
            composer.refuse(
                line,
                "arrow",
                "creates or destroys its receiver (`**`, `!!`), which has no meaning here: leave "
                "that out",
            )
        sender, receiver = (None if side in "[]?" else _unquoted(side) for side in sides)
        if "x" in at_receiver:
            receiver = None
        words = (text or "").strip()
        if words.endswith(SAME) and sender is not None and receiver is not None:
            composer.message_again(line, sender, words.removesuffix(SAME), receiver)
        else:
            composer.message(line, sender, words, receiver)

    def _refuse_arrow(self, line: int, statement: str) -> NoReturn:
        self._composer.refuse(
            line,
            "arrow",
            f"unknown in {shown(statement.partition(':')[0].strip())}: write `->`, or one of "
            "`-->`, `->>` and `-->>`, which mean the same, or `->x` for a message that is lost",
        )

    def _skip_text(self, line: int, word: str, rest: str) -> None:
        is_note = word.endswith("note")
        _, colon, text = rest.partition(":")
        if is_note and colon:
            if text.strip() == NOTHING:
                self._composer.nothing()
        elif is_note or not rest.strip() or word == "legend":
            self._skip(line, *_SKIPPED_TEXTS[word])

    def _skip_style(self, line: int, statement: str) -> None:
        if statement.endswith("{"):
            self._skip(line, "}")
        elif statement.startswith("<"):
            self._skip(line, "</style>")

    def _skip(self, line: int, *ends: str) -> None:
        self._ends, self._skipped_from = ends, line

    def _preprocessor(self, line: int, statement: str) -> None:
        if not statement.startswith(("!pragma", "!theme")):
            self._composer.refuse(
                line,
                statement.split()[0],
                "is for PlantUML's preprocessor: let it write what it makes of the file, by "
                "`plantuml -preproc`, and read that",
            )


def _uncolored(text: str) -> str:
    """The text behind the word of a block, without the colors of the block."""
    found = _COLORS.match(text)
    return text[found.end() :].strip() if found else text.strip()


def _begins_an_arrow(rest: str) -> bool:
    """Return whether an arrow follows what may be a keyword, or the name of a participant."""
    found = re.match(r"\s*[ox]?(?:<<?|\\\\?|//?)?-", rest)
    return found is not None


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name


def _decoded(text: str) -> str:
    """Decode a text: signs for their codes, a blank for a line break."""
    return _CODE.sub(_sign, _LINE_END.sub(" ", text.strip()))


def _sign(code: re.Match[str]) -> str:
    number = int(code[1], 16)
    return chr(number) if number <= 0x10FFFF else code[0]
