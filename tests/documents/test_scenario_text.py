"""Documents of scenarios that were made: what is read back is what was written."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choreomon.actors.application import Application, Assign, If, Process, Start, Tell
from choreomon.actors.delays import Constant, Delay, Exponential, LogNormal, Uniform
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.names import PLAIN_PATTERN
from choreomon.documents.actors import application_from_document, delay_from_document
from choreomon.documents.read import Document, parse_document
from choreomon.documents.scenario_text import (
    document_as_json,
    document_as_yaml,
    scenario_document,
)
from choreomon.properties.sequences import Cancellation, MessageSequence
from tests.actors.small_applications import applications
from tests.core.names_for_tests import names as any_names

STEP = MessageSequence((Label(SEND, Message("P1", "m", "P1")),))
APART = Uniform(1, 20)


def read_both(
    application: Application, delay: Delay = APART, *sequences: MessageSequence
) -> list[Document]:
    """From YAML and from JSON."""
    made = scenario_document("a: name", application, delay, sequences)
    return [
        parse_document(document_as_yaml(made, "a comment"), "made.yaml"),
        parse_document(document_as_json(made), "made.json"),
    ]


@given(applications())
def test_applications_come_back(application: Application) -> None:
    for document in read_both(application, APART, STEP):
        assert document.name == "a: name"
        assert document.application is not None
        assert application_from_document(document.application) == application


NAMES = st.one_of(
    st.from_regex(PLAIN_PATTERN, fullmatch=True),
    st.sampled_from(["true", "No", "null", "NULL", "on", "y", "0x1F", "1.5", "1e3", "007", "nan"]),
).filter(lambda name: name != "env")


@given(
    st.lists(any_names(), min_size=3, max_size=3, unique=True),
    st.lists(NAMES, min_size=2, max_size=2, unique=True),
    st.booleans(),
    st.integers(),
)
@example(["\U0001f600", "POST /orders/{id}", '"\\'], ["x", "y"], True, 1)
@example(["10.0.0.7:8080", "[key]", "\N{RIGHTWARDS ARROW}not"], ["x", "y"], True, 1)
def test_names_and_constants_of_every_kind_come_back(
    names: list[str], variables: list[str], constant: bool, number: int
) -> None:
    if "env" in names:
        return
    first, second, message = names
    flag, count = variables
    body = (
        If(flag, (Tell(second, message),), (Assign(count, number),), negated=constant),
        If(flag, ()),
    )
    application = Application(
        (
            Process(first, {message: body}, {flag: constant, count: 0}),
            Process(second, {message: ()}),
        ),
        (Start(first, message, 1500), Start(first, message, 2000)),
    )
    sent = Label(SEND, Message(first, message, second))
    handled = Label(HANDLE, Message(first, message, second))
    sequence = MessageSequence((sent, handled, sent), (Cancellation(handled, (1, 1), 0),))
    for document in read_both(application, APART, sequence, MessageSequence((handled,))):
        assert document.application is not None
        assert document.property is not None
        assert application_from_document(document.application) == application
        assert document.property.sequences == (sequence, MessageSequence((handled,)))


@pytest.mark.parametrize(
    "delay", [Uniform(1, 20), Uniform(0.5, 2.25), Exponential(10), LogNormal(10, 0.3), Constant(4)]
)
def test_delays_come_back(delay: Delay) -> None:
    application = Application((Process("P1", {"m": ()}),))
    for document in read_both(application, delay, STEP):
        assert delay_from_document(document.network.delay) == delay


def test_what_fits_stands_in_a_line_and_what_does_not_below() -> None:
    sends = tuple(Tell("P1", f"a_message_of_some_length_{number}") for number in range(3))
    handlers = {tell.message: () for tell in sends}
    application = Application(
        (Process("P1", {"m": sends, "n": sends[:1], **handlers}),), (Start("P1", "n"),)
    )
    made = scenario_document("made", application, APART, [STEP])
    assert document_as_yaml(made, "how it was made") == TEXT
    assert json.loads(document_as_json(made)) == made


TEXT = """\
# how it was made
name: made
application:
  processes:
    - id: P1
      handlers:
        m:
          - {send: {to: P1, message: a_message_of_some_length_0}}
          - {send: {to: P1, message: a_message_of_some_length_1}}
          - {send: {to: P1, message: a_message_of_some_length_2}}
        n: [{send: {to: P1, message: a_message_of_some_length_0}}]
        a_message_of_some_length_0: []
        a_message_of_some_length_1: []
        a_message_of_some_length_2: []
  start: [{to: P1, message: n, at: 0}]
network:
  delay: {uniform: [1, 20]}
property:
  sequences:
    - steps:
        - "P1 -> P1 : m"
"""
