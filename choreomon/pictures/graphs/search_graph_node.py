"""A node of a graph that a search or an exploration visited: its text, folded, in a box.

Terms are often longer than a box is high. A node then shows its `brief`, in which `…` stands for
the parts that have not changed since the node before: `changed_text` makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.interaction.term import Interaction, operator_name
from choreomon.interaction.written import leaf_text, written
from choreomon.pictures.shapes.drawing import (
    CANCELS,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    QUIET,
    VIOLATED,
    Box,
    Drawing,
    Group,
    Point,
    Shape,
    Text,
    folded,
    moved,
    text_width,
)

Outcome: TypeAlias = Literal["good", "partly", "open", "bad"]
"""The outcome at a node: exactly what was asked for; enough of what was asked for; unknown; not
what was asked for."""

_COLOUR: Final[dict[Outcome, str]] = {
    "good": QUIET,
    "partly": CANCELS,
    "open": POSSIBLY,
    "bad": VIOLATED,
}
TEXT_SIZE: Final = 12.0
LINE: Final = 16.0
_PADDING: Final = 8.0
_INDENT: Final = 12.0

LONGEST_LINE: Final = 44
"""Characters of a line. Longer lines of nodes are folded; longer labels of edges lose their
middle."""
MOST_ROWS: Final = 6
"""Rows for the first line of a node, its interaction; the rest is in its `full` text."""
MOST_ROWS_BELOW: Final = 3
"""Rows for each other line of a node."""
LEFT_OUT: Final = "…"
"""Sign for what is left out, and the mark of nodes that leave something out."""
_IN_TERMS: Final = {LEFT_OUT: LEFT_OUT, "open": "open("}
"""Signs that a node has only if its rows have these marks: much of a term may be left out."""

Illustrate: TypeAlias = Callable[[Interaction], tuple[Drawing, ...]]
"""The drawings that go with the text of a node, by its interaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A vertex: its lines of text, and its outcome. `said` is empty if `outcome` is None. `brief`
    replaces a first line that does not fit; if it is empty, the beginning of the line is shown.
    `full` is shown where the pointer rests on it. `interaction` is what illustrations of the node
    show; None: nothing. `signs` are the words in it that a glossary may explain."""

    lines: tuple[str, ...]
    said: str = ""
    outcome: Outcome | None = None
    brief: str = ""
    full: str = ""
    interaction: Interaction | None = None
    signs: tuple[str, ...] = ()


class _Row(NamedTuple):
    """A line of a node, or a piece of one; `indent` is that of the pieces behind the first."""

    content: str
    bold: bool
    indent: float

    @property
    def width(self) -> float:
        return self.indent + text_width(self.content, TEXT_SIZE, bold=self.bold)


class MeasuredNode(NamedTuple):
    """A node to be drawn, with the size of its box."""

    node: GraphNode
    rows: tuple[_Row, ...]
    drawings: tuple[Drawing, ...]
    width: float
    height: float

    @property
    def signs(self) -> tuple[str, ...]:
        """The signs of the node, and those of its terms that are visible in its rows."""
        shown = "".join(row.content for row in self.rows)
        return (
            *self.node.signs,
            *(sign for sign, mark in _IN_TERMS.items() if mark in shown),
        )


def changed_text(now: Interaction, before: Interaction) -> str:
    """Write `now` as `written` does, but with `…` for each operand that `before` has at the same
    place, and for the whole of what stood there if an operator was put around it, as when the rest
    of an iteration stands in front of its loop. Actions and messages are written out."""
    parts: list[str] = []
    pending: list[tuple[Interaction, Interaction] | str] = [(now, before)]
    while pending:
        top = pending.pop()
        if isinstance(top, str):
            parts.append(top)
            continue
        new, old = top
        left = new.left
        if left is not None and new is old:
            parts.append(LEFT_OUT)
        elif left is None or leaf_text(new):
            parts.append(leaf_text(new))
        else:
            parts.append(f"{operator_name(new)}(")
            pending.append(")")
            if new.right is not None:
                pending.extend((_operand(new.right, new, old, old.right), ", "))
            pending.append(_operand(left, new, old, old.left))
    return "".join(parts)


def _operand(
    operand: Interaction, new: Interaction, old: Interaction, there: Interaction | None
) -> tuple[Interaction, Interaction] | str:
    """The pair to compare next, or the text: an operand of `new` with what is `there` in `old`, if
    their operators are the same."""
    if there is not None and (new.operator, new.region) == (old.operator, old.region):
        return operand, there
    return LEFT_OUT if operand is old else written(operand)


def measured_node(
    node: GraphNode,
    again: Sequence[str],
    illustrate: Illustrate | None,
    most_rows: int = MOST_ROWS,
    most_rows_below: int = MOST_ROWS_BELOW,
) -> MeasuredNode:
    """The node with the size that it needs; `again` are the labels of the edges from it to
    itself; its first line has at most `most_rows`, each other one `most_rows_below`."""
    first, *below = (*node.lines, *(f"back here by {label}" for label in again))
    drawings: tuple[Drawing, ...] = ()
    if illustrate is not None and node.interaction is not None:
        drawings = illustrate(node.interaction)
    if drawings:  # as they say what the term does
        first = first.partition(":")[0]
    pieces = folded(first, LONGEST_LINE, most_rows)
    if node.brief and not drawings and pieces != folded(first, LONGEST_LINE, len(first)):
        pieces = folded(node.brief, LONGEST_LINE, most_rows)
    rows = tuple(
        _Row(piece, bold=not line, indent=_INDENT if later else 0.0)
        for line, own in enumerate(
            (pieces, *(folded(content, LONGEST_LINE, most_rows_below) for content in below))
        )
        for later, piece in enumerate(own)
    )
    words = [row.width for row in rows] + [text_width(node.said, TEXT_SIZE, bold=True)]
    width = max(*words, *(drawing.width for drawing in drawings))
    height = LINE * (len(rows) + bool(node.said)) + sum(drawing.height for drawing in drawings)
    return MeasuredNode(node, rows, drawings, width + 2 * _PADDING, height + 2 * _PADDING)


def drawn_node(measured: MeasuredNode, at: Point) -> Group:
    """The box of a node, centred at `at`, with its content."""
    node = measured.node
    colour = MUTED if node.outcome is None else _COLOUR[node.outcome]
    left, top = at.x - measured.width / 2, at.y - measured.height / 2
    shapes: list[Shape] = [
        Box(
            at=Point(left, top),
            width=measured.width,
            height=measured.height,
            corner=5,
            fill=PAPER,
            colour=colour,
            stroke=1.2 if node.outcome is None else 2.2,
        )
    ]
    y = top + _PADDING + 0.78 * LINE
    for row in measured.rows:
        shapes.append(
            Text(
                at=Point(left + _PADDING + row.indent, y),
                content=row.content,
                size=TEXT_SIZE,
                bold=row.bold,
                colour=INK if row.bold else MUTED,
            )
        )
        y += LINE
    if node.said:
        shapes.append(
            Text(
                at=Point(left + _PADDING, y),
                content=node.said,
                size=TEXT_SIZE,
                bold=True,
                colour=colour,
            )
        )
        y += LINE
    y -= 0.78 * LINE
    for drawing in measured.drawings:
        own = tuple(moved(shape, left + _PADDING, y) for shape in drawing.shapes)
        shapes.append(Group(shapes=own, title=drawing.title))
        y += drawing.height
    return Group(shapes=tuple(shapes), title=node.full)
