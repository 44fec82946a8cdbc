"""Reads configurations (`.hcf` files).

The slices paper, Fig. 17 and 18, and the names of options in older and in newer files. Everything
that is wrong with options is reported at once.
"""

from __future__ import annotations

from typing import Any, Final

from choreomon.core.errors import DocumentError, Problem
from choreomon.hibou.configuration import (
    HIBOU_CRITERIA,
    REWRITINGS,
    AnalyzeOptions,
    CanonizeOptions,
    Configuration,
    ExploreOptions,
)
from choreomon.hibou.logger_reader import read_loggers
from choreomon.hibou.option_sections import (
    FALSE,
    TRUE,
    Meaning,
    Options,
    Section,
    Setter,
    Value,
    read_section,
)
from choreomon.hibou.scanner import END, Cursor
from choreomon.verify.papers.heuristics import Filters, Priorities, Strategy
from choreomon.verify.papers.options import LocalAnalyses
from choreomon.verify.verdict import Mode, Verdict

_STRATEGIES: Final[dict[str, Strategy]] = {
    "bfs": "bfs",
    "breadthfs": "bfs",
    "breadth_first_search": "bfs",
    "dfs": "dfs",
    "depthfs": "dfs",
    "depth_first_search": "dfs",
    "hcs": "hcs",
    "highcoverages": "hcs",
    "high_coverage_search": "hcs",
}
_KINDS: Final[dict[str, Mode]] = {
    "accept": "accept",
    "prefix": "prefix",
    "eliminate": "multiprefix",
    "hide": "multiprefix",
    "simulate": "simulate",
    "test": "test",
    "multiprefix": "multiprefix",
    "slice": "slice",
}
_GOALS: Final = {"pass": Verdict.PASS, "weakpass": Verdict.WEAK_PASS, "none": None}
_REDUCTIONS: Final = {
    "true": "sound",
    "⊤": "sound",
    "false": "none",
    "⊥": "none",
    "paper": "paper",
}
_PRIORITIES: Final = {"emission": "emission", "reception": "reception", "loop": "loop"}
_ANALYSIS_PRIORITIES: Final = {
    **_PRIORITIES,
    "elim": "elimination",
    "hide": "elimination",
    "simu": "simulation",
}


class ConfigurationSections:
    """Collects the sections of a configuration while a file is read."""

    def __init__(self) -> None:
        self._sections: dict[str, Section] = {}

    @property
    def found(self) -> bool:
        """True if there was a section."""
        return bool(self._sections)

    def read(self, cursor: Cursor) -> bool:
        """Passes one section, if the next is of a configuration; whether it was.

        Raises DocumentError.
        """
        if cursor.word not in ("@analyze_option", "@explore_option", "@canonize_option"):
            return False
        if cursor.word in self._sections:
            cursor.refuse(cursor.at, f"`{cursor.word}` stands here for the second time")
        section = read_section(cursor)
        self._sections[section.name] = section
        return True

    def configuration(self, cursor: Cursor) -> Configuration:
        """The configuration that the sections state. Raises DocumentError with all that is
        wrong."""
        problems: list[Problem] = []
        meaning = Meaning(cursor, problems)
        found: dict[str, Any] = {}
        for name, section in self._sections.items():
            if name == "@analyze_option":
                found["analyze"] = _analyze(meaning, section)
            elif name == "@explore_option":
                found["explore"] = _explore(meaning, section)
            else:
                found["canonize"] = _canonize(meaning, section)
        if problems:
            raise DocumentError(tuple(sorted(problems, key=lambda problem: problem.line)))
        return Configuration(**found)


def read_configuration(text: str, file: str = "configuration") -> Configuration:
    """The configuration of a `.hcf` text. Raises DocumentError."""
    cursor = Cursor(text, file, "`@analyze_option{..}` or another section")
    sections = ConfigurationSections()
    while sections.read(cursor):
        pass
    if cursor.word != END:
        cursor.expected(
            "`@analyze_option`, `@explore_option`, `@canonize_option` or the end of the file"
        )
    return sections.configuration(cursor)


def _analyze(meaning: Meaning, section: Section) -> AnalyzeOptions:
    # In a section without a strategy it is BFS, without a section DFS: so it is in HIBOU.
    options: Options = {"strategy": "bfs"}
    known: dict[str, Setter] = {
        "analysis_kind": _kind(meaning),
        "semantics": _kind(meaning),
        "goal": meaning.one_of("goal", _GOALS),
        "local_analysis": _local_analysis(meaning),
        "partial_order_reduction": meaning.one_of("reduction", _REDUCTIONS),
        "por": meaning.one_of("reduction", _REDUCTIONS),
        "priorities": _priorities(meaning, _ANALYSIS_PRIORITIES),
        **_general(meaning),
    }
    meaning.read(section.entries, options, known)
    return AnalyzeOptions(**options)


