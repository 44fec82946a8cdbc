"""A witness as a sequence diagram: the global trace that explains a multi-trace, from top to
bottom, with unobserved actions dashed and grey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from choreomon.core.action import EMISSION, Action
from choreomon.pictures.interactions.sequence_diagram import DOT, drawing_of, structure_of
from choreomon.pictures.interactions.sequence_diagram_layout import MARGIN, sequence_layout
from choreomon.pictures.interactions.sequence_diagram_parts import Arrival, Message, lifelines_of
from choreomon.pictures.shapes.drawing import (
    FAINT,
    INK,
    MUTED,
    Circle,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.sentences.wording import counted

MAX_ROWS: Final = 400
"""The most rows drawn, the first ones; longer witnesses also show the number of the others."""

_LEGEND: Final = 24.0
_SAMPLE: Final = 28.0
_SIZE: Final = 12.0

Passings: TypeAlias = frozenset[tuple[str, str, str]]
"""(sender, message, receiver), as `message_passings` finds them in an interaction."""


def witness_rows(
    witness: Iterable[tuple[Action, bool]], passings: Passings = frozenset()
) -> list[Message | Arrival]:
    """The rows of a witness, whose actions come with whether they were observed.

    A reception belongs to the earliest emission that may be its source by `passings` and has not
    reached its lifeline yet: the trace alone does not say who sent the message received, nor which
    of several equal messages it was. A reception directly below its emission, or below other
    receptions there, has no row of its own. An action without a counterpart is a message to or from
    the environment."""
    rows: list[Message | Arrival] = []
    sent: dict[str, list[int]] = {}  # by message, the rows of its emissions
    passed: Counter[Action] = Counter()  # how many of those no longer come into question for it
    for action, observed in witness:
        emissions = sent.setdefault(action.message, [])
        if action.kind == EMISSION:
            emissions.append(len(rows))
            rows.append(Message(sender=action.lifeline, message=action.message, sent=observed))
            continue
        for place in range(passed[action], len(emissions)):
            passed[action] += 1
            number = emissions[place]
            message = rows[number]
            assert isinstance(message, Message)
            if (message.sender, message.message, action.lifeline) in passings:
                break
        else:
            receivers, received = (action.lifeline,), (observed,)
            rows.append(
                Message(sender=None, message=action.message, receivers=receivers, received=received)
            )
            continue
        delay = len(rows) - number if number < len(rows) - 1 else 0
        rows[number] = replace(
            message,
            receivers=(*message.receivers, action.lifeline),
            received=(*message.received, observed),
            delays=(*message.delays, delay),
        )
        if delay:
            rows.append(Arrival())
    return rows


def witness_diagram(
    witness: Sequence[tuple[Action, bool]],
    *,
    passings: Passings = frozenset(),
    lifelines: Sequence[str] = (),
) -> Picture:
    """The witness, one message or arrival a row, as `witness_rows` puts them together. The half of
    an arrow at the sender shows whether the emission was observed, the rest whether the reception
    was. Lifelines of the witness stand in the order of `lifelines`, further ones behind these in
    order of appearance.

    `structure` is that of `sequence_diagram` without fragments, and beside each arrow `observed`:
    one for the emission, if there is one, then one for each reception, and `received_in`: the row
    of each reception. `rows_left_out` counts the rows not drawn of a witness with more than
    `MAX_ROWS` rows.
    """
    every = witness_rows(witness, passings)
    rows = every[:MAX_ROWS]
    left_out = len(every) - len(rows)
    occurring = lifelines_of(rows)
    layout = sequence_layout(
        rows, lifelines_of(rows, [name for name in lifelines if name in occurring])
    )
    missing = sum(not observed for _, observed in witness)
    title = (
        f"A trace that explains what was observed: {counted(len(witness), 'action')}, "
        f"{missing:,} of them not observed"
    )
    drawing = drawing_of(layout, title)
    legend, width = _legend(drawing.height, rows, left_out)
    structure = structure_of(layout)
    del structure["fragments"]
    messages = [row for row in rows if isinstance(row, Message)]
    for arrow, row in zip(structure["arrows"], messages, strict=True):
        arrow["observed"] = list(row.observed)
        arrow["received_in"] = [arrow["row"] + one.delay for one in row.receptions]
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


def _legend(
    y: float, rows: Sequence[Message | Arrival], left_out: int
) -> tuple[list[Shape], float]:
    """The legend: what the lines mean and what is not drawn; also how far to the right it
    reaches."""
    shapes: list[Shape] = []
    x = MARGIN
    messages = [row for row in rows if isinstance(row, Message)]
    observed = {one for row in messages for one in row.observed}
    for words, seen in (("observed", True), ("not observed", False)):
        if seen in observed:
            ends = (Point(x, y), Point(x + _SAMPLE, y))
            shapes.append(Polyline(points=ends, colour=INK if seen else FAINT, dashed=not seen))
            shapes.append(_words(words, x + _SAMPLE + 8, y))
            x += _SAMPLE + 8 + text_width(words, _SIZE) + 20
    if any(row.sender is None or not row.receivers for row in messages):
        words = "to or from the environment"
        shapes.append(Circle(centre=Point(x + DOT, y), radius=DOT, fill=INK, width=1.0))
        shapes.append(_words(words, x + 2 * DOT + 8, y))
        x += 2 * DOT + 8 + text_width(words, _SIZE) + 20
    if left_out:
        words = f"{counted(left_out, 'further row')} not drawn"
        shapes.append(_words(words, x, y))
        x += text_width(words, _SIZE)
    return shapes, x


def _words(content: str, x: float, y: float) -> Text:
    return Text(at=Point(x, middle_of_line(y, _SIZE)), content=content, size=_SIZE, colour=MUTED)
