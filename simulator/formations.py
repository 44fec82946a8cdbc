"""Where the property is formed in the real order of events, noted while they happen."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.properties.linear import FormationRules, FormationWatch
from simulator.monitoring import Watcher, Watchers


def noting_formations(
    rules: FormationRules,
    processes: Sequence[str],
    watchers: Sequence[Watchers],
    happened: Callable[[], int],
) -> tuple[list[Watchers], array[int]]:
    """The watchers of each process, by its index, with all labels of the automaton watched, and
    the indices of the events that formed the property, to which these add.

    `happened` tells how many events have happened, the watched one included. Other events cost
    nothing.
    """
    watch = FormationWatch(rules)
    formed = array("q")

    def noting(watcher: Watcher | None) -> Watcher:
        def note(label: Label, clock: VectorClock) -> None:
            if watch.formed_at(label):
                formed.append(happened() - 1)
            if watcher is not None:
                watcher(label, clock)

        return note

    every = [dict(each) for each in watchers]
    for label in rules.reactions:
        own = every[processes.index(label.process)]
        own[label] = noting(own.get(label))
    return [*every], formed
