"""Multi-traces: one local trace for each group of lifelines that share a clock.

The slices paper, Definition 1. A *co-localization* is a set of lifelines with a common clock; the
co-localizations of a multi-trace are a partition of its lifelines. The *discrete* partition
(one lifeline each) gives the multi-traces of the removal and small-step papers, the *trivial* one
(all lifelines together) gives global traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from choreomon.core.action import Action


class Component(NamedTuple):
    """The record of one clock: `actions` in the order in which they happened, all of them on
    `lifelines` (sorted by name, not empty).

    `actions` is a tuple, or for logs of millions a sequence that stores them more tightly.
    """

    lifelines: tuple[str, ...]
    actions: Sequence[Action]


class MultiTrace(NamedTuple):
    """Components over pairwise disjoint sets of lifelines, in the order of their document."""

    components: tuple[Component, ...]

    @property
    def lifelines(self) -> tuple[str, ...]:
        """Return every lifeline that a component is about, sorted by name."""
        return tuple(sorted(name for part in self.components for name in part.lifelines))

    @property
    def length(self) -> int:
        """The number of actions in all components together."""
        return sum(len(part.actions) for part in self.components)

    @property
    def is_discrete(self) -> bool:
        """True if no two lifelines share a clock."""
        return all(len(part.lifelines) == 1 for part in self.components)

    def __str__(self) -> str:
        parts = (
            f"[{','.join(part.lifelines)}] {'.'.join(map(str, part.actions))}".rstrip()
            for part in self.components
        )
        return "{" + "; ".join(parts) + "}"


def component(lifelines: Iterable[str], actions: Sequence[Action] = ()) -> Component:
    """A component, checked.

    Raises ValueError where there is no lifeline, or where an action is on none of them.
    """
    own = tuple(sorted(set(lifelines)))
    if not own:
        raise ValueError("a component needs at least one lifeline")
    known = set(own)
    for number, action in enumerate(actions):
        if action.lifeline not in known:
            raise ValueError(
                f"action {number + 1}, {action}, is on {action.lifeline}, which is not in "
                f"[{','.join(own)}]; move it to the component of {action.lifeline}"
            )
    return Component(own, tuple(actions) if isinstance(actions, list) else actions)


def multi_trace(components: Iterable[Component], lifelines: Iterable[str] = ()) -> MultiTrace:
    """A multi-trace, checked; every one of `lifelines` that no component is about gets an empty
    component of its own.

    Raises ValueError where two components share a lifeline.
    """
    parts = tuple(components)
    owner: dict[str, Component] = {}
    for part in parts:
        for name in part.lifelines:
            if name in owner:
                raise ValueError(f"{name} is in two components; a lifeline has one clock")
            owner[name] = part
    missing = tuple(Component((name,), ()) for name in sorted(set(lifelines) - owner.keys()))
    return MultiTrace(parts + missing)
