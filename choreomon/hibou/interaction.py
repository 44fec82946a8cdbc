"""Interactions as HIBOU writes them (`.hif` files).

The slices paper, section 7.1 and Fig. 15. What is read:

- `o` and `∅`; `a -- m -> b`, which is `strict(a!m, b?m)`; the broadcast `a -- m -> (b,c)`, which
  is `strict(a!m, seq(b?m, c?m))`; `a -- m ->|`, to the environment; `m -> a` and `m -> (a,b)`,
  from it; `<asynch>` before the message, which says what is meant anyway;
- `strict`, `seq`, `par`, `alt` and `coreg(l1,l2)(..)` over several operands, folded to the right;
- `loopS`, `loopH`, `loopW`, `loopP`, and the names of older files: `loop_strict` is `loopS`,
  `loop_par` is `loopP`, and `loop_seq` is `loopH`, since that is the loop of the small-step paper,
  Definition 9, which those files are about; it is not `loopW`;
- beyond HIBOU: `loopC(l1)(..)`, `coreg()(..)` and `loopC()(..)` over no lifeline, bare actions
  `l!m` and `l?m`, one operand where HIBOU asks for two (it stands for itself), and names that are
  also operators (`seq -- m -> o`): what follows a name tells them apart.

`sync`, `and`, `<synch>` and simultaneous actions `{..}` are outside of the papers. They are known,
and refused by name.

Neither reading nor writing recurses: an interaction may be nested as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from choreomon.core.action import EMISSION, RECEPTION, emission, reception
from choreomon.core.errors import DocumentError, Problem
from choreomon.hibou.scanner import END, Cursor, is_name
from choreomon.hibou.signature import Signature, checked_names, unknown
from choreomon.interaction.lifelines import ALL, NONE, Mask, mask, names
from choreomon.interaction.operands import operands
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    act,
    make,
    operator_name,
    seq,
    strict,
    subterms,
)
from choreomon.interaction.written import leaf_text

OPERATORS: Final[dict[str, tuple[Operator, Mask]]] = {  # with the regions that need no names
    "strict": (Operator.STRICT, NONE),
    "seq": (Operator.COREG, NONE),
    "par": (Operator.COREG, ALL),
    "alt": (Operator.ALT, NONE),
    "coreg": (Operator.COREG, NONE),
    "loopS": (Operator.LOOP_S, NONE),
    "loopW": (Operator.LOOP_C, NONE),
    "loopP": (Operator.LOOP_C, ALL),
    "loopC": (Operator.LOOP_C, NONE),
    "loopH": (Operator.LOOP_H, NONE),
    "loop_strict": (Operator.LOOP_S, NONE),
    "loop_seq": (Operator.LOOP_H, NONE),
    "loop_par": (Operator.LOOP_C, ALL),
}
WITH_REGION: Final = ("coreg", "loopC")
_REFUSED: Final = {
    "sync": "`sync` (rendezvous) is not supported: it is outside of the language",
    "and": "`and` is not supported: it is outside of the language",
}
_MEANT: Final = {
    "opt": "write alt(.., o) for what may be left out",
    "loop": "write loopS for one iteration after the other, or loopW, loopP or loopH",
}
"""Operators of UML that are called otherwise here, and what to write."""
_STRANGERS_SHOWN: Final = 20
"""Most undeclared names that one error lists."""


@dataclass(slots=True)
class _Open:
    """An operator whose operands are being read."""

    name: str
    operator: Operator
    region: Mask
    at: int
    operands: list[Interaction] = field(default_factory=list)


class InteractionReader:
    """Reads one interaction from a cursor."""

    def __init__(self, cursor: Cursor, signature: Signature | None) -> None:
        self._cursor = cursor
        self._known = (
            None
            if signature is None
            else {
                "lifeline": frozenset(signature.lifelines),
                "message": frozenset(signature.messages),
            }
        )
        self._declared = signature
        self._strangers: list[Problem] = []

    def read(self) -> Interaction:
        """The interaction from the cursor to the end of the file.

        Raises DocumentError: at the first thing that cannot be read, or with all names that are
        not declared.
        """
        cursor = self._cursor
        opened: list[_Open] = []
        while True:
            operand = self._operand(opened)
            if operand is None:
                continue
            while opened:
                top = opened[-1]
                top.operands.append(operand)
                if cursor.accepts(","):
                    if top.operator in LOOPS:
                        cursor.refuse(top.at, f"`{top.name}` has one operand, found several")
                    break
                if not cursor.accepts(")"):
                    if cursor.word == END:
                        cursor.refuse(
                            top.at,
                            f"`{top.name}(` is not closed: expected `)`, found the end of the file",
                        )
                    cursor.expected(
                        f"`)` after the operand of `{top.name}`"
                        if top.operator in LOOPS
                        else f"`,` or `)` after an operand of `{top.name}`"
                    )
                opened.pop()
                operand = folded(top.operator, top.region, top.operands)
            else:
                if cursor.word != END:
                    cursor.expected("the end of the file after the interaction")
                if self._strangers:
                    raise DocumentError(tuple(self._strangers))
                return operand

    def _operand(self, opened: list[_Open]) -> Interaction | None:
        """The next leaf; or None, with one more operator open."""
        cursor = self._cursor
        word, at = cursor.word, cursor.at
        # Simultaneous actions have a comma after the first one.
        if not opened and (word == "[" or (word == "{" and cursor.ahead(4) != ",")):
            cursor.expected("an interaction; a multi-trace begins like this")
        if word == "∅":
            cursor.take()
            return EMPTY
        if word == "{":
            cursor.refuse(at, "simultaneous actions `{..}` are not supported")
        if word == "@gate":
            cursor.refuse(at, "`@gate` is not supported: gates are outside of the language")
        if word == "<":
            self._communication_kind()
            return self._from_environment()
        if not is_name(word):
            cursor.expected("an interaction")
        follows = cursor.ahead(1)
        if follows == "--":
            return self._message_passing()
        if follows == "->":
            return self._from_environment()
        if follows in (EMISSION, RECEPTION):
            return self._action()
        if word == "o":
            cursor.take()
            return EMPTY
        if word in _REFUSED and follows in ("(", "{"):
            cursor.refuse(at, _REFUSED[word])
        known = OPERATORS.get(word)
        if known is None:
            cursor.take()
            if follows == "(":
                meant = _MEANT.get(word.lower())
                meant = f"; {meant}" if meant else ""
                known_ones = ", ".join(OPERATORS)
                cursor.refuse(
                    at, f"unknown operator {word!r}{meant}; the operators are {known_ones}"
                )
            cursor.expected(f"`--`, `->`, `!` or `?` after {word!r}")
        operator, region = known
        cursor.take()
        if word in WITH_REGION:
            cursor.expect("(", f" and the lifelines of the `{word}`")
            # Over no lifeline they are `seq` and `loopW`, as in the slices paper, Definition 3.
            region = NONE if cursor.accepts(")") else mask(self._lifelines(")"))
        cursor.expect("(", f" after `{word}`")
        opened.append(_Open(word, operator, region, at))
        return None

    def _message_passing(self) -> Interaction:
        """`a -- m -> ..`"""
        cursor = self._cursor
        sender = self._name("lifeline")
        cursor.take()
        self._communication_kind()
        message = self._name("message")
        cursor.expect("->", f" after `{sender} -- {message}`")
        sent = act(emission(sender, message))
        if cursor.accepts("|"):
            return sent
        return strict(sent, self._receptions(message))

    def _from_environment(self) -> Interaction:
        """`m -> ..`"""
        cursor = self._cursor
        at = cursor.at
        message = self._name("message")
        cursor.expect("->", f" after {message!r}")
        if cursor.word == "|":
            cursor.refuse(at, f"the message {message!r} goes from nobody to nobody")
        return self._receptions(message)

    def _receptions(self, message: str) -> Interaction:
        cursor = self._cursor
        if cursor.accepts("("):
            receivers = self._lifelines(")")
        elif is_name(cursor.word):
            receivers = (self._name("lifeline"),)
        else:
            cursor.expected("the lifeline that receives, `(` and several, or `|`")
        return seq(*(act(reception(receiver, message)) for receiver in receivers))

    def _action(self) -> Interaction:
        """`l!m` or `l?m`"""
        lifeline = self._name("lifeline")
        kind = self._cursor.take()
        message = self._name("message")
        return act((emission if kind == EMISSION else reception)(lifeline, message))

    def _communication_kind(self) -> None:
        cursor = self._cursor
        at = cursor.at
        if not cursor.accepts("<"):
            return
        if cursor.word == "synch":
            cursor.refuse(at, "`<synch>` is not supported: messages take time, send and receive")
        if not cursor.accepts("asynch"):
            cursor.expected("`asynch`")
        cursor.expect(">", " after `<asynch`")

    def _lifelines(self, closing: str) -> tuple[str, ...]:
        cursor = self._cursor
        found = [self._name("lifeline")]
        while cursor.accepts(","):
            found.append(self._name("lifeline"))
        if not cursor.accepts(closing):
            cursor.expected(f"`,` or `{closing}` after a lifeline")
        return tuple(found)

    def _name(self, kind: str) -> str:
        cursor = self._cursor
        at, name = cursor.at, cursor.name(f"a {kind}")
        if (
            self._known is not None
            and name not in self._known[kind]
            and len(self._strangers) < _STRANGERS_SHOWN
        ):
            assert self._declared is not None
            known = self._declared[0] if kind == "lifeline" else self._declared[1]
            self._strangers.append(cursor.problem(at, unknown(kind, name, known)))
        return name


def folded(operator: Operator, region: Mask, parts: Sequence[Interaction]) -> Interaction:
    """An operator of several operands, which fold to the right; a loop has one."""
    if operator in LOOPS:
        return make(operator, region, parts[0], None)
    whole = parts[-1]
    for part in reversed(parts[:-1]):
        whole = make(operator, region, part, whole)
    return whole


def write_interaction(term: Interaction) -> str:
    """The text of a `.hif` file: one operand a line, message passing and broadcasts as arrows.

    Reading it gives the same term. Every occurrence of a shared subterm is written out. Raises
    ValueError for names that the files cannot express, and for OPEN, which is none of the
    language.
    """
    _check(term)
    parts: list[str] = []
    pending: list[tuple[Interaction | str, int]] = [(term, 0)]
    while pending:
        top, depth = pending.pop()
        if isinstance(top, str):
            parts.append(top)
            continue
        leaf = leaf_text(top)
        if leaf:
            parts.append(leaf)
            continue
        inner = "\n" + _INDENTATION * min(depth + 1, _DEEPEST_INDENTATION)
        outer = "\n" + _INDENTATION * min(depth, _DEEPEST_INDENTATION)
        parts.append(f"{operator_name(top)}({inner}")
        pending.append((f"{outer})", depth))
        for number, operand in enumerate(reversed(operands(top))):
            if number:
                pending.append((f",{inner}", depth))
            pending.append((operand, depth + 1))
    return "".join(parts) + "\n"


_INDENTATION: Final = "    "
_DEEPEST_INDENTATION: Final = 20
"""The deepest indentation: else the text would grow with the square of the depth."""


def _check(term: Interaction) -> None:
    checked: set[str] = set()
    for part in subterms(term):
        if part.operator is Operator.OPEN:
            raise ValueError("an open iteration of a search cannot be written")
        if part.action is not None:
            checked.update((part.action.lifeline, part.action.message))
        elif part.region not in (NONE, ALL):
            checked.update(names(part.region))
    checked_names(sorted(checked))
