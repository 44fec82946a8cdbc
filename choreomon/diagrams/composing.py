"""Composition of interactions from the statements of sequence diagrams.

What each block means is stated in docs/diagrams.md. Readers tell a `Composer` what they find, line
by line; it knows which participant is which lifeline, which block is open, and what `break` ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias

from choreomon.core.action import Action, emission, reception
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import closest
from choreomon.hibou.scanner import shown
from choreomon.hibou.signature import Signature
from choreomon.interaction.diagram import OUTSIDE
from choreomon.interaction.lifelines import ALL, NONE, Mask, mask
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    act,
    alt,
    make,
    seq,
    strict,
)

Kind: TypeAlias = Literal["alt", "opt", "loop", "par", "break", "critical", "plain"]
"""The kind of a block. `plain` only frames its content."""

Decode: TypeAlias = Callable[[str], str]
"""Decodes a text as written to the text shown."""

LIVES: Final = {
    "create": "`create` has no meaning here, since every lifeline is there from the start: leave "
    "the word out",
    "destroy": "`destroy` has no meaning here, since a lifeline is there to the end: leave it out",
}
"""Words of both languages that are refused, and why."""

_OPERATORS: Final[dict[str, tuple[Operator, Mask]]] = {
    "strict": (Operator.STRICT, NONE),
    "seq": (Operator.COREG, NONE),
    "par": (Operator.COREG, ALL),
    "coreg": (Operator.COREG, NONE),
    "loopS": (Operator.LOOP_S, NONE),
    "loopW": (Operator.LOOP_C, NONE),
    "loopP": (Operator.LOOP_C, ALL),
    "loopC": (Operator.LOOP_C, NONE),
    "loopH": (Operator.LOOP_H, NONE),
}
_LABEL: Final = re.compile(rf"({'|'.join(_OPERATORS)}) *(?:\(([^()]*)\))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Break:
    """A `break`: what happens instead of the rest of the block around it."""

    body: Interaction
    line: int


_Statement: TypeAlias = Interaction | _Break


class _Passed(NamedTuple):
    """The message of the line above, which further receivers may have, too. Its statement is the
    emission, until all of them are known."""

    sender: str
    message: str
    receptions: list[Interaction]


@dataclass(slots=True)
class _Block:
    """An open block. `word` is its keyword, as written; `operator` is None for blocks without one
    in the language."""

    kind: Kind
    word: str
    line: int
    operator: Operator | None = None
    region: Mask = NONE
    between: tuple[str, ...] = ()
    operands: list[list[_Statement]] = field(default_factory=lambda: [[]])


class Composer:
    """Puts one interaction together. Lines count from 1; every method raises DocumentError."""

    def __init__(self, file: str, decode: Decode, signature: Signature | None) -> None:
        self._file = file
        self._decode = decode
        self._signature = signature
        self._lifelines: dict[str, str | None] = {}
        """The name shown for each id of a participant; None for the environment."""
        self._ids: dict[str, str] = {}
        """The id of each lifeline."""
        self._named_in_regions: list[tuple[str, int]] = []
        self._blocks = [_Block("plain", "the diagram", 0)]
        self._passed: _Passed | None = None

    def declare(self, line: int, own: str, text: str) -> None:
        """Declare a participant, which arrows call `own`, and which is shown as `text`."""
        name = None if text in OUTSIDE else self._decode(text)
        if not own or name == "":
            self.refuse(line, "participant", "has no name: give it one")
        if own in self._lifelines:
            if self._lifelines[own] != name:
                self.refuse(
                    line,
                    "participant",
                    f"{shown(own)} is already shown as {shown(self._lifelines[own] or OUTSIDE[1])}:"
                    " leave one of the two out",
                )
            return
        if name is not None and name in self._ids:
            self.refuse(
                line,
                "participant",
                f"{shown(own)} and {shown(self._ids[name])} are both called {shown(name)}, and "
                "would be one lifeline: give them different names",
            )
        self._lifelines[own] = name
        if name is not None:
            self._ids[name] = own

    def message(self, line: int, sender: str | None, text: str, receiver: str | None) -> None:
        """Add a message from one participant to another; None is the environment."""
        start, end = self._lifeline(line, sender), self._lifeline(line, receiver)
        name = self._message(line, text)
        if start is None and end is None:
            self.refuse(line, "message", f"{shown(name)} goes from nobody to nobody: name a sender")
        if start is not None:
            self._add(self._act(line, emission(start, name)))
        if end is not None:
            received = self._act(line, reception(end, name))
            if start is None:
                self._add(received)
            else:
                self._passed = _Passed(start, name, [received])

    def message_again(self, line: int, sender: str, text: str, receiver: str) -> None:
        """Add a further receiver to the message of the line above."""
        start, end = self._lifeline(line, sender), self._lifeline(line, receiver)
        name = self._message(line, text)
        passed = self._passed
        if passed is None or end is None or (passed.sender, passed.message) != (start, name):
            self.refuse(
                line,
                "message",
                f"the line above does not send {shown(name)} from the same sender: the same "
                "message to several is written in lines that follow each other",
            )
        passed.receptions.append(self._act(line, reception(end, name)))

    def nothing(self) -> None:
        """Add the empty interaction, as a statement."""
        self._add(EMPTY)

    def start(self, line: int, kind: Kind, word: str, text: str, between: tuple[str, ...]) -> None:
        """Begin a block. `text` stands behind its `word`, and may name an operator; `between` are
        the words that separate its operands."""
        self._settle()
        block = _Block(kind, word, line, between=between)
        if kind == "alt":
            block.operator = Operator.ALT
        elif kind in ("loop", "par", "critical", "plain"):
            self._choose_operator(block, text)
        if kind == "plain" and block.operator is None:
            block.between = ()
        self._blocks.append(block)

    def next_operand(self, line: int, word: str) -> None:
        """Begin the next operand."""
        self._settle()
        block = self._blocks[-1]
        if word not in block.between:
            if len(self._blocks) == 1:
                self.refuse(
                    line, word, f"there is no block that `{word}` could divide: leave it out"
                )
            hint = (
                f"divide it by `{block.between[0]}`"
                if block.between
                else "it has one part: close it by `end` before"
            )
            self.refuse(
                line, word, f"does not divide the `{block.word}` of line {block.line}: {hint}"
            )
        if block.kind == "critical" and block.operator is None:
            self.refuse(
                line,
                word,
                f"what it means in the `{block.word}` of line {block.line} is not stated: write "
                f"`{block.word} strict` where one comes after the other, or `alt` and `else` where "
                "either happens",
            )
        block.operands.append([])

    def end(self, line: int) -> None:
        """End the innermost block."""
        self._settle()
        if len(self._blocks) == 1:
            self.refuse(line, "end", "there is no block that it could close: leave it out")
        block = self._blocks.pop()
        if block.kind == "break":
            self._add(_Break(self._sequence(block, 0), block.line))
        elif block.kind == "plain" and block.operator is None:
            self._blocks[-1].operands[-1] += block.operands[0]
        else:
            self._add(self._meaning(block))

    def interaction(self) -> Interaction:
        """The interaction of the whole diagram."""
        self._settle()
        whole = self._blocks[-1]
        if len(self._blocks) > 1:
            self.refuse(whole.line, whole.word, "is not closed: write `end` where it ends")
        for name, line in self._named_in_regions:
            if name not in self._ids:
                close = closest(name, self._ids)
                meant = f"; did you mean {close!r}?" if close else ": name those that are there"
                self.refuse(line, "lifelines", f"no participant is called {shown(name)}{meant}")
        return self._sequence(whole, 0)

    def refuse(self, line: int, field: str, message: str) -> NoReturn:
        """Raises DocumentError about a line."""
        raise DocumentError((Problem(self._file, line, field, message),))

    def _settle(self) -> None:
        """Finish the message of the line above: no further receiver comes."""
        if self._passed is not None:
            statements = self._blocks[-1].operands[-1]
            sent = statements[-1]
            assert isinstance(sent, Interaction)
            statements[-1] = strict(sent, seq(*self._passed.receptions))
            self._passed = None

    def _add(self, statement: _Statement) -> None:
        self._settle()
        self._blocks[-1].operands[-1].append(statement)

    def _lifeline(self, line: int, own: str | None) -> str | None:
        if own is None:
            return None
        if own not in self._lifelines:
            self.declare(line, own, own)
        return self._lifelines[own]

    def _act(self, line: int, action: Action) -> Interaction:
        strange = "" if self._signature is None else self._signature.strange(action)
        if strange:
            self.refuse(line, "message", strange)
        return act(action)

    def _message(self, line: int, text: str) -> str:
        name = self._decode(text)
        if not name:
            self.refuse(line, "message", "has no text, which is its name: write it behind a `:`")
        return name

    def _choose_operator(self, block: _Block, text: str) -> None:
        """The operator of a block: the one that its text names, if any."""
        loops = block.kind == "loop"
        stated = self._stated(block, text)
        if stated is not None:
            block.operator, block.region = stated
            if (block.operator in LOOPS) is not loops:
                hint = "this is a loop" if loops else "loops are written in a `loop`"
                self.refuse(
                    block.line,
                    block.word,
                    f"{shown(text)} is the operator of another block: {hint}; choose other words "
                    "where it is not meant as an operator",
                )
        elif loops:
            block.operator = Operator.LOOP_C
        elif block.kind == "par":
            block.operator, block.region = Operator.COREG, ALL

    def _stated(self, block: _Block, text: str) -> tuple[Operator, Mask] | None:
        """The operator and the region that a text names, alone or in brackets."""
        bare = text.strip()
        if bare.startswith("[") and bare.endswith("]"):
            bare = bare[1:-1].strip()
        found = _LABEL.fullmatch(bare)
        if found is None:
            return None
        word, listed = found[1], found[2]
        name = word if word in _OPERATORS else closest(word, _OPERATORS)
        with_region = name in ("coreg", "loopC")
        if name != word or with_region is (listed is None):
            right = f"{name}(a,b)" if with_region else name
            self.refuse(block.line, block.word, f"{shown(text)} is no operator: write `{right}`")
        operator, region = _OPERATORS[name]
        if listed is not None:
            region = mask([self._in_region(part, block.line) for part in listed.split(",")])
        return operator, region

    def _in_region(self, text: str, line: int) -> str:
        """The lifeline that a region names by its id, or by what is shown."""
        own = text.strip()
        name = self._lifelines.get(own) or self._decode(own)
        self._named_in_regions.append((name, line))
        return name

    def _meaning(self, block: _Block) -> Interaction:
        operator, region = block.operator, block.region
        if block.kind == "opt":
            return alt(self._sequence(block, 0), EMPTY)
        if operator is None:  # a critical block without a text
            return self._sequence(block, 0, Operator.STRICT)
        if operator in LOOPS:
            return self._loop(block, operator, region)
        if len(block.operands) == 1 and region != ALL:
            if operator is Operator.ALT:
                return alt(self._sequence(block, 0), EMPTY)
            return self._sequence(block, 0, operator, region)
        parts = [self._sequence(block, number) for number in range(len(block.operands))]
        whole = parts[-1]
        for part in reversed(parts[:-1]):
            whole = make(operator, region, part, whole)
        return whole

    def _sequence(
        self,
        block: _Block,
        number: int,
        operator: Operator = Operator.COREG,
        region: Mask = NONE,
    ) -> Interaction:
        """The statements of an operand, joined by an operator. A `break` is a choice between its
        content and what comes after it."""
        whole: Interaction | None = None
        for statement in reversed(block.operands[number]):
            if isinstance(statement, _Break):
                self._check_break(block, statement)
                whole = alt(statement.body, EMPTY if whole is None else whole)
            else:
                whole = statement if whole is None else make(operator, region, statement, whole)
        return EMPTY if whole is None else whole

    def _check_break(self, block: _Block, statement: _Break) -> None:
        """Raises DocumentError if the rest of the block may happen at the same time, or come after
        what the `break` ends."""
        divided = len(block.operands) > 1 and block.operator is not Operator.ALT
        if divided or block.region != NONE:
            self.refuse(
                statement.line,
                "break",
                f"would have to stop the other parts of the `{block.word}` of line {block.line}, "
                "which has no meaning here: put it outside, or write the alternatives with `alt`",
            )

    def _loop(self, block: _Block, operator: Operator, region: Mask) -> Interaction:
        """A loop; one with a `break` has whole iterations, and perhaps one that was left."""
        statements = block.operands[0]
        breaks = [one for one in statements if isinstance(one, _Break)]
        if not breaks:
            return make(operator, region, self._sequence(block, 0), None)
        if region != NONE:
            self.refuse(
                breaks[0].line,
                "break",
                f"would have to stop the other iterations of the `{block.word}` of line "
                f"{block.line}, which has no meaning here: use a loop whose iterations come one "
                "after the other",
            )
        whole: list[Interaction] = [one for one in statements if not isinstance(one, _Break)]
        iterations = make(operator, region, seq(*whole) if whole else EMPTY, None)
        left = alt(_left(statements), EMPTY)
        return (strict if operator is Operator.LOOP_S else seq)(iterations, left)


def _left(statements: Sequence[_Statement]) -> Interaction:
    """The term of one iteration, up to one of its breaks, with the content of that break."""
    found: Interaction | None = None
    for statement in reversed(statements):
        if isinstance(statement, _Break):
            found = statement.body if found is None else alt(statement.body, found)
        elif found is not None:
            found = seq(statement, found)
    assert found is not None
    return found
