"""Configurations as JSON; `choreomon.interaction_files.offline_json` says what they look like."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from choreomon.core.errors import DocumentError, Path
from choreomon.files.json_documents import refuse_no_mapping
from choreomon.files.shape_words import shown
from choreomon.files.source_positions import Positioned, read_positioned
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
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.options import LocalAnalyses, SimulationCriteria
from choreomon.verify.verdict import Verdict

_SECTIONS: Final[dict[str, type[AnalyzeOptions | ExploreOptions | CanonizeOptions]]] = {
    "analyze": AnalyzeOptions,
    "explore": ExploreOptions,
    "canonize": CanonizeOptions,
}
_LOGGERS: Final[dict[str, type[Logger]]] = {
    "graphic": GraphicLogger,
    "tracegen": TraceGenerationLogger,
}

_PARTS: Final[dict[str | int, Any]] = {
    "simulation": SimulationCriteria,
    "local_analysis": LocalAnalyses,
    "filters": Filters,
    "priorities": Priorities,
}
"""The options of sections that are mappings themselves."""

_EXPECTED: Final = {
    "bool_type": "true or false",
    "int_type": "an integer",
    "named_tuple_type": "a mapping",
    "string_type": "text",
    "tuple_type": "a list",
}
"""The fix for each kind of error, by pydantic's name; for choices it says which there are."""


def write_configuration_json(configuration: Configuration) -> str:
    """The configuration as a document, with every field of its sections."""
    document: dict[str, object] = {"kind": "configuration"}
    for name in _SECTIONS:
        section = getattr(configuration, name)
        if section is not None:
            fields = [field.name for field in dataclasses.fields(section)]
            document[name] = {field: _plain(getattr(section, field)) for field in fields}
    return json.dumps(document, indent=2) + "\n"


def _plain(value: object) -> object:
    """The value without classes of ours. Values are nested three deep at most."""
    if isinstance(value, Verdict):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        plain = {name: _plain(part) for name, part in value._asdict().items()}
        for kind, logger in _LOGGERS.items():
            if isinstance(value, logger):
                return {"logger": kind, **plain}
        return plain
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def read_configuration_json(text: str | bytes, file: str = "configuration") -> Configuration:
    """The configuration of a document. Raises DocumentError with all that is wrong."""
    refuse_no_mapping(text, file)
    located = read_positioned(text, file, as_json=True)
    reader = _Reader(located)
    value = located.value
    if value.get("kind") != "configuration":
        reader.wrong(("kind",), "should be 'configuration'")
    for key in value:
        if key != "kind" and key not in _SECTIONS:
            reader.wrong((key,), f"is no section; expected {', '.join(_SECTIONS)}")
    found = {name: reader.section(name) for name in _SECTIONS if name in value}
    if not found:
        reader.wrong((), f"has no section; expected {', '.join(_SECTIONS)}")
    reader.raise_any()
    return Configuration(**found)


class _Reader:
    def __init__(self, located: Positioned) -> None:
        self._located = located
        self._found: list[tuple[Path, str]] = []

    def wrong(self, path: Path, message: str) -> None:
        self._found.append((path, message))

    def raise_any(self) -> None:
        if self._found:
            problems = [self._located.problem(*found) for found in self._found]
            raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))

    def section(self, name: str) -> Any:
        value = self._located.value[name]
        if not isinstance(value, dict):
            self.wrong((name,), "should be a mapping")
            return None
        kind = _SECTIONS[name]
        known = [field.name for field in dataclasses.fields(kind)]
        for key in value:
            if key not in known:
                self.wrong((name, key), f"is no option; expected {', '.join(known)}")
        options = {key: value[key] for key in known if key in value and key != "loggers"}
        read = self._checked(kind, options, (name,))
        loggers = value.get("loggers", [])
        if not isinstance(loggers, list):
            self.wrong((name, "loggers"), "should be a list")
            return None
        made = tuple(
            self._logger(logger, (name, "loggers", number)) for number, logger in enumerate(loggers)
        )
        return None if read is None else dataclasses.replace(read, loggers=made)

    def _logger(self, value: object, path: Path) -> Any:
        kind = value.get("logger") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(kind, str) or kind not in _LOGGERS:
            self.wrong(path, f"should be a mapping with `logger`: {' or '.join(_LOGGERS)}")
            return None
        settings = {key: part for key, part in value.items() if key != "logger"}
        return self._checked(_LOGGERS[kind], settings, path)

    def _checked(self, kind: Any, value: dict[str, object], path: Path) -> Any:
        """The value in its class. Strict pydantic takes enumerations and tuples from JSON only,
        so it is handed JSON."""
        # Pydantic takes a list for a named tuple: its fields in their order, without their names.
        lists = [key for key in _PARTS if key in value and isinstance(value[key], list)]
        if kind is CanonizeOptions and "priorities" in lists:
            lists.remove("priorities")  # of rewriting, which are a list
        for key in lists:
            self.wrong((*path, key), f"should be a mapping, not {shown(value[key])}")
        if lists:
            return None
        criteria = value.get("simulation")
        if isinstance(criteria, dict):
            value = {**value, "simulation": {**HIBOU_CRITERIA._asdict(), **criteria}}
        try:
            return TypeAdapter(kind).validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            expected: dict[Path, list[str]] = {}
            given: dict[Path, object] = {}
            for details in error.errors(include_url=False):
                at = _place(details["loc"], value)
                if details["type"] == "extra_forbidden":
                    known = ", ".join((_PARTS[at[0]] if len(at) > 1 else kind)._fields)
                    self.wrong((*path, *at), f"is no option; expected {known}")
                    continue
                given[at] = details["input"]
                right = _EXPECTED.get(details["type"]) or details.get("ctx", {}).get("expected")
                expected.setdefault(at, []).append(right or "something else")
            for at, right in expected.items():
                self.wrong((*path, *at), f"should be {' or '.join(right)}, not {shown(given[at])}")
            return None


def _place(keys: Path, value: object) -> Path:
    """The place in the value: pydantic adds which of several types it tried."""
    found: list[str | int] = []
    for key in keys:
        in_list = isinstance(value, list) and isinstance(key, int) and key < len(value)
        if not in_list and not (isinstance(value, dict) and key in value):
            break
        value = value[key]  # type: ignore[index]
        found.append(key)
    return tuple(found)
