"""One walk over the graph of one set of rules: what is visited, in which order, and what is found.

Strategies, priorities and filters say in which order and how far
(`choreomon.verify.papers.heuristics`), the stepper which steps there are, local analyses from where
there is no use in going on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.graph import Edge, End, Graph, PathStep, Vertex
from choreomon.verify.papers.heuristics import Priorities, Worklist, worklist_of
from choreomon.verify.papers.local import KEPT, LocalAutomaton, Question
from choreomon.verify.papers.options import Options, Reason
from choreomon.verify.papers.rules import Rules
from choreomon.verify.papers.steps import AnyStep, DeferredStep, State, Stepper
from choreomon.verify.verdict import Verdict

_RANK: Final = {
    verdict: rank
    for rank, verdict in enumerate(
        (Verdict.FAIL, Verdict.WEAK_FAIL, Verdict.INCONC, Verdict.WEAK_PASS, Verdict.PASS)
    )
}


class _Reached(NamedTuple):
    """How a vertex was reached: the chain of steps back to the start, and its length."""

    source: int
    step: AnyStep
    before: _Reached | None
    depth: int
    loops: int


class _Stopped(Exception):
    """The search was asked to stop while it was at a vertex."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def _path(reached: _Reached | None, start: State) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    while reached is not None:
        step = reached.step
        source = start if reached.before is None else reached.before.step.state
        if step.rule == "execute" and step.state.removed != source.removed:
            steps.append(PathStep("remove", None, None))
        steps.append(PathStep(step.rule, step.action, step.position))
        reached = reached.before
    return tuple(reversed(steps))


