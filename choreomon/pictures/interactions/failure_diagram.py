"""Picture of where the explanation of a multi-trace breaks: what each component recorded, how far
that is explained, and what would have been allowed instead of its next action.

There is no common clock, so each component has a line of its own, and heights on different lines
say nothing about each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

from choreomon.core.action import EMISSION, Action
from choreomon.multitrace.multitrace import Component
from choreomon.pictures.shapes.drawing import (
    INK,
    MUTED,
    QUIET,
    TEXT_SIZE,
    VIOLATED,
    Circle,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.lifeline_head import HEAD, head_width, lifeline, lifeline_head
from choreomon.sentences.wording import counted

MOST_BEFORE: Final = 10
"""The most explained actions drawn before the unexplained one."""
MOST_AFTER: Final = 4
MOST_ALLOWED: Final = 8
MOST_OTHERS: Final = 3

_MARGIN: Final = 20.0
_ROW: Final = 28.0
_SMALL: Final = 18.0
_ARROW: Final = 26.0
_SIZE: Final = 12.0
_BETWEEN: Final = 36.0
_LONGEST: Final = 36


class ComponentReached(NamedTuple):
    """The place that the explanation of a component reaches: `position` counts its explained
    actions. If there are more actions, `allowed` are those on its lifelines that would have been
    possible there.

    `obstacle` is the plain reason why the next action is not explained, if there is one: the
    interaction does not have its lifeline, or not the action, or waits there for other lifelines.
    `meant` is a known name similar to an unknown one; empty if there is none. `blame` says what is
    wrong with its log as a whole; empty if unknown.

    `rank` is 1 for the place to look at first, 2 for the next; 0 if none is given. `sent` is an
    emission, also unexplained, of the message that the next action receives.
    """

    component: Component
    position: int
    allowed: tuple[Action, ...]
    obstacle: Literal["lifeline", "action", "others"] | None = None
    meant: str = ""
    blame: str = ""
    rank: int = 0
    sent: Action | None = None

    @property
    def next_action(self) -> Action | None:
        """The first action that is not explained; None if all are."""
        actions = self.component.actions
        return actions[self.position] if self.position < len(actions) else None

    @property
    def name(self) -> str:
        """The component's lifelines."""
        return ", ".join(self.component.lifelines)


class _Line(NamedTuple):
    """A row of a component: an action, or words where `action` is None."""

    content: str
    colour: str
    action: Action | None = None
    bold: bool = False


def failure_diagram(reached: Iterable[ComponentReached], others: Sequence[Action] = ()) -> Picture:
    """The components beside each other: explained actions in ink, the first unexplained one red
    with what was allowed below it, those behind it faint. Its head tells what is wrong with a log
    as a whole.

    `structure` has `components`: lifelines, length, position, next (None where all is explained),
    allowed (all of them, sorted), drawn (the first and the last index of a drawn action, None
    without any), rank and sent (None where there is none), and blame, if any. If several are stuck,
    the one of rank 1 says: look here first. `others` are actions that may be the error instead;
    they are listed below, and in `structure`. `look_at` is the x of the component to look at first,
    None if all is explained.
    """
    every = tuple(reached)
    several = sum(one.next_action is not None for one in every) > 1
    shapes: list[Shape] = []
    bottom = _MARGIN + HEAD
    left = _MARGIN
    places: list[tuple[int, float]] = []
    for one in every:
        lines = _lines(one, several=several)
        head = head_width(one.name, _LONGEST)
        x = left + head / 2
        widths = [
            text_width(line.content, _size(line), bold=line.bold) + _indent(line) for line in lines
        ]
        shapes += _column(one, lines, x)
        if one.next_action is not None:
            places.append((one.rank, x))
        depth = sum(_SMALL if line.action is None else _ROW for line in lines)
        bottom = max(bottom, _MARGIN + HEAD + 12 + depth)
        left = max(x + max(widths, default=0.0), left + head) + _BETWEEN
    stuck = [one for one in every if one.next_action is not None]
    width = max(left - _BETWEEN, _MARGIN)
    if others:
        bottom += _ROW
        actions = [shortened(str(one), _LONGEST) for one in others[:MOST_OTHERS]]
        told = f"or else the error is {' or '.join(actions)}"
        at = Point(_MARGIN, middle_of_line(bottom, _SIZE))
        shapes.append(Text(at=at, content=told, size=_SIZE, colour=VIOLATED))
        width = max(width, _MARGIN + text_width(told, _SIZE))
    return Picture(
        drawing=Drawing(
            width=width + _MARGIN,
            height=bottom + _MARGIN,
            shapes=tuple(shapes),
            title=f"What is explained of {counted(len(every), 'component')}; "
            f"{len(stuck)} of them not to the end",
        ),
        structure={
            "components": [_component_data(one) for one in every],
            "others": [*map(str, others)],
            "look_at": min(places)[1] if places else None,
        },
    )


def _window(one: ComponentReached) -> range:
    """The actions that are drawn."""
    first = max(0, one.position - MOST_BEFORE)
    return range(first, min(len(one.component.actions), one.position + 1 + MOST_AFTER))