def _explore(meaning: Meaning, section: Section) -> ExploreOptions:
    # In a section without filters nothing is filtered, without a section loops are.
    options: Options = {"filters": Filters()}
    known = {"priorities": _priorities(meaning, _PRIORITIES), **_general(meaning)}
    meaning.read(section.entries, options, known)
    return ExploreOptions(**options)


def _canonize(meaning: Meaning, section: Section) -> CanonizeOptions:
    options: Options = {}
    known = {
        "search_all": meaning.flag("search_all", bare=True),
        "priorities": _rewriting_priorities(meaning),
        **_general(meaning),
    }
    meaning.read(section.entries, options, known)
    return CanonizeOptions(**options)


def _general(meaning: Meaning) -> dict[str, Setter]:
    """The keys of all sections."""

    def filters(value: Value, options: Options) -> None:
        found: Options = {}
        known = {name: meaning.number(name) for name in Filters._fields}
        meaning.read(meaning.entries(value, "filters"), found, known)
        options["filters"] = Filters(**found)

    def loggers(value: Value, options: Options) -> None:
        options["loggers"] = read_loggers(meaning, value)

    return {
        "strategy": meaning.one_of("strategy", _STRATEGIES),
        "filters": filters,
        "pre_filters": filters,
        "memoize": meaning.flag("memoize"),
        "loggers": loggers,
    }


def _priorities(meaning: Meaning, names: dict[str, str]) -> Setter:
    def read(value: Value, options: Options) -> None:
        if value.words.lower() in ("random", "rand"):
            options["priorities"] = Priorities(random_seed=0)
            return
        found: Options = {}
        known = {name: meaning.number(field, negative=True) for name, field in names.items()}
        known["randomize"] = meaning.flag("randomize")
        # Rendezvous are outside of the language: there are no such steps.
        known["multi_rdv"] = meaning.number("multi_rdv", negative=True)
        meaning.read(meaning.entries(value, "priorities"), found, known)
        found.pop("multi_rdv", None)
        if found.pop("randomize", False):
            found["random_seed"] = 0
        options["priorities"] = Priorities(**found)

    return read


def _rewriting_priorities(meaning: Meaning) -> Setter:
    def read(value: Value, options: Options) -> None:
        if value.words.lower() in ("random", "rand"):
            options["randomize"] = True
            return
        found: Options = {}
        known = {name: meaning.number(name, negative=True) for name in REWRITINGS}
        known["randomize"] = meaning.flag("randomize")
        meaning.read(meaning.entries(value, "priorities"), found, known)
        options["randomize"] = found.pop("randomize", False)
        options["priorities"] = tuple(sorted(found.items()))

    return read


def _local_analysis(meaning: Meaning) -> Setter:
    def depth(value: Value, options: Options) -> None:
        if value.words.lower() == "none":
            options["depth"] = None
        else:
            meaning.number("depth")(value, options)

    def modulo(value: Value, options: Options) -> None:
        meaning.wrong(value.at, "`modulo` is not supported: every vertex is analyzed")

    known: dict[str, Setter] = {
        "select": meaning.one_of("select", {"all": "all", "dirty": "dirty"}),
        **dict.fromkeys(("max_look_ahead_depth", "max_depth", "lookahead", "lookup"), depth),
        **dict.fromkeys(("modulo", "modulo_each_x_steps"), modulo),
    }

    def read(value: Value, options: Options) -> None:
        words = value.words.lower()
        if words in ("none", *FALSE):
            options["local_analysis"] = None
        elif words in TRUE:  # in files from before there were settings
            options["local_analysis"] = LocalAnalyses()
        else:
            found: Options = {}
            meaning.read(meaning.entries(value, "settings, or none,"), found, known)
            options["local_analysis"] = LocalAnalyses(**found)

    return read


def _kind(meaning: Meaning) -> Setter:
    known: dict[str, Setter] = {
        "loop_max_depth": meaning.fixed("loops", "max_depth"),
        "loop_max_num": meaning.fixed("loops", "max_num"),
        "loop_none": meaning.fixed("loops", None),
        "loop_num": meaning.number("loops"),
        "act_max_num": meaning.fixed("actions", "max_num"),
        "act_none": meaning.fixed("actions", None),
        "act_num": meaning.number("actions"),
        **dict.fromkeys(("before", "slice", "preamble"), meaning.flag("before")),
        **dict.fromkeys(("multiply", "resized", "dependent"), meaning.flag("multiply")),
        **dict.fromkeys(("reset", "reinitialize"), meaning.flag("reset")),
    }

    def read(value: Value, options: Options) -> None:
        mode = _KINDS.get(value.words.lower())
        if mode is None:
            names = ", ".join(_KINDS)
            meaning.wrong(value.at, f"unknown analysis_kind {value.quoted}; expected {names}")
            return
        options["mode"] = mode
        if value.entries is not None:
            if mode != "simulate":
                meaning.wrong(value.at, f"`{value.words}` has no options")
            found: Options = {}
            meaning.read(value.entries, found, known)
            options["simulation"] = HIBOU_CRITERIA._replace(**found)

    return read
