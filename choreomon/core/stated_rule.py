"""Stated rules: what people say of a rule besides what it forbids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from choreomon.core.names import word

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""Severities, the gravest first. They matter for showing verdicts, not for finding them."""


class StatedRule(NamedTuple):
    """A rule of a property written as rules. `description` is its author's, or says in one sentence
    what its pattern does; for an automaton it may be empty. `where` has its variables with their
    values, if it is written once for several; `line` is its place in its document, from 1, and
    `file` names that document, if several are read as one."""

    id: str
    description: str = ""
    severity: Severity = "error"
    runbook_url: str = ""
    tags: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    line: int = 0
    file: str = ""

    @property
    def name(self) -> str:
        """The id of the rule, with the values of its variables, as in `no-work (w = worker-3)`."""
        if not self.where:
            return self.id
        return f"{self.id} ({', '.join(f'{name} = {value}' for name, value in self.where)})"

    @property
    def key(self) -> str:
        """The id of the rule, with the values of its variables, as in ids of verdicts:
        `no-work:worker-3`."""
        return ":".join((self.id, *(word(value) for _, value in self.where)))

    def plain(self) -> dict[str, Any]:
        """The rule as JSON, without unstated fields."""
        return {
            "id": self.id,
            **({"where": dict(self.where)} if self.where else {}),
            **({"description": self.description} if self.description else {}),
            "severity": self.severity,
            **({"runbook_url": self.runbook_url} if self.runbook_url else {}),
            **({"tags": list(self.tags)} if self.tags else {}),
        }


NOT_TOLD: Final = StatedRule("")
"""The statement of a rule of which only the transitions matter."""


class RuleStates(NamedTuple):
    """A rule as its author stated it, and the states that it has for itself."""

    stated: StatedRule
    states: frozenset[str]


def rule_of(
    rules: Iterable[RuleStates], transitions: Iterable[tuple[str, str]]
) -> StatedRule | None:
    """The rule that has all of these transitions, each given as `(source, target)`; None if they
    belong to several, or there are no rules."""
    sources = {source for source, _ in transitions}
    return next((stated for stated, states in rules if sources and sources <= states), None)
