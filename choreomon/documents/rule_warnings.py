"""Rules that are probably not what their author meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from choreomon.core.errors import Defect, Path
from choreomon.core.message import Label, Message
from choreomon.core.suggestion import one_letter_apart
from choreomon.documents.rule_compilation import ExpandedRule
from choreomon.documents.rule_expansion import patterns_of
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.needless import implied
from choreomon.properties.parts import restricted

MOST_COMPARED: Final = 60
"""Rules, above which it is not asked whether one implies another."""

_SHORT: Final = 4
"""Letters of a name, below which one that differs by a letter is another one."""


def rule_warnings(
    rules: Sequence[ExpandedRule], automaton: SequenceAutomaton, parameters: Parameters | None
) -> Iterator[Defect]:
    """Rules that another one implies, variables that are used once, and names that differ from
    others by one letter."""
    parts = [restricted(automaton, states) for _, states in automaton.rules]
    yield from _implied(rules, parts, parameters)
    yield from _used_once(rules)
    yield from _nearly_alike(rules)


def _implied(
    rules: Sequence[ExpandedRule],
    parts: Sequence[SequenceAutomaton],
    parameters: Parameters | None,
) -> Iterator[Defect]:
    if len(rules) > MOST_COMPARED:
        return
    groups: dict[frozenset[str], list[int]] = {}
    for place, part in enumerate(parts):
        names = frozenset(
            name for label in part.labels for name in (parameters.of(label) if parameters else ())
        )
        groups.setdefault(names, []).append(place)
    for places in groups.values():
        for one, other in implied([parts[place] for place in places]).items():
            rule, by = rules[places[one]], rules[places[other]]
            told = f"is implied by {by.stated.name}, which is violated whenever this is"
            yield Defect((*rule.path, "id"), f"{told}: leave one of the two out")


def _used_once(rules: Sequence[ExpandedRule]) -> Iterator[Defect]:
    told: set[Path] = set()
    for rule in rules:
        if rule.path in told:
            continue
        told.add(rule.path)
        used = [
            variable
            for _, patterns in patterns_of(rule.document)
            for pattern in patterns
            for variable in pattern.variables
        ]
        for variable, values in rule.document.where.items():
            if used.count(variable) == 1:
                names = ", ".join(values)
                yield Defect(
                    (*rule.path, "where", variable),
                    f"is used once, so that one rule with {{{names}}} in its place says the same",
                )


def _nearly_alike(rules: Sequence[ExpandedRule]) -> Iterator[Defect]:
    """Labels whose message differs by one letter from one that comes oftener."""
    times: dict[Message, int] = {}
    first: dict[Message, tuple[Path, Label]] = {}
    for rule in rules:
        for path, (label, _) in rule.labels:
            times[label.message] = times.get(label.message, 0) + 1
            first.setdefault(label.message, (path, label))
    by_ends = _by_what_is_equal(times)
    for message, (path, label) in first.items():
        for meant in by_ends.get(message, ()):
            if times[meant] > times[message]:
                yield Defect(path, f'names "{label}"; did you mean "{first[meant][1]}"?')
                break


def _by_what_is_equal(times: Mapping[Message, int]) -> dict[Message, list[Message]]:
    """The messages that differ from each message by one letter of one of its three names."""
    alike: dict[tuple[int, tuple[str, ...]], list[Message]] = {}
    for message in times:
        for place in range(3):
            rest = tuple(name for at, name in enumerate(message) if at != place)
            alike.setdefault((place, rest), []).append(message)
    found: dict[Message, list[Message]] = {}
    for (place, _), messages in alike.items():
        for one in messages:
            found.setdefault(one, []).extend(
                other for other in messages if _is_typo(one[place], other[place])
            )
    return found


def _is_typo(one: str, other: str) -> bool:
    """Tell whether two names differ by one letter, digits excepted, as in worker-1 and worker-2."""
    if len(one) < _SHORT or not one_letter_apart(one, other):
        return False
    letters = [[sign for sign in name if not sign.isdigit()] for name in (one, other)]
    return letters[0] != letters[1]
