"""The rules of a property in a table's file: to which of them own transitions belong, and of those
whose last step the process watches what their author said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

import msgspec

from choreomon.core.errors import Path
from choreomon.core.names import is_plain
from choreomon.core.stated_rule import NOT_TOLD, SEVERITIES, RuleStates, Severity, StatedRule

FIELD: Final = "named_rules"
_AGAIN: Final = "split the property again"
_LINK: Final = re.compile(r"(https?://[^\s<>\"]+)?")


class WrittenRule(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`states` are those of own transitions. A rule without an id is one of which the process
    watches no last step."""

    states: list[str]
    id: str = ""
    description: str = ""
    severity: str = "error"
    runbook_url: str = ""
    tags: list[str] = []
    where: dict[str, str] = {}


def written_rules(rules: Iterable[RuleStates]) -> list[WrittenRule]:
    """The rules as they are written."""
    return [
        WrittenRule(
            states=sorted(states),
            id=stated.id,
            description=stated.description,
            severity=stated.severity,
            runbook_url=stated.runbook_url,
            tags=[*stated.tags],
            where=dict(stated.where),
        )
        for stated, states in rules
    ]


def read_rules(rules: Iterable[WrittenRule]) -> tuple[RuleStates, ...]:
    """The rules that were written, of which `rule_defects` found nothing wrong."""
    return tuple(RuleStates(_stated(each), frozenset(each.states)) for each in rules)


def _stated(rule: WrittenRule) -> StatedRule:
    if not rule.id:
        return NOT_TOLD
    severity = cast(Severity, rule.severity)  # `rule_defects` has seen to it
    return StatedRule(
        rule.id,
        rule.description,
        severity,
        rule.runbook_url,
        tuple(rule.tags),
        tuple(rule.where.items()),
    )


def rule_defects(
    rules: Sequence[WrittenRule], rows: Iterable[tuple[str, str, bool]]
) -> Iterator[tuple[Path, str]]:
    """Check that each own transition, given by its states and whether it is final, is of one rule,
    and that rules with final ones have a name."""
    place_of: dict[str, int] = {}
    for place, rule in enumerate(rules):
        path: Path = (FIELD, place)
        for state in rule.states:
            if place_of.setdefault(state, place) != place:
                yield (*path, "states"), f"{state!r} is of another rule, too: {_AGAIN}"
        if rule.severity not in SEVERITIES:
            told = f"should be one of {', '.join(SEVERITIES)}, not {rule.severity!r}"
            yield (*path, "severity"), f"{told}: {_AGAIN}"
        if rule.id and not is_plain(rule.id):
            yield (*path, "id"), f"{rule.id!r} is no name: {_AGAIN}"
        if rule.description and not rule.description.isprintable():
            yield (*path, "description"), f"should be one line of text: {_AGAIN}"
        if not _LINK.fullmatch(rule.runbook_url):
            yield (*path, "runbook_url"), f"should begin with http:// or https://: {_AGAIN}"
        for name in (*rule.tags, *rule.where):
            if not is_plain(name):
                yield path, f"{name!r} is no name: {_AGAIN}"
    for source, target, final in rows:
        place = place_of.get(source, -1)
        if place != place_of.get(target, -2):
            told = f"say of no rule that it has the transition from {source!r} to {target!r}"
            yield (FIELD,), f"{told}: {_AGAIN}"
        elif final and not rules[place].id:
            yield (FIELD, place), f"has a last step, to {target!r}, and no id: {_AGAIN}"
