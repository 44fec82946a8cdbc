"""The options that `choreomon verify` and `choreomon draw` share: what is asked of a multi-trace,
and how the answer is looked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click

from choreomon.cli.loggers import graphic_loggers, refuse, trace_loggers

if TYPE_CHECKING:
    from choreomon.formats.hibou import AnalyzeOptions
    from choreomon.formats.hibou.configuration import GraphicLogger, SimulationSettings
    from choreomon.verify.search.options import Options, SimulationCriteria
    from choreomon.verify.verdict import Mode

DEFAULT_MODE: Final = "multiprefix"
"""Logs that begin with the system and cease at any moment are those that most people have."""

NO_LIMIT: Final = 2**62
"""More unobserved loops or actions than any search does."""

StrategyName: TypeAlias = Literal["dfs", "bfs", "hcs", "portfolio"]

Command = TypeVar("Command", bound=Callable[..., Any])


def _look_ahead(value: str) -> str | int:
    """`none`, `all`, or a number of actions."""
    if value in ("none", "all"):
        return value
    depth = int(value) if value.isdecimal() else 0
    if depth < 1:
        raise click.BadParameter(f"{value!r} is neither none, all nor a number of at least 1")
    return depth


_OPTIONS: Final = (
    click.option(
        "--mode",
        type=click.Choice(["accept", "test", "prefix", "multiprefix", "simulate", "slice"]),
        default=None,
        help=f"What is asked; default: as the configuration says, else {DEFAULT_MODE}.",
    ),
    click.option(
        "--method",
        type=click.Choice(["auto", "removal", "search"]),
        default=None,
        help="Of multiprefix: by lifeline removal, by search, or by removal where that is exact.",
    ),
    click.option(
        "--config", "config", type=click.Path(), help="A .hcf file with an @analyze_option section."
    ),
    click.option(
        "--por/--no-por",
        default=None,
        help="With or without partial-order reduction that is sound.",
    ),
    click.option(
        "--paper-por",
        is_flag=True,
        help="Partial-order reduction as published, which may fail what is right.",
    ),
    click.option(
        "--local",
        type=_look_ahead,
        metavar="none|N|all",
        default=None,
        help="Local analyses: none, of N actions ahead, or of all that are left.",
    ),
    click.option(
        "--local-on",
        type=click.Choice(["changed", "all"]),
        default=None,
        help="Local analyses of changed components only, or of all.",
    ),
    click.option("--whole-graph", is_flag=True, help="Visit the whole graph, and count it."),
)


strategy_option: Final = click.option(
    "--strategy",
    type=click.Choice(["dfs", "bfs", "hcs", "portfolio"]),
    default=None,
    help="Search depth first, breadth first, for high coverage; or two searches side by side.",
)


def analysis_options(command: Command) -> Command:
    """Adds the options to a command, whose parameters `**choices` they become, and of which the
    command has one more: `strategy`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Analysis:
    """What is asked, and how. `search` is None where no option says how: then the quickest
    decider that is right answers. `graphics` are the loggers of the configuration, which draw what
    was searched; where there are some, there is a `search`, and no `portfolio`."""

    mode: Mode
    method: Literal["auto", "removal", "search"]
    search: Options | None
    portfolio: bool
    graphics: tuple[GraphicLogger, ...] = ()


def analysis_of(
    *,
    mode: Mode | None,
    method: Literal["auto", "removal", "search"] | None,
    config: str | None,
    por: bool | None,
    paper_por: bool,
    local: str | int | None,
    local_on: Literal["changed", "all"] | None,
    strategy: StrategyName | None,
    whole_graph: bool,
    plain: bool = False,
) -> Analysis:
    """What the options come to; those of the command line come before the configuration. `plain`
    says that it is a search in any case, and one without shortcuts that nobody asked for.

    Raises `UsageError` where they contradict each other, `DocumentError` for a configuration that
    cannot be used.
    """
    if por is not None and paper_por:
        raise click.UsageError("--por, --no-por and --paper-por are three reductions: choose one")
    if local == "none" and local_on is not None:
        raise click.UsageError("--local-on says of which components; --local none means of none")
    configured = None if config is None else _configured(config)
    asked: Mode = mode or (DEFAULT_MODE if configured is None else configured.mode)
    if method is not None and asked != "multiprefix":
        raise click.UsageError(f"--method is one of multiprefix, not of {asked}")
    given = (por, local, local_on, strategy, configured)
    searching = plain or whole_graph or paper_por or any(choice is not None for choice in given)
    search = None
    if searching:
        search = _base(configured, method or "auto", plain=plain)
        if paper_por:
            search = replace(search, reduction="paper")
        elif por is not None:
            search = replace(search, reduction="sound" if por else "none")
        if local is not None or local_on is not None:
            search = replace(search, local=_local(search, local, local_on))
        if strategy in ("dfs", "bfs", "hcs"):
            search = replace(search, strategy=strategy)
        if whole_graph:
            search = replace(search, goal=None)
    if strategy == "portfolio" and (local is not None or local_on is not None):
        raise click.UsageError(
            "--strategy portfolio searches with local analyses and without: leave --local out"
        )
    graphics = () if configured is None else graphic_loggers(configured.loggers)
    if graphics and strategy == "portfolio":
        raise click.UsageError("--strategy portfolio is two searches: choose one to draw")
    return Analysis(asked, method or "auto", search, strategy == "portfolio", graphics)


def _local(search: Options, local: str | int | None, on: str | None) -> Any:
    from choreomon.verify.search.options import LocalAnalyses

    if local == "none":
        return None
    made = search.local or LocalAnalyses()
    if local is not None:
        made = made._replace(depth=local if isinstance(local, int) else None)
    if on is not None:
        made = made._replace(select="all" if on == "all" else "dirty")
    return made


def _configured(path: str) -> AnalyzeOptions:
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.formats.hibou import load_configuration

    analyze = load_configuration(path).analyze
    if analyze is None:
        raise DocumentError((Problem(path, 0, "", "has no section @analyze_option{..}"),))
    if trace_loggers(analyze.loggers):
        refuse(path, "the logger tracegen is one of explore: no analysis makes multi-traces")
    return analyze


def _base(
    configured: AnalyzeOptions | None,
    method: Literal["auto", "removal", "search"],
    *,
    plain: bool,
) -> Options:
    """The options that a configuration states, or the defaults."""
    from choreomon.verify.search.options import LocalAnalyses, Options

    if configured is None:
        plainly = {"reduction": "none", "local": None} if plain else {}
        return Options(method=method, **plainly)  # type: ignore[arg-type]
    local = configured.local_analysis
    return Options(
        strategy=configured.strategy,
        priorities=configured.priorities,
        filters=configured.filters,
        goal=configured.goal,
        memoize=configured.memoize,
        reduction=configured.reduction,
        local=None if local is None else LocalAnalyses(local.depth, local.select),
        method=method,
        criteria=_criteria(configured.simulation),
    )


def _criteria(settings: SimulationSettings) -> SimulationCriteria:
    from choreomon.verify.search.options import SimulationCriteria

    loops: Literal["depth", "number"] | int
    match settings.loops:
        case None:
            loops = NO_LIMIT
        case "max_depth":
            loops = "depth"
        case "max_num":
            loops = "number"
        case count:
            loops = count
    actions: Literal["outside"] | int
    match settings.actions:
        case None:
            actions = NO_LIMIT
        case "max_num":
            actions = "outside"
        case count:
            actions = count
    return SimulationCriteria(
        loops=loops,
        actions=actions,
        before=settings.before,
        multiply=settings.multiply,
        reset=settings.reset,
    )
