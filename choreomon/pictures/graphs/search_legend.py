"""The legend of a graph of a search or an exploration: what was asked, and what the words in the
picture mean.

docs/verify.md, "Reading graphs" explains them at length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final, NamedTuple

from choreomon.pictures.shapes.drawing import INK, MUTED, Point, Text, text_width
from choreomon.sentences.wording import wrapped

GLOSSARY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "execute": "an observed action: the next one of a log, where the interaction allows it",
        "simulate": "an unobserved action (dashed): the interaction allows it, the logs lack it",
        "remove": "takes the lifelines of logs that are used up out of the interaction",
        "bold arrow": "on the path to the end that decided",
        "k/n": "of a log with n actions k are used up; those that are left follow. Logs that "
        "did not change are left out, except at the ends",
        "removed": "logs that are used up and whose lifelines were taken out of the interaction",
        "λ, α": "how many loops may be entered and how many actions done unobserved from here",
        "open": "an iteration that began unobserved, and in which an observed action must follow",
        "…": "as in the node before (of several the one with the lowest number), or no room for "
        "it; an SVG shows whole terms, of up to 400 symbols, where the pointer rests on a node",
        "straight on": "nodes at which nothing branches, as one, with the steps between them",
        "Cov": "covered: all logs are used up, and the interaction may stop here",
        "TooShort": "all logs are used up, but the interaction has to go on",
        "MultiPref": "multi-prefix: all logs are used up, and each may have stopped early",
        "Slice": "all logs are used up, and each may have begun late and stopped early",
        "LackObs": "lack of observation: no next action fits, but a log may have stopped early",
        "OutSim": "no next action fits, within the bounds of what may be simulated",
        "no next action fits": "logs go on, and the interaction allows none of their next actions",
        "by local analysis": "one log alone shows that what is left cannot be explained",
        "cut off by a filter": "a filter of the configuration forbids steps from here",
        "accepted": "the actions on the path to here are an accepted trace",
        "cut off here": "a bound forbids steps from here: max_depth is of actions on a path, "
        "max_loop_depth of loops entered on it, max_node_number of nodes",
    }
)
"""Meanings of the signs of nodes and edges, in the order in which legends list them."""

_SIZE: Final = 12.0
_ROW: Final = 17.0
_GAP: Final = 14.0
_BETWEEN: Final = 6.0
_LEAST_WIDTH: Final = 560.0
_MOST_WIDTH: Final = 800.0
"""Legend lines are as long as the graph is wide, but within these bounds, so that they can be
read."""


class Legend(NamedTuple):
    """Lines of text, and the room that they need."""

    shapes: tuple[Text, ...]
    width: float
    height: float


def explained(glossary: Mapping[str, str], signs: Set[str]) -> dict[str, str]:
    """The entries of the glossary for these signs, in its order."""
    return {sign: meaning for sign, meaning in glossary.items() if sign in signs}


def drawn_legend(lines: Sequence[str], words: Mapping[str, str], at: Point, width: float) -> Legend:
    """The lines, and below them the words with their meanings in a second column; `at` is the upper
    left corner, and `width` that of the picture above it. Long lines are wrapped; what cannot be
    wrapped is wider."""
    room = min(max(width, _LEAST_WIDTH), _MOST_WIDTH)
    shapes: list[Text] = []
    y = at.y
    for line in lines:
        for piece in _wrapped(line, room):
            y += _ROW
            shapes.append(Text(at=Point(at.x, y), content=piece, size=_SIZE, colour=MUTED))
    if lines and words:
        y += _BETWEEN
    indent = _GAP + max((text_width(word, _SIZE, bold=True) for word in words), default=0.0)
    for word, meaning in words.items():
        shapes.append(
            Text(at=Point(at.x, y + _ROW), content=word, size=_SIZE, bold=True, colour=INK)
        )
        for piece in _wrapped(meaning, room - indent):
            y += _ROW
            shapes.append(Text(at=Point(at.x + indent, y), content=piece, size=_SIZE, colour=MUTED))
    reach = max(
        (text.at.x - at.x + text_width(text.content, _SIZE, bold=text.bold) for text in shapes),
        default=0.0,
    )
    return Legend(tuple(shapes), reach, y - at.y)


def _wrapped(line: str, room: float) -> tuple[str, ...]:
    """Wrap a line into pieces about `room` wide, estimated for average characters."""
    return wrapped(line, max(20, int(room / (0.645 * _SIZE))))
