"""The engine: one walk over a graph of vertices, whatever the rules.

A `Searcher` is for many multi-traces against one interaction: what is found out of terms and of
their local views is kept, within bounds that are those of each search, too. So memory grows with
the vertices alone. `search` is for one.

A search has up to two parts. The first looks for what the mode asks for. If it finds a WeakPass
in a graph that cannot tell it from a Pass, the second looks in the graph of `accept`: removal and
simulation lose whether the multi-trace was complete. The second part goes its own way: of the
options, only filters and `should_stop` are for it too.

Filters and `should_stop` may cut the walk. What was found stays found; what was not found is then
not known, and the verdict Inconc.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from choreomon.interaction.lifelines import Mask, mask, names
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, act
from choreomon.interaction.weakening import is_exact_by_removal
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.papers.graph import SearchResult
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.local import LocalAutomaton
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.papers.reduction import reducible
from choreomon.verify.papers.rules import Rules, rules_of
from choreomon.verify.papers.steps import FollowUps, State, Stepper
from choreomon.verify.papers.walk import Walk
from choreomon.verify.verdict import Mode, Verdict


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
        self._follow_ups = FollowUps()
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
        positioned = self._is_positioned(rules)
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
            removes_at_once=options.filters == Filters(),
            follow_ups=self._follow_ups,
        )
        analyzed = options.local is not None and rules.local is not None
        automata = [self._automaton(own) for own in lifelines] if analyzed else []
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

    def _is_positioned(self, rules: Rules) -> bool:
        """Whether it matters where in a term an action is."""
        options = self.options
        return (
            options.record
            or options.reduction == "paper"
            or options.priorities.loop != 0
            or options.filters.max_loop_depth is not None
            or rules.simulation == "measured"
        )

    def _automaton(self, lifelines: Mask) -> LocalAutomaton:
        automaton = self._automata.get(lifelines)
        if automaton is None:
            automaton = self._automata[lifelines] = LocalAutomaton(lifelines)
        return automaton


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
        return self._may_be_accepted() and not self._first.weighs_ends

    def _may_be_accepted(self) -> bool:
        """Whether it is to be found out if what fits is accepted, too."""
        weak = self._first.verdict is Verdict.WEAK_PASS
        return weak and self._searcher.options.goal is not Verdict.WEAK_PASS

    def result(self) -> SearchResult:
        """What was found, once `visits` has ended."""
        first, second = self._first, self._second
        verdict, path, reason = first.verdict, first.path, first.cut
        if verdict.passes:
            # Of ends that are weighed, what was cut off may have been an accepted one.
            if not (self._may_be_accepted() and first.weighs_ends):
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
