"""Global traces through a deterministic automaton that is made meanwhile.

Each state is a list: by the number of a letter, the state that it leads to. To read a trace is
`reduce(getitem, numbers, start)`: not a line of Python for each action, nor an object. What a
letter leads to is found out when it is first met, and kept for the next trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

_State = TypeVar("_State", bound=Hashable)

_Node: TypeAlias = list[Any]
"""By letter the node that it leads to, None where that is not known; at last the state."""

MOST: Final = 20_000
"""States that are kept. Traces that need more are followed without."""


class Followed(NamedTuple, Generic[_State]):
    """The state behind a trace, None where it cannot be followed to its end; and how many of its
    actions can be followed."""

    state: _State | None
    actions: int


class Stepper(Generic[_State]):
    """Follows traces from a state. `after` says what a letter, a number below `letters`, leads to
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
        """Where a trace of numbers leads to; bytes are the quickest."""
        try:
            node = reduce(getitem, trace, self._start)
        except TypeError:  # what is not known yet cannot be indexed
            return self._learnt(trace)
        if node is None or node is self._dead:
            return self._learnt(trace)
        return Followed(node[-1], len(trace))

    def _learnt(self, trace: Sequence[int]) -> Followed[_State]:
        """The same, action by action, with all that is not known added."""
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
        """That of a state; one that is not kept where there are too many."""
        node = self._nodes.get(state)
        if node is None:
            node = [None] * self._letters
            node.append(state)
            if len(self._nodes) < self._most:
                self._nodes[state] = node
        return node
