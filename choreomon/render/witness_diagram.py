"""A witness as a sequence diagram: the global trace that explains a multi-trace, from top to
bottom, with what nobody observed dashed and grey."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from choreomon.core.action import EMISSION, Action
from choreomon.render.drawing import (
    FAINT,
    INK,
    MUTED,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.render.sequence_diagram import drawing_of, structure_of
from choreomon.render.sequence_diagram_layout import MARGIN, sequence_layout
from choreomon.render.sequence_diagram_parts import Message, lifelines_of
from choreomon.render.wording import counted

MAX_ROWS: Final = 400
"""Of longer witnesses the first rows are drawn, with the number of the others."""

_LEGEND: Final = 24.0
_SAMPLE: Final = 28.0
_SIZE: Final = 12.0

Passings: TypeAlias = frozenset[tuple[str, str, str]]
"""(sender, message, receiver), as `message_passings` finds them in an interaction."""


def witness_messages(
    witness: Iterable[tuple[Action, bool]], passings: Passings = frozenset()
) -> list[Message]:
    """The rows of a witness, whose actions come with whether they were observed. An emission and
    the receptions directly after it are one row where `passings` has them as a message passing:
    the trace alone does not say who sent what was received. All others are rows of their own."""
    rows: list[Message] = []
    for action, observed in witness:
        last = rows[-1] if rows else None
        if action.kind == EMISSION:
            rows.append(Message(sender=action.lifeline, message=action.message, sent=observed))
        elif (
            last is not None
            and last.sender is not None
            and action.lifeline not in last.receivers
            and last.message == action.message
            and (last.sender, action.message, action.lifeline) in passings
        ):
            rows[-1] = replace(
                last,
                receivers=(*last.receivers, action.lifeline),
                received=(*last.received, observed),
            )
        else:
            rows.append(
                Message(
                    sender=None,
                    message=action.message,
                    receivers=(action.lifeline,),
                    received=(observed,),
                )
            )
    return rows


def witness_diagram(
    witness: Sequence[tuple[Action, bool]],
    *,
    passings: Passings = frozenset(),
    lifelines: Sequence[str] = (),
) -> Picture:
    """The witness, one message a row, as `witness_messages` puts them together. Of an arrow, the
    half at the sender says whether the emission was observed, the rest whether the reception was.

    `structure` is that of `sequence_diagram` without fragments, and `observed` beside each arrow:
    one for the emission, if there is one, then one for each reception. `rows_left_out` counts what
    is not drawn of a witness with more than `MAX_ROWS` rows.
    """
    every = witness_messages(witness, passings)
    rows = every[:MAX_ROWS]
    left_out = len(every) - len(rows)
    layout = sequence_layout(rows, lifelines_of(rows, lifelines))
    missing = sum(not observed for _, observed in witness)
    title = (
        f"A trace that explains what was observed: {counted(len(witness), 'action')}, "
        f"{missing} of them not observed"
    )
    drawing = drawing_of(layout, title)
    legend, width = _legend(drawing.height, left_out, any_missing=bool(missing))
    structure = structure_of(layout)
    del structure["fragments"]
    for arrow, row in zip(structure["arrows"], rows, strict=True):
        arrow["observed"] = list(row.observed)
    structure["rows_left_out"] = left_out
    return Picture(
        drawing=replace(
            drawing,
            shapes=(*drawing.shapes, *legend),
            width=max(drawing.width, width + MARGIN),
            height=drawing.height + (_LEGEND if legend else 0.0),
        ),
        structure=structure,
    )


def _legend(y: float, left_out: int, *, any_missing: bool) -> tuple[list[Shape], float]:
    """What the lines mean and what is not drawn, and how far to the right that reaches."""
    shapes: list[Shape] = []
    x = MARGIN
    if any_missing:
        for words, colour, dashed in (
            ("observed", INK, False),
            ("not observed", FAINT, True),
        ):
            ends = (Point(x, y), Point(x + _SAMPLE, y))
            shapes.append(Polyline(points=ends, colour=colour, dashed=dashed))
            x += _SAMPLE + 8
            shapes.append(_words(words, x, y))
            x += text_width(words, _SIZE) + 20
    if left_out:
        words = f"{counted(left_out, 'further row')} not drawn"
        shapes.append(_words(words, x, y))
        x += text_width(words, _SIZE)
    return shapes, x


def _words(content: str, x: float, y: float) -> Text:
    return Text(at=Point(x, middle_of_line(y, _SIZE)), content=content, size=_SIZE, colour=MUTED)
