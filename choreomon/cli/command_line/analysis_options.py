"""The options that `choreomon verify` and `choreomon draw` share: what is asked of a multi-trace,
and how the answer is looked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click

from choreomon.automata.centralized import MAX_STATES
from choreomon.cli.command_line.options import added
from choreomon.verify.papers.heuristics import STRATEGIES, Strategy
from choreomon.verify.papers.options import METHODS, Analysis, LocalAnalyses, Method, Options
from choreomon.verify.verdict import DEFAULT_MODE, MODES, PROCEDURES, Mode, Procedure

if TYPE_CHECKING:
    from choreomon.hibou.configuration import AnalyzeOptions, GraphicLogger

PORTFOLIO: Final = "portfolio"

LIMITED: Final = ("centralized", "semi-centralized")
"""The procedures with a limit on states."""

StrategyName: TypeAlias = Strategy | Literal["portfolio"]

Command = TypeVar("Command", bound=Callable[..., Any])


def _look_ahead(value: str) -> str | int:
    """Parse `none`, `all`, or a number of actions."""
    if value in ("none", "all"):
        return value
    depth = int(value) if value.isdecimal() else 0
    if depth < 1:
        raise click.BadParameter(f"{value!r} is neither none, all nor a number of at least 1")
    return depth


_OPTIONS: Final = (
    click.option(
        "--mode",
        type=click.Choice(MODES),
        default=None,
        help=f"What is asked; default: as the configuration says, else {DEFAULT_MODE}.",
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


method_option: Final = click.option(
    "--method",
    type=click.Choice(METHODS),
    default=None,
    help="Of multiprefix: by lifeline removal, by search, or by removal where that is exact.",
)

any_method_option: Final = click.option(
    "--method",
    type=click.Choice([*METHODS, *PROCEDURES]),
    default=None,
    help="What is quickest (auto); of multiprefix: by lifeline removal, or by the search without "
    "it; of accept, multiprefix and slice: a procedure about automata.",
)


strategy_option: Final = click.option(
    "--strategy",
    type=click.Choice([*STRATEGIES, PORTFOLIO]),
    default=None,
    help="Search depth first, breadth first, for high coverage; or two searches side by side.",
)


def analysis_options(command: Command) -> Command:
    """Adds the options to a command, whose parameters `**choices` they become, and of which the
    command has two more: `method` and `strategy`."""
    return added(*_OPTIONS)(command)


def analysis_of(
    *,
    mode: Mode | None,
    method: Method | Procedure | None,
    config: str | None,
    por: bool | None,
    paper_por: bool,
    local: str | int | None,
    local_on: Literal["changed", "all"] | None,
    strategy: StrategyName | None,
    whole_graph: bool,
    plain: bool = False,
    max_states: int | None = None,
) -> tuple[Analysis, tuple[GraphicLogger, ...]]:
    """The analysis that the options ask for, and the loggers of the configuration that draw it; if
    there are any, there is a `search`, and no `portfolio`. The command line comes before the
    configuration. `plain` asks for a search without shortcuts, `max_states` is for the procedures.

    Raises `UsageError` where they contradict each other, `DocumentError` for a configuration that
    cannot be used.
    """
    if por is not None and paper_por:
        raise click.UsageError("--por, --no-por and --paper-por are three reductions: choose one")
    if local == "none" and local_on is not None:
        raise click.UsageError("--local-on says of which components; --local none means of none")
    given = (por, local, local_on, strategy, config)
    searching = whole_graph or paper_por or any(choice is not None for choice in given)
    if max_states is not None and method not in LIMITED:
        told = f"--max-states is for --method {' and '.join(LIMITED)}: they alone build so many"
        raise click.UsageError(told)
    for procedure in PROCEDURES:
        if method == procedure:
            return _by_procedure(procedure, mode, max_states, searching=searching), ()
    configured = None if config is None else _configured(config)
    asked: Mode = mode or (DEFAULT_MODE if configured is None else configured.mode)
    if method in ("removal", "search") and asked != "multiprefix":
        told = f"--method {method} is for --mode multiprefix only; here it is {asked}"
        raise click.UsageError(told)
    search = None
    assert method is None or method in METHODS
    if plain or searching:
        changes = _reduction(por, paper_por=paper_por)
        if strategy is not None and strategy != PORTFOLIO:
            changes["strategy"] = strategy
        if whole_graph:
            changes["goal"] = None
        search = replace(_base(config, configured, method or "auto", plain=plain), **changes)
        search = replace(search, local=_local(search.local, local, local_on))
    elif method is not None and method != "auto":
        search = Options(method=method)
    graphics = () if configured is None else _graphics(configured)
    portfolio = strategy == PORTFOLIO
    if portfolio and (local is not None or local_on is not None):
        raise click.UsageError(
            "--strategy portfolio searches with local analyses and without: leave --local out"
        )
    if portfolio and graphics:
        raise click.UsageError("--strategy portfolio is two searches: choose one to draw")
    return Analysis(asked, search, portfolio), graphics


def _by_procedure(
    procedure: Procedure, mode: Mode | None, max_states: int | None, *, searching: bool
) -> Analysis:
    if searching:
        raise click.UsageError(
            f"--method {procedure} decides by an automaton and does not search: leave it "
            "out, or the options about the search"
        )
    limit = MAX_STATES if max_states is None else max_states
    return Analysis(automaton_mode_of(mode), None, False, procedure, limit)


def automaton_mode_of(mode: Mode | None) -> Mode:
    """The mode that is asked for. Raises `BadParameter` for one that automata do not answer."""
    from choreomon.verify.automaton_verifier import automaton_mode

    try:
        return automaton_mode(mode or DEFAULT_MODE)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--mode") from None


def _reduction(por: bool | None, *, paper_por: bool) -> dict[str, Any]:
    """The field `reduction` of `Options`, if one is asked for."""
    if paper_por:
        return {"reduction": "paper"}
    return {} if por is None else {"reduction": "sound" if por else "none"}


def _local(
    base: LocalAnalyses | None, depth: str | int | None, on: str | None
) -> LocalAnalyses | None:
    """The local analyses, changed as the options say."""
    if depth is None and on is None:
        return base
    if depth == "none":
        return None
    made = base or LocalAnalyses()
    if depth is not None:
        made = made._replace(depth=depth if isinstance(depth, int) else None)
    if on is not None:
        made = made._replace(select="all" if on == "all" else "dirty")
    return made


def _graphics(configured: AnalyzeOptions) -> tuple[GraphicLogger, ...]:
    from choreomon.cli.command_line.loggers import graphic_loggers

    return graphic_loggers(configured.loggers)


def _configured(path: str) -> AnalyzeOptions:
    from choreomon.cli.command_line.loggers import refuse, trace_loggers
    from choreomon.interaction_files.loading import load_configuration

    analyze = load_configuration(path).analyze
    if analyze is None:
        refuse(path, "has no section @analyze_option{..}")
    if trace_loggers(analyze.loggers):
        refuse(path, "the logger tracegen is one of explore: no analysis makes multi-traces")
    return analyze


def _base(
    config: str | None, configured: AnalyzeOptions | None, method: Method, *, plain: bool
) -> Options:
    """The options that a configuration states, or the defaults."""
    if config is not None and configured is not None:
        try:
            return configured.search(method)
        except ValueError as error:  # what only JSON can say
            from choreomon.cli.command_line.loggers import refuse

            refuse(config, str(error))
    if plain:
        return Options(method=method, reduction="none", local=None)
    return Options(method=method)
