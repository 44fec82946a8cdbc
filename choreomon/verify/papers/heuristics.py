"""Heuristics: the order in which a graph of interactions is visited, and its limits (the slices
paper, section 7.3).

*Strategies* say which of the steps found so far is taken next, *priorities* in which order the
steps of one vertex are, *filters* which steps are not taken at all. None of them changes what the
steps are: a search that no filter cut gives the same verdict under all of them.

Everything is deterministic: `random_seed` shuffles by a digest of the seed and of the number of the
vertex, so that one seed gives one order, in every process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from choreomon.core.action import EMISSION, ActionKind

Strategy: TypeAlias = Literal["dfs", "bfs", "hcs"]
"""Depth first, breadth first, or high coverage: `dfs` down one path to its end, then on from the
step nearest to the start that was left, so that few paths share long prefixes."""

STRATEGIES: Final[tuple[Strategy, ...]] = ("dfs", "bfs", "hcs")

Item = TypeVar("Item")


class Worklist(Generic[Item]):
    """The steps that were found and not yet taken, for `dfs`.

    A search calls `add` once for every vertex that it visits, even without any steps: this is how
    `HighCoverage` learns where a path ends.
    """

    def __init__(self) -> None:
        self._items: deque[Item] = deque()

    def add(self, items: Iterable[Item], depth: int) -> None:
        """Add the steps of a vertex that is `depth` steps from the start, in the order in which to
        take them."""
        self._items.extend(reversed(tuple(items)))

    def take(self) -> Item:
        """Removes and returns the next step. Raises IndexError where there is none."""
        return self._items.pop()

    def __len__(self) -> int:
        """The number of steps that are left."""
        return len(self._items)


class BreadthFirst(Worklist[Item]):
    """The worklist of `bfs`."""

    def add(self, items: Iterable[Item], depth: int) -> None:
        self._items.extend(items)

    def take(self) -> Item:
        return self._items.popleft()


class HighCoverage(Worklist[Item]):
    """The worklist of `hcs`.

    The slices paper says no more than that it "favors paths sharing fewer common prefixes". Here:
    the first step from the vertex visited last, if it has any; else, of the steps that were left,
    one nearest to the start, the one found first among equals.
    """

    def __init__(self) -> None:
        self._path: tuple[int, Item] | None = None
        self._left: list[tuple[int, int, Item]] = []
        self._found = 0

    def add(self, items: Iterable[Item], depth: int) -> None:
        steps = [(depth, item) for item in items]
        # A path that is still there was not followed: its step did not lead to a visit.
        left = [*([] if self._path is None else [self._path]), *steps[1:]]
        self._path = steps[0] if steps else None
        for at, item in left:
            # `_found` is different for all, so items are never compared.
            heappush(self._left, (at, self._found, item))
            self._found += 1

    def take(self) -> Item:
        if self._path is not None:
            (_, item), self._path = self._path, None
            return item
        return heappop(self._left)[2]

    def __len__(self) -> int:
        return len(self._left) + (self._path is not None)


def worklist_of(strategy: Strategy) -> Worklist[Item]:
    """An empty worklist."""
    if strategy == "dfs":
        return Worklist()
    return BreadthFirst() if strategy == "bfs" else HighCoverage()


class Priorities(NamedTuple):
    """Priorities among the steps of one vertex: the step with the highest sum comes first; among
    equals, the one whose position is leftmost in the term.

    - `emission`, `reception`: what the action adds;
    - `loop`: what it adds to be within a loop;
    - `simulation`: what it adds not to be observed;
    - `elimination`: the whole priority of lifeline removal;
    - `random_seed`: where it is a number, equals are shuffled.
    """

    emission: int = 0
    reception: int = 0
    loop: int = 0
    elimination: int = 0
    simulation: int = 0
    random_seed: int | None = None

    def of_action(self, kind: ActionKind, *, in_loop: bool = False, simulated: bool = False) -> int:
        """The priority of executing an action."""
        own = self.emission if kind == EMISSION else self.reception
        return own + (self.loop if in_loop else 0) + (self.simulation if simulated else 0)

    def ordered(
        self, steps: Sequence[Item], priorities: Sequence[int], vertex: int
    ) -> tuple[Item, ...]:
        """The steps of a vertex in the order in which they are to be taken.

        `priorities` has one number for each of `steps`; `vertex` is any number that tells the
        vertices of a search apart, so that random orders differ between them.
        """
        seed = self.random_seed
        order = sorted(
            range(len(steps)),
            key=lambda n: (-priorities[n], b"" if seed is None else _lot(seed, vertex, n)),
        )
        return tuple(steps[number] for number in order)


def _lot(*numbers: int) -> bytes:
    """Draw a number for `numbers`, the same in every process."""
    return blake2b(" ".join(map(str, numbers)).encode(), digest_size=8).digest()


Cut: TypeAlias = Literal["max_depth", "max_loop_depth", "max_node_number"]
"""The filter that cut a step off."""


class Filters(NamedTuple):
    """Limits of what is visited; None sets no limit.

    - `max_depth`: how many steps a path may have;
    - `max_loop_depth`: how many loops may be entered on a path, where an action within n nested
      loops enters n (the slices paper, Definition 12 and Fig. 19);
    - `max_node_number`: how many vertices may be visited in all, the first one included.
    """

    max_depth: int | None = None
    max_loop_depth: int | None = None
    max_node_number: int | None = None

    def cut(self, *, depth: int, loop_depth: int, nodes: int) -> Cut | None:
        """The filter that forbids to visit a vertex, if any does. The vertex is `depth` steps away
        from the start, `loop_depth` loops are entered on the way, and `nodes` vertices were visited
        before."""
        if self.max_depth is not None and depth > self.max_depth:
            return "max_depth"
        if self.max_loop_depth is not None and loop_depth > self.max_loop_depth:
            return "max_loop_depth"
        if self.max_node_number is not None and nodes >= self.max_node_number:
            return "max_node_number"
        return None
