"""What compiling makes of applications."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given

from choreomon.actors.application import Application, Assign, Process
from choreomon.actors.compilation import compile_application
from choreomon.actors.program import Block, perform
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Message
from tests.actors.small_applications import application, applications


def test_labels_are_made_once_a_send_statement() -> None:
    compiled = compile_application(application("P1.go: >P2.m\nP2.m:", "P1.go"))
    program, nothing = compiled.programs
    ((label, (route,), given),) = perform(program, [])
    assert given == ()
    message = Message("P1", "m", "P2")
    assert label == (SEND, message)
    assert route == (1, (HANDLE, message), 1)
    assert route.label.message is label.message
    assert nothing == (Block((), ()),)
    assert compiled.starts == ((0, ((0, (HANDLE, Message(ENVIRONMENT, "go", "P1")), 0),), ()),)


def test_programs_are_found_by_process_and_message() -> None:
    compiled = compile_application(application("P1.go: >P2.m\nP1.m: >P1.m\nP2.m: >P1.go"))
    assert {key: compiled.programs[n] for key, n in compiled.handlers.items()} == {
        ("P1", "go"): compiled.programs[0],
        ("P1", "m"): compiled.programs[1],
        ("P2", "m"): compiled.programs[2],
    }
    for (process, _), number in compiled.handlers.items():
        for sending in perform(compiled.programs[number], []):
            message = sending.label.message
            assert message.sender == process
            assert sending.routes[0].program == compiled.handlers[message.receiver, message.name]


@given(applications())
def test_a_compiled_application_can_be_given_to_another_process(app: Application) -> None:
    compiled = compile_application(app)
    assert pickle.loads(pickle.dumps(compiled)) == compiled


@pytest.mark.parametrize(
    ("text", "start", "complaint"),
    [
        ("P1.go: >P2.m", "P1.go", "handler go of P1: P2 has no handler m"),
        ("P1.go: ?x[|>P1.m]", "P1.go", "handler go of P1: P1 has no handler m"),
        ("P1.go:", "P1.stop", "start: P1 has no handler stop"),
        ("P1.go:", "P2.go", "start: P2 has no handler go"),
        ("P1.go: n1=3 ?n1[]", "P1.go", "handler go of P1: the variable n1 is not boolean"),
    ],
)
def test_an_application_that_cannot_run_is_refused(text: str, start: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        compile_application(application(text, start))


def test_an_unknown_variable_or_a_process_given_twice_is_refused() -> None:
    process = Process("P1", {"go": (Assign("x", 1),)})
    with pytest.raises(ValueError, match="handler go of P1: P1 has no variable x"):
        compile_application(Application((process,)))
    with pytest.raises(ValueError, match="same id"):
        compile_application(Application((Process("P1", {}), Process("P1", {}))))
