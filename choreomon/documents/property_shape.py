"""The shape of the property part of a document, field by field: automata and sequences.

What a shape cannot say is in `choreomon.documents.validation`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from choreomon.core.message import BEGIN
from choreomon.documents.idle_times import IdleTime
from choreomon.files.fields import (
    CarryingLabelText,
    Items,
    LabelText,
    OneOrMore,
    PlainName,
    StepText,
    one_key,
    unquoted_label,
)
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Before, Choice, Part, Refused, field
from choreomon.properties.tables import DEFAULT_RULES, RulesName


class NotFormula(Part):
    """Labels that the operand does not allow."""

    operand: Formula = field(key="not", description="a formula")


class AndFormula(Part):
    """The labels that every operand allows."""

    operands: OneOrMore[Formula] = field(key="and", description="a list of formulas")


def _formula(value: object) -> int:
    right = "a formula: true, a label, {not: formula} or {and: [formula, formula]}"
    if isinstance(value, str) and value.strip().lower() == "true":
        raise Refused(f"should be {right}, not the text {value!r}: write true without quotes")
    if unquoted := unquoted_label(value):
        raise unquoted
    if isinstance(value, dict):
        return 2 + one_key(("not", "and"), right)(value)
    if value is True or isinstance(value, str):
        return 0 if value is True else 1
    raise Refused(f"should be {right}, not {shown(value)}")


Formula: TypeAlias = Annotated[
    Literal[True] | LabelText | NotFormula | AndFormula, Choice(_formula)
]


class LabelledTransition(Part):
    """A transition on a label; from a state to itself it is a self-loop."""

    source: PlainName = field(key="from", description="a state")
    target: PlainName = field(key="to", description="a state")
    label: StepText = field(
        key="on",
        description='a label, "[handle] SENDER -> RECEIVER : NAME [(PARAMETER, ...)]", or begin, '
        "which happened before everything else",
    )
    backward: bool | None = field(
        default=None, description="what the author expects Definition 4 to say; null: nothing"
    )

    def check(self) -> None:
        if self.source == self.target and self.label.label == BEGIN:
            raise Refused(
                "is a self-loop, and begin happens once, before everything else: let it lead to "
                "another state"
            )
        if self.source == self.target and self.backward is not None:
            raise Refused(
                "is a self-loop, which is neither forward nor backward: leave backward out"
            )


class LoopTransition(Part):
    """A self-loop with a formula for the labels that the state ignores."""

    source: PlainName = field(key="from", description="a state")
    target: PlainName = field(key="to", description="the same state")
    formula: Formula = field(key="when", description="a formula")

    def check(self) -> None:
        if self.source != self.target:
            raise Refused(
                f"has when, so it is a self-loop and should lead from {self.source} to "
                f"{self.source}; write on: for a transition to another state"
            )


TransitionDocument: TypeAlias = Annotated[
    LabelledTransition | LoopTransition,
    Choice(
        one_key(
            ("on", "when"),
            "{from: STATE, to: STATE, on: LABEL} or a self-loop {from: STATE, to: STATE, "
            "when: FORMULA}",
        )
    ),
]


class AutomatonDocument(Part):
    """A sequence automaton; its states are those that transitions mention."""

    initial: OneOrMore[PlainName] = field(description="a list of states")
    final: OneOrMore[PlainName] = field(description="a list of states")
    transitions: OneOrMore[TransitionDocument] = field(description="a list of transitions")


def _two_integers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise Refused(f"should be [first, last], two numbers of steps, not {shown(value)}")
    return value


Stretch: TypeAlias = Annotated[tuple[int, int], Before(_two_integers)]
"""The steps between which a cancellation cancels."""
STRETCH: Final = "[first, last]: it cancels while so many steps are done"


class CancellationDocument(Part):
    """A message that undoes steps."""

    on: CarryingLabelText = field(description="a label")
    after: Stretch = field(description=STRETCH)
    back_to: int = field(description="how many steps are done afterwards, less than after[0]")


class SequenceDocument(Part):
    """Messages that must not happen in this order."""

    steps: OneOrMore[StepText] = field(
        description="a list of labels; the first step may be begin, which happened before "
        "everything else"
    )
    cancel: Items[CancellationDocument] = field(
        default=(), description="what cancels stretches of the steps"
    )


class PropertyDocument(Part):
    """The property: an automaton or a list of sequences that must not happen."""

    for_each: Items[PlainName] = field(
        default=(),
        description="parameters: the property is meant for each combination of their values, which "
        "messages carry",
    )
    rules: RulesName = field(
        default=DEFAULT_RULES,
        description="how monitors judge: precise; sound, which tells each other less; or the paper "
        "to the letter",
    )
    undecidable_self_loop: Literal["reject", "cancel"] = field(
        default="reject",
        description="what to do with a self-loop that forbids a message for which its state "
        "has no other transition: refuse it, or let the message cancel",
    )
    automaton: AutomatonDocument | None = field(default=None, description="a sequence automaton")
    sequences: OneOrMore[SequenceDocument] | None = field(
        default=None, description="a list of sequences, instead of an automaton"
    )
    fresh: Items[CarryingLabelText] = field(
        default=(), description="labels at which an instance begins anew"
    )
    forget_after: IdleTime | None = field(
        default=None,
        description="how long an instance has to be idle until agents forget it, as in 30 days; "
        "null: they never do",
    )

    def check(self) -> None:
        if self.automaton is None and self.sequences is None:
            raise Refused("has neither automaton nor sequences: give one of the two")
        if self.automaton is not None and self.sequences is not None:
            raise Refused("has both automaton and sequences: keep one of the two")
