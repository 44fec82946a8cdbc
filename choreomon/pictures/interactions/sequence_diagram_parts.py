"""Parts of a sequence diagram of an interaction, from top to bottom.

The removal and slices papers draw interactions as UML sequence diagrams (the slices paper, Fig.
2a). An interaction becomes a flat list of parts here, which the picture, Mermaid and PlantUML then
write each in their own way:

- `strict(a!m, b?m)` is a message from `a` to `b`, and `strict(a!m, seq(b?m, c?m))` one to both; any
  other action is a message to or from the environment;
- `seq` has no frame: its operands stand below each other;
- every other operator is a frame with its operands. Frames of the same operator (and region)
  directly within it are merged into it, since the operators are associative: nested to the left or
  to the right, the picture is the same. An empty operand stays empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import EMISSION, RECEPTION, Action
from choreomon.core.errors import ChoreomonError
from choreomon.interaction.lifelines import ALL, NONE, names
from choreomon.interaction.term import BINARY, EMPTY, Interaction, Operator, operator_name
from choreomon.sentences.wording import counted

MAX_SYMBOLS: Final = 20_000
"""The most symbols of a term: terms share equal parts, pictures cannot, so larger ones are
refused."""


class Reception(NamedTuple):
    """The arrival of a message: `delay` rows below the row of the message."""

    lifeline: str
    observed: bool
    delay: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message in one row. `sender` is None for one from the environment, `receivers` is empty for
    one to it; never both. `sent` and each of `received` say whether that action was observed; in
    the picture of an interaction every one counts as observed. `delays` say how many rows below
    each reception is, where an `Arrival` takes its place; empty: none is below."""

    sender: str | None
    message: str
    receivers: tuple[str, ...] = ()
    sent: bool = True
    received: tuple[bool, ...] = ()
    delays: tuple[int, ...] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The emission, if there is one, then the receptions."""
        own = () if self.sender is None else (Action(self.sender, EMISSION, self.message),)
        return (*own, *(Action(name, RECEPTION, self.message) for name in self.receivers))

    @property
    def observed(self) -> tuple[bool, ...]:
        """Flags for `actions`: whether each was observed."""
        own = () if self.sender is None else (self.sent,)
        return (*own, *(self.received or (True,) * len(self.receivers)))

    @property
    def receptions(self) -> tuple[Reception, ...]:
        """The receptions, one for each of `receivers`."""
        count = len(self.receivers)
        received, delays = self.received or (True,) * count, self.delays or (0,) * count
        return tuple(map(Reception, self.receivers, received, delays))

    @property
    def to_self(self) -> bool:
        """True if the sender receives the message in the same row."""
        return any(one.lifeline == self.sender and not one.delay for one in self.receptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameStart:
    """A combined fragment begins. `label` names its operator and region; `lifelines` are those that
    occur within it (none if all its operands are empty), and `unordered` those of them on which a
    `coreg` does not order its operands."""

    operator: Operator
    label: str
    lifelines: frozenset[str]
    unordered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NextOperand:
    """The next operand of the innermost frame begins."""


@dataclass(frozen=True, slots=True)
class FrameEnd:
    """The innermost frame ends."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The empty interaction, as an operand or as a whole."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The row in which a message arrives that was sent in a row above."""


Part: TypeAlias = Message | Arrival | FrameStart | NextOperand | FrameEnd | Nothing


def check_size(term: Interaction) -> None:
    """Raises ChoreomonError if the term is too large to be drawn or written out."""
    if term.size > MAX_SYMBOLS:
        raise ChoreomonError(
            f"the interaction has {counted(term.size, 'symbol')}; at most "
            f"{MAX_SYMBOLS:,} can be drawn"
        )


def parts_of(term: Interaction) -> list[Part]:
    """The parts of a diagram of `term`.

    Raises ChoreomonError for terms of more than `MAX_SYMBOLS` symbols.
    """
    check_size(term)
    parts: list[Part] = []
    pending: list[Interaction | Part] = [term]
    while pending:
        top = pending.pop()
        if isinstance(top, Interaction):
            pending.extend(reversed(_opened(top)))
        else:
            parts.append(top)
    return parts


def lifelines_of(parts: Iterable[Part], first: Sequence[str] = ()) -> tuple[str, ...]:
    """`first`, then the lifelines of the parts in order of appearance."""
    found = dict.fromkeys(first)
    for part in parts:
        if isinstance(part, Message):
            found.update(dict.fromkeys(action.lifeline for action in part.actions))
    return tuple(found)


def message_passings(term: Interaction) -> frozenset[tuple[str, str, str]]:
    """Triples (sender, message, receiver) that occur in `term`."""
    return frozenset(
        (part.sender, part.message, receiver)
        for part in parts_of(term)
        if isinstance(part, Message) and part.sender is not None
        for receiver in part.receivers
    )


def message_of(term: Interaction) -> Message | None:
    """The message that a term is as a whole, from one lifeline to others; `None` for any other
    term, such as a single action."""
    if term.operator is not Operator.STRICT:
        return None
    assert term.left is not None
    assert term.right is not None
    sent = term.left.action
    if sent is None or sent.kind != EMISSION:
        return None
    receivers = tuple(_receivers(term.right, sent.message))
    if not receivers:
        return None
    return Message(sender=sent.lifeline, message=sent.message, receivers=receivers)


def _opened(term: Interaction) -> Sequence[Interaction | Part]:
    """The smaller terms or parts that a term is drawn as; for a leaf, its part."""
    if term is EMPTY:
        return (Nothing(),)
    if term.action is not None:
        name, kind, message = term.action
        if kind == EMISSION:
            return (Message(sender=name, message=message),)
        return (Message(sender=None, message=message, receivers=(name,)),)
    operands: list[Interaction] | list[Interaction | Message] = operands_of(term)
    if term.operator is Operator.COREG and term.region == NONE:
        return [operand for operand in operands if operand is not EMPTY] or [EMPTY]
    if term.operator is Operator.STRICT:
        operands = _with_messages(operands_of(term))
        if len(operands) == 1:
            return operands
    found: list[Interaction | Part] = [_start(term)]
    for number, operand in enumerate(operands):
        if number:
            found.append(NextOperand())
        found.append(operand)
    return [*found, FrameEnd()]


def _start(term: Interaction) -> FrameStart:
    unordered: tuple[str, ...] = ()
    if term.operator is Operator.COREG and term.region != ALL:
        unordered = names(term.region & term.lifelines)
    return FrameStart(
        operator=term.operator,
        label=operator_name(term),
        lifelines=frozenset(names(term.lifelines)),
        unordered=unordered,
    )


def operands_of(term: Interaction) -> list[Interaction]:
    """The operands of an operator, from the left; operands with the same operator and region are
    replaced by their own operands."""
    if term.operator not in BINARY:
        return [] if term.left is None else [term.left]
    found: list[Interaction] = []
    pending = [term]
    while pending:
        top = pending.pop()
        if top.operator is term.operator and top.region == term.region:
            assert top.left is not None
            assert top.right is not None
            pending += (top.right, top.left)
        else:
            found.append(top)
    return found


def _with_messages(operands: Sequence[Interaction]) -> list[Interaction | Message]:
    """Operands of `strict`, with each emission and the reception behind it joined to a message."""
    found: list[Interaction | Message] = []
    waiting: Action | None = None
    for operand in operands:
        if waiting is not None:
            receivers = tuple(_receivers(operand, waiting.message))
            if receivers:
                found[-1] = Message(
                    sender=waiting.lifeline, message=waiting.message, receivers=receivers
                )
                waiting = None
                continue
        found.append(operand)
        action = operand.action
        waiting = action if action is not None and action.kind == EMISSION else None
    return found


def _receivers(term: Interaction, message: str) -> Iterator[str]:
    """The lifelines on which `term` receives `message`, if it is one reception of it or a `seq` of
    receptions on different lifelines; otherwise nothing."""
    weak = term.operator is Operator.COREG and term.region == NONE
    receptions = [operand.action for operand in (operands_of(term) if weak else [term])]
    receivers = [
        action.lifeline
        for action in receptions
        if action is not None and action.kind == RECEPTION and action.message == message
    ]
    if len(set(receivers)) == len(receptions):
        yield from receivers
