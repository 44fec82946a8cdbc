"""Configurations as JSON; `choreomon.formats.offline_json` says what they look like."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from choreomon.core.errors import DocumentError, Path
from choreomon.formats.hibou.configuration import (
    AnalyzeOptions,
    CanonizeOptions,
    Configuration,
    ExploreOptions,
    GraphicLogger,
    Logger,
    TraceGenerationLogger,
)
from choreomon.formats.located import Located, read_located
from choreomon.formats.offline_json import refuse_no_mapping
from choreomon.formats.scalars import shortened
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
    located = read_located(text, file, as_json=True)
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
    def __init__(self, located: Located) -> None:
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
        try:
            return TypeAdapter(kind).validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                given = shortened(str(details["input"]))
                self.wrong((*path, *details["loc"]), f"{details['msg']}, not {given}")
            return None
