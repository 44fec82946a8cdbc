"""Formations of the property in the real order of events, noted while they happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.properties.linear import FormationRules, FormationWatch
from choreomon.properties.slices import Happened
from simulator.sidecars.run_context import Watchers
from simulator.world import Watcher


def noting_labelled(
    watchers: Sequence[Watchers], happened: Callable[[], int]
) -> tuple[list[Watchers], list[Happened]]:
    """The watchers of each process, and the list of events to which they add: it is enough to tell
    afterwards where a property for each instance was formed."""
    told: list[Happened] = []

    def noting(watcher: Watcher) -> Watcher:
        def note(label: Label, clock: VectorClock, values: Binding) -> None:
            told.append(Happened(happened() - 1, label, values))
            watcher(label, clock, values)

        return note

    return [{label: noting(own) for label, own in each.items()} for each in watchers], told


def noting_formations(
    rules: FormationRules, watchers: Sequence[Watchers], happened: Callable[[], int]
) -> tuple[list[Watchers], list[tuple[int, int]]]:
    """The watchers of each process, and the indices of the events that formed the property, each
    with the place of the rule, to which these add.

    `happened` tells how many events have happened, the watched one included. Events that nobody
    watches can neither fire nor cancel anything, and cost nothing.
    """
    watch = FormationWatch(rules)
    formed: list[tuple[int, int]] = []

    def noting(watcher: Watcher) -> Watcher:
        def note(label: Label, clock: VectorClock, values: Binding) -> None:
            if places := watch.formed_at(label):
                formed.extend([(happened() - 1, place) for place in places])
            watcher(label, clock, values)

        return note

    noted = [{label: noting(told) for label, told in each.items()} for each in watchers]
    return [*noted], formed
