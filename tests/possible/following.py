"""Runs that are followed through the states of a protocol."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from choreomon.core.message import Label
from choreomon.possible.protocol import Protocol

S = TypeVar("S", bound=Hashable)


def after(protocol: Protocol[S], states: set[S], label: Label) -> set[S]:
    """States in which a protocol may be after one of these and this event, with as few steps
    without events before it as there can be; empty where it cannot happen."""
    while states:
        steps = [step for state in states for step in protocol.steps(state)]
        found = {following for events, following in steps if events == (label,)}
        if found:
            return found
        states = {following for events, following in steps if not events}
    return states
