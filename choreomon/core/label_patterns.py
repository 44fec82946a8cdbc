"""Patterns for many labels: `[handle] SENDER -> RECEIVER : NAME [(PARAMETER, ...)]`, where a sender
or a receiver is a name, `{a set, of names}`, `*` for every known process, or `$variable`, and a
name is one or a set of them.

`parse_label_pattern` reads what `str` of a pattern writes; `labels_of_pattern` gives its labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from choreomon.core.labels import CarryingLabel, parse_carrying_label
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind, Message
from choreomon.core.names import PLAIN_PATTERN, WRITTEN_PATTERN, written

_SET: Final = rf"\{{[ \t]*(?:{WRITTEN_PATTERN})(?:[ \t]*,[ \t]*(?:{WRITTEN_PATTERN}))*[ \t]*\}}"
_SIDE: Final = rf"\*|\${PLAIN_PATTERN}|{_SET}|{WRITTEN_PATTERN}"
_PATTERN: Final = re.compile(
    rf"[ \t]*(?P<handle>handle[ \t]+)?(?P<sender>{_SIDE})[ \t]*->[ \t]*(?P<receiver>{_SIDE})"
    rf"[ \t]*:[ \t]*(?P<names>{_SET}|{WRITTEN_PATTERN})[ \t]*(?P<parameters>\([^()]*\)[ \t]*)?"
)
_ITEM: Final = re.compile(WRITTEN_PATTERN)


class Side(NamedTuple):
    """A pattern for one end of a message: one of `names`, the value of the `variable`, or, with
    neither, any process. Names are as written, perhaps in quotes."""

    names: tuple[str, ...] = ()
    variable: str = ""

    @property
    def is_any(self) -> bool:
        return not self.names and not self.variable

    def __str__(self) -> str:
        return f"${self.variable}" if self.variable else _written(self.names) or "*"


class LabelPattern(NamedTuple):
    """A pattern for labels: any of some senders, any of some receivers, any of some names. Names
    and `parameters` are as written."""

    kind: EventKind
    sender: Side
    receiver: Side
    names: tuple[str, ...]
    parameters: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the pattern, each once."""
        return tuple(dict.fromkeys(side.variable for side in self.sides if side.variable))

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.sender, self.receiver

    def with_values(self, values: Mapping[str, str]) -> LabelPattern:
        """The pattern with the values of its variables, as far as known."""
        sender, receiver = (
            Side((written(values[side.variable]),)) if side.variable in values else side
            for side in self.sides
        )
        return self._replace(sender=sender, receiver=receiver)

    def __str__(self) -> str:
        handle = "handle " if self.kind == HANDLE else ""
        label = f"{handle}{self.sender} -> {self.receiver} : {_written(self.names)}"
        return label + self.parameters


def parse_label_pattern(text: str) -> LabelPattern | None:
    """The pattern that `text` writes; `None` if it does not follow the grammar."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        return None
    handle, sender, receiver, names, parameters = match.groups()
    pattern = LabelPattern(
        HANDLE if handle else SEND,
        _side(sender),
        _side(receiver),
        _names(names),
        (parameters or "").strip(),
    )
    # Each single name and the parameters must be those of some label.
    samples = (_label(pattern, a, b, name) for a, b, name in _samples(pattern))
    return None if any(sample is None for sample in samples) else pattern


def labels_of_pattern(
    pattern: LabelPattern,
    processes: Sequence[str],
    values: Mapping[str, str],
    possible: Callable[[Message], bool] = lambda message: True,
) -> tuple[CarryingLabel, ...]:
    """The labels of a pattern, in the order of names and `processes`. `values`: the names that its
    variables stand for. Labels from `*` are left out if their message is not `possible`, or is one
    to its sender. Handled messages from the environment are among those from `*`."""
    senders = _ends(pattern.sender, processes, values)
    if pattern.sender.is_any and pattern.kind == HANDLE:
        senders = (*senders, ENVIRONMENT)
    receivers = _ends(pattern.receiver, processes, values)
    free = pattern.sender.is_any or pattern.receiver.is_any
    found: dict[CarryingLabel, None] = {}
    for sender in senders:
        for receiver in receivers:
            for name in pattern.names:
                carrying = _label(pattern, sender, receiver, name)
                if carrying is None:
                    continue
                message = carrying.label.message
                if free and (message.sender == message.receiver or not possible(message)):
                    continue
                found[carrying] = None
    return tuple(found)


def _ends(side: Side, processes: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    if side.variable:
        return (written(values[side.variable]),)
    return side.names or tuple(map(written, processes))


def _label(pattern: LabelPattern, sender: str, receiver: str, name: str) -> CarryingLabel | None:
    handle = "handle " if pattern.kind == HANDLE else ""
    return parse_carrying_label(f"{handle}{sender} -> {receiver} : {name}{pattern.parameters}")


def _samples(pattern: LabelPattern) -> Iterator[tuple[str, str, str]]:
    senders, receivers = (side.names or ("A",) for side in pattern.sides)
    yield from ((sender, receivers[0], pattern.names[0]) for sender in senders)
    yield from ((senders[0], receiver, pattern.names[0]) for receiver in receivers)
    yield from ((senders[0], receivers[0], name) for name in pattern.names)


def _side(text: str) -> Side:
    if text == "*":
        return Side()
    if text.startswith("$"):
        return Side(variable=text[1:])
    return Side(_names(text))


def _names(text: str) -> tuple[str, ...]:
    if not text.startswith("{"):
        return (text,)
    return tuple(dict.fromkeys(_ITEM.findall(text[1:-1])))


def _written(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}" if names else ""
