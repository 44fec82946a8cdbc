"""Sentences on each rule of a property: its result, and how far events came along it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from choreomon.audit.rules import NOT_EXERCISED, NOTHING, RuleResult, Word
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted

MOST_RULES: Final = 20
"""The most rules with a line each, the gravest first."""

GRAVEST_FIRST: Final = (VIOLATED, POSSIBLY_VIOLATED, NOT_EXERCISED, NOTHING)

IN_WORDS: Final[Mapping[Word, str]] = {
    VIOLATED: VERDICT_IN_WORDS[VIOLATED],
    POSSIBLY_VIOLATED: VERDICT_IN_WORDS[POSSIBLY_VIOLATED],
    NOT_EXERCISED: "not exercised",
    NOTHING: "not formed",
}


def gravest_first(rules: Sequence[RuleResult]) -> list[RuleResult]:
    """The rules by result, among equal ones those first along which events came farthest."""
    return sorted(
        rules,
        key=lambda rule: (GRAVEST_FIRST.index(rule.word), rule.steps - rule.farthest, rule.number),
    )


def rule_lines(rules: Sequence[RuleResult]) -> list[str]:
    """A line for each of several rules, the first `MOST_RULES`; for a single one without a name,
    how far events came along it, unless a verdict says so."""
    if len(rules) == 1 and rules[0].stated is None:
        rule = rules[0]
        if rule.word in VERDICT_IN_WORDS:
            return []
        return [f"{far_in_words(rule)[0].upper()}{far_in_words(rule)[1:]}."]
    told = gravest_first(rules)
    lines = [
        f"Rule {rule.name}: {result_in_words(rule)}: {said_in_words(rule)}"
        for rule in told[:MOST_RULES]
    ]
    if len(told) > MOST_RULES:
        lines.append(f"and {counted(len(told) - MOST_RULES, 'more rule')}")
    return lines


def result_in_words(rule: RuleResult) -> str:
    """The result of a rule, and how far events came along it if it was not formed."""
    formed = rule.word in VERDICT_IN_WORDS
    return IN_WORDS[rule.word] if formed else f"{IN_WORDS[rule.word]}, {far_in_words(rule)}"


def far_in_words(rule: RuleResult) -> str:
    """Words on how far events came along a rule, and in how many sessions that far, without a full
    stop."""
    if not rule.farthest:
        return f"none of its {rule.steps} steps was made" if rule.steps > 1 else "it never happened"
    came = f"it came {rule.farthest} of {counted(rule.steps, 'step')} far"
    if rule.sessions < 2:
        return came
    return f"{came} in {rule.far[rule.farthest]:,} of {rule.sessions:,} {rule.called}s"


def said_in_words(rule: RuleResult) -> str:
    """The description that the author gave a rule, or its sequence."""
    stated = rule.stated
    return stated.description if stated and stated.description else steps_in_words(rule)


def steps_in_words(rule: RuleResult) -> str:
    """The sequence of a rule, or one of the shortest."""
    return ", then ".join(map(str, rule.sequence))
