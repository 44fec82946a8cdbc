"""Actions of a protocol -> events with both ends.

An action says what one lifeline does, and not who is at the other end. An arrow of a diagram does:
`a -- m -> b`. Where an end is not drawn, it is a lifeline that has the other end of such a message
without an arrow; where there is none, it is the environment or a process that the protocol does not
have. Each end is read by itself. So no run that the protocol allows is left out; one that fits no
pairing may be added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from choreomon.core.action import EMISSION, Action
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Label, Message
from choreomon.possible.protocol import Events


def readings(
    actions: Iterable[Action], lifelines: Collection[str], watched: Iterable[Label]
) -> dict[Action, tuple[Events, ...]]:
    """The events that each of these actions, which are of no arrow, may be. Those of `watched` come
    first; of the others only one is given, since nothing tells them apart."""
    alone = dict.fromkeys(actions)
    labels = tuple(watched)
    strangers = {
        end
        for label in labels
        for end in (label.message.sender, label.message.receiver)
        if end not in lifelines
    }
    strangers.add(ENVIRONMENT)
    found: dict[Action, tuple[Events, ...]] = {}
    for action in alone:
        others = [
            other.lifeline
            for other in alone
            if other.message == action.message and other.kind != action.kind
        ]
        every = [_label(action, other) for other in others or sorted(strangers)]
        known = [label for label in labels if label in every]
        others_than_known = [label for label in every if label not in known]
        found[action] = tuple((label,) for label in (*known, *others_than_known[:1]))
    return found


def _label(action: Action, other: str) -> Label:
    if action.kind == EMISSION:
        return Label(SEND, Message(action.lifeline, action.message, other))
    return Label(HANDLE, Message(other, action.message, action.lifeline))