def _component_data(one: ComponentReached) -> dict[str, Any]:
    window = _window(one)
    action = one.next_action
    data: dict[str, Any] = {
        "lifelines": list(one.component.lifelines),
        "length": len(one.component.actions),
        "position": one.position,
        "next": None if action is None else str(action),
        "allowed": sorted(map(str, one.allowed)),
        "drawn": [window[0], window[-1]] if window else None,
        "rank": one.rank or None,
        "sent": None if one.sent is None else str(one.sent),
    }
    if one.blame:
        data["blame"] = one.blame
    return data


def _lines(one: ComponentReached, *, several: bool) -> list[_Line]:
    actions = one.component.actions
    window = _window(one)
    lines: list[_Line] = []
    if one.blame:
        lines.append(_Line(shortened(one.blame, _LONGEST), VIOLATED, bold=True))
    if several and one.rank == 1:
        lines.append(_Line("look here first", VIOLATED, bold=True))
    if window.start:
        lines.append(_Line(f"{counted(window.start, 'explained action')} before", MUTED))
    for index in window:
        action = actions[index]
        shown = shortened(str(action), _LONGEST)
        if index < one.position:
            lines.append(_Line(shown, INK, action))
        elif index > one.position:
            lines.append(_Line(shown, MUTED, action))
        else:
            lines.append(_Line(shown, VIOLATED, action, True))
            lines += _instead(one, action)
    if window.stop < len(actions):
        lines.append(_Line(f"{counted(len(actions) - window.stop, 'action')} more", MUTED))
    if not actions:
        lines.append(_Line("nothing observed", MUTED))
    elif one.next_action is None:
        lines.append(_Line("all explained", QUIET))
    return lines


def _instead(one: ComponentReached, action: Action) -> list[_Line]:
    """The reason why the action is not explained, and what would have been allowed instead of
    it."""
    lines: list[_Line] = []
    if one.sent is not None:
        return [_Line(f"{shortened(str(one.sent), _LONGEST)} is not explained", VIOLATED)]
    if one.obstacle == "lifeline":
        lines.append(_Line(f"the interaction has no {shortened(action.lifeline, 20)}", VIOLATED))
    elif one.obstacle == "action":
        lines.append(_Line("the interaction does not have it", VIOLATED))
    elif one.obstacle == "others":
        lines.append(_Line("before it, others have to act", VIOLATED))
    if one.meant:
        lines.append(_Line(f"perhaps {shortened(one.meant, _LONGEST)} was meant", VIOLATED))
    return lines if lines and not one.allowed else lines + _allowed(one.allowed)


def _allowed(actions: Sequence[Action]) -> list[_Line]:
    if not actions:
        return [_Line("no action is allowed here", VIOLATED)]
    texts = sorted(shortened(str(action), _LONGEST) for action in actions)
    lines = [_Line(f"allowed here: {texts[0]}", VIOLATED)]
    lines += [_Line(f"or {text}", VIOLATED) for text in texts[1:MOST_ALLOWED]]
    if len(texts) > MOST_ALLOWED:
        lines.append(_Line(f"or one of {len(texts) - MOST_ALLOWED} others", VIOLATED))
    return lines


def _column(one: ComponentReached, lines: Sequence[_Line], x: float) -> list[Shape]:
    top = _MARGIN + HEAD
    bottom = top + 12 + sum(_SMALL if line.action is None else _ROW for line in lines)
    width = head_width(one.name, _LONGEST)
    shapes: list[Shape] = [
        lifeline(x, top, bottom),
        lifeline_head(one.name, x, _MARGIN, width=width, longest=_LONGEST),
    ]
    y = top + 12
    for line in lines:
        height = _SMALL if line.action is None else _ROW
        shapes.append(_drawn(line, x, y + height / 2))
        y += height
    return shapes


def _size(line: _Line) -> float:
    return _SIZE if line.action is None else TEXT_SIZE


def _indent(line: _Line) -> float:
    """The distance from the component's line to the words at its right."""
    return 10.0 if line.action is None else _ARROW + 10.0


def _drawn(line: _Line, x: float, y: float) -> Group:
    size = _size(line)
    words = Text(
        at=Point(x + _indent(line), middle_of_line(y, size)),
        content=line.content,
        size=size,
        bold=line.bold,
        colour=line.colour,
    )
    if line.action is None:
        return Group(shapes=(words,))
    stretch = 2.4 if line.bold else 1.5
    arrow = Polyline(points=(Point(x, y), Point(x + _ARROW, y)), colour=line.colour, width=stretch)
    if line.action.kind == EMISSION:
        head = arrowhead(Point(x + _ARROW + 2, y), 0.0, line.colour)
    else:
        head = arrowhead(Point(x + 3, y), math.pi, line.colour)
    dot = Circle(centre=Point(x, y), radius=3.0, fill=line.colour, colour=line.colour, width=1.0)
    return Group(shapes=(arrow, head, dot, words), title=str(line.action))