class Walk:
    """One walk over the graph of one set of rules. `visits` goes on vertex by vertex; the other
    fields say what was found so far."""

    def __init__(
        self,
        start: State,
        rules: Rules,
        stepper: Stepper,
        automata: Sequence[LocalAutomaton],
        words: list[list[Interaction]],
        silent: frozenset[int],
        options: Options,
        visited_before: int,
    ) -> None:
        self._start = start
        self._rules = rules
        self._stepper = stepper
        self._automata = automata
        self._words = words
        self._silent = silent
        self._options = options
        self._visited_before = visited_before
        self._ask = None if options.should_stop is None else self._go_on
        self._fits: dict[tuple[int, Interaction, int], bool] = {}
        self._best_on_the_way: dict[State, list[tuple[int, int, int]]] = {}
        filters = options.filters
        self._on_paths = filters.max_depth is not None or filters.max_loop_depth is not None
        self._merges = options.memoize and not options.record and not self._on_paths
        self._waiting: set[State] | None = (
            set() if self._merges and options.strategy == "bfs" else None
        )
        """Breadth first, the vertices that were reached: those found first are visited first."""
        self._vertices: list[Vertex] = []
        self._edges: list[Edge] = []
        self._cut_from: dict[int, None] = {}
        self.weighs_ends = rules.weighs_ends
        self.verdict = rules.not_found
        self.path: tuple[PathStep, ...] = ()
        self.visited = 0
        self.cut = ""

    def visits(self) -> Iterator[None]:
        """Visits vertices until the goal is reached or nothing is left; yields after each."""
        options = self._options
        worklist: Worklist[_Reached] = worklist_of(options.strategy)
        if self._stopped() or not self._visited(self._start, None, worklist):
            return
        yield
        while len(worklist) and not self._goal_is_reached():
            reached = worklist.take()
            if self._stopped():
                return
            state = reached.step.state
            known = self._known(state, reached)
            if known is not None:
                self._record_edge(reached, known)
                continue
            cut = options.filters.cut(
                depth=reached.depth,
                loop_depth=reached.loops,
                nodes=self._visited_before + self.visited,
            )
            if cut is not None:
                self.cut = self.cut or "FilteredNodes"
                self._cut_from[reached.source] = None
                continue
            number = self.visited
            if not self._visited(state, reached, worklist):
                return
            self._record_edge(reached, number)
            yield

    def graph(self, multitrace: MultiTrace) -> Graph:
        """What was recorded."""
        return Graph(
            multitrace, tuple(self._vertices), tuple(self._edges), tuple(sorted(self._cut_from))
        )

    def _stopped(self) -> bool:
        reason = None if self._options.should_stop is None else self._options.should_stop()
        if reason is not None:
            self.cut = reason
        return reason is not None

    def _go_on(self) -> None:
        """Asked within a visit. Raises `_Stopped`."""
        assert self._options.should_stop is not None
        reason = self._options.should_stop()
        if reason is not None:
            raise _Stopped(reason)

    def _visited(
        self, state: State, reached: _Reached | None, worklist: Worklist[_Reached]
    ) -> bool:
        """Visits a vertex; False where the search was asked to stop before that was done, and
        nothing is known of the vertex then."""
        try:
            self._visit(state, reached, worklist)
        except _Stopped as stopped:
            self.cut = stopped.reason
            return False
        return True

    def _goal_is_reached(self) -> bool:
        goal = self._options.goal
        if goal is None or not self.verdict.passes:
            return False
        # A WeakPass is checked in the graph of `accept`, but where all ends of one graph count.
        return self.verdict is Verdict.PASS or not (self.weighs_ends and goal is Verdict.PASS)

    def _known(self, state: State, reached: _Reached) -> int | None:
        """The number of the vertex with this state, where visiting it again shows nothing new.

        With filters on paths, a shorter way to a vertex may show more.
        """
        if not self._options.memoize:
            return None
        ways = self._best_on_the_way.get(state)
        if ways is None:
            return None
        for depth, loops, number in ways:
            if not self._on_paths or (depth <= reached.depth and loops <= reached.loops):
                return number
        return None

    def _visit(self, state: State, reached: _Reached | None, worklist: Worklist[_Reached]) -> None:
        number = self.visited
        depth, loops = (0, 0) if reached is None else (reached.depth, reached.loops)
        if self._options.memoize:
            self._best_on_the_way.setdefault(state, []).append((depth, loops, number))
        end: End | None = None
        by_local_analysis = False
        steps: tuple[_Reached, ...] = ()
        if self._stepper.left(state.positions) == 0:
            end = self._rules.used_up
            if self._rules.knows_acceptance and not state.removed and state.term.terminates:
                end = "Cov"
        elif self._fails_alone(state, reached):
            end = self._rules.stuck
            by_local_analysis = True
        else:
            found = self._stepper.steps(state, self._ask)
            if found:
                found = self._stepper.reduced(state, self._ordered(found, number))
                if self._merges:
                    found = self._fresh(found)
                steps = tuple(
                    [
                        _Reached(number, step, reached, depth + 1, loops + step.entered)
                        for step in found
                    ]
                )
            else:
                end = self._stuck(state)
        self.visited += 1
        worklist.add(steps, depth + 1)
        if end is not None:
            verdict = self._rules.verdicts.get(end, self._rules.not_found)
            if _RANK[verdict] > _RANK[self.verdict]:
                self.verdict = verdict
                self.path = _path(reached, self._start)
        if self._options.record:
            removed = tuple(n for n in range(len(state.positions)) if state.removed >> n & 1)
            self._vertices.append(
                Vertex(
                    number,
                    state.term,
                    state.positions,
                    removed,
                    state.measure,
                    end,
                    by_local_analysis,
                )
            )

    def _fresh(self, found: Sequence[AnyStep]) -> Sequence[AnyStep]:
        """The steps that may lead to vertices not yet visited; breadth first, not yet reached. Of
        deferred steps that is asked when they are taken."""
        waiting = self._waiting
        known = self._best_on_the_way if waiting is None else waiting
        fresh = [
            step for step in found if isinstance(step, DeferredStep) or step.state not in known
        ]
        if waiting is not None:
            waiting.update([step.state for step in fresh if not isinstance(step, DeferredStep)])
        return fresh

    def _stuck(self, state: State) -> End:
        if self._rules.stuck != "LackObs":
            return self._rules.stuck
        for number, at in enumerate(state.positions):
            if at == len(self._words[number]) and number not in self._silent:
                return "LackObs"
        return "Out"

    def _record_edge(self, reached: _Reached, target: int) -> None:
        if self._options.record:
            step = reached.step
            component = None if step.action is None else step.component
            self._edges.append(
                Edge(reached.source, target, step.rule, step.action, step.position, component)
            )

    def _ordered(self, found: Sequence[AnyStep], vertex: int) -> Sequence[AnyStep]:
        priorities = self._options.priorities
        if priorities == Priorities():
            return found
        return priorities.ordered(found, [self._priority(step) for step in found], vertex)

    def _priority(self, step: AnyStep) -> int:
        if step.action is None:
            return self._options.priorities.elimination
        return self._options.priorities.of_action(
            step.action.kind, in_loop=step.entered > 0, simulated=step.rule == "simulate"
        )

    def _fails_alone(self, state: State, reached: _Reached | None) -> bool:
        """Whether a component alone shows that nothing explains the vertex."""
        local = self._options.local
        ask = self._rules.local
        if local is None or ask is None or len(self._words) == 1:
            # Analyzing the only component alone would be the search itself.
            return False
        earlier = None if reached is None else reached.before
        previous = (
            None
            if reached is None or local.select == "all"
            else (self._start if earlier is None else earlier.step.state)
        )
        for number, word in enumerate(self._words):
            at = state.positions[number]
            if state.removed >> number & 1 or (at == len(word) and ask != "exact"):
                continue
            automaton = self._automata[number]
            view = automaton.view(state.term)
            if (
                previous is not None
                and previous.positions[number] == at
                and automaton.view(previous.term) is view
            ):
                continue
            key = number, view, at
            fits = self._fits.get(key)
            if fits is None:
                stop = len(word) if local.depth is None else min(len(word), at + local.depth)
                question: Question = ask if stop == len(word) else "prefix"
                if at == 0 and self._rules.before:
                    question = "factor"
                if len(self._fits) >= KEPT:
                    self._fits.clear()
                fits = self._fits[key] = automaton.fits(view, word, at, stop, question, self._ask)
            if not fits:
                return True
        return False
