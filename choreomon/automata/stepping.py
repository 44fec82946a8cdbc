"""Global traces through a deterministic automaton that is built on the way.

Each state is a list: at the number of a letter stands the state that it leads to. To read a trace
is `reduce(getitem, numbers, start)`: it takes no line of Python and no object for each action. The
target of a letter is computed when first needed, and kept for the next trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

_State = TypeVar("_State", bound=Hashable)

_Node: TypeAlias = list[Any]
"""The target node of each letter, None if not yet known; at the end, the state."""

MOST: Final = 20_000
"""The most states kept. Traces that need more are followed without keeping them."""


class Followed(NamedTuple, Generic[_State]):
    """The state behind a trace, None if it cannot be followed to its end; and how many of its
    actions can be followed."""

    state: _State | None
    actions: int


class Stepper(Generic[_State]):
    """Follows traces from a state. `after` gives the target of a letter, a number below `letters`,
    from a state: None for nowhere. It may raise, to stop; what is known stays right."""

    def __init__(
        self,
        letters: int,
        start: _State | None,
        after: Callable[[_State, int], _State | None],
        most: int = MOST,
    ) -> None:
        self._after = after
        self._letters = letters
        self._most = most
        self._nodes: dict[_State, _Node] = {}
        self._dead: _Node = [None] * (letters + 1)
        self._dead[:letters] = [self._dead] * letters
        self._start = self._dead if start is None else self._node(start)

    def __del__(self) -> None:
        # Nodes lead to each other, and to themselves; taken apart they need no garbage collector.
        for node in (self._dead, *self._nodes.values()):
            node.clear()

    def follow(self, trace: Sequence[int]) -> Followed[_State]:
        """Follow a trace of numbers; bytes are the quickest."""
        try:
            node = reduce(getitem, trace, self._start)
        except TypeError:  # what is not known yet cannot be indexed
            return self._learnt(trace)
        if node is None or node is self._dead:
            return self._learnt(trace)
        return Followed(node[-1], len(trace))

    def _learnt(self, trace: Sequence[int]) -> Followed[_State]:
        """Follow a trace action by action, adding all that is not yet known."""
        node = self._start
        for place, letter in enumerate(trace):
            following = node[letter]
            if following is None:
                state = self._after(node[-1], letter)
                following = self._dead if state is None else self._node(state)
                if state is None or state in self._nodes:
                    node[letter] = following
            if following is self._dead:
                return Followed(None, place)
            node = following
        return Followed(node[-1], len(trace))

    def _node(self, state: _State) -> _Node:
        """The node of a state; not kept if there are too many."""
        node = self._nodes.get(state)
        if node is None:
            node = [None] * self._letters
            node.append(state)
            if len(self._nodes) < self._most:
                self._nodes[state] = node
        return node
