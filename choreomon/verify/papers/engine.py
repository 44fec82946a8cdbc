"""The engine: one walk over a graph of vertices, whatever the rules.

A `Searcher` is for many multi-traces against one interaction. It keeps follow-ups, measures and
local views for the next one, within bounds. So memory grows with the vertices alone. `search` is
for one.

A search has up to two parts. The first walks over the graph of the mode. If it finds a WeakPass
that may be a Pass, the second walks over the graph of `accept`, since removal and simulation lose
whether the multi-trace was complete. Only the filters and `should_stop` of the options apply to the
second part.

Filters and `should_stop` may cut the walk. What was found stays found; what was not found is then
unknown, and the verdict is Inconc.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.session import require_current
from choreomon.interaction.term import Interaction
from choreomon.interaction.weakening import is_exact_by_removal
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.papers.graph import SearchResult, State
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.local import LocalAnalysis
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.options import LocalAnalyses, Method, Options
from choreomon.verify.papers.reduction import reducible
from choreomon.verify.papers.rules import Rules, rules_of
from choreomon.verify.papers.steps import FollowUps, Stepper
from choreomon.verify.papers.walk import Walk
from choreomon.verify.verdict import Mode, Verdict


class Searcher:
    """Searches in one mode against one interaction, under the same options.

    Raises ValueError where the options do not fit the mode, and for an interaction of another
    session.
    """

    def __init__(self, interaction: Interaction, mode: Mode, options: Options) -> None:
        require_current(interaction)
        if mode == "test" and options.filters != Filters():
            raise ValueError("test is defined by the ends of its whole graph; take the filters out")
        if mode == "test" and options.reduction == "paper":
            raise ValueError("test is defined by the ends of its whole graph; no reduction there")
        self.interaction = interaction
        self.mode = mode
        self.options = options
        self._checker: Searcher | None = None
        self._local_views = LazyAutomaton()
        self._local_views.checking(options.check_budget)
        self._measures = Measures(options.criteria)
        self._follow_ups = FollowUps(check_budget=options.check_budget)
        self._weak = reducible(interaction) if options.reduction == "sound" else None
        self._exact_by_removal = is_exact_by_removal(interaction)

    def search(self, multitrace: MultiTrace) -> SearchResult:
        """The verdict on a multi-trace.

        Lifelines of the interaction without a component count as observed and silent. Raises
        ValueError where `multiprefix` is to go by removal over co-localized lifelines.
        """
        return next(result for result in self.visits(multitrace) if result is not None)

    def visits(self, multitrace: MultiTrace) -> Iterator[SearchResult | None]:
        """Searches vertex by vertex: yields None after each visit, at the end the result."""
        multitrace = multi_trace(multitrace.components, names(self.interaction.lifelines))
        first, second = self.walk(multitrace), None
        for _ in first.visits():
            yield None
        if self._needs_check(first) and not first.weighs_ends:
            second = self.checker().walk(multitrace, first.visited)
            for _ in second.visits():
                yield None
        graph = first.graph(multitrace) if self.options.record else None
        yield self._result(first, second)._replace(graph=graph)

    def _needs_check(self, walk: Walk) -> bool:
        """Tell whether the multi-trace fits and the goal depends on whether it is accepted, too."""
        return walk.verdict is Verdict.WEAK_PASS and self.options.goal is not Verdict.WEAK_PASS

    def _result(self, first: Walk, second: Walk | None) -> SearchResult:
        verdict, path, reason = first.verdict, first.path, first.cut
        checked = 0
        if second is not None:
            checked, reason = second.visited, second.cut
            if second.verdict is Verdict.PASS:
                verdict, path, reason = Verdict.PASS, second.path, ""
        elif verdict.passes:
            # Where ends are weighed, the part that was cut off may have had an accepted one.
            reason = reason if first.weighs_ends and self._needs_check(first) else ""
        elif reason:
            verdict = Verdict.INCONC
        elif verdict is Verdict.INCONC:
            reason = "LackObs"
        return SearchResult(verdict, reason, first.visited, checked, path if verdict.passes else ())

    def method(self, multitrace: MultiTrace) -> Method:
        """The method of `multiprefix` once a component is consumed: `removal` or `search`."""
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

    def decided_by(self, multitrace: MultiTrace) -> Literal["removal", "search"]:
        """The procedure that answers. Raises as `method`."""
        by_removal = self.mode == "multiprefix" and self.method(multitrace) == "removal"
        return "removal" if by_removal else "search"

    def checker(self) -> Searcher:
        """The search that tells Pass from WeakPass. It has the fastest options, whatever the
        options of the first search: all give the same verdict."""
        if self._checker is None:
            options = replace(
                self.options,
                strategy="dfs",
                priorities=Priorities(),
                memoize=True,
                reduction="sound",
                local=LocalAnalyses(),
                record=False,
            )
            self._checker = Searcher(self.interaction, "accept", options)
        return self._checker

    def walk(self, multitrace: MultiTrace, visited_before: int = 0) -> Walk:
        """A walk over the graph of the mode, `visited_before` vertices after another walk."""
        options = self.options
        method: Method = self.method(multitrace) if self.mode == "multiprefix" else "search"
        rules = rules_of(self.mode, method, before=options.criteria.before)
        reduction, term = options.reduction, self.interaction
        if reduction == "sound":
            # With a weak term, lifeline removal is exact, too.
            if self._weak is not None and rules.reducible and multitrace.is_discrete:
                term = self._weak
            else:
                reduction = "none"
        positioned = self._is_positioned(rules)
        if not positioned:
            term = normal(term)
        stepper = Stepper(
            rules,
            multitrace,
            measures=self._measures,
            follow_ups=self._follow_ups,
            positioned=positioned,
            reduction=reduction,
            check_budget=options.check_budget,
        )
        measured = rules.simulation == "measured"
        measure = self._measures.initial(term, multitrace.length) if measured else None
        start = State(term, (0,) * len(stepper.traces), 0, measure)
        silent = sum(
            1 << number
            for number, own in enumerate(stepper.lifelines)
            if not own & self.interaction.lifelines
        )
        local = self._local_analysis(rules, stepper)
        return Walk(start, rules, stepper, local, silent, options, visited_before)

    def _local_analysis(self, rules: Rules, stepper: Stepper) -> LocalAnalysis | None:
        # Analyzing the only component alone would be the search itself.
        if self.options.local is None or rules.local is None or len(stepper.traces) == 1:
            return None
        return LocalAnalysis(
            self._local_views,
            stepper.lifelines,
            [[leaf.action for leaf in trace if leaf.action] for trace in stepper.traces],
            rules.local,
            before=rules.before,
            options=self.options.local,
        )

    def _is_positioned(self, rules: Rules) -> bool:
        """Tell whether the position of an action in a term matters."""
        options = self.options
        return (
            options.record
            or options.reduction == "paper"
            or options.priorities.loop != 0
            or options.filters.max_loop_depth is not None
            or rules.simulation == "measured"
        )


def search(
    interaction: Interaction, multitrace: MultiTrace, mode: Mode, options: Options | None = None
) -> SearchResult:
    """The verdict of one mode on one multi-trace.

    Raises ValueError where the options do not fit the mode, or the multi-trace the method.
    """
    return Searcher(interaction, mode, options or Options()).search(multitrace)
