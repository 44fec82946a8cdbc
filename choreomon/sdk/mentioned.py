"""Events that some table mentions: only those have to be reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from choreomon.core.labels import parse_label
from choreomon.core.message import SEND, EventKind, Label

Mentioned: TypeAlias = frozenset[tuple[EventKind, str, str]]
"""Kind of event, other end of the message, its name."""


def mentioned(labels: Iterable[str]) -> Mentioned:
    """The events of labels, which are all of one process. What is no label is left out: an
    agent that writes labels of a later kind knows that they are not reported."""
    parsed = map(parse_label, labels)
    return frozenset(_reported(label) for label in parsed if label is not None)


def _reported(label: Label) -> tuple[EventKind, str, str]:
    sender, name, receiver = label.message
    return label.kind, receiver if label.kind == SEND else sender, name
