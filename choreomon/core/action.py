"""Communication actions: what a lifeline of an interaction does, and what a log shows of it.

The removal paper, Definition 2: an action is the emission `l!m` or the reception `l?m` of a message
`m` on the lifeline `l`. Unlike `choreomon.core.message.Label`, an action does not say who is at
the other end: a local log does not either.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

ActionKind: TypeAlias = Literal["!", "?"]

EMISSION: Final = "!"
RECEPTION: Final = "?"

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""Names of lifelines and messages in HIBOU's files. Values built in Python may have any name; the
writers of those files refuse names that do not match."""


class Action(NamedTuple):
    """An emission or a reception of a message on a lifeline."""

    lifeline: str
    kind: ActionKind
    message: str

    def __str__(self) -> str:
        return f"{self.lifeline}{self.kind}{self.message}"


def emission(lifeline: str, message: str) -> Action:
    """`lifeline!message`."""
    return Action(lifeline, EMISSION, message)


def reception(lifeline: str, message: str) -> Action:
    """`lifeline?message`."""
    return Action(lifeline, RECEPTION, message)


def parse_action(text: str) -> Action:
    """The action that `text` (`l!m` or `l?m`, spaces allowed around the parts) denotes.

    Raises ValueError if it denotes none.
    """
    for kind in (EMISSION, RECEPTION):
        lifeline, sign, message = text.partition(kind)
        if sign:
            lifeline, message = lifeline.strip(), message.strip()
            if NAME.fullmatch(lifeline) and NAME.fullmatch(message):
                return Action(lifeline, kind, message)
            break
    raise ValueError(f"{text!r} is no action; write `lifeline!message` or `lifeline?message`")
