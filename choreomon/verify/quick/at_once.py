"""All that may remain, at once: the subset construction over situations, for one multi-trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from choreomon.multitrace.multitrace import Component
from choreomon.verify.quick.situations import Situation, all_closed
from choreomon.verify.quick.words import MOST_TERMS


def fits_at_once(
    start: Situation,
    components: Sequence[Component],
    begin: Sequence[int],
    large: int,
    visit: Callable[[], None],
) -> bool | None:
    """Whether the components may go on from `start`, where as many actions of each were consumed
    as `begin` says; None where more than `MOST_TERMS` situations are possible at once.

    The next action is one of the component that leaves the fewest situations; a component that
    leaves no more than there are, none of them larger than `large` on average, is taken before
    others are asked. `visit` is called for every action; it may raise, to stop.
    """
    left = [n for n, part in enumerate(components) if begin[n] < len(part.actions)]
    waiting = [components[n] for n in left]
    positions = [begin[n] for n in left]
    here: Sequence[Situation] = [start]
    while waiting:
        visit()
        least: tuple[int, int] | None = None
        chosen = 0
        steps: tuple[Situation, ...] = ()
        for number, (_, actions) in enumerate(waiting):
            action = actions[positions[number]]
            found = start.situations.distinct([step for one in here for step in one[action]])
            weight = len(found), sum(step.term.size for step in found)
            if least is None or weight < least:
                least, chosen, steps = weight, number, found
                if not found or (len(found) <= len(here) and weight[1] <= large * len(found)):
                    break
        positions[chosen] += 1
        lifelines, actions = waiting[chosen]
        if positions[chosen] == len(actions):
            steps = all_closed(steps, lifelines)
            del waiting[chosen], positions[chosen]
        elif chosen:
            waiting.insert(0, waiting.pop(chosen))
            positions.insert(0, positions.pop(chosen))
        if not steps:
            return False
        if len(steps) > MOST_TERMS:
            return None
        here = steps
    return True
