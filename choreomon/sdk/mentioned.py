"""Events that some table mentions: only those have to be reported, with what they carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from choreomon.core.labels import parse_carrying_label
from choreomon.core.message import SEND, EventKind, Label

Mentioned: TypeAlias = Mapping[tuple[EventKind, str, str], tuple[str, ...]]
"""Parameters that a message carries, by kind of event, other end of the message, and its name."""


def mentioned(labels: Iterable[str]) -> Mentioned:
    """Return the events that these labels, all of one process, mention. Text that is no label is
    skipped: it comes from a newer agent, which knows that such events are not reported."""
    parsed = map(parse_carrying_label, labels)
    return {_reported(each.label): each.parameters for each in parsed if each is not None}


def _reported(label: Label) -> tuple[EventKind, str, str]:
    sender, name, receiver = label.message
    return label.kind, receiver if label.kind == SEND else sender, name
