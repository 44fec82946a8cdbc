"""Walk over the graph of one set of rules: what is visited, in which order, and what is found.

Strategies, priorities and filters set order and limits (`choreomon.verify.papers.heuristics`), the
stepper gives the steps, and local analyses tell where it is useless to go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.graph import Edge, End, Graph, PathStep, State, Vertex
from choreomon.verify.papers.heuristics import Priorities, Worklist, worklist_of
from choreomon.verify.papers.local import LocalAnalysis
from choreomon.verify.papers.options import Options, Stopped
from choreomon.verify.papers.rules import Rules
from choreomon.verify.papers.steps import Step, Stepper
from choreomon.verify.verdict import Verdict

_RANK: Final = {
    verdict: rank
    for rank, verdict in enumerate(
        (Verdict.FAIL, Verdict.WEAK_FAIL, Verdict.INCONC, Verdict.WEAK_PASS, Verdict.PASS)
    )
}


class _Reached(NamedTuple):
    """The way to a vertex: the chain of steps back to the start, and its length."""

    source: int
    step: Step
    before: _Reached | None
    depth: int
    loops: int


def _path(reached: _Reached | None) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    while reached is not None:
        step = reached.step
        steps.append(PathStep(step.rule, step.action, step.position))
        reached = reached.before
    return tuple(reversed(steps))


class Walk:
    """A walk over the graph of one set of rules. `visits` goes on vertex by vertex; the other
    fields say what was found so far. `silent` are the components, as bits, of which the interaction
    has no action."""

    def __init__(
        self,
        start: State,
        rules: Rules,
        stepper: Stepper,
        local: LocalAnalysis | None,
        silent: int,
        options: Options,
        visited_before: int,
    ) -> None:
        self._start = start
        self._rules = rules
        self._stepper = stepper
        self._local = local
        self._silent = silent
        self._options = options
        self._visited_before = visited_before
        filters = options.filters
        self._on_paths = filters.max_depth is not None or filters.max_loop_depth is not None
        self._ways: dict[State, list[tuple[int, int, int]]] = {}
        """The ways to visited vertices: depths, loops and numbers."""
        self._worklist: Worklist[_Reached] = worklist_of(options.strategy)
        self._vertices: list[Vertex] = []
        self._edges: list[Edge] = []
        self._cut_from: set[int] = set()
        self.weighs_ends = rules.weighs_ends
        self.verdict = rules.not_found
        self.path: tuple[PathStep, ...] = ()
        self.visited = 0
        self.cut = ""

    def visits(self) -> Iterator[None]:
        """Visits vertices until the goal is reached, nothing is left, or the caller stops the
        search; yields after each. Nothing is known of a vertex at which it was stopped."""
        try:
            yield from self._visits()
        except Stopped as stopped:
            self.cut = stopped.reason

    def graph(self, multitrace: MultiTrace) -> Graph:
        """The graph as it was recorded."""
        return Graph(
            multitrace, tuple(self._vertices), tuple(self._edges), tuple(sorted(self._cut_from))
        )

    def _visits(self) -> Iterator[None]:
        check_budget = self._options.check_budget
        if check_budget is not None:
            check_budget()
        self._visit(self._start, None)
        yield
        while len(self._worklist) and not self._goal_is_reached():
            reached = self._worklist.take()
            if check_budget is not None:
                check_budget()
            state = reached.step.state
            target = self._known(state, reached)
            if target is None:
                if self._is_filtered(reached):
                    self.cut = "FilteredNodes"
                    self._cut_from.add(reached.source)
                    continue
                target = self.visited
                self._visit(state, reached)
                self._record_edge(reached, target)
                yield
            else:
                self._record_edge(reached, target)

    def _is_filtered(self, reached: _Reached) -> bool:
        cut = self._options.filters.cut(
            depth=reached.depth,
            loop_depth=reached.loops,
            nodes=self._visited_before + self.visited,
        )
        return cut is not None

    def _goal_is_reached(self) -> bool:
        goal = self._options.goal
        if goal is None:
            return False
        if goal is Verdict.PASS and not self.weighs_ends:
            goal = Verdict.WEAK_PASS  # which is checked in the graph of `accept`
        return _RANK[self.verdict] >= _RANK[goal]

    def _known(self, state: State, reached: _Reached) -> int | None:
        """The number of the vertex with this state, if to visit it again shows nothing new.

        With filters on paths, a shorter way to a vertex may show more.
        """
        for depth, loops, number in self._ways.get(state, ()):
            if not self._on_paths or (depth <= reached.depth and loops <= reached.loops):
                return number
        return None

    def _visit(self, state: State, reached: _Reached | None) -> None:
        number = self.visited
        depth, loops = (0, 0) if reached is None else (reached.depth, reached.loops)
        fails = False
        steps: Sequence[Step] = ()
        if self._stepper.left(state.positions):
            fails = self._fails_alone(state, reached)
            if not fails:
                found = self._ordered(self._stepper.steps(state), number)
                steps = self._stepper.reduced(state, found)
        self.visited += 1
        if self._options.memoize:
            self._ways.setdefault(state, []).append((depth, loops, number))
        self._worklist.add(
            [_Reached(number, step, reached, depth + 1, loops + step.entered) for step in steps],
            depth + 1,
        )
        end = None if steps else self._end(state, fails=fails)
        if end is not None:
            verdict = self._rules.verdicts.get(end, self._rules.not_found)
            if _RANK[verdict] > _RANK[self.verdict]:
                self.verdict = verdict
                self.path = _path(reached)
        if self._options.record:
            removed = tuple(n for n in range(len(state.positions)) if state.removed >> n & 1)
            self._vertices.append(
                Vertex(
                    number=number,
                    interaction=state.term,
                    positions=state.positions,
                    removed=removed,
                    measure=state.measure,
                    end=end,
                    by_local_analysis=fails,
                )
            )

    def _fails_alone(self, state: State, reached: _Reached | None) -> bool:
        """Tell whether a local analysis shows that nothing explains the vertex."""
        if self._local is None:
            return False
        if reached is None:
            return self._local.fails(state, None)
        before = reached.before
        return self._local.fails(state, self._start if before is None else before.step.state)

    def _end(self, state: State, *, fails: bool) -> End:
        """The end of the path, if there is no step from the vertex."""
        rules = self._rules
        if not self._stepper.left(state.positions):
            accepted = rules.knows_acceptance and not state.removed and state.term.terminates
            return "Cov" if accepted else rules.used_up
        if rules.stuck == "LackObs" and not fails:
            lacking = self._stepper.used_up(state.positions) & ~self._silent
            return "LackObs" if lacking else "Out"
        return rules.stuck

    def _record_edge(self, reached: _Reached, target: int) -> None:
        if self._options.record:
            step = reached.step
            component = None if step.action is None else step.component
            self._edges.append(
                Edge(reached.source, target, step.rule, step.action, step.position, component)
            )

    def _ordered(self, steps: Sequence[Step], vertex: int) -> Sequence[Step]:
        priorities = self._options.priorities
        if priorities == Priorities():
            return steps
        return priorities.ordered(steps, [self._priority(step) for step in steps], vertex)

    def _priority(self, step: Step) -> int:
        if step.action is None:
            return self._options.priorities.elimination
        return self._options.priorities.of_action(
            step.action.kind, in_loop=step.entered > 0, simulated=step.rule == "simulate"
        )
