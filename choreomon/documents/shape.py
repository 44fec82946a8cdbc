"""The shape of scenario and property documents, field by field.

Every part of a document is a frozen pydantic model; what is optional has its default
here and nowhere else. The published JSON Schema (`choreomon.cli.documents.schemas`) is made from
these models. What a shape cannot say is in `choreomon.documents.validation`.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from choreomon.core.names import PLAIN_PATTERN, is_plain
from choreomon.documents.carrying import GivenValue, StartDocument
from choreomon.documents.durations import NO_TIME, Duration, UniformDuration
from choreomon.documents.observation import EVERYTHING, ObservationDocument
from choreomon.documents.property_shape import PropertyDocument
from choreomon.documents.roles import RolesDocument
from choreomon.documents.rule_shape import RuleDocument
from choreomon.files.fields import (
    BRANCH,
    SCHEMA,
    Constant,
    Items,
    Name,
    OneOrMore,
    Part,
    PlainName,
    PositiveMilliseconds,
    Title,
    branch_by_key,
    one_key,
    refused,
    shown,
)

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
    values: dict[PlainName, GivenValue] = Field(
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

    assign: dict[PlainName, Constant] = Field(
        min_length=1, description="variables with integers or booleans"
    )


class NotCondition(Part):
    """The variable is false."""

    variable: PlainName = Field(alias="not", description="a boolean variable")


def _branch_of_condition(value: object) -> str:
    return f"{BRANCH}not" if isinstance(value, dict) else f"{BRANCH}variable"


INTEGERS_ARE_NOT_TESTED: Final = "integers can only be assigned constants, and never tested"
"""The errors about integers in conditions."""
_NEGATION: Final = re.compile(f"not +({PLAIN_PATTERN})")


def _condition(value: object) -> object:
    if isinstance(value, str) and (negated := _NEGATION.fullmatch(value.strip())):
        raise refused(
            f"should be a boolean variable or {{not: variable}}, not {shown(value)}; "
            f"did you mean {{not: {negated[1]}}}?"
        )
    if (isinstance(value, str) and is_plain(value)) or (isinstance(value, dict) and "not" in value):
        return value
    compares = isinstance(value, str) and re.search("[<>=]", value)
    told = f"; nothing is compared: {INTEGERS_ARE_NOT_TESTED}" if compares else ""
    raise refused(f"should be a boolean variable or {{not: variable}}, not {shown(value)}{told}")


Condition: TypeAlias = Annotated[
    Annotated[PlainName, Tag(f"{BRANCH}variable")] | Annotated[NotCondition, Tag(f"{BRANCH}not")],
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
    """A process: its variables with their first values, and what it does with messages."""

    id: Name = Field(description="the name of the process; env is reserved")
    variables: dict[PlainName, Constant] = Field(
        default={}, description="integer or boolean variables with their first values"
    )
    handlers: dict[Name, Items[Statement]] = Field(
        default={}, description="for each message name a list of statements"
    )


class ApplicationDocument(Part):
    """Processes that send each other messages, and what starts them."""

    processes: OneOrMore[ProcessDocument] = Field(description="a list of processes")
    start: Items[StartDocument] = Field(default=(), description="messages from the environment")


# ---------------------------------------------------------------- the whole


class ScenarioDocument(Part):
    """An application, a property of it, or both."""

    name: Title | None = Field(default=None, description="a title; the file's name where left out")
    application: ApplicationDocument | None = Field(default=None, description="what runs")
    network: NetworkDocument = Field(
        default=NetworkDocument(), description="how long things take in a simulated run"
    )
    roles: RolesDocument = Field(
        default={},
        description="services with replicas, each with its number of slots; labels name the role",
    )
    property: PropertyDocument | None = Field(default=None, description="what must not happen")
    rules: OneOrMore[RuleDocument] | None = Field(
        default=None, description="what must not happen, as a list of rules, instead of property"
    )
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
        if self.property is not None and self.rules is not None:
            raise refused("has both property and rules: make the property one of the rules")
        if self.application is None and self.property is None and self.rules is None:
            raise refused("has neither application nor property nor rules: give at least one")
        return self
