"""The shape of the property part of a document, field by field: automata and sequences.

What a shape cannot say is in `choreomon.documents.validation`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from choreomon.core.message import BEGIN
from choreomon.documents.idle_times import IdleTime
from choreomon.files.fields import (
    BRANCH,
    CarryingLabelText,
    Items,
    LabelText,
    OneOrMore,
    Part,
    PlainName,
    StepText,
    one_key,
    refused,
    shown,
    unquoted_label,
)
from choreomon.properties.tables import DEFAULT_RULES, RulesName


class NotFormula(Part):
    """Labels that the operand does not allow."""

    operand: Formula = Field(alias="not", description="a formula")


class AndFormula(Part):
    """The labels that every operand allows."""

    operands: OneOrMore[Formula] = Field(alias="and", description="a list of formulas")


def _branch_of_formula(value: object) -> str:
    if isinstance(value, dict):
        return f"{BRANCH}{'not' if 'not' in value else 'and'}"
    return f"{BRANCH}{'true' if value is True else 'label'}"


def _formula(value: object) -> object:
    right = "a formula: true, a label, {not: formula} or {and: [formula, formula]}"
    if isinstance(value, str) and value.strip().lower() == "true":
        raise refused(f"should be {right}, not the text {value!r}: write true without quotes")
    if unquoted := unquoted_label(value):
        raise unquoted
    if isinstance(value, dict):
        return one_key(("not", "and"), right)(value)
    if value is True or isinstance(value, str):
        return value
    raise refused(f"should be {right}, not {shown(value)}")


Formula: TypeAlias = Annotated[
    Annotated[Literal[True], Tag(f"{BRANCH}true")]
    | Annotated[LabelText, Tag(f"{BRANCH}label")]
    | Annotated[NotFormula, Tag(f"{BRANCH}not")]
    | Annotated[AndFormula, Tag(f"{BRANCH}and")],
    Discriminator(_branch_of_formula),
    BeforeValidator(_formula),
]


AndFormula.model_rebuild()


class LabelledTransition(Part):
    """A transition on a label; from a state to itself it is a self-loop."""

    source: PlainName = Field(alias="from", description="a state")
    target: PlainName = Field(alias="to", description="a state")
    label: StepText = Field(
        alias="on",
        description='a label, "[handle] SENDER -> RECEIVER : NAME [(PARAMETER, ...)]", or begin, '
        "which happened before everything else",
    )
    backward: bool | None = Field(
        default=None, description="what the author expects Definition 4 to say; null: nothing"
    )

    @model_validator(mode="after")
    def _no_loop_that_cannot_be(self) -> LabelledTransition:
        if self.source == self.target and self.label.label == BEGIN:
            raise refused(
                "is a self-loop, and begin happens once, before everything else: let it lead to "
                "another state"
            )
        if self.source == self.target and self.backward is not None:
            raise refused(
                "is a self-loop, which is neither forward nor backward: leave backward out"
            )
        return self


class LoopTransition(Part):
    """A self-loop with a formula for the labels that the state ignores."""

    source: PlainName = Field(alias="from", description="a state")
    target: PlainName = Field(alias="to", description="the same state")
    formula: Formula = Field(alias="when", description="a formula")

    @model_validator(mode="after")
    def _from_a_state_to_itself(self) -> LoopTransition:
        if self.source != self.target:
            raise refused(
                f"has when, so it is a self-loop and should lead from {self.source} to "
                f"{self.source}; write on: for a transition to another state"
            )
        return self


def _branch_of_transition(value: object) -> str:
    return f"{BRANCH}{'when' if isinstance(value, dict) and 'when' in value else 'on'}"


TransitionDocument: TypeAlias = Annotated[
    Annotated[LabelledTransition, Tag(f"{BRANCH}on")]
    | Annotated[LoopTransition, Tag(f"{BRANCH}when")],
    Discriminator(_branch_of_transition),
    BeforeValidator(
        one_key(
            ("on", "when"),
            "{from: STATE, to: STATE, on: LABEL} or a self-loop {from: STATE, to: STATE, "
            "when: FORMULA}",
        )
    ),
]


class AutomatonDocument(Part):
    """A sequence automaton; its states are those that transitions mention."""

    initial: OneOrMore[PlainName] = Field(description="a list of states")
    final: OneOrMore[PlainName] = Field(description="a list of states")
    transitions: OneOrMore[TransitionDocument] = Field(description="a list of transitions")


def _two_integers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise refused(f"should be [first, last], two numbers of steps, not {shown(value)}")
    return value


Stretch: TypeAlias = Annotated[
    tuple[int, int],
    Field(strict=False, description="[first, last]: it cancels while so many steps are done"),
    BeforeValidator(_two_integers),
]
"""The steps between which a cancellation cancels."""


class CancellationDocument(Part):
    """A message that undoes steps."""

    on: CarryingLabelText = Field(description="a label")
    after: Stretch
    back_to: int = Field(description="how many steps are done afterwards, less than after[0]")


class SequenceDocument(Part):
    """Messages that must not happen in this order."""

    steps: OneOrMore[StepText] = Field(
        description="a list of labels; the first step may be begin, which happened before "
        "everything else"
    )
    cancel: Items[CancellationDocument] = Field(
        default=(), description="what cancels stretches of the steps"
    )


class PropertyDocument(Part):
    """The property: an automaton or a list of sequences that must not happen."""

    for_each: Items[PlainName] = Field(
        default=(),
        description="parameters: the property is meant for each combination of their values, which "
        "messages carry",
    )
    rules: RulesName = Field(
        default=DEFAULT_RULES,
        description="how monitors judge: precise; sound, which tells each other less; or the paper "
        "to the letter",
    )
    undecidable_self_loop: Literal["reject", "cancel"] = Field(
        default="reject",
        description="what to do with a self-loop that forbids a message for which its state "
        "has no other transition: refuse it, or let the message cancel",
    )
    automaton: AutomatonDocument | None = Field(default=None, description="a sequence automaton")
    sequences: OneOrMore[SequenceDocument] | None = Field(
        default=None, description="a list of sequences, instead of an automaton"
    )
    fresh: Items[CarryingLabelText] = Field(
        default=(), description="labels at which an instance begins anew"
    )
    forget_after: IdleTime | None = Field(
        default=None,
        description="how long an instance has to be idle until agents forget it, as in 30 days; "
        "null: they never do",
    )

    @model_validator(mode="after")
    def _one_of_the_two(self) -> PropertyDocument:
        if self.automaton is None and self.sequences is None:
            raise refused("has neither automaton nor sequences: give one of the two")
        if self.automaton is not None and self.sequences is not None:
            raise refused("has both automaton and sequences: keep one of the two")
        return self
