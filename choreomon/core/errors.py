"""Errors, by who is responsible.

    ChoreomonError
    ├── DocumentError      the author of a scenario, property or trace document
    ├── PropertyError      the author of a property, before its file is known
    ├── MalformedMessage   a peer sent bytes that are no monitoring message
    ├── AgentUnavailable   the agent beside a service could not be reached, or refuses it
    ├── ProcessClosed      the service tells of an event after it closed its connection
    ├── BudgetExceeded     a search was stopped by a stated bound; nothing is known
    ├── WorkerLost         a process that shared the work was killed before it had answered
    ├── MissingExtra       whoever installed choreomon: without the extra that this needs
    ├── ForeignPackage     whoever set up Python: another package has the name of one of ours
    └── InternalError      ours

A violated property is a result (`choreomon.core.verdict`), never an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""A place in a document: keys and list positions from the top, for example `("property",
"automaton", "transitions", 2, "on")`."""


class ChoreomonError(Exception):
    """The root of everything that choreomon raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        """Keep an error from another process as it was there: `Exception` would rebuild it from its
        sentence, not from its arguments."""
        return _as_it_was, (type(self), self.args, vars(self))


def _as_it_was(
    kind: type[ChoreomonError], said: tuple[object, ...], fields: dict[str, object]
) -> ChoreomonError:
    error = kind.__new__(kind, *said)
    vars(error).update(fields)
    return error


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a property: where it is, and what would be right."""

    path: Path
    message: str


class PropertyError(ChoreomonError):
    """A property that cannot be monitored. `defects` is never empty; their paths start
    at the property."""

    def __init__(self, defects: tuple[Defect, ...]) -> None:
        self.defects = defects
        super().__init__("; ".join(defect.message for defect in defects))


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a document, or a warning about it. `line` counts from 1; 0 means the file as a
    whole. `field` is the dotted path, as in `application.processes[1].handlers.leave`.
    """

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.field, self.message) if part)


class DocumentError(ChoreomonError):
    """A document that cannot be used. `problems` is never empty."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class MalformedMessage(ChoreomonError):
    """Bytes from a peer that are no monitoring message of this version."""


class AgentUnavailable(ChoreomonError):
    """The agent did not answer within the deadline, or refused the service.

    `address` is the agent's; `reason` is what was last heard of it, "" for nothing. An event whose
    reporting failed this way may have been counted all the same, like a message that was lost: the
    service must not send the message.
    """

    def __init__(self, address: str, reason: str, fix: str) -> None:
        self.address = address
        self.reason = reason
        said = f" ({reason})" if reason else ""
        super().__init__(f"the agent at {address} is not available{said}; {fix}")


class ProcessClosed(ChoreomonError):
    """The service called `close()` before: unlike `AgentUnavailable`, this is its own doing."""


class BudgetExceeded(ChoreomonError):
    """A search reached its stated bound before it had an answer."""


class WorkerLost(ChoreomonError):
    """A process that shared the work was killed before it had answered, mostly by a system out of
    memory. Earlier answers are right."""


class MissingExtra(ChoreomonError):
    """Libraries of an extra are missing: `what` needs those of the `extra` of that name. The
    command line adds how to install it; `instead` names an alternative that does without."""

    def __init__(self, what: str, extra: str, instead: str = "") -> None:
        self.what = what
        self.extra = extra
        self.instead = instead
        super().__init__(
            f"{what}, which the extra {extra!r} brings{f' ({instead})' if instead else ''}"
        )


class ForeignPackage(ChoreomonError):
    """A package of choreomon would be imported from elsewhere: `found` is the path that Python
    finds by its name, None where it finds nothing, and `own` the one that is meant."""

    def __init__(self, name: str, found: str | None, own: str) -> None:
        self.found = found
        if found is None:
            told = f"{own}: is missing, a package of choreomon: install choreomon again"
        else:
            told = (
                f"{found}: Python finds this by the name {name!r}, which is a package of choreomon "
                f"in {own}: rename it, or start choreomon from another folder and without it in "
                "PYTHONPATH"
            )
        super().__init__(told)


class InternalError(ChoreomonError):
    """An invariant of choreomon itself does not hold. Please report it."""
