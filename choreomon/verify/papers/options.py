"""The options of a search: its order, its limits and its reductions.

The slices paper, section 7.4, and the removal paper, section 5. Every option is plain data except
`should_stop`, by which a caller with a clock or a count of memory ends a search. This is the one
place that says what options mean, and what they are by default: those of the command line and of
HIBOU's files are stated in these values (`choreomon.cli.command_line.analysis_options`,
`choreomon.hibou.configuration`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.automata.centralized import MAX_STATES
from choreomon.verify.papers.heuristics import Filters, Priorities, Strategy
from choreomon.verify.verdict import DEFAULT_MODE, Mode, Procedure, Verdict

Reduction: TypeAlias = Literal["none", "paper", "sound"]
"""`paper`: one-unambiguous actions (the removal paper, Definition 11), which sometimes rejects what
is right; `sound`: one component at a time, where nothing orders actions across lifelines."""

Method: TypeAlias = Literal["auto", "removal", "search"]
"""The way `multiprefix` goes on when a component is used up: `removal` of its lifeline (the removal
paper, Definition 10), `search`, which does its further actions unobserved, or `auto`, removal
wherever that is exact."""

METHODS: Final[tuple[Method, ...]] = ("auto", "removal", "search")

Reason: TypeAlias = Literal["FilteredNodes", "TimedOut", "OutOfMemory", "LackObs"]
"""The reason why nothing definite is known."""


class Stopped(Exception):
    """The caller of a search wants it to stop."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class LocalAnalyses(NamedTuple):
    """The components to analyze alone at every vertex (the removal paper, Definition 12).

    - `select`: all components, or only those that are `dirty`: what the last step left of the
      interaction on their lifelines is not what was there before it;
    - `depth`: how many actions of a component are examined, None for all that are left.
    """

    select: Literal["all", "dirty"] = "dirty"
    depth: int | None = None


class SimulationCriteria(NamedTuple):
    """Bounds of the mode `simulate` (the slices paper, sections 5.1 and 7.4).

    - `before`: whether actions may be missing before the first one of a component, too;
    - `multiply`: whether `loops` and `actions` are multiplied by the number of actions left to
      observe;
    - `reset`: whether they are computed anew after every observed action; else they are for the
      whole analysis;
    - `loops`: how many loops may be entered by unobserved actions in a row: `max_depth`, as many
      as are nested at most; `max_num`, as many as there are at all; a number; None: no limit;
    - `actions`: how many actions outside of loops may be done unobserved in a row: `max_num`, as
      many as there are; a number, which then counts unobserved actions within loops as well;
      None: no limit.
    """

    before: bool = True
    multiply: bool = False
    reset: bool = True
    loops: Literal["max_depth", "max_num"] | int | None = "max_depth"
    actions: Literal["max_num"] | int | None = "max_num"


_NO_PRIORITIES: Final = Priorities()
_NO_FILTERS: Final = Filters()
_DIRTY: Final = LocalAnalyses()
_PAPER: Final = SimulationCriteria()


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a search.

    - `goal`: what ends the search. `Verdict.PASS` looks for a WeakPass and, once there is one,
      whether it is a Pass; `Verdict.WEAK_PASS` is content with the former (and may call WeakPass
      what is accepted); `Verdict.INCONC` with one end that lacks observation, too; None visits the
      whole graph, whatever is found on the way.
    - `memoize`: vertices reached again are not visited again.
    - `should_stop`: called before every visit, and during it for every step computed; a reason that
      it returns ends the search.
    - `record`: the result has the graph that was visited, of terms exactly as steps leave them.
      Else equal normal forms are one vertex.
    - `criteria` are for the mode `simulate` only, `method` for `multiprefix` only.
    """

    strategy: Strategy = "dfs"
    priorities: Priorities = _NO_PRIORITIES
    filters: Filters = _NO_FILTERS
    goal: Verdict | None = Verdict.PASS
    memoize: bool = True
    reduction: Reduction = "sound"
    local: LocalAnalyses | None = _DIRTY
    method: Method = "auto"
    criteria: SimulationCriteria = _PAPER
    should_stop: Callable[[], Reason | None] | None = None
    record: bool = False

    def __post_init__(self) -> None:
        if self.goal not in (None, Verdict.PASS, Verdict.WEAK_PASS, Verdict.INCONC):
            raise ValueError(f"{self.goal.value} is no goal; choose Pass, WeakPass, Inconc or none")

    @property
    def check_budget(self) -> Callable[[], None] | None:
        """A check that raises `Stopped` if `should_stop` returns a reason; None without the
        latter."""
        should_stop = self.should_stop
        if should_stop is None:
            return None

        def check() -> None:
            reason = should_stop()
            if reason is not None:
                raise Stopped(reason)

        return check


@dataclass(frozen=True)
class Analysis:
    """A mode, and how multi-traces are decided in it.

    - `search`: the options of the papers' search; None for exact verdicts if the mode has them;
    - `portfolio`: two searches side by side, of which the first definite verdict counts;
    - `procedure`: a procedure on automata instead, with at most `max_states` states; None: the
      quickest.
    """

    mode: Mode = DEFAULT_MODE
    search: Options | None = None
    portfolio: bool = False
    procedure: Procedure | None = None
    max_states: int = MAX_STATES
