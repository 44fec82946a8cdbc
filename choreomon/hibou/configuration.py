"""Configurations (`.hcf` files) of analyses, explorations and normal forms, as values.

The slices paper, sections 7.3 and 7.4, Fig. 17 and 18. The defaults here are those of HIBOU where
no configuration is given. In a section that is given, HIBOU's default strategy is BFS, and the
default of `@explore_option` has no filters; the reader says so where it fills them in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.verify.papers.heuristics import Filters, Priorities, Strategy
from choreomon.verify.papers.options import (
    LocalAnalyses,
    Method,
    Options,
    Reduction,
    SimulationCriteria,
)
from choreomon.verify.verdict import Mode, Verdict

_NO_PRIORITIES: Final = Priorities()
_NO_FILTERS: Final = Filters()
_ONE_LOOP: Final = Filters(max_loop_depth=1)


class GraphicLogger(NamedTuple):
    """Draw the graph that is visited.

    - `draw_sd`, `draw_tt`: with the interactions as sequence diagrams, as term trees;
    - `draw_sub_processes`: with local analyses; `draw_legend`: with a legend;
    - `folder`, `name`: of the file, empty for the default.
    """

    format: Literal["svg", "png"] = "svg"
    layout: Literal["vertical", "horizontal"] = "vertical"
    draw_sd: bool = True
    draw_tt: bool = False
    draw_sub_processes: bool = True
    draw_legend: bool = True
    folder: str = ""
    name: str = ""


Partition: TypeAlias = Literal["discrete", "trivial"] | tuple[tuple[str, ...], ...]
"""A partition: every lifeline alone, all together, or the named groups."""


class TraceGenerationLogger(NamedTuple):
    """Write the multi-traces of the paths that are visited.

    - `generation`: of those that are accepted, of all, or of those that end;
    - `folder`, `name_prefix`: of the files, empty for the default.
    """

    generation: Literal["exact", "prefix", "terminal"] = "exact"
    partition: Partition = "trivial"
    folder: str = ""
    name_prefix: str = ""


Logger: TypeAlias = GraphicLogger | TraceGenerationLogger


HIBOU_CRITERIA: Final = SimulationCriteria(before=False, reset=False, actions=None)
"""Criteria of `analysis_kind = simulate` where a file does not say otherwise."""

_DIRTY: Final = LocalAnalyses()


@dataclass(frozen=True, kw_only=True)
class AnalyzeOptions:
    """`@analyze_option`: what is asked, and those of the options of a search that files can say
    (`choreomon.verify.papers.options`), with HIBOU's defaults.

    - `mode`: `eliminate` (in older files `hide`) is `multiprefix`. The modes `test`,
      `multiprefix` and `slice` are beyond HIBOU.
    - `simulation` are the `criteria` of the mode `simulate`, `local_analysis` is `local`.
    - `reduction`: `sound` for `partial_order_reduction = true`. `paper` is beyond HIBOU's
      files, and is what HIBOU does: it sometimes fails what is right.
    """

    mode: Mode = "prefix"
    simulation: SimulationCriteria = HIBOU_CRITERIA
    goal: Verdict | None = Verdict.WEAK_PASS
    local_analysis: LocalAnalyses | None = _DIRTY
    reduction: Reduction = "none"
    strategy: Strategy = "dfs"
    filters: Filters = _NO_FILTERS
    priorities: Priorities = _NO_PRIORITIES
    memoize: bool = True
    loggers: tuple[Logger, ...] = ()

    def search(self, method: Method = "auto") -> Options:
        """The search that is asked for. Raises ValueError for a goal that is none."""
        return Options(
            strategy=self.strategy,
            priorities=self.priorities,
            filters=self.filters,
            goal=self.goal,
            memoize=self.memoize,
            reduction=self.reduction,
            local=self.local_analysis,
            method=method,
            criteria=self.simulation,
        )


@dataclass(frozen=True, kw_only=True)
class ExploreOptions:
    """`@explore_option`."""

    strategy: Strategy = "bfs"
    filters: Filters = _ONE_LOOP
    priorities: Priorities = _NO_PRIORITIES
    memoize: bool = False
    loggers: tuple[Logger, ...] = ()


RewritingPriorities: TypeAlias = tuple[tuple[str, int], ...]
"""Kinds of HIBOU's rewriting steps and their priorities, sorted by kind."""

REWRITINGS: Final = ("deduplicate", "defactorize", "factorize", "flush", "invert", "simpl")


@dataclass(frozen=True, kw_only=True)
class CanonizeOptions:
    """`@canonize_option`. HIBOU searches for a normal form by rewriting; choreomon computes one,
    so these options are kept, for who writes the file again, and mean nothing else."""

    search_all: bool = False
    strategy: Strategy = "bfs"
    filters: Filters = _NO_FILTERS
    priorities: RewritingPriorities = ()
    randomize: bool = False
    memoize: bool = True
    loggers: tuple[Logger, ...] = ()


class Configuration(NamedTuple):
    """The sections of a file; None where it has none of the kind."""

    analyze: AnalyzeOptions | None = None
    explore: ExploreOptions | None = None
    canonize: CanonizeOptions | None = None
