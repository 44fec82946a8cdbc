"""Random partitions and multi-traces, for the laws."""

from __future__ import annotations

from hypothesis import strategies as st

from choreomon.core.action import Action
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet
from choreomon.multitrace.projection import Partition, partition, project_trace

LIFELINES = ("l1", "l2", "l3", "l4")
MESSAGES = ("m1", "m2")

ACTIONS: st.SearchStrategy[Action] = st.sampled_from(alphabet(LIFELINES, MESSAGES))


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """A partition of `LIFELINES`, its co-localizations in any order."""
    owners = [draw(st.integers(0, 3)) for _ in LIFELINES]
    blocks = [
        [name for name, owner in zip(LIFELINES, owners, strict=True) if owner == number]
        for number in draw(st.permutations(range(4)))
    ]
    return partition(block for block in blocks if block)


def traces(length: int = 6) -> st.SearchStrategy[tuple[Action, ...]]:
    """Global traces over `LIFELINES`."""
    return st.lists(ACTIONS, max_size=length).map(tuple)


@st.composite
def multi_traces(draw: st.DrawFn, length: int = 6) -> MultiTrace:
    """What the clocks of a random partition record of a random trace."""
    return project_trace(draw(traces(length)), draw(partitions()))
