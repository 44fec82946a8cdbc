"""Multi-traces as HIBOU writes them (`.htf` files).

The slices paper, Fig. 16. What is read:

- `{ [a,b] b!m.a!m; [c] }`: components in braces, empty ones and a trailing `;` included; the
  same without braces;
- `[#any]`: the lifelines of the component's own actions (without actions there is none, and the
  component says nothing: it is left out); `[#all]`: all lifelines;
- a bare trace `a!m.b?m`: the trivial partition, all lifelines share one clock;
- lifelines that no component is about get an empty component of their own.

Simultaneous actions `{a!m,b?m}` are outside of the papers: refused by name.

Two readers stand here. The first knows only the usual form, in braces with lifelines by name. It
looks every short component up in a table of those met before, and the actions of the others too:
logs of one system have much in common. It never reports an error: what it does not know it leaves
to the second, which reads in pieces, so that a log of millions of actions needs no more memory
than its codes (`choreomon.multitrace.coded`). The tests hold them equal.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from choreomon.core.action import Action
from choreomon.hibou.multitrace_pieces import ACTION, MANY_SPELLINGS, NAME, PieceReader
from choreomon.hibou.signature import Signature, checked_names
from choreomon.multitrace.coded import LONG, CodedTrace, TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace

_HEAD: Final = re.compile(rf"\s*\[\s*({NAME}(?:\s*,\s*{NAME})*)\s*")
_COMMA: Final = re.compile(r"\s*,\s*")


CHUNK: Final = 1 << 16
"""Characters of the pieces in which long texts are read."""

QUICK: Final = 1 << 20
"""Characters of texts that are first tried in their usual form, as a whole."""

SHORT: Final = 256
"""Components of at most this many characters are remembered as a whole: longer ones seldom come
again."""

MANY_COMPONENTS: Final = 1 << 12
"""Most components that a reader remembers before it forgets them all."""

_BYTES: Final = 1 << 8

MANY_LAYOUTS: Final = 1 << 8
"""Most ways to spread lifelines over components that it remembers."""


class _Spelt(NamedTuple):
    """Spellings of the actions of some lifelines: by word the action, and a number."""

    lifelines: tuple[str, ...]
    actions: dict[str, Action]
    numbers: dict[str, int]

    def trace(self, words: Sequence[str]) -> Sequence[Action]:
        """The actions of these words: a tuple, or a CodedTrace where there are many, as a
        TraceBuilder makes it. Raises KeyError for a word that is not known."""
        if len(words) < LONG:
            return tuple([self.actions[word] for word in words])
        if len(self.numbers) > _BYTES:
            builder = TraceBuilder()
            codes = {word: builder.code(self.actions[word]) for word in dict.fromkeys(words)}
            builder.extend([codes[word] for word in words])
            return builder.trace()
        read = bytes(map(self.numbers.__getitem__, words))  # no word is a line of Python
        actions = [*self.actions.values()]
        table = bytearray(_BYTES)
        alphabet: dict[Action, int] = {}
        for number in sorted(set(read)):
            table[number] = alphabet.setdefault(actions[number], len(alphabet))
        return CodedTrace(tuple(alphabet), array("B", read.translate(table)))


class MultiTraceReader:
    """Reads multi-traces of one system, and remembers how its actions are spelt.

    `lifelines` are those that are known without the trace; with a `signature` also its own, and
    what it does not declare is refused.
    """

    def __init__(self, lifelines: Iterable[str] = (), signature: Signature | None = None) -> None:
        declared = () if signature is None else signature.lifelines
        self._lifelines = tuple(sorted({*lifelines, *declared}))
        self._signature = signature
        self._heads: dict[str, _Spelt] = {}
        self._spellings = 0
        self._components: dict[str, Component] = {}
        self._silent: dict[tuple[tuple[str, ...], ...], tuple[Component, ...] | None] = {}

    def read(self, text: str, file: str = "trace") -> MultiTrace:
        """The multi-trace of a text; `file` is what errors call it. Raises DocumentError."""
        known = self._quickly(text) if len(text) <= QUICK else None
        if known is not None:
            return known
        pieces = (text[at : at + CHUNK] for at in range(0, len(text) or 1, CHUNK))
        return self.read_chunks(pieces, file)

    def read_chunks(self, chunks: Iterable[str], file: str = "trace") -> MultiTrace:
        """The multi-trace of a text that comes in pieces, of any size. Raises DocumentError."""
        return PieceReader(chunks, file, self._lifelines, self._signature).read()

    def _quickly(self, text: str) -> MultiTrace | None:
        """The multi-trace of a text in the usual form; None for anything else."""
        stripped = text.strip()
        if stripped[:1] != "{" or stripped[-1:] != "}":
            return None
        pieces = stripped[1:-1].split(";")
        if not pieces[-1].strip():
            pieces.pop()
        known = self._components
        parts: list[Component] = []
        for piece in pieces:
            part = known.get(piece) or self._component(piece)
            if part is None:
                return None
            parts.append(part)
        named = tuple([part[0] for part in parts])
        silent = self._silent[named] if named in self._silent else self._others(named)
        return None if silent is None else MultiTrace((*parts, *silent))

    def _component(self, piece: str) -> Component | None:
        """A component in the usual form; None for anything else."""
        head, closed, body = piece.partition("]")
        if not closed:
            return None
        known = self._heads.get(head) or self._learn_head(head)
        if known is None:
            return None
        lifelines = known.lifelines
        body = body.strip()
        if body:
            words = body.split(".")
            try:
                trace = known.trace(words)
            except KeyError:
                if not self._learn(words, known):
                    return None
                trace = known.trace(words)
            part = Component(lifelines, trace)
        else:
            part = Component(lifelines, ())
        if len(piece) <= SHORT:
            if len(self._components) >= MANY_COMPONENTS:
                self._components.clear()
            self._components[piece] = part
        return part

    def _others(self, named: tuple[tuple[str, ...], ...]) -> tuple[Component, ...] | None:
        """The components of the lifelines that nobody named; None where one is named twice."""
        mentioned = {name for lifelines in named for name in lifelines}
        silent = None
        if len(mentioned) == sum(map(len, named)):
            missing = (name for name in self._lifelines if name not in mentioned)
            silent = tuple([Component((name,), ()) for name in missing])
        if len(self._silent) >= MANY_LAYOUTS:
            self._silent.clear()
        self._silent[named] = silent
        return silent

    def _learn_head(self, head: str) -> _Spelt | None:
        found = _HEAD.fullmatch(head)
        if found is None:
            return None
        named = _COMMA.split(found[1])
        lifelines = tuple(sorted(set(named)))
        if len(lifelines) != len(named):
            return None
        if self._signature is not None and not set(lifelines) <= set(self._signature.lifelines):
            return None
        self._make_room(1)
        known = _Spelt(lifelines, {}, {})
        self._heads[head] = known
        return known

    def _learn(self, words: Sequence[str], known: _Spelt) -> bool:
        """Adds the words that are not known; False where one is none of these lifelines."""
        lifelines, actions, numbers = known
        new = {word for word in words if word not in actions}
        self._make_room(len(new))
        for word in new:
            found = ACTION.fullmatch(word)
            if found is None or found[1] not in lifelines:
                return False
            action = Action(found[1], "!" if found[2] == "!" else "?", found[3])
            if self._signature is not None and self._signature.strange(action):
                return False
            actions[word] = action
            numbers[word] = len(numbers)
        return True

    def _make_room(self, number: int) -> None:
        """Counts this many new spellings; forgets all others before they are too many."""
        self._spellings += number
        if self._spellings > MANY_SPELLINGS:
            self._heads.clear()
            self._spellings = number


@lru_cache(maxsize=64)
def reader_of(lifelines: tuple[str, ...], signature: Signature | None) -> MultiTraceReader:
    """The reader for these, kept so that it need not learn the spellings again."""
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
    return reader_of(tuple(lifelines), signature).read(text, file)


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
