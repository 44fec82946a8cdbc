"""The shape of scenario and property documents, field by field.

Every part of a document is a frozen value; what is optional has its default
here and nowhere else. The published JSON Schema (`choreomon.cli.documents.schemas`) is made from
these classes. What a shape cannot say is in `choreomon.documents.validation`.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from choreomon.core.names import PLAIN_PATTERN, is_plain
from choreomon.documents.carrying import GivenValue, StartDocument
from choreomon.documents.durations import NO_TIME, Duration, UniformDuration
from choreomon.documents.observation import EVERYTHING, ObservationDocument
from choreomon.documents.property_shape import PropertyDocument
from choreomon.documents.roles import RolesDocument
from choreomon.documents.rule_shape import RuleDocument
from choreomon.files.fields import (
    SCHEMA,
    Constant,
    Items,
    Name,
    OneOrMore,
    PlainName,
    PositiveMilliseconds,
    Title,
    one_key,
)
from choreomon.files.shape_words import shown
from choreomon.files.shapes import Bounds, Choice, NotEmpty, Part, Refused, field

# ---------------------------------------------------------------- the network


class LinkDocument(Part):
    """The delay of one direction between two processes, for monitoring messages too."""

    source: Name = field(key="from", description="the id of the sending process")
    target: Name = field(key="to", description="the id of the receiving process")
    delay: Duration = field(description="how long a message takes")


class MonitoringDocument(Part):
    """The monitors, which have channels of their own in the same network."""

    in_order: bool = field(
        default=True, description="whether messages from one monitor to another arrive in order"
    )
    service: Duration = field(
        default=NO_TIME, description="how long a monitor takes for one event or message"
    )
    deadline: PositiveMilliseconds | None = field(
        default=None,
        description="milliseconds after which a monitor gives a provisional verdict when "
        "answers are missing; null: it waits",
    )


class NetworkDocument(Part):
    """Durations of everything. All of them are optional."""

    delay: Duration = field(
        default=UniformDuration(uniform=(1.0, 20.0)),
        description="how long a message takes where no link says otherwise",
    )
    links: Items[LinkDocument] = field(default=(), description="delays of single links")
    service: Duration = field(
        default=NO_TIME,
        description="how long a process is busy with a message; its statements happen first",
    )
    monitoring: MonitoringDocument = field(
        default=MonitoringDocument(), description="how monitors and their messages behave"
    )
    max_events: Annotated[int, Bounds(least=1)] = field(
        default=1_000_000, description="events after which a run is stopped, and says so"
    )


# ---------------------------------------------------------------- the application


class SendDocument(Part):
    """A message and its receiver."""

    to: Name = field(description="the id of the receiving process")
    message: Name = field(description="the message's name: a handler of the receiver")
    values: dict[PlainName, GivenValue] = field(
        default={},
        key="with",
        description="values that it carries, by name: text, integers, or $name for the one that "
        "the handled message carries",
    )


class SendStatement(Part):
    """Send a message."""

    send: SendDocument = field(description="the message: {to, message} or {to, message, with}")


class AssignStatement(Part):
    """Give variables of the process new values."""

    assign: Annotated[dict[PlainName, Constant], NotEmpty()] = field(
        description="variables with integers or booleans"
    )


class NotCondition(Part):
    """The variable is false."""

    variable: PlainName = field(key="not", description="a boolean variable")


INTEGERS_ARE_NOT_TESTED: Final = "integers can only be assigned constants, and never tested"
"""The errors about integers in conditions."""
_NEGATION: Final = re.compile(f"not +({PLAIN_PATTERN})")


def _condition(value: object) -> int:
    if isinstance(value, str) and (negated := _NEGATION.fullmatch(value.strip())):
        raise Refused(
            f"should be a boolean variable or {{not: variable}}, not {shown(value)}; "
            f"did you mean {{not: {negated[1]}}}?"
        )
    if isinstance(value, str) and is_plain(value):
        return 0
    if isinstance(value, dict) and "not" in value:
        return 1
    compares = isinstance(value, str) and re.search("[<>=]", value)
    told = f"; nothing is compared: {INTEGERS_ARE_NOT_TESTED}" if compares else ""
    raise Refused(f"should be a boolean variable or {{not: variable}}, not {shown(value)}{told}")


Condition: TypeAlias = Annotated[PlainName | NotCondition, Choice(_condition)]


class IfStatement(Part):
    """Do one thing or another, as a boolean variable says."""

    condition: Condition = field(key="if", description="a boolean variable or {not: variable}")
    then: Items[Statement] = field(description="a list of statements")
    otherwise: Items[Statement] = field(default=(), key="else", description="a list of statements")


Statement: TypeAlias = Annotated[
    SendStatement | AssignStatement | IfStatement,
    Choice(
        one_key(
            ("send", "assign", "if"),
            "one statement: {send: {to, message}}, {assign: {variable: constant}} or "
            "{if: variable, then: [...], else: [...]}",
        )
    ),
]


class ProcessDocument(Part):
    """A process: its variables with their first values, and what it does with messages."""

    id: Name = field(description="the name of the process; env is reserved")
    variables: dict[PlainName, Constant] = field(
        default={}, description="integer or boolean variables with their first values"
    )
    handlers: dict[Name, Items[Statement]] = field(
        default={}, description="for each message name a list of statements"
    )


class ApplicationDocument(Part):
    """Processes that send each other messages, and what starts them."""

    processes: OneOrMore[ProcessDocument] = field(description="a list of processes")
    start: Items[StartDocument] = field(default=(), description="messages from the environment")


# ---------------------------------------------------------------- the whole


class ScenarioDocument(Part):
    """An application, a property of it, or both."""

    name: Title | None = field(default=None, description="a title; the file's name where left out")
    application: ApplicationDocument | None = field(default=None, description="what runs")
    network: NetworkDocument = field(
        default=NetworkDocument(), description="how long things take in a simulated run"
    )
    roles: RolesDocument = field(
        default={},
        description="services with replicas, each with its number of slots; labels name the role",
    )
    property: PropertyDocument | None = field(default=None, description="what must not happen")
    rules: OneOrMore[RuleDocument] | None = field(
        default=None, description="what must not happen, as a list of rules, instead of property"
    )
    interaction: Annotated[str, NotEmpty()] | None = field(
        default=None,
        description="what should happen: an interaction in HIBOU's words, or the name of a file "
        "with one, beside the document: .hif, .hsf, .json, .mmd (Mermaid) or .puml (PlantUML)",
    )
    observation: ObservationDocument = field(
        default=EVERYTHING,
        description="what of a run is seen when it is verified against the interaction",
    )
    schema_for_editors: str | None = SCHEMA

    def check(self) -> None:
        if self.property is not None and self.rules is not None:
            raise Refused("has both property and rules: make the property one of the rules")
        if self.application is None and self.property is None and self.rules is None:
            raise Refused("has neither application nor property nor rules: give at least one")
