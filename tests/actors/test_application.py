"""Applications, and what compiling makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from choreomon.actors.application import (
    Application,
    Assign,
    If,
    Process,
    Send,
    SendInstruction,
    Start,
    Statement,
    compile_application,
)
from choreomon.actors.delays import LinkDelays, Uniform
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Message
from choreomon.core.run import RunEvent
from simulator.world import World
from tests.actors.small_applications import application, applications


def sent(application: Application, seed: int = 0, max_events: int = 60) -> list[list[Message]]:
    """For each handle event of a run the messages that its handler sent."""
    handled: list[tuple[Message, list[Message]]] = []
    events: list[RunEvent] = []
    World(
        compile_application(application),
        seed,
        LinkDelays(Uniform(1, 20)),
        max_events=max_events,
        recorder=events.append,
    ).run()
    for event in events:
        if event.kind == HANDLE:
            handled.append((event.message, []))
        else:
            handled[-1][1].append(event.message)
    return [messages for _, messages in handled]


def interpreted(
    process: str, statements: tuple[Statement, ...], variables: dict[str, int | bool]
) -> list[Message]:
    """The slow oracle: the statements, one after the other, by recursion."""
    messages = []
    for statement in statements:
        match statement:
            case Send(to, name):
                messages.append(Message(process, name, to))
            case Assign(variable, value):
                variables[variable] = value
            case If(variable, then, otherwise, negated):
                arm = then if bool(variables[variable]) != negated else otherwise
                messages += interpreted(process, arm, variables)
    return messages


@settings(max_examples=200)
@given(applications())
def test_compiled_handlers_do_what_their_statements_say(application: Application) -> None:
    events: list[RunEvent] = []
    World(
        compile_application(application),
        1,
        LinkDelays(Uniform(1, 20)),
        max_events=60,
        recorder=events.append,
    ).run()
    processes = {process.id: process for process in application.processes}
    variables = {name: dict(process.variables) for name, process in processes.items()}
    at = 0
    while at < len(events):
        name, message = events[at].process, events[at].message
        assert events[at].kind == HANDLE
        expected = interpreted(name, processes[name].handlers[message.name], variables[name])
        block = events[at + 1 : at + 1 + len(expected)]
        assert [event.message for event in block] == expected[: len(block)]
        assert {event.kind for event in block} <= {SEND}
        at += 1 + len(expected)


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (">P2.m >P2.n", "mn"),
        ("?x[>P2.m]", ""),
        ("?!x[>P2.m]", "m"),
        ("?x[>P2.m|>P2.n]", "n"),
        ("x=true ?x[>P2.m|>P2.n] >P2.m", "mm"),
        ("x=true ?x[?!x[>P2.m|?x[>P2.n >P2.n]]|>P2.m] >P2.m", "nnm"),
        ("?x[|>P2.n]", "n"),
        ("?x[>P2.m|]", ""),
        ("?!x[?x[>P2.m]] >P2.n", "n"),
        ("n1=7 ?x[]", ""),
    ],
)
def test_a_handler_sends(handler: str, expected: str) -> None:
    text = f"P1.go: {handler}\nP2.m:\nP2.n:"
    first = sent(application(text, "P1.go"))[0]
    assert "".join(message.name for message in first) == expected


def test_variables_keep_their_values_between_messages() -> None:
    """The second `go` finds what the first one left."""
    text = "P1.go: ?x[>P2.m|>P2.n x=true]\nP2.m:\nP2.n:"
    messages = [m.name for block in sent(application(text, "P1.go", "P1.go@5")) for m in block]
    assert messages == ["n", "m"]


def test_runs_do_not_share_variables() -> None:
    compiled = compile_application(application("P1.go: ?x[>P1.m|x=true]\nP1.m:", "P1.go"))
    delays = LinkDelays(Uniform(1, 20))
    worlds = [World(compiled, 0, delays) for _ in range(2)]
    for world in worlds:
        world.run()
    assert [world.events for world in worlds] == [1, 1]


def test_conditionals_may_nest_as_deep_as_one_likes() -> None:
    block: tuple[Statement, ...] = (Send("P1", "m"),)
    for depth in range(5000):
        block = (If("x", (), block),) if depth % 2 else (If("x", block, (), negated=True),)
    deep = Application((Process("P1", {"go": block, "m": ()}, {"x": False}),), (Start("P1", "go"),))
    assert sent(deep) == [[Message("P1", "m", "P1")], []]


def test_labels_are_made_once_a_send_statement() -> None:
    compiled = compile_application(application("P1.go: >P2.m\nP2.m:", "P1.go"))
    (instruction,), nothing = compiled.programs
    assert isinstance(instruction, SendInstruction)
    _, label, route = instruction
    message = Message("P1", "m", "P2")
    assert label == (SEND, message)
    assert route == (1, (HANDLE, message), 1)
    assert route.label.message is label.message
    assert nothing == ()
    assert compiled.starts == ((0, (0, (HANDLE, Message(ENVIRONMENT, "go", "P1")), 0)),)


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
