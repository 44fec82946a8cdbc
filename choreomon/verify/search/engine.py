"""The engine: one walk over a graph of vertices, whatever the rules.

A `Searcher` is for many multi-traces against one interaction: what is found out of terms and of
their local views is kept. `search` is for one.

A search has up to two parts. The first looks for what the mode asks for. If it finds a WeakPass
in a graph that cannot tell it from a Pass, the second looks in the graph of `accept`: removal and
simulation lose whether the multi-trace was complete. The second part goes its own way: of the
options, only filters and `should_stop` are for it too.

Filters and `should_stop` may cut the walk. What was found stays found; what was not found is then
not known, and the verdict Inconc.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from choreomon.interaction.lifelines import Mask, mask, names
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, act
from choreomon.interaction.weakening import is_exact_by_removal
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.heuristics import Agenda, Filters, Priorities, agenda_of
from choreomon.verify.search.graph import Edge as GraphEdge
from choreomon.verify.search.graph import End, Graph, PathStep, SearchResult, Vertex
from choreomon.verify.search.local import LocalAutomaton, Question
from choreomon.verify.search.measure import Measures
from choreomon.verify.search.options import LocalAnalyses, Options
from choreomon.verify.search.reduction import reducible
from choreomon.verify.search.rules import Rules, rules_of
from choreomon.verify.search.steps import State, Step, Stepper
from choreomon.verify.verdict import Mode, Verdict

_RANK: Final = {
    verdict: rank
    for rank, verdict in enumerate(
        (Verdict.FAIL, Verdict.WEAK_FAIL, Verdict.INCONC, Verdict.WEAK_PASS, Verdict.PASS)
    )
}


class _Reached(NamedTuple):
    """How a vertex was reached: the chain of steps back to the start, and its length."""

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
    """One walk over the graph of one set of rules. `visits` goes on vertex by vertex; the other
    fields say what was found so far."""

    def __init__(
        self,
        start: State,
        rules: Rules,
        stepper: Stepper,
        automata: dict[int, LocalAutomaton],
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
        self._fits: dict[tuple[int, Interaction, int], bool] = {}
        self._best_on_the_way: dict[State, list[tuple[int, int, int]]] = {}
        self._vertices: list[Vertex] = []
        self._edges: list[GraphEdge] = []
        self._cut_from: dict[int, None] = {}
        self.weighs_ends = rules.weighs_ends
        self.verdict = rules.not_found
        self.path: tuple[PathStep, ...] = ()
        self.visited = 0
        self.cut = ""

    def visits(self) -> Iterator[None]:
        """Visits vertices until the goal is reached or nothing is left; yields after each."""
        options = self._options
        agenda: Agenda[_Reached] = agenda_of(options.strategy)
        if self._stopped():
            return
        self._visit(self._start, None, agenda)
        yield
        while len(agenda) and not self._goal_is_reached():
            reached = agenda.take()
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
            if self._stopped():
                return
            self._record_edge(reached, self.visited)
            self._visit(state, reached, agenda)
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
        if not self._options.memoise:
            return None
        filters = self._options.filters
        on_paths = filters.max_depth is not None or filters.max_loop_depth is not None
        ways = self._best_on_the_way.get(state)
        if ways is None:
            return None
        for depth, loops, number in ways:
            if not on_paths or (depth <= reached.depth and loops <= reached.loops):
                return number
        return None

    def _visit(self, state: State, reached: _Reached | None, agenda: Agenda[_Reached]) -> None:
        number = self.visited
        self.visited += 1
        depth, loops = (0, 0) if reached is None else (reached.depth, reached.loops)
        if self._options.memoise:
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
            found = self._stepper.steps(state)
            if found:
                steps = tuple(
                    _Reached(number, step, reached, depth + 1, loops + step.entered)
                    for step in self._stepper.reduced(state, self._ordered(found, number))
                )
            else:
                end = self._stuck(state)
        agenda.add(steps, depth + 1)
        if end is not None:
            verdict = self._rules.verdicts.get(end, self._rules.not_found)
            if _RANK[verdict] > _RANK[self.verdict]:
                self.verdict = verdict
                self.path = _path(reached)
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
                GraphEdge(reached.source, target, step.rule, step.action, step.position, component)
            )

    def _ordered(self, found: Sequence[Step], vertex: int) -> Sequence[Step]:
        priorities = self._options.priorities
        if priorities == Priorities():
            return found
        return priorities.ordered(found, [self._priority(step) for step in found], vertex)

    def _priority(self, step: Step) -> int:
        if step.action is None:
            return self._options.priorities.elimination
        return self._options.priorities.of_action(
            step.action.kind, in_loop=step.entered > 0, simulated=step.rule == "simulate"
        )

    def _fails_alone(self, state: State, reached: _Reached | None) -> bool:
        """Whether a component alone shows that nothing explains the vertex."""
        local = self._options.local
        ask = self._rules.local
        if local is None or ask is None:
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
                fits = self._fits[key] = automaton.fits(view, word, at, stop, question)
            if not fits:
                return True
        return False


class Searcher:
    """Searches in one mode against one interaction, under the same options.

    Raises ValueError where the options do not fit the mode.
    """

    def __init__(self, interaction: Interaction, mode: Mode, options: Options) -> None:
        if mode == "test" and options.filters != Filters():
            raise ValueError("test is defined by the ends of its whole graph; take the filters out")
        if mode == "test" and options.reduction == "paper":
            raise ValueError("test is defined by the ends of its whole graph; no reduction there")
        self.interaction = interaction
        self.mode = mode
        self.options = options
        self._checker: Searcher | None = None
        self._automata: dict[Mask, LocalAutomaton] = {}
        self._measures = Measures(options.criteria)
        self._weak = reducible(interaction) if options.reduction == "sound" else None
        self._exact_by_removal = is_exact_by_removal(interaction)

    def search(self, multitrace: MultiTrace) -> SearchResult:
        """The verdict on a multi-trace.

        Lifelines of the interaction without a component count as observed and silent. Raises
        ValueError where `multiprefix` is to go by removal over co-localized lifelines.
        """
        running = self.start(multitrace)
        for _ in running.visits():
            pass
        return running.result()

    def start(self, multitrace: MultiTrace) -> Running:
        """A search that has not begun, to be run vertex by vertex."""
        return Running(self, multi_trace(multitrace.components, names(self.interaction.lifelines)))

    def method(self, multitrace: MultiTrace) -> str:
        """`removal` or `search`: how `multiprefix` goes on when a component is used up."""
        method = self.options.method
        if method == "removal" and not multitrace.is_discrete:
            raise ValueError(
                "lifeline removal needs a component for every lifeline (the discrete partition); "
                "use the method search for co-localized lifelines"
            )
        if method != "auto":
            return method
        exact = multitrace.is_discrete and self._exact_by_removal
        return "removal" if exact else "search"

    def checker(self) -> Searcher:
        """Who tells Pass from WeakPass. Any way of deciding `accept` will do, so it is the fastest
        one, whatever the options of the first part are."""
        if self._checker is None:
            options = replace(
                self.options,
                strategy="dfs",
                priorities=Priorities(),
                memoise=True,
                reduction="sound",
                local=LocalAnalyses(),
                record=False,
            )
            self._checker = Searcher(self.interaction, "accept", options)
        return self._checker

    def walk(self, multitrace: MultiTrace, visited_before: int = 0) -> Walk:
        """A walk over the graph of the mode, `visited_before` vertices after another walk."""
        options = self.options
        mode = self.mode
        method = self.method(multitrace) if mode == "multiprefix" else ""
        by_removal = method == "removal"
        rules = rules_of(
            mode, "removal" if by_removal else "search", before=options.criteria.before
        )
        term = self.interaction
        reduced = (
            self._weak is not None
            and rules.reducible
            and multitrace.is_discrete
            and (not by_removal or self._exact_by_removal)
        )
        if reduced:
            assert self._weak is not None
            term = self._weak
        positioned = (
            options.record
            or options.reduction == "paper"
            or options.priorities.loop != 0
            or options.filters.max_loop_depth is not None
            or rules.simulation == "measured"
        )
        if not positioned:
            term = normal(term)
        words = [list(map(act, part.actions)) for part in multitrace.components]
        lifelines = [mask(part.lifelines) for part in multitrace.components]
        owners = {
            name: number
            for number, part in enumerate(multitrace.components)
            for name in part.lifelines
        }
        stepper = Stepper(
            rules,
            words,
            lifelines,
            owners,
            measures=self._measures,
            positioned=positioned,
            one_component=reduced,
            one_action=options.reduction == "paper",
        )
        automata: dict[int, LocalAutomaton] = {}
        if options.local is not None and rules.local is not None:
            for number, own in enumerate(lifelines):
                automaton = self._automata.get(own)
                if automaton is None:
                    automaton = self._automata[own] = LocalAutomaton(own)
                automata[number] = automaton
        measure = (
            self._measures.initial(term, multitrace.length)
            if rules.simulation == "measured"
            else None
        )
        silent = frozenset(
            number for number, own in enumerate(lifelines) if not own & self.interaction.lifelines
        )
        start = State(term, (0,) * len(words), 0, measure)
        return Walk(start, rules, stepper, automata, words, silent, options, visited_before)


class Running:
    """A search under way."""

    def __init__(self, searcher: Searcher, multitrace: MultiTrace) -> None:
        self._searcher = searcher
        self._multitrace = multitrace
        self._first = searcher.walk(multitrace)
        self._second: Walk | None = None

    def visits(self) -> Iterator[None]:
        """Visits vertices until there is an answer; yields after each."""
        yield from self._first.visits()
        if self._needs_check():
            checker = self._searcher.checker()
            self._second = checker.walk(self._multitrace, self._first.visited)
            yield from self._second.visits()

    def _needs_check(self) -> bool:
        searcher = self._searcher
        return (
            self._first.verdict is Verdict.WEAK_PASS
            and searcher.options.goal is not Verdict.WEAK_PASS
            and not self._first.weighs_ends
        )

    def result(self) -> SearchResult:
        """What was found, once `visits` has ended."""
        first, second = self._first, self._second
        verdict, path, reason = first.verdict, first.path, first.cut
        if verdict.passes:
            reason = ""
        elif reason:
            verdict = Verdict.INCONC
        elif verdict is Verdict.INCONC:
            reason = "LackObs"
        if second is not None:
            if second.verdict is Verdict.PASS:
                verdict, path = Verdict.PASS, second.path
            else:
                reason = second.cut
        return SearchResult(
            verdict,
            reason,
            first.visited,
            0 if second is None else second.visited,
            path if verdict.passes else (),
            first.graph(self._multitrace) if self._searcher.options.record else None,
        )


def search(
    interaction: Interaction, multitrace: MultiTrace, mode: Mode, options: Options | None = None
) -> SearchResult:
    """The verdict of one mode on one multi-trace.

    Raises ValueError where the options do not fit the mode, or the multi-trace the method.
    """
    return Searcher(interaction, mode, options or Options()).search(multitrace)
