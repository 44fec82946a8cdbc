"""Questions and answers: the modes of the verifier, and what it says about a multi-trace."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Mode: TypeAlias = Literal["accept", "test", "prefix", "multiprefix", "simulate", "slice"]

MODES: Final[tuple[Mode, ...]] = ("accept", "test", "prefix", "multiprefix", "simulate", "slice")

DEFAULT_MODE: Final = "multiprefix"
"""Logs that begin with the system and cease at any moment are those that most people have."""


class Verdict(Enum):
    """docs/verify.md, "Verdicts"."""

    PASS = "Pass"
    """Exactly accepted."""
    WEAK_PASS = "WeakPass"
    """Not accepted, but what the mode asks for: a prefix, a multi-prefix, a slice."""
    INCONC = "Inconc"
    """Not known: the mode `test` lacked observation, or something cut the search."""
    WEAK_FAIL = "WeakFail"
    """Not found by the bounded simulation of `simulate`; not known."""
    FAIL = "Fail"
    """Not what the mode asks for."""

    @property
    def passes(self) -> bool:
        """Pass or WeakPass."""
        return self in (Verdict.PASS, Verdict.WEAK_PASS)

    @property
    def inconclusive(self) -> bool:
        """Inconc or WeakFail."""
        return self in (Verdict.INCONC, Verdict.WEAK_FAIL)


Procedure: TypeAlias = Literal["reduced", "centralized", "semi-centralized"]
"""What decides by an automaton."""

PROCEDURES: Final[tuple[Procedure, ...]] = get_args(Procedure)

Method: TypeAlias = Literal["exact", "search", "removal"] | Procedure
"""What decides: the exact search, the papers' search without lifeline removal or with it, or by an
automaton (docs/verify.md, "Methods")."""


class Answer(NamedTuple):
    """The answer to a question.

    `reason` is empty, or says why nothing definite was found, or what was missing
    (`choreomon.verify.papers.options.Reason`). `vertices` counts those that the search visited
    (0 where none had to be). `method` is the method that decided, None where it is not known.
    """

    verdict: Verdict
    reason: str = ""
    vertices: int = 0
    method: Method | None = None
