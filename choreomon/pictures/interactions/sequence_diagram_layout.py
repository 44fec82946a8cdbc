"""Layout of a sequence diagram: columns of lifelines, rows of messages, frames.

Every message, and every empty operand, has a row of its own, from the top. A message's name stands
above its arrow in the gap beside its sender (or beside the lifeline that exchanges it with the
environment), so that no lifeline runs through it; gaps are as wide as their names need. The border
of a frame lies in the gaps beside its outermost lifelines, outside of all its content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.errors import ChoreomonError
from choreomon.pictures.interactions.sequence_diagram_parts import (
    Arrival,
    FrameStart,
    Message,
    NextOperand,
    Nothing,
    Part,
)
from choreomon.pictures.shapes.drawing import shortened, text_width
from choreomon.pictures.shapes.lifeline_head import HEAD, head_width
from choreomon.sentences.wording import counted

MAX_NESTING: Final = 200
"""Frames within frames: each one adds to the width, so more than these are refused."""

LONGEST_NAME: Final = 22
LONGEST_MESSAGE: Final = 32
LONGEST_LABEL: Final = 40
MESSAGE_SIZE: Final = 13.0
LABEL_SIZE: Final = 12.0

MARGIN: Final = 20.0
ROW: Final = 34.0
SELF_ROW: Final = 44.0
SELF_WIDTH: Final = 26.0
SELF_HEIGHT: Final = 18.0
EMPTY_ROW: Final = 20.0
TAB: Final = 20.0
INSET: Final = 10.0
BRACKET: Final = 7.0
STUB: Final = 34.0
_BELOW_HEAD: Final = 12.0
_ABOVE_FRAME: Final = 8.0
_BELOW_TAB: Final = 4.0
_OPERAND: Final = 14.0
_BELOW_OPERAND: Final = 12.0
_AROUND_TEXT: Final = 13.0
_NARROWEST_GAP: Final = 96.0
_BETWEEN_BORDERS: Final = 12.0
_NARROWEST_HEAD: Final = 46.0

Side: TypeAlias = Literal["left", "right"]


class Row(NamedTuple):
    """A message and the height where its arrow begins; None for an arrival or an empty operand."""

    message: Message | None
    y: float


@dataclass(slots=True, kw_only=True)
class Frame:
    """A combined fragment. `low` and `high` are the columns that it covers, its `parent` a number
    in `SequenceLayout.frames`; `left` and `right` say how far its border lies outside of these
    columns, `separators` the heights of the lines between operands. `operands` are pairs of the
    first row of an operand and the row behind its last one."""

    start: FrameStart
    parent: int | None
    depth: int
    low: int
    high: int
    top: float
    bottom: float = 0.0
    left: float = INSET
    right: float = INSET
    separators: list[float] = field(default_factory=list)
    operands: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceLayout:
    """Columns from left to right with their middles, rows and frames from top to bottom."""

    lifelines: tuple[str, ...]
    columns: tuple[float, ...]
    heads: tuple[float, ...]
    rows: tuple[Row, ...]
    frames: tuple[Frame, ...]
    width: float
    bottom: float


def label_side(message: Message, column: dict[str, int]) -> Side:
    """The side of its sender, or of the lifeline that it reaches, on which a name stands."""
    if message.sender is None:
        return "left"
    own = column[message.sender]
    others = [column[name] for name in message.receivers]
    return "right" if not others or max(others) >= own else "left"


def sequence_layout(parts: Sequence[Part], lifelines: Sequence[str]) -> SequenceLayout:
    """The layout of parts over lifelines, which must include all that occur in the parts.

    Raises ChoreomonError if frames are nested more than `MAX_NESTING` deep.
    """
    heads = tuple(max(_NARROWEST_HEAD, head_width(name, LONGEST_NAME)) for name in lifelines)
    placed = _Placed(lifelines)
    for part in parts:
        placed.add(part)
    columns, width = placed.widths.columns(heads)
    return SequenceLayout(
        lifelines=tuple(lifelines),
        columns=columns,
        heads=heads,
        rows=tuple(placed.rows),
        frames=tuple(placed.frames),
        width=width,
        bottom=placed.y + _BELOW_OPERAND,
    )


class _Placed:
    """The parts placed so far, one below the other; they reach down to `y`."""

    def __init__(self, lifelines: Sequence[str]) -> None:
        self.y = MARGIN + HEAD + _BELOW_HEAD
        self.rows: list[Row] = []
        self.frames: list[Frame] = []
        self.widths = _Widths(max(1, len(lifelines)))
        self._column = {name: number for number, name in enumerate(lifelines)}
        self._open: list[int] = []

    @property
    def _around(self) -> Frame | None:
        return self.frames[self._open[-1]] if self._open else None

    def add(self, part: Part) -> None:
        """Place a part. Raises ChoreomonError for a frame that is nested too deep."""
        if isinstance(part, Message):
            self.y += SELF_ROW if part.to_self else ROW
            self.rows.append(Row(part, self.y - (SELF_HEIGHT if part.to_self else 0.0)))
            self.widths.message(part, self._column, self._around)
        elif isinstance(part, Nothing | Arrival):
            self.y += EMPTY_ROW if isinstance(part, Nothing) else ROW
            self.rows.append(Row(None, self.y))
        elif isinstance(part, FrameStart):
            self._begin(part)
        else:
            assert self._around is not None
            self._around.operands[-1] = (self._around.operands[-1][0], len(self.rows))
            if isinstance(part, NextOperand):
                self.y += _OPERAND
                self._around.separators.append(self.y)
                self._around.operands.append((len(self.rows), len(self.rows)))
            else:
                self._end(self._around)

    def _begin(self, start: FrameStart) -> None:
        if len(self._open) == MAX_NESTING:
            raise ChoreomonError(
                f"the interaction nests more than {counted(MAX_NESTING, 'frame')} in each "
                "other; a sequence diagram of it cannot be drawn, but its text can be written"
            )
        around = self._around
        covered = [self._column[name] for name in start.lifelines]
        self.y += _ABOVE_FRAME
        self.frames.append(
            Frame(
                start=start,
                parent=self._open[-1] if self._open else None,
                depth=len(self._open),
                low=min(covered, default=around.low if around else 0),
                high=max(covered, default=around.high if around else max(0, len(self._column) - 1)),
                top=self.y,
                operands=[(len(self.rows), len(self.rows))],
            )
        )
        self._open.append(len(self.frames) - 1)
        self.y += TAB + _BELOW_TAB + (BRACKET if start.unordered else 0.0)

    def _end(self, frame: Frame) -> None:
        self.y += _BELOW_OPERAND + (BRACKET if frame.start.unordered else 0.0)
        frame.bottom = self.y
        self._open.pop()
        self.widths.frame(frame, self._around)


class _Widths:
    """The room that each gap between columns must have. A row has one message, and the borders of
    the frames around it, so the needs of different rows do not add up."""

    def __init__(self, columns: int) -> None:
        self._crossing = [0.0] * columns  # between a column and the next one
        self._left = [0.0] * columns
        self._right = [0.0] * columns

    def message(self, message: Message, column: dict[str, int], around: Frame | None) -> None:
        """Make room for a message; the frame around it grows over what stands beside its
        columns."""
        width = name_width(message)
        side = label_side(message, column)
        named = message.receivers[0] if message.sender is None else message.sender
        at = column[named]
        if message.sender in message.receivers:
            self._beside(at, "right", SELF_WIDTH + width + 4, around)
        elif not message.receivers or message.sender is None:
            self._beside(at, side, max(STUB, width + 8), around)
        else:
            gap = at if side == "right" else at - 1
            self._crossing[gap] = max(self._crossing[gap], width + 2 * _AROUND_TEXT)

    def _beside(self, column: int, side: Side, room: float, around: Frame | None) -> None:
        needs = self._left if side == "left" else self._right
        needs[column] = max(needs[column], room)
        if around is not None and side == "left" and column == around.low:
            around.left = max(around.left, room + INSET)
        if around is not None and side == "right" and column == around.high:
            around.right = max(around.right, room + INSET)

    def frame(self, frame: Frame, around: Frame | None) -> None:
        """Make room for the border of a frame whose content is known; the frame around it grows."""
        tab = tab_width(frame.start.label) + INSET
        sure = frame.left + _NARROWEST_GAP * (frame.high - frame.low)
        frame.right = max(frame.right, tab - sure)
        self._left[frame.low] = max(self._left[frame.low], frame.left)
        self._right[frame.high] = max(self._right[frame.high], frame.right)
        if around is not None and around.low == frame.low:
            around.left = max(around.left, frame.left + INSET)
        if around is not None and around.high == frame.high:
            around.right = max(around.right, frame.right + INSET)

    def columns(self, heads: Sequence[float]) -> tuple[tuple[float, ...], float]:
        """The middles of the columns, and the width of the whole. Without lifelines there is one
        column for frames to surround."""
        half = [head / 2 for head in heads] or [0.0]
        at = [MARGIN + max(self._left[0], half[0])]
        for number in range(1, len(self._left)):
            gap = max(
                _NARROWEST_GAP,
                self._crossing[number - 1],
                self._right[number - 1] + _BETWEEN_BORDERS,
                self._left[number] + _BETWEEN_BORDERS,
                half[number - 1] + half[number] + 16,
            )
            at.append(at[-1] + gap)
        return tuple(at), at[-1] + max(self._right[-1], half[-1]) + MARGIN


def name_width(message: Message) -> float:
    """The width of the name of a message as written."""
    return text_width(shortened(message.message, LONGEST_MESSAGE), MESSAGE_SIZE)


def tab_width(label: str) -> float:
    """The width of the tab with the label of a frame."""
    return text_width(shortened(label, LONGEST_LABEL), LABEL_SIZE, bold=True) + 14
