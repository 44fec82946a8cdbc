"""Labelling: labelled events and ends of gaps, from a log, as items.

Each item has its place among those of its process and among all, and what its process knows then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Final

from choreomon.audit.gaps import other_end_missing
from choreomon.audit.items import HAD_CLOCK, Gap, Item
from choreomon.audit.process import Process, forget_settled, known_items
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles

NUMBERS_KEPT: Final = 2_000
"""Numbers of items of one process, from which on it is tried to forget some."""


class Labelling:
    """Gives items to `on_item`. `watching`: the processes of the property, over `roles` of which
    logs may name a replica at the other end of a message."""

    def __init__(
        self,
        watching: Sequence[Process],
        *,
        on_item: Callable[[Item], None],
        on_diagnostic: Callable[[Diagnostic], None],
        roles: Roles = NO_ROLES,
    ) -> None:
        self._watching = watching
        self._roles = roles
        self._on_item = on_item
        self._on_diagnostic = on_diagnostic
        self._given = 0

    def labelled(self, process: Process, event: RecordedEvent, labels: tuple[Label, ...]) -> None:
        """The event has the kind and the name of these labels. Where it does not say which one it
        is, it is a gap."""
        if event.peer is not None:
            sending = event.kind == SEND
            peer = self._roles.role_of(event.peer)
            labels = tuple(
                label
                for label in labels
                if peer == (label.message.receiver if sending else label.message.sender)
            )
        if len(labels) == 1:
            self._item(process, event, labels[0])
        elif labels:
            reason = other_end_missing(event, labels)
            told = f"{reason}: give the other end"
            self._on_diagnostic(Diagnostic("not-understood", told, event.place))
            self.marks(process, Gap(process.name, reason, event.place, event.place))

    def marks(self, process: Process, gap: Gap, *, ends: bool = True) -> None:
        """Make both ends of a gap, or the beginning of one that has no end."""
        assert process.index is not None
        for opens in (True, False) if ends else (True,):
            self._tick(process)
            numbers = (process.items, process.known, self._given)
            self._on_item(Item(process.index, *numbers, None, None, gap, opens))

    def _item(self, process: Process, event: RecordedEvent, label: Label) -> None:
        self._tick(process)
        assert process.index is not None
        if event.clock is not None:
            event = event._replace(clock=HAD_CLOCK)  # large, and not needed any more
        numbers = (process.items, process.known, self._given)
        self._on_item(Item(process.index, *numbers, label, event))

    def _tick(self, process: Process) -> None:
        index = process.index
        assert index is not None
        known = known_items(process, self._watching)
        process.items += 1
        self._given += 1
        process.known = (*known[:index], process.items, *known[index + 1 :])
        numbers = process.item_numbers
        last = process.last
        numbers.append(last if last == int(last) else inf)
        if len(numbers) >= NUMBERS_KEPT:
            forget_settled(process, self._watching)
