"""Forward transitions: Definition 4, by simple paths.

A pair of states is forward when an edge between them lies on a simple path from an
initial to a final state. Deciding that for one edge `(u, v)` means finding two paths,
from an initial state to `u` and from `v` to a final state, that share no state. Between
different strongly connected components reachability decides; inside of one the paths are
searched, with a stated bound on the steps, because the problem is NP-hard in general.
`simple_path_pairs` is the definition to the letter, for tests and tiny automata.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from choreomon.core.errors import BudgetExceeded

Pair: TypeAlias = tuple[str, str]

MAX_STEPS: Final = 20_000
"""Steps of the search for simple paths, over all edges of one automaton."""


class SearchExhausted(BudgetExceeded):
    """The automaton is too entangled to be classified within `MAX_STEPS`."""


def forward_pairs(
    initial: Collection[str], final: Collection[str], pairs: Sequence[Pair]
) -> frozenset[Pair]:
    """The pairs of different states on a simple path from `initial` to `final`.

    Raises `SearchExhausted` after `MAX_STEPS` steps of search.
    """
    edges = [(u, v) for u, v in pairs if u != v]
    after = _successors(edges)
    before = _successors([(v, u) for u, v in edges])
    states = {state for edge in edges for state in edge} | set(initial) | set(final)
    useful = reachable(initial, after) & reachable(final, before)
    down = {state: reachable([state], after) for state in states}
    forward: set[Pair] = set()
    steps = [MAX_STEPS]
    for u, v in edges:
        if (u, v) in forward or u not in useful or v not in useful:
            continue
        if u not in down[v]:
            forward.add((u, v))
            continue
        path = _path_through(u, v, initial, final, after, steps)
        if path is not None:
            forward.update(pairwise(path))
    return frozenset(forward)


def simple_path_pairs(
    initial: Collection[str], final: Collection[str], pairs: Sequence[Pair]
) -> frozenset[Pair]:
    """Find the pairs by enumerating every simple path. Exponential."""
    after = _successors([(u, v) for u, v in pairs if u != v])
    found: set[Pair] = set()

    def extend(path: list[str]) -> None:
        if path[-1] in final:
            found.update(pairwise(path))
        for state in after.get(path[-1], ()):
            if state not in path:
                extend([*path, state])

    for state in initial:
        extend([state])
    return frozenset(found)


def reflexive_reach(states: Iterable[str], pairs: Collection[Pair]) -> dict[str, frozenset[str]]:
    """Map every state to those that `->*` leads to over `pairs`, itself included."""
    after = _successors(pairs)
    return {state: frozenset(reachable([state], after)) for state in states}


def _successors(pairs: Iterable[Pair]) -> dict[str, tuple[str, ...]]:
    after: dict[str, dict[str, None]] = {}
    for u, v in pairs:
        after.setdefault(u, {})[v] = None
    return {u: tuple(targets) for u, targets in after.items()}


def reachable(
    sources: Iterable[str],
    after: Mapping[str, Iterable[str]],
    avoiding: Collection[str] = (),
) -> set[str]:
    todo = [state for state in sources if state not in avoiding]
    seen = set(todo)
    while todo:
        for state in after.get(todo.pop(), ()):
            if state not in seen and state not in avoiding:
                seen.add(state)
                todo.append(state)
    return seen


def _path_through(
    u: str,
    v: str,
    initial: Collection[str],
    final: Collection[str],
    after: Mapping[str, tuple[str, ...]],
    steps: list[int],
) -> list[str] | None:
    """A simple path from `initial` over the edge (u, v) to `final`, or `None`."""
    goal = set(final)
    for start in initial:
        if start == v:
            continue
        path = [start]
        visited = {start}
        # Depth-first over simple paths; `choices[i]` are the ways on from `path[i]`.
        choices = [_ways_on(start, u, v, goal, after, visited, steps)]
        while choices:
            if path[-1] == u:
                tail = _shortest(v, goal, after, visited)
                if tail is not None:
                    return [*path, *tail]
            step = None if path[-1] == u else next(choices[-1], None)
            if step is None:
                choices.pop()
                visited.discard(path.pop())
                continue
            path.append(step)
            visited.add(step)
            choices.append(_ways_on(step, u, v, goal, after, visited, steps))
    return None


def _ways_on(
    here: str,
    u: str,
    v: str,
    goal: set[str],
    after: Mapping[str, tuple[str, ...]],
    visited: set[str],
    steps: list[int],
) -> Iterator[str]:
    """The next states from which `u` can still be reached while `v` still reaches the
    goal, given what is visited."""
    for state in after.get(here, ()):
        if state in visited or state == v:
            continue
        steps[0] -= 1
        if steps[0] < 0:
            raise SearchExhausted(
                f"its states are too entangled: {MAX_STEPS} steps did not tell which "
                "transitions are forward; split it into several sequences"
            )
        blocked = visited | {v}
        if u not in reachable([state], after, blocked):
            continue
        if not goal & reachable([v], after, visited | {state}):
            continue
        yield state


def _shortest(
    start: str, goal: set[str], after: Mapping[str, tuple[str, ...]], blocked: set[str]
) -> list[str] | None:
    came_from: dict[str, str | None] = {start: None}
    todo = [start]
    for state in todo:
        if state in goal:
            path = [state]
            while (previous := came_from[path[-1]]) is not None:
                path.append(previous)
            return path[::-1]
        for following in after.get(state, ()):
            if following not in came_from and following not in blocked:
                came_from[following] = state
                todo.append(following)
    return None
