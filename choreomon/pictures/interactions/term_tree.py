"""An interaction as the tree of its term (the slices paper, Fig. 2b).

Unlike there, a message, `strict` of an emission and its receptions, is one leaf: readers look for
messages, and this takes a third of the nodes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from choreomon.interaction.term import Interaction, operator_name
from choreomon.pictures.interactions.sequence_diagram_parts import Message, check_size, message_of
from choreomon.pictures.shapes.drawing import (
    BAND,
    INK,
    MUTED,
    PAPER,
    Box,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.sentences.wording import counted

_LEVEL: Final = 54.0
_HEIGHT: Final = 24.0
_BETWEEN: Final = 14.0
_MARGIN: Final = 20.0
_LONGEST_LABEL: Final = 32
_CORNER: Final = 6.0


class _Node(NamedTuple):
    """A place in the term: `parent` is a number in the list of nodes, `operand` 1 or 2."""

    label: str
    is_leaf: bool
    parent: int | None
    operand: int
    level: int


def term_tree(interaction: Interaction) -> Picture:
    """The tree, its root at the top, first operands to the left.

    `structure` has `nodes` in pre-order, each with `label` (the operator, with its region; the
    action; the message, as in `a -- m -> b`; `o` for the empty interaction), `parent` (an index
    among the nodes, None at the root), `operand` (1 or 2; 0 at the root), `level` (0 at the root),
    `x` and `y`. Shared subterms are drawn as often as they occur.

    Raises ChoreomonError for interactions of more than 20,000 symbols.
    """
    nodes = _nodes(interaction)
    middles = middles_of(nodes)
    places = [
        Point(x, _MARGIN + _HEIGHT / 2 + node.level * _LEVEL)
        for node, x in zip(nodes, middles, strict=True)
    ]
    edges: list[Shape] = []
    boxes: list[Shape] = []
    for node, at in zip(nodes, places, strict=True):
        if node.parent is not None:
            above = places[node.parent]
            ends = (Point(above.x, above.y + _HEIGHT / 2), Point(at.x, at.y - _HEIGHT / 2))
            edges.append(Polyline(points=ends, colour=MUTED, width=1.3))
        boxes.append(_box(node, at))
    right = max(at.x + _width(node) / 2 for node, at in zip(nodes, places, strict=True))
    return Picture(
        drawing=Drawing(
            width=right + _MARGIN,
            height=max(at.y for at in places) + _HEIGHT / 2 + _MARGIN,
            shapes=(*edges, *boxes),
            title=f"Term of {counted(interaction.size, 'symbol')}, "
            f"{counted(interaction.depth, 'level')} deep",
        ),
        structure={
            "nodes": [
                {
                    "label": node.label,
                    "parent": node.parent,
                    "operand": node.operand,
                    "level": node.level,
                    "x": round(at.x, 1),
                    "y": round(at.y, 1),
                }
                for node, at in zip(nodes, places, strict=True)
            ]
        },
    )


def _nodes(term: Interaction) -> list[_Node]:
    """List every place of the term that is not within a message, operators before their
    operands."""
    check_size(term)
    nodes: list[_Node] = []
    pending: list[tuple[Interaction, int | None, int, int]] = [(term, None, 0, 0)]
    while pending:
        top, parent, operand, level = pending.pop()
        own = len(nodes)
        message = message_of(top)
        if message is not None:
            nodes.append(_Node(_in_words(message), True, parent, operand, level))
            continue
        label = operator_name(top) if top.action is None else str(top.action)
        nodes.append(_Node(label, top.left is None, parent, operand, level))
        if top.right is not None:
            pending.append((top.right, own, 2, level + 1))
        if top.left is not None:
            pending.append((top.left, own, 1, level + 1))
    return nodes


def _in_words(message: Message) -> str:
    to = message.receivers
    receivers = to[0] if len(to) == 1 else f"({','.join(to)})"
    return f"{message.sender} -- {message.message} -> {receivers}"


def _width(node: _Node) -> float:
    shown = shortened(node.label, _LONGEST_LABEL)
    return text_width(shown, bold=not node.is_leaf) + 16


def middles_of(nodes: list[_Node]) -> list[float]:
    """The x of every node. Subtrees stand side by side, each as wide as its widest level needs, and
    a parent stands centred above its operands if its own width allows it."""
    span = [0.0] * len(nodes)  # the width of the subtree of a node
    below = [0.0] * len(nodes)  # what its operands take together
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        span[number] = max(_width(node), below[number])
        if node.parent is not None:
            gap = _BETWEEN if below[node.parent] else 0.0
            below[node.parent] += span[number] + gap
    left = [0.0] * len(nodes)
    used = [0.0] * len(nodes)
    middles = [0.0] * len(nodes)
    for number, node in enumerate(nodes):
        if node.parent is None:
            left[number] = _MARGIN
        else:
            start = left[node.parent] + (span[node.parent] - below[node.parent]) / 2
            left[number] = start + used[node.parent]
            used[node.parent] += span[number] + _BETWEEN
    operands: list[list[int]] = [[] for _ in nodes]
    for number in range(len(nodes) - 1, -1, -1):
        own = operands[number]
        if own:
            middle = sum(middles[other] for other in own) / len(own)
            half = _width(nodes[number]) / 2
            first, last = left[number] + half, left[number] + span[number] - half
            middles[number] = min(max(middle, first), last)
        else:
            middles[number] = left[number] + span[number] / 2
        parent = nodes[number].parent
        if parent is not None:
            operands[parent].append(number)
    return middles


def _box(node: _Node, at: Point) -> Group:
    width = _width(node)
    return Group(
        shapes=(
            Box(
                at=Point(at.x - width / 2, at.y - _HEIGHT / 2),
                width=width,
                height=_HEIGHT,
                corner=0.0 if node.is_leaf else _CORNER,
                fill=PAPER if node.is_leaf else BAND,
                colour=MUTED if node.is_leaf else INK,
                stroke=1.0 if node.is_leaf else 1.3,
            ),
            Text(
                at=Point(at.x, middle_of_line(at.y)),
                content=shortened(node.label, _LONGEST_LABEL),
                anchor="middle",
                bold=not node.is_leaf,
            ),
        ),
        title=node.label,
    )
