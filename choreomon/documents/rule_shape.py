"""The shape of `rules` in a document, field by field. What a shape cannot say is in
`choreomon.documents.rule_compilation`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from choreomon.core.label_patterns import LabelPattern, parse_label_pattern
from choreomon.core.stated_rule import Severity
from choreomon.documents.idle_times import IdleTime
from choreomon.documents.property_shape import STRETCH, AutomatonDocument, Stretch
from choreomon.files.fields import (
    Items,
    Name,
    OneOrMore,
    PlainName,
    Title,
    label_refused,
)
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Before, Choice, Parsed, Part, Refused, field


def _pattern(value: object) -> LabelPattern:
    found = parse_label_pattern(value) if isinstance(value, str) else None
    if found is None:
        raise label_refused(
            value,
            'a label "[handle] SENDER -> RECEIVER : NAME [(PARAMETER, ...)]", whose ends may be '
            "a name, {a, set}, * or $variable",
        )
    return found


LabelPatternText: TypeAlias = Annotated[
    LabelPattern,
    Parsed(_pattern, {"type": "string", "pattern": "->.*:"}),
]


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


AnyOf: TypeAlias = Annotated[
    OneOrMore[LabelPatternText],
    Before(_listed),
]
"""A label, or a list of labels of which any will do."""


class InOrder(Part):
    """Messages one after the other."""

    in_order: OneOrMore[AnyOf] = field(
        description="a list of labels, which have to happen one after the other"
    )


Unless: TypeAlias = Annotated[AnyOf | InOrder, Choice(lambda value: isinstance(value, dict))]


def _both_ends(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise Refused(
            "should be [first, second], the labels at which the stretch begins and ends, not "
            f"{shown(value)}"
        )
    return value


class RuleCancellation(Part):
    """A message that undoes steps."""

    on: AnyOf = field(description="a label, or a list of labels")
    after: Stretch = field(description=STRETCH)
    back_to: int = field(description="how many steps are done afterwards, less than after[0]")


_LINK: Final = re.compile(r"https?://[^\s<>\"]+")


def _link(value: object) -> object:
    if not isinstance(value, str) or not _LINK.fullmatch(value):
        raise Refused(
            f"should be an address that begins with http:// or https://, not {shown(value)}"
        )
    return value


class RuleDocument(Part):
    """A rule: what must not happen, as a pattern, as steps, or as an automaton."""

    id: PlainName = field(description="its name in verdicts, reports and metrics")
    description: Title | None = field(default=None, description="one sentence that says it")
    severity: Severity = field(default="error", description="error, warning or note")
    runbook_url: Annotated[str, Before(_link)] | None = field(
        default=None, description="a page that says what to do"
    )
    tags: Items[PlainName] = field(default=(), description="words to find it by")
    for_each: Items[PlainName] = field(
        default=(),
        description="parameters: the rule is meant for each combination of their values, which "
        "messages carry",
    )
    fresh: AnyOf | None = field(default=None, description="labels at which an instance begins anew")
    forget_after: IdleTime | None = field(
        default=None,
        description="how long an instance has to be idle until agents forget it, as in 30 days; "
        "null: they never do",
    )
    where: dict[PlainName, OneOrMore[Name]] = field(
        default={},
        description="variables for processes, used as $variable: one rule for each value",
    )
    never: AnyOf | None = field(default=None, description="a label of what must not happen")
    unless: Unless | None = field(
        default=None,
        description="a label of what allows it from then on; or {in_order: [...]}, labels that "
        "have to happen one after the other",
    )
    after: AnyOf | None = field(
        default=None, description="forbidden only since this happened first"
    )
    after_each: AnyOf | None = field(
        default=None, description="forbidden since this happened, each time anew"
    )
    until: AnyOf | None = field(
        default=None,
        description="what ends what after has opened; with unless, what takes back what it allows",
    )
    before: AnyOf | None = field(
        default=None, description="forbidden only if this follows, at which it is told"
    )
    between: Annotated[tuple[AnyOf, AnyOf], Before(_both_ends)] | None = field(
        default=None,
        description="[first, second]: forbidden between the two; told at the second",
    )
    steps: OneOrMore[Annotated[AnyOf, Before(_listed)]] | None = field(
        default=None,
        description="a list of labels that must not happen in this order, instead of never",
    )
    cancel: Items[RuleCancellation] = field(
        default=(), description="what cancels stretches of the steps"
    )
    automaton: AutomatonDocument | None = field(
        default=None, description="a sequence automaton, instead of never"
    )

    @classmethod
    def look(cls, value: Mapping[str, object]) -> None:
        # Response and existence, in words that people try.
        wanted = [key for key in value if key in _TO_COME]
        if wanted:
            raise Refused(
                f"has {wanted[0]}, which speaks of what has not happened yet, and no order of "
                "messages forbids that something is still to come; what comes nearest is what must "
                "not happen before it, as in never: CLOSE, unless: ANSWER, after_each: QUESTION"
            )

    def check(self) -> None:
        bodies = [key for key in ("never", "steps", "automaton") if getattr(self, key)]
        if not bodies:
            raise Refused("forbids nothing: give never, steps or automaton")
        if len(bodies) > 1:
            raise Refused(f"has {' and '.join(bodies)}: keep one of them")
        for key, body in _GOES_WITH.items():
            if getattr(self, key) and bodies != [body]:
                raise Refused(f"has {key}, which goes with {body}, and it has {bodies[0]}")


_TO_COME: Final = frozenset(
    ("always", "eventually", "exists", "followed_by", "leads_to", "must", "response", "then")
)
_GOES_WITH: Final = {
    **dict.fromkeys(("unless", "after", "after_each", "until", "before", "between"), "never"),
    "cancel": "steps",
}
