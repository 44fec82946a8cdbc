"""The world performs the programs of handlers as their statements say, and as another driver of
the same programs does."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.actors.application import Application, Assign, Constant, If, Process, Start, Tell
from choreomon.actors.compilation import CompiledApplication, Sending, compile_application
from choreomon.actors.delays import NO_TIME, LinkDelays, Uniform
from choreomon.actors.program import perform, translated
from choreomon.core.binding import Binding
from choreomon.core.message import HANDLE, SEND, EventKind, Message
from choreomon.core.run import RunEvent
from simulator.world import World
from tests.actors.small_applications import Handler, application, applications

Told = tuple[EventKind, Message]


def events_of(
    app: Application, seed: int = 0, delays: LinkDelays | None = None, max_events: int = 60
) -> list[RunEvent]:
    events: list[RunEvent] = []
    World(
        compile_application(app),
        seed,
        delays or LinkDelays(Uniform(1, 20)),
        max_events=max_events,
        recorder=events.append,
    ).run()
    return events


def sent(app: Application) -> list[list[Message]]:
    """For each handle event of a run the messages that its handler sent."""
    handled: list[list[Message]] = []
    for event in events_of(app):
        if event.kind == HANDLE:
            handled.append([])
        else:
            handled[-1].append(event.message)
    return handled


def interpreted(
    process: str, handler: Handler, variables: dict[str, Constant], handled: Mapping[str, str]
) -> list[tuple[Message, Binding]]:
    """The slow oracle: the statements, one after the other, by recursion; messages with what they
    carry, where the handled one carries `handled`."""
    messages = []
    for statement in handler:
        match statement:
            case Tell(to, name, given):
                values: dict[str, str] = {}
                for key, value in given:
                    values[key] = value if isinstance(value, str) else handled[value.name]
                messages.append((Message(process, name, to), tuple(sorted(values.items()))))
            case Assign(variable, value):
                variables[variable] = value
            case If(variable, then, otherwise, negated):
                arm = then if bool(variables[variable]) != negated else otherwise
                messages += interpreted(process, arm, variables, handled)
    return messages


@settings(max_examples=200)
@given(applications())
def test_runs_do_what_the_statements_of_handlers_say(app: Application) -> None:
    do_what_statements_say(app, events_of(app, seed=1))


def test_the_law_about_statements_notices_values_of_another_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: what is sent carries what was handled, whatever the statement says."""
    app = application("P1.go: >P2.m(k=2)\nP2.m:", "P1.go(k=1)")
    do_what_statements_say(app, events_of(app))
    monkeypatch.setattr("simulator.world.carried", lambda given, handled: handled)
    with pytest.raises(AssertionError):
        do_what_statements_say(app, events_of(app))


def do_what_statements_say(app: Application, events: Sequence[RunEvent]) -> None:
    """Raises `AssertionError` where the events are not what the statements say."""
    processes = {process.id: process for process in app.processes}
    variables = {name: dict(process.variables) for name, process in processes.items()}
    at = 0
    while at < len(events):
        name, message = events[at].process, events[at].message
        assert events[at].kind == HANDLE
        sent_at = events[at].sent_at
        assert sent_at is None or events[at].values == events[sent_at].values
        handler = processes[name].handlers[message.name]
        expected = interpreted(name, handler, variables[name], dict(events[at].values))
        block = events[at + 1 : at + 1 + len(expected)]
        assert [(event.message, event.values) for event in block] == expected[: len(block)]
        assert {event.kind for event in block} <= {SEND}
        at += 1 + len(expected)


class PlainProcess:
    """One process by itself: all that it has is names, its programs and its variables."""

    def __init__(self, compiled: CompiledApplication, name: str) -> None:
        def posting(sending: Sending) -> tuple[str, str]:
            message = sending.label.message
            return message.receiver, message.name

        self.variables = [*compiled.variables[compiled.processes.index(name)]]
        self.programs = {
            message: translated(compiled.programs[number], posting)
            for (process, message), number in compiled.handlers.items()
            if process == name
        }

    def handle(self, message: str) -> tuple[tuple[str, str], ...]:
        """To whom it sends what."""
        return perform(self.programs[message], self.variables)


def told_by_plain_processes(app: Application, max_events: int) -> list[Told]:
    """The events while no message takes any time and no process is busy: the next message is the
    one that was sent first."""
    compiled = compile_application(app)
    processes = {name: PlainProcess(compiled, name) for name in compiled.processes}
    told: list[Told] = []
    for _, group in groupby(sorted(compiled.starts, key=itemgetter(0)), itemgetter(0)):
        under_way = deque(start.routes[0].label.message for start in group)
        while under_way and len(told) < max_events:
            message = under_way.popleft()
            told.append((HANDLE, message))
            for receiver, name in processes[message.receiver].handle(message.name):
                under_way.append(Message(message.receiver, name, receiver))
                told.append((SEND, under_way[-1]))
    return told[:max_events]


@settings(max_examples=200)
@given(applications(), st.integers(1, 60))
def test_another_driver_of_the_same_programs_has_the_same_events(
    app: Application, max_events: int
) -> None:
    events = events_of(app, delays=LinkDelays(NO_TIME), max_events=max_events)
    assert [(e.kind, e.message) for e in events] == told_by_plain_processes(app, max_events)


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
    block: Handler = (Tell("P1", "m"),)
    for depth in range(5000):
        block = (If("x", (), block),) if depth % 2 else (If("x", block, (), negated=True),)
    deep = Application((Process("P1", {"go": block, "m": ()}, {"x": False}),), (Start("P1", "go"),))
    assert sent(deep) == [[Message("P1", "m", "P1")], []]
