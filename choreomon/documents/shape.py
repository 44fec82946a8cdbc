"""The shape of scenario and property documents, field by field.

Every part of a document is a frozen pydantic model; what is optional has its default
here and nowhere else. The published JSON Schema (`choreomon.cli.documents.schemas`) is made from
these models. What a shape cannot say is in `choreomon.documents.validation`.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from choreomon.core.labels import NAME_PATTERN
from choreomon.documents.carrying import GivenValue, StartDocument
from choreomon.documents.durations import NO_TIME, Duration, UniformDuration
from choreomon.documents.observation import EVERYTHING, ObservationDocument
from choreomon.files.fields import (
    BRANCH,
    SCHEMA,
    CarryingLabelText,
    Constant,
    Items,
    LabelText,
    Name,
    OneOrMore,
    Part,
    PositiveMilliseconds,
    Title,
    branch_by_key,
    one_key,
    refused,
    shown,
    unquoted_label,
)
from choreomon.properties.tables import DEFAULT_RULES, RulesName

# ---------------------------------------------------------------- the network


class LinkDocument(Part):
    """The delay of one direction between two processes, for monitoring messages too."""

    source: Name = Field(alias="from", description="the id of the sending process")
    target: Name = Field(alias="to", description="the id of the receiving process")
    delay: Duration = Field(description="how long a message takes")


class MonitoringDocument(Part):
    """The monitors, which have channels of their own in the same network."""

    in_order: bool = Field(
        default=True, description="whether messages from one monitor to another arrive in order"
    )
    service: Duration = Field(
        default=NO_TIME, description="how long a monitor takes for one event or message"
    )
    deadline: PositiveMilliseconds | None = Field(
        default=None,
        description="milliseconds after which a monitor gives a provisional verdict when "
        "answers are missing; null: it waits",
    )


class NetworkDocument(Part):
    """Durations of everything. All of them are optional."""

    delay: Duration = Field(
        default=UniformDuration(uniform=[1, 20]),  # type: ignore[arg-type]  # lists are what files hold
        description="how long a message takes where no link says otherwise",
    )
    links: Items[LinkDocument] = Field(default=(), description="delays of single links")
    service: Duration = Field(
        default=NO_TIME,
        description="how long a process is busy with a message; its statements happen first",
    )
    monitoring: MonitoringDocument = Field(
        default=MonitoringDocument(), description="how monitors and their messages behave"
    )
    max_events: int = Field(
        default=1_000_000, ge=1, description="events after which a run is stopped, and says so"
    )


# ---------------------------------------------------------------- the application


class SendDocument(Part):
    """A message and its receiver."""

    to: Name = Field(description="the id of the receiving process")
    message: Name = Field(description="the message's name: a handler of the receiver")
    values: dict[Name, GivenValue] = Field(
        default={},
        alias="with",
        description="values that it carries, by name: text, integers, or $name for the one that "
        "the handled message carries",
    )


class SendStatement(Part):
    """Send a message."""

    send: SendDocument = Field(description="the message: {to, message} or {to, message, with}")


class AssignStatement(Part):
    """Give variables of the process new values."""

    assign: dict[Name, Constant] = Field(
        min_length=1, description="variables with integers or booleans"
    )


class NotCondition(Part):
    """The variable is false."""

    variable: Name = Field(alias="not", description="a boolean variable")


def _branch_of_condition(value: object) -> str:
    return f"{BRANCH}not" if isinstance(value, dict) else f"{BRANCH}variable"


INTEGERS_ARE_NOT_TESTED: Final = "integers can only be assigned constants, and never tested"
"""The errors about integers in conditions."""
_NEGATION: Final = re.compile(f"not +({NAME_PATTERN})")


def _condition(value: object) -> object:
    if isinstance(value, str) and (negated := _NEGATION.fullmatch(value.strip())):
        raise refused(
            f"should be a boolean variable or {{not: variable}}, not {shown(value)}; "
            f"did you mean {{not: {negated[1]}}}?"
        )
    is_name = isinstance(value, str) and re.fullmatch(NAME_PATTERN, value)
    if is_name or (isinstance(value, dict) and "not" in value):
        return value
    compares = isinstance(value, str) and re.search("[<>=]", value)
    told = f"; nothing is compared: {INTEGERS_ARE_NOT_TESTED}" if compares else ""
    raise refused(f"should be a boolean variable or {{not: variable}}, not {shown(value)}{told}")


Condition: TypeAlias = Annotated[
    Annotated[Name, Tag(f"{BRANCH}variable")] | Annotated[NotCondition, Tag(f"{BRANCH}not")],
    Discriminator(_branch_of_condition),
    BeforeValidator(_condition),
]


class IfStatement(Part):
    """Do one thing or another, as a boolean variable says."""

    condition: Condition = Field(alias="if", description="a boolean variable or {not: variable}")
    then: Items[Statement] = Field(description="a list of statements")
    otherwise: Items[Statement] = Field(
        default=(), alias="else", description="a list of statements"
    )


Statement: TypeAlias = Annotated[
    Annotated[SendStatement, Tag(f"{BRANCH}send")]
    | Annotated[AssignStatement, Tag(f"{BRANCH}assign")]
    | Annotated[IfStatement, Tag(f"{BRANCH}if")],
    Discriminator(branch_by_key),
    BeforeValidator(
        one_key(
            ("send", "assign", "if"),
            "one statement: {send: {to, message}}, {assign: {variable: constant}} or "
            "{if: variable, then: [...], else: [...]}",
        )
    ),
]


# Errors look at the types of fields, which were not known before.
IfStatement.model_rebuild()


class ProcessDocument(Part):
    """One process: its variables with their first values, and what it does with messages."""

    id: Name = Field(description="the name of the process; env is reserved")
    variables: dict[Name, Constant] = Field(
        default={}, description="integer or boolean variables with their first values"
    )
    handlers: dict[Name, Items[Statement]] = Field(
        default={}, description="for each message name a list of statements"
    )


class ApplicationDocument(Part):
    """Processes that send each other messages, and what starts them."""

    processes: OneOrMore[ProcessDocument] = Field(description="a list of processes")
    start: Items[StartDocument] = Field(default=(), description="messages from the environment")


# ---------------------------------------------------------------- the property


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

    source: Name = Field(alias="from", description="a state")
    target: Name = Field(alias="to", description="a state")
    label: CarryingLabelText = Field(
        alias="on", description='a label, "[handle] SENDER -> RECEIVER : NAME [(PARAMETER, ...)]"'
    )
    backward: bool | None = Field(
        default=None, description="what the author expects Definition 4 to say; null: nothing"
    )

    @model_validator(mode="after")
    def _no_backward_self_loop(self) -> LabelledTransition:
        if self.source == self.target and self.backward is not None:
            raise refused(
                "is a self-loop, which is neither forward nor backward: leave backward out"
            )
        return self


class LoopTransition(Part):
    """A self-loop with a formula for the labels that the state ignores."""

    source: Name = Field(alias="from", description="a state")
    target: Name = Field(alias="to", description="the same state")
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

    initial: OneOrMore[Name] = Field(description="a list of states")
    final: OneOrMore[Name] = Field(description="a list of states")
    transitions: OneOrMore[TransitionDocument] = Field(description="a list of transitions")


def _two_integers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise refused(f"should be [first, last], two numbers of steps, not {shown(value)}")
    return value


class CancellationDocument(Part):
    """A message that undoes steps."""

    on: CarryingLabelText = Field(description="a label")
    after: Annotated[
        tuple[int, int],
        Field(strict=False, description="[first, last]: it cancels while so many steps are done"),
        BeforeValidator(_two_integers),
    ]
    back_to: int = Field(description="how many steps are done afterwards, less than after[0]")


class SequenceDocument(Part):
    """Messages that must not happen in this order."""

    steps: OneOrMore[CarryingLabelText] = Field(description="a list of labels")
    cancel: Items[CancellationDocument] = Field(
        default=(), description="what cancels stretches of the steps"
    )


class PropertyDocument(Part):
    """The property: an automaton or a list of sequences that must not happen."""

    for_each: Items[Name] = Field(
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

    @model_validator(mode="after")
    def _one_of_the_two(self) -> PropertyDocument:
        if self.automaton is None and self.sequences is None:
            raise refused("has neither automaton nor sequences: give one of the two")
        if self.automaton is not None and self.sequences is not None:
            raise refused("has both automaton and sequences: keep one of the two")
        return self


# ---------------------------------------------------------------- the whole


class ScenarioDocument(Part):
    """An application, a property of it, or both."""

    name: Title | None = Field(default=None, description="a title; the file's name where left out")
    application: ApplicationDocument | None = Field(default=None, description="what runs")
    network: NetworkDocument = Field(
        default=NetworkDocument(), description="how long things take in a simulated run"
    )
    property: PropertyDocument | None = Field(default=None, description="what must not happen")
    interaction: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="what should happen: an interaction in HIBOU's words, or the name of a file "
        "with one, beside the document: .hif, .hsf, .json, .mmd (Mermaid) or .puml (PlantUML)",
    )
    observation: ObservationDocument = Field(
        default=EVERYTHING,
        description="what of a run is seen when it is verified against the interaction",
    )
    schema_for_editors: str | None = SCHEMA

    @model_validator(mode="after")
    def _something(self) -> ScenarioDocument:
        if self.application is None and self.property is None:
            raise refused("has neither application nor property: give at least one of the two")
        return self
