"""Questions and answers: the modes of the verifier, and its verdicts on a multi-trace."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Mode: TypeAlias = Literal["accept", "test", "prefix", "multiprefix", "simulate", "slice"]

MODES: Final[tuple[Mode, ...]] = ("accept", "test", "prefix", "multiprefix", "simulate", "slice")

DEFAULT_MODE: Final = "multiprefix"
"""Most people have logs that begin with the system and cease at any moment."""


class Verdict(Enum):
    """docs/verify.md, "Verdicts"."""

    PASS = "Pass"
    """Exactly accepted."""
    WEAK_PASS = "WeakPass"
    """The mode is met, but the multi-trace is not accepted: a prefix, a multi-prefix, a slice."""
    INCONC = "Inconc"
    """Unknown: the mode `test` lacked observation, or something cut the search."""
    WEAK_FAIL = "WeakFail"
    """Unknown: the bounded simulation of `simulate` found nothing."""
    FAIL = "Fail"
    """The mode is not met."""

    @property
    def passes(self) -> bool:
        """Pass or WeakPass."""
        return self in (Verdict.PASS, Verdict.WEAK_PASS)

    @property
    def inconclusive(self) -> bool:
        """Inconc or WeakFail."""
        return self in (Verdict.INCONC, Verdict.WEAK_FAIL)


Procedure: TypeAlias = Literal["reduced", "centralized", "semi-centralized"]
"""The procedures that decide by an automaton."""

PROCEDURES: Final[tuple[Procedure, ...]] = get_args(Procedure)

Method: TypeAlias = Literal["exact", "search", "removal"] | Procedure
"""The method that decides: the exact search, the papers' search without lifeline removal or with
it, or an automaton (docs/verify.md, "Methods")."""


class Answer(NamedTuple):
    """The answer to a question.

    `reason` is empty, or says why nothing definite was found, or what was missing
    (`choreomon.verify.papers.options.Reason`). `vertices` counts those that the search visited
    (0 where none had to be, or where what others visited is shared). `method` is the method that
    decided, None where it is not known.
    """

    verdict: Verdict
    reason: str = ""
    vertices: int = 0
    method: Method | None = None
