"""Reads what HIBOU calls loggers: what is to be drawn and written of a search."""

from __future__ import annotations

from typing import Final

from choreomon.hibou.configuration import (
    GraphicLogger,
    Logger,
    TraceGenerationLogger,
)
from choreomon.hibou.option_sections import Meaning, Options, Setter, Value
from choreomon.hibou.scanner import shown

_FORMATS: Final = ("svg", "png")
_LAYOUTS: Final = ("vertical", "horizontal")
_DRAWN: Final = ("draw_sd", "draw_tt", "draw_sub_processes", "draw_legend")
_FOLDERS: Final = ("folder", "parent", "parent_folder")
_GENERATIONS: Final = {
    "exact": "exact",
    "accepted": "exact",
    "prefix": "prefix",
    "terminal": "terminal",
}


def read_loggers(meaning: Meaning, value: Value) -> tuple[Logger, ...]:
    """The loggers of `loggers = [graphic[..], tracegen[..]]`."""
    loggers: list[Logger] = []
    for entry in meaning.entries(value, "loggers"):
        kind = entry.key.lower()
        settings = Value(entry.at, entries=()) if entry.value.is_bare else entry.value
        if kind == "graphic":
            loggers.append(_graphic(meaning, settings))
        elif kind == "tracegen":
            loggers.append(_trace_generation(meaning, settings))
        elif kind in ("nfa", "nfait"):
            meaning.wrong(entry.at, f"the logger `{entry.key}` is not supported")
        else:
            meaning.wrong(
                entry.at, f"unknown logger {shown(entry.key)}; expected graphic, tracegen"
            )
    return tuple(loggers)


def _graphic(meaning: Meaning, value: Value) -> GraphicLogger:
    if value.words in _FORMATS:  # `graphic = svg`, in older files
        return GraphicLogger(format="svg" if value.words == "svg" else "png")
    known: dict[str, Setter] = {
        "format": meaning.one_of("format", {name: name for name in _FORMATS}),
        "layout": meaning.one_of("layout", {name: name for name in _LAYOUTS}),
    }
    known.update({name: meaning.fixed("format", name) for name in _FORMATS})
    known.update({name: meaning.fixed("layout", name) for name in _LAYOUTS})
    known.update({name: meaning.flag(name) for name in _DRAWN})
    known.update({name: meaning.text("folder") for name in _FOLDERS})
    known.update({name: meaning.text("name") for name in ("output", "name")})
    found: Options = {}
    meaning.read(meaning.entries(value, "settings"), found, known)
    return GraphicLogger(**found)


def _trace_generation(meaning: Meaning, value: Value) -> TraceGenerationLogger:
    def prefix(value: Value, options: Options) -> None:
        # In older files the kind of generation stands alone; with a value it is about files.
        if value.is_bare:
            options["generation"] = "prefix"
        else:
            meaning.text("name_prefix")(value, options)

    def partition(value: Value, options: Options) -> None:
        if value.groups is None:
            names = {"discrete": "discrete", "trivial": "trivial"}
            meaning.one_of("partition", names)(value, options)
            return
        named = [name for group in value.groups for name in group]
        if len(set(named)) != len(named):
            meaning.wrong(value.at, "a lifeline stands twice in the partition")
        options["partition"] = value.groups

    known: dict[str, Setter] = {
        "generation": meaning.one_of("generation", _GENERATIONS),
        "partition": partition,
    }
    known.update({name: meaning.fixed("generation", to) for name, to in _GENERATIONS.items()})
    known["prefix"] = prefix
    known.update({name: meaning.text("folder") for name in _FOLDERS})
    known.update({name: meaning.text("name_prefix") for name in ("name_prefix", "trace_prefix")})
    found: Options = {}
    meaning.read(meaning.entries(value, "settings"), found, known)
    return TraceGenerationLogger(**found)
