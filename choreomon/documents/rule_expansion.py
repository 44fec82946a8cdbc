"""Expansion of the label patterns of rules to labels, for each value of their variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from choreomon.core.errors import Defect, Path
from choreomon.core.label_patterns import LabelPattern, labels_of_pattern
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, ENVIRONMENT, Message
from choreomon.core.names import unwritten
from choreomon.core.suggestion import unknown
from choreomon.documents.compilation import labels_of_automaton
from choreomon.documents.reachability import messages_sent
from choreomon.documents.rule_shape import InOrder, RuleDocument
from choreomon.documents.shape import ApplicationDocument

MOST_VALUES: Final = 1_000
"""Rules that one rule with variables may stand for."""

Labels = tuple[CarryingLabel, ...]


@dataclass(frozen=True)
class Expansion:
    """The context in which the patterns of a document are read: `*` is any of `processes`; if the
    application is known, only for messages that some handler sends, or its start."""

    processes: tuple[str, ...]
    sent: frozenset[Message] | None = None

    def labels(
        self,
        patterns: Iterable[LabelPattern],
        values: Mapping[str, str],
        path: Path,
        defects: list[Defect],
    ) -> Labels:
        """The labels of these patterns, each once. A pattern that stands for none is a defect."""
        found: dict[CarryingLabel, None] = {}
        for pattern in patterns:
            if not all(variable in values for variable in pattern.variables):
                continue  # told of the rule, once
            labels = labels_of_pattern(pattern, self.processes, values, self._is_sent)
            if not labels:
                told = f"{pattern} stands for no message that is ever sent"
                defects.append(Defect(path, f"{told}: write the processes that are meant"))
            found |= dict.fromkeys(labels)
        return tuple(found)

    def _is_sent(self, message: Message) -> bool:
        return self.sent is None or message in self.sent


def expansion_of(
    rules: Sequence[RuleDocument], application: ApplicationDocument | None
) -> Expansion:
    """The expansion of a document: `*` is any process of the application or, without one, any that
    some rule names."""
    if application is not None:
        return Expansion(
            tuple(process.id for process in application.processes),
            messages_sent(application),
        )
    named: dict[str, None] = {}
    for rule in rules:
        for _, patterns in patterns_of(rule):
            for pattern in patterns:
                for side in pattern.sides:
                    named |= dict.fromkeys(filter(None, map(unwritten, side.names)))
        for values in rule.where.values():
            named |= dict.fromkeys(values)
        if rule.automaton is not None:
            for _, (label, _) in labels_of_automaton(rule.automaton, ()):
                if label != BEGIN:
                    named |= dict.fromkeys((label.message.sender, label.message.receiver))
    named.pop(ENVIRONMENT, None)
    return Expansion(tuple(named))


def patterns_of(rule: RuleDocument) -> Iterator[tuple[Path, tuple[LabelPattern, ...]]]:
    """The patterns of a rule with their paths from the rule."""
    for field in ("never", "unless", "after", "after_each", "until", "before", "fresh"):
        value = getattr(rule, field)
        if isinstance(value, InOrder):
            for place, patterns in enumerate(value.in_order):
                yield (field, "in_order", place), patterns
        elif value is not None:
            yield (field,), value
    for place, patterns in enumerate(rule.between or ()):
        yield ("between", place), patterns
    for place, patterns in enumerate(rule.steps or ()):
        yield ("steps", place), patterns
    for place, cancellation in enumerate(rule.cancel):
        yield ("cancel", place, "on"), cancellation.on


def values_of(
    rule: RuleDocument, path: Path, defects: list[Defect]
) -> list[tuple[tuple[str, str], ...]]:
    """The values of the variables, for each rule that this one stands for; one without any if it
    has no variables. Undeclared or unused variables are defects."""
    used: dict[str, Path] = {}
    for at, patterns in patterns_of(rule):
        for pattern in patterns:
            for variable in pattern.variables:
                used.setdefault(variable, at)
    wrong = False
    for variable, at in used.items():
        if variable not in rule.where:
            wrong = True
            told = unknown(
                "variable", f"${variable}", [f"${each}" for each in rule.where], "variables"
            )
            defects.append(
                Defect((*path, *at), f"{told}; where: names variables with their values")
            )
    for variable, values in rule.where.items():
        if variable not in used:
            wrong = True
            told = f"is used nowhere: write ${variable} in place of a process, or leave it out"
            defects.append(Defect((*path, "where", variable), told))
        for place, value in enumerate(values):
            if value in values[:place]:
                told = f"{value!r} comes twice: keep one of the two"
                defects.append(Defect((*path, "where", variable, place), told))
    if wrong:
        return []
    count = 1
    for values in rule.where.values():
        count *= len(values)
    if count > MOST_VALUES:
        told = f"stands for {count} rules; at most {MOST_VALUES} are supported: use fewer values"
        defects.append(Defect((*path, "where"), told))
        return []
    names = tuple(rule.where)
    return [tuple(zip(names, each, strict=True)) for each in product(*rule.where.values())]
