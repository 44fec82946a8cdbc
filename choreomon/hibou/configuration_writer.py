"""Writes configurations.

What stands at the default of a section is left out; a section that is nothing but defaults still
says its strategy, since HIBOU's grammar has no empty sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from choreomon.hibou.configuration import (
    HIBOU_CRITERIA,
    AnalyzeOptions,
    CanonizeOptions,
    Configuration,
    ExploreOptions,
    GraphicLogger,
    Logger,
    TraceGenerationLogger,
)
from choreomon.hibou.scanner import is_name
from choreomon.hibou.signature import checked_names
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.options import LocalAnalyses, SimulationCriteria
from choreomon.verify.verdict import Verdict

_Criterion = TypeVar("_Criterion")


def write_configuration(configuration: Configuration) -> str:
    """The text of a `.hcf` file; reading it gives the same configuration.

    Raises ValueError for what the files cannot express: seeds other than 0, names that are none,
    negative numbers, a configuration without sections.
    """
    sections: list[tuple[str, list[str]]] = []
    if configuration.analyze is not None:
        sections.append(("@analyze_option", list(_analyze(configuration.analyze))))
    if configuration.explore is not None:
        sections.append(("@explore_option", list(_explore(configuration.explore))))
    if configuration.canonize is not None:
        sections.append(("@canonize_option", list(_canonize(configuration.canonize))))
    if not sections:
        raise ValueError("a configuration needs a section")
    return "".join(
        f"{name}{{\n    " + ";\n    ".join(entries) + "\n}\n" for name, entries in sections
    )


def _analyze(options: AnalyzeOptions) -> Iterator[str]:
    kind = "eliminate" if options.mode == "multiprefix" else options.mode
    if options.simulation != HIBOU_CRITERIA and options.mode != "simulate":
        raise ValueError("only the mode `simulate` has settings of simulation")
    yield f"analysis_kind = {kind}" + (
        f"[{', '.join(_simulation(options.simulation))}]" if options.mode == "simulate" else ""
    )
    if options.goal not in (None, Verdict.PASS, Verdict.WEAK_PASS):
        raise ValueError(f"{options.goal.value} is no goal; choose Pass, WeakPass or none")
    yield f"goal = {'None' if options.goal is None else options.goal.value}"
    if options.local_analysis != LocalAnalyses():
        yield f"local_analysis = {_local_analysis(options.local_analysis)}"
    if options.reduction != "none":
        yield f"partial_order_reduction = {'true' if options.reduction == 'sound' else 'paper'}"
    yield f"strategy = {options.strategy.upper()}"
    yield from _filters(options.filters)
    yield from _priorities(options.priorities, simulation=True)
    if not options.memoize:
        yield "memoize = false"
    yield from _loggers(options.loggers)


def _explore(options: ExploreOptions) -> Iterator[str]:
    yield f"strategy = {options.strategy.upper()}"
    yield from _filters(options.filters)
    yield from _priorities(options.priorities, simulation=False)
    if options.memoize:
        yield "memoize = true"
    yield from _loggers(options.loggers)


def _canonize(options: CanonizeOptions) -> Iterator[str]:
    yield f"strategy = {options.strategy.upper()}"
    if options.search_all:
        yield "search_all = true"
    yield from _filters(options.filters)
    levels = [f"{name}={level}" for name, level in options.priorities]
    if options.randomize:
        levels.append("randomize=true")
    if levels:
        yield f"priorities = [{','.join(levels)}]"
    if not options.memoize:
        yield "memoize = false"
    yield from _loggers(options.loggers)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number


def _simulation(settings: SimulationCriteria) -> Iterator[str]:
    yield f"before = {_flag(settings.before)}"
    yield f"loop {_criterion(settings.loops)}"
    yield f"act {_criterion(settings.actions)}"
    yield f"reset = {_flag(settings.reset)}"
    yield f"multiply = {_flag(settings.multiply)}"


def _criterion(criterion: str | int | None) -> str:
    if criterion is None:
        return "none"
    return criterion if isinstance(criterion, str) else f"num = {_natural(criterion)}"


def _local_analysis(settings: LocalAnalyses | None) -> str:
    if settings is None:
        return "none"
    depth = "" if settings.depth is None else f", max_look_ahead_depth={_natural(settings.depth)}"
    return f"[select={settings.select}{depth}]"


def _filters(filters: Filters) -> Iterator[str]:
    limits = [
        f"{name}={_natural(limit)}"
        for name, limit in filters._asdict().items()
        if limit is not None
    ]
    if limits:
        yield f"filters = [{','.join(limits)}]"


def _priorities(priorities: Priorities, *, simulation: bool) -> Iterator[str]:
    levels = {
        "emission": priorities.emission,
        "reception": priorities.reception,
        "loop": priorities.loop,
        "elim": priorities.elimination,
        "simu": priorities.simulation,
    }
    if not simulation and (levels.pop("elim") or levels.pop("simu")):
        raise ValueError("explorations have no steps of elimination or simulation")
    entries = [f"{name}={level}" for name, level in levels.items() if level]
    if priorities.random_seed is not None:
        if priorities.random_seed != 0:
            raise ValueError("HIBOU's files have no seeds; JSON has")
        entries.append("randomize=true")
    if entries:
        yield f"priorities = [{','.join(entries)}]"


def _loggers(loggers: tuple[Logger, ...]) -> Iterator[str]:
    if loggers:
        yield f"loggers = [{','.join(map(_logger, loggers))}]"


def _logger(logger: Logger) -> str:
    if isinstance(logger, GraphicLogger):
        settings = [
            logger.format,
            logger.layout,
            f"draw_sd={_flag(logger.draw_sd)}",
            f"draw_tt={_flag(logger.draw_tt)}",
            f"draw_sub_processes={_flag(logger.draw_sub_processes)}",
            f"draw_legend={_flag(logger.draw_legend)}",
        ]
        names = {"folder": logger.folder, "name": logger.name}
        kind = "graphic"
    else:
        # `exact` is what the slices paper calls it, and HIBOU of that time; today it is `accepted`.
        settings = [f"generation={logger.generation}", f"partition={_partition(logger)}"]
        names = {"folder": logger.folder, "name_prefix": logger.name_prefix}
        kind = "tracegen"
    for key, name in names.items():
        if name:
            if not is_name(name):
                raise ValueError(f"HIBOU's files cannot express the {key} {name!r}")
            settings.append(f"{key}={name}")
    return f"{kind}[{','.join(settings)}]"


def _partition(logger: TraceGenerationLogger) -> str:
    if isinstance(logger.partition, str):
        return logger.partition
    if not logger.partition or not all(logger.partition):
        raise ValueError("a partition has groups of lifelines, none of them empty")
    checked_names(name for group in logger.partition for name in group)
    return "{" + ",".join(f"({','.join(group)})" for group in logger.partition) + "}"
