"""Sentences on what a space-time diagram does not show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.core.run import RunEvent
from choreomon.pictures.shapes.drawing import shortened
from choreomon.pictures.space_time.scene import LONGEST_NAME
from choreomon.pictures.space_time.window import Gap, View

_NAMED: Final = 5


def idle_in_words(idle: Sequence[str]) -> list[str]:
    """The processes that have no line, the first ones by name."""
    if not idle:
        return []
    listed = ", ".join(shortened(name, LONGEST_NAME) for name in idle[:_NAMED])
    more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
    has, no = ("has", "its") if len(idle) == 1 else ("have", "their")
    return [f"Nothing shown happens at {listed}{more}, which {has} no line of {no} own."]


def hidden_in_words(items: Sequence[RunEvent | Gap], view: View) -> list[str]:
    """A sentence on how many of the events that should be shown are hidden."""
    shown = {item.index for item in items if isinstance(item, RunEvent)}
    hidden = len(view.kept - shown)
    if not hidden:
        return []
    are = "is" if hidden == 1 else "are"
    return [f"{hidden:,} of the events not shown {are} named by the property."]
