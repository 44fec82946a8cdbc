"""Options that choose among rules, and say which of them are a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from choreomon.core.stated_rule import SEVERITIES, Severity, StatedRule

if TYPE_CHECKING:
    from choreomon.documents.read import Document

F = TypeVar("F", bound=Callable[..., Any])

RULE_OPTIONS = ("rule", "fail_on")


def rule_options(command: F) -> F:
    """Add `--rule` and `--fail-on`."""
    for option in reversed(
        (
            click.option(
                "--rule",
                multiple=True,
                metavar="ID",
                help="Only this rule; may be given several times.",
            ),
            click.option(
                "--fail-on",
                type=click.Choice(SEVERITIES),
                default=SEVERITIES[-1],
                show_default=True,
                help="Exit with 1 or 3 only for rules that are at least so severe.",
            ),
        )
    ):
        command = option(command)
    return command


def chosen_document(document: Document, ids: tuple[str, ...]) -> Document:
    """Return the document with only the rules of these ids, or unchanged without any. Raises
    `UsageError`."""
    if not ids:
        return document
    from choreomon.documents.several import with_rules

    if document.property is None or not document.property.automaton.rules:
        raise click.UsageError(f"--rule is about documents with rules: {document.file} has none")
    try:
        return with_rules(document, ids)
    except ValueError as wrong:
        raise click.UsageError(f"--rule: {wrong}") from None


def is_failure(rule: StatedRule | None, least: Severity) -> bool:
    """Tell whether a verdict about this rule makes a command fail; one about no rule does."""
    return rule is None or SEVERITIES.index(rule.severity) <= SEVERITIES.index(least)


def gravest(words: Iterable[tuple[StatedRule | None, str]], least: Severity) -> set[str]:
    """The words about rules that make a command fail."""
    return {word for rule, word in words if is_failure(rule, least)}
