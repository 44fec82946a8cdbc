"""Branches: handlers that send only if a variable says so, and the handlers that change it.

The paper's language has conditions on boolean variables and assignments of constants, and leaves
open how many of either its generator writes. Here a branching handler has a variable of its own
process, which another handler of that process changes once and for all. The latter belongs to
another activity and runs soon before the branching handler first runs, or soon after it last runs,
so that the network decides which of the two is first; if every message takes its mean time, the
message is sent every time. If no other handler runs before or after it, nobody changes the
variable, and the message is always sent.

Integers, which conditions cannot test, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from simulator.generation.activities import Activity, Handler
from simulator.generation.draws import rounded_share, some


class Branch(NamedTuple):
    """A handler sends only while `variable` is `needed`.

    The variable is `initial` at first; `changed_by`, if any, gives it the opposite value.
    """

    handler: Handler
    variable: str
    needed: bool
    initial: bool
    changed_by: Handler | None


def drawn_branches(
    activities: Sequence[Activity],
    times: Mapping[Handler, Sequence[float]],
    share: float,
    random: Random,
) -> list[Branch]:
    """Draw branches for this share of all handlers that send, rounded to the nearest; `times` says
    when handlers run if every message takes its mean time."""
    sending = [handler for activity in activities for handler in activity.handlers[:-1]]
    started = {activity.handlers[0] for activity in activities}
    together: dict[Handler, set[Handler]] = {}
    by_process: dict[str, list[Handler]] = {}
    for activity in activities:
        for handler in activity.handlers:
            if handler not in together:
                by_process.setdefault(handler.process, []).append(handler)
            together.setdefault(handler, set()).update(activity.handlers)

    def branch(handler: Handler) -> Branch:
        first, last = min(times[handler]), max(times[handler])

        def distance(rival: Handler) -> float:
            changes = min(times[rival])
            return max(first - changes, changes - last)

        rivals = [
            rival
            for rival in by_process[handler.process]
            if rival not in together[handler] and distance(rival) > 0
        ]
        # If the environment starts both, the network does not decide which is first.
        changed_by = min(
            rivals,
            key=lambda rival: ({handler, rival} <= started, distance(rival), rival),
            default=None,
        )
        needed = random.random() < 0.5
        closes = changed_by is None or min(times[changed_by]) > last
        variable = f"{'open' if needed else 'shut'}_{handler.name}"
        return Branch(handler, variable, needed, needed == closes, changed_by)

    return [branch(h) for h in some(random, sending, rounded_share(share, len(sending)))]
