"""An interaction as a sequence diagram, and what the picture shows as data.

The pictures of the papers on interactions: a line for each lifeline, an arrow for each message, a
frame for each operator but `seq`. Arrows with a dot at one end lead to or come from the
environment. Brackets on a lifeline within a `coreg` mean that its operands are not ordered there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from choreomon.interaction.term import Interaction
from choreomon.pictures.interactions.sequence_diagram_layout import (
    BRACKET,
    LABEL_SIZE,
    LONGEST_LABEL,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    MARGIN,
    MESSAGE_SIZE,
    ROW,
    SELF_HEIGHT,
    SELF_WIDTH,
    STUB,
    TAB,
    Frame,
    SequenceLayout,
    label_side,
    name_width,
    sequence_layout,
    tab_width,
)
from choreomon.pictures.interactions.sequence_diagram_parts import Message, lifelines_of, parts_of
from choreomon.pictures.shapes.drawing import (
    BAND,
    FAINT,
    INK,
    MUTED,
    Box,
    Circle,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    direction,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.lifeline_head import HEAD, lifeline, lifeline_head
from choreomon.sentences.wording import counted

_ROWS_BEFORE_FEET: Final = 15
DOT: Final = 4.0
"""Radius of the dot where a message leads to or comes from the environment."""
NOTHING_HAPPENS: Final = "nothing happens"
"""Text below the lifelines if no message and no frame is drawn."""


def sequence_diagram(
    interaction: Interaction, *, lifelines: Sequence[str] = (), name: str = ""
) -> Picture:
    """The interaction as a sequence diagram. `lifelines` come first, in their order, whether they
    occur or not; the others follow in order of appearance. `name` is the name of the interaction.

    `structure` has `lifelines` (from the left), `rows` (their number), `arrows` (row, from, to,
    message; `from` is None for a message from the environment, `to` is empty for one to it) and
    `fragments` (operator, label, lifelines that it covers, unordered lifelines of a `coreg`,
    first_row and last_row, parent, depth, operands with first_row, last_row and empty).
    Fragments stand in the order of their beginnings; `parent` is an index among them or None.

    Raises ChoreomonError for interactions of more than 20,000 symbols and for those with more
    than 200 frames within each other.
    """
    parts = parts_of(interaction)
    layout = sequence_layout(parts, lifelines_of(parts, lifelines))
    title = f"Sequence diagram{f' of {name}' if name else ''}: "
    return Picture(
        drawing=drawing_of(layout, title + summary(layout)),
        structure=structure_of(layout),
    )


def summary(layout: SequenceLayout) -> str:
    """The numbers of lifelines, messages and frames, in words."""
    messages = sum(row.message is not None for row in layout.rows)
    return ", ".join(
        (
            counted(len(layout.lifelines), "lifeline"),
            counted(messages, "message"),
            counted(len(layout.frames), "fragment"),
        )
    )


def structure_of(layout: SequenceLayout) -> dict[str, Any]:
    """The `structure` of a layout; see `sequence_diagram`."""
    return {
        "lifelines": list(layout.lifelines),
        "rows": len(layout.rows),
        "arrows": [
            {
                "row": number,
                "from": row.message.sender,
                "to": list(row.message.receivers),
                "message": row.message.message,
            }
            for number, row in enumerate(layout.rows)
            if row.message is not None
        ],
        "fragments": [
            {
                "operator": frame.start.operator.value,
                "label": frame.start.label,
                "lifelines": [name for name in layout.lifelines if name in frame.start.lifelines],
                "unordered": list(frame.start.unordered),
                "first_row": frame.operands[0][0],
                "last_row": frame.operands[-1][1] - 1,
                "parent": frame.parent,
                "depth": frame.depth,
                "operands": [
                    {
                        "first_row": first,
                        "last_row": behind - 1,
                        "empty": all(row.message is None for row in layout.rows[first:behind]),
                    }
                    for first, behind in frame.operands
                ],
            }
            for frame in layout.frames
        ],
    }


def drawing_of(layout: SequenceLayout, title: str) -> Drawing:
    """The picture of a layout."""
    feet = len(layout.rows) > _ROWS_BEFORE_FEET
    width = layout.width
    height = layout.bottom + (HEAD if feet else 0.0) + MARGIN
    shapes: list[Shape] = [
        lifeline(x, MARGIN + HEAD, layout.bottom) for x in layout.columns[: len(layout.lifelines)]
    ]
    shapes += [_frame(frame, layout) for frame in layout.frames]
    column = {name: number for number, name in enumerate(layout.lifelines)}
    shapes += [
        _message(row.message, number, layout, column)
        for number, row in enumerate(layout.rows)
        if row.message is not None
    ]
    shapes += _heads(layout, MARGIN)
    if feet:
        shapes += _heads(layout, layout.bottom)
    if all(row.message is None for row in layout.rows) and not layout.frames:
        shapes.append(
            Text(
                at=Point(MARGIN, layout.bottom + MESSAGE_SIZE + 4),
                content=NOTHING_HAPPENS,
                size=MESSAGE_SIZE,
                colour=MUTED,
            )
        )
        width = max(width, text_width(NOTHING_HAPPENS, MESSAGE_SIZE) + 2 * MARGIN)
        height += MESSAGE_SIZE
    return Drawing(width=width, height=height, shapes=tuple(shapes), title=title)


def _heads(layout: SequenceLayout, top: float) -> list[Shape]:
    return [
        lifeline_head(name, x, top, width=width, longest=LONGEST_NAME)
        for name, x, width in zip(layout.lifelines, layout.columns, layout.heads, strict=False)
    ]


def _frame(frame: Frame, layout: SequenceLayout) -> Group:
    left = layout.columns[frame.low] - frame.left
    right = layout.columns[frame.high] + frame.right
    corners = (
        Point(left, frame.top),
        Point(right, frame.top),
        Point(right, frame.bottom),
        Point(left, frame.bottom),
        Point(left, frame.top),
    )
    shapes: list[Shape] = [
        Polyline(points=(Point(left, y), Point(right, y)), colour=MUTED, width=1.0, dashed=True)
        for y in frame.separators
    ]
    shapes += [
        *_brackets(frame, layout),
        Polyline(points=corners, colour=MUTED, width=1.3),
        Box(
            at=Point(left, frame.top),
            width=tab_width(frame.start.label),
            height=TAB,
            corner=0,
            fill=BAND,
            colour=MUTED,
            stroke=1.0,
        ),
        Text(
            at=Point(left + 7, middle_of_line(frame.top + TAB / 2, LABEL_SIZE)),
            content=shortened(frame.start.label, LONGEST_LABEL),
            size=LABEL_SIZE,
            bold=True,
        ),
    ]
    return Group(shapes=tuple(shapes), title=f"{frame.start.label} fragment")


def _brackets(frame: Frame, layout: SequenceLayout) -> list[Shape]:
    """Brackets around the part of a lifeline on which a `coreg` does not order its operands."""
    shapes: list[Shape] = []
    for name in frame.start.unordered:
        x = layout.columns[layout.lifelines.index(name)]
        for y, tip in (
            (frame.top + TAB + 4, frame.top + TAB + 4 + BRACKET),
            (frame.bottom - 4, frame.bottom - 4 - BRACKET),
        ):
            points = (
                Point(x - BRACKET, tip),
                Point(x - BRACKET, y),
                Point(x + BRACKET, y),
                Point(x + BRACKET, tip),
            )
            shapes.append(Polyline(points=points, colour=INK, width=1.8))
    return shapes


def _message(message: Message, row: int, layout: SequenceLayout, column: dict[str, int]) -> Group:
    y = layout.rows[row].y
    name = shortened(message.message, LONGEST_MESSAGE)
    width = name_width(message)
    seen = any(message.observed)
    colour = INK if seen else FAINT
    side = label_side(message, column)
    shapes: list[Shape] = []
    if message.sender is None or not message.receivers:
        shapes += _with_environment(message, y, layout, column, colour)
        named = message.receivers[0] if message.sender is None else message.sender
        reach = max(STUB, width + 8)
        x = layout.columns[column[named]] + (-reach / 2 if side == "left" else reach / 2)
    else:
        at = column[message.sender]
        start = layout.columns[at]
        for one in (-1, 1):
            shapes += _arrows(message, y, layout, column, one)
        shapes += _later(message, row, layout, column)
        if len(message.receivers) > 1:
            shapes.append(
                Circle(centre=Point(start, y), radius=3.0, fill=colour, colour=colour, width=1.0)
            )
        if message.sender in message.receivers:
            if message.to_self:
                shapes += _to_self(message, start, y, y + SELF_HEIGHT)
            x = start + SELF_WIDTH + 4 + width / 2
            y += SELF_HEIGHT / 2 + 7 + 0.35 * MESSAGE_SIZE
        elif all(one.delay for one in message.receptions):
            # The arrow falls from here: further on, the name would hang over others.
            x = start + (width / 2 + 6) * (1 if side == "right" else -1)
        else:
            x = (start + layout.columns[at + (1 if side == "right" else -1)]) / 2
    shapes.append(
        Text(
            at=Point(x, y - 7),
            content=name,
            size=MESSAGE_SIZE,
            anchor="middle",
            colour=INK if seen else MUTED,
            halo=True,
        )
    )
    marks = "" if all(message.observed) else " (not observed)" if not seen else ""
    words = ", ".join(
        f"{action}{'' if observed or not seen else ' (not observed)'}"
        for action, observed in zip(message.actions, message.observed, strict=True)
    )
    return Group(shapes=tuple(shapes), title=words + marks)


def _line(points: tuple[Point, ...], observed: bool) -> Polyline:
    return Polyline(
        points=points, colour=INK if observed else FAINT, width=1.5, dashed=not observed
    )


def _with_environment(
    message: Message, y: float, layout: SequenceLayout, column: dict[str, int], colour: str
) -> list[Shape]:
    observed = message.observed[0]
    reach = max(STUB, name_width(message) + 8)
    if message.sender is None:
        end = Point(layout.columns[column[message.receivers[0]]], y)
        start = Point(end.x - reach + DOT, y)
        dot = start
    else:
        start = Point(layout.columns[column[message.sender]], y)
        end = Point(start.x + reach - 2 * DOT, y)
        dot = Point(end.x + DOT, y)
    return [
        _line((start, end), observed),
        arrowhead(end, 0.0, colour),
        Circle(centre=dot, radius=DOT, fill=colour, colour=colour, width=1.0),
    ]


def _arrows(
    message: Message, y: float, layout: SequenceLayout, column: dict[str, int], towards: int
) -> list[Shape]:
    """Arrows to the receivers left (-1) or right (1) of the sender that the message reaches in its
    row: the half at the sender, up to the nearest receiver, looks as the emission does, the rest as
    the receptions do."""
    assert message.sender is not None
    at = column[message.sender]
    reached = sorted(
        (abs(column[name] - at), layout.columns[column[name]], seen)
        for name, seen, delay in message.receptions
        if (column[name] - at) * towards > 0 and not delay
    )
    if not reached:
        return []
    here = layout.columns[at]
    ways = [(here, (here + layout.columns[at + towards]) / 2, message.sent)]
    for _, end, seen in reached:
        start, before, alike = ways[-1]
        if seen == alike:
            ways[-1] = (start, end, seen)
        else:
            ways.append((before, end, seen))
    shapes: list[Shape] = [
        _line((Point(start, y), Point(end, y)), seen) for start, end, seen in ways
    ]
    for _, end, seen in reached:
        colour = INK if seen else FAINT
        shapes.append(arrowhead(Point(end, y), 0.0 if towards > 0 else math.pi, colour))
    return shapes


def _later(
    message: Message, row: int, layout: SequenceLayout, column: dict[str, int]
) -> list[Shape]:
    """A slanted arrow to each reception in a row below, whose halves look as the emission and the
    reception do. If that row is not drawn, the arrow ends at the foot of the picture."""
    assert message.sender is not None
    start = Point(layout.columns[column[message.sender]], layout.rows[row].y)
    shapes: list[Shape] = []
    for name, seen, delay in message.receptions:
        if not delay:
            continue
        beyond = max(0, row + delay - (len(layout.rows) - 1))
        end = Point(layout.columns[column[name]], layout.rows[row + delay - beyond].y)
        end = end._replace(y=end.y + beyond * ROW)
        if name == message.sender and not beyond:
            shapes += _to_self(message, start.x, start.y, end.y)
            continue
        shown = min(1.0, (layout.bottom - start.y) / (end.y - start.y))
        tip, middle = (
            Point(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y))
            for part in (shown, min(shown, 0.5))
        )
        shapes.append(_line((start, middle), message.sent))
        shapes.append(_line((middle, tip), seen))
        if not beyond:
            shapes.append(arrowhead(tip, direction(start, tip), INK if seen else FAINT))
    return shapes


def _to_self(message: Message, x: float, y: float, back: float) -> list[Shape]:
    assert message.sender is not None
    received = message.receptions[message.receivers.index(message.sender)].observed
    right, middle = x + SELF_WIDTH, (y + back) / 2
    return [
        _line((Point(x, y), Point(right, y), Point(right, middle)), message.sent),
        _line((Point(right, middle), Point(right, back), Point(x, back)), received),
        arrowhead(Point(x, back), math.pi, INK if received else FAINT),
    ]
