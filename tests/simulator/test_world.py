"""Runs of applications in virtual time."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from choreomon.actors.application import Application
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import (
    NO_TIME,
    Constant,
    Delay,
    Exponential,
    LinkDelays,
    LogNormal,
    Uniform,
)
from choreomon.core.binding import Binding
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock, happened_before, knows, merge
from choreomon.logs.trace import trace_line
from simulator.event_queue import MONITORING
from simulator.recording import each_of, tracing
from simulator.world import World
from tests.actors.small_applications import application, applications

delays = st.sampled_from(
    (Uniform(0, 0.003), Uniform(1, 20), Exponential(5), LogNormal(3, 1), Constant(0), Constant(4))
)
services = st.sampled_from((NO_TIME, Uniform(0, 0.002), Uniform(0, 8), Constant(3)))

ONE_MILLISECOND = Constant(1)
ROOT = Path(__file__).parents[2]


def world_of(
    app: Application,
    *,
    seed: int = 0,
    delay: Delay = ONE_MILLISECOND,
    service: Delay = NO_TIME,
    max_events: int = 60,
) -> tuple[World, list[RunEvent]]:
    """A world and where its events are going to be."""
    events: list[RunEvent] = []
    world = World(
        compile_application(app),
        seed,
        LinkDelays(delay),
        service=service,
        max_events=max_events,
        recorder=events.append,
    )
    return world, events


def events_of(app: Application, **settings: Any) -> list[RunEvent]:
    world, events = world_of(app, **settings)
    world.run()
    assert world.events == len(events)
    return events


def story(events: list[RunEvent]) -> list[str]:
    """`TIME PROCESS!MESSAGE` for a send, `TIME PROCESS?MESSAGE` for a handle."""
    signs = {SEND: "!", HANDLE: "?"}
    return [f"{e.time} {e.process}{signs[e.kind]}{e.message.name}" for e in events]


class TestOrderOfEvents:
    def test_a_handler_happens_at_one_time_and_a_message_takes_its_delay(self) -> None:
        app = application("P1.go: >P2.m >P2.n\nP2.m: >P1.r\nP2.n:\nP1.r:", "P1.go@7")
        assert story(events_of(app)) == [
            "7 P1?go",
            "7 P1!m",
            "7 P1!n",
            "1007 P2?m",
            "1007 P2!r",
            "1007 P2?n",
            "2007 P1?r",
        ]

    def test_a_process_may_send_to_itself(self) -> None:
        """The message takes its delay, and comes after the rest of the handler."""
        app = application("P1.go: >P1.m >P1.n\nP1.m:\nP1.n:", "P1.go")
        assert story(events_of(app, delay=NO_TIME)) == [
            "0 P1?go",
            "0 P1!m",
            "0 P1!n",
            "0 P1?m",
            "0 P1?n",
        ]

    def test_starts_at_equal_times_come_in_the_order_of_the_document(self) -> None:
        app = application("P2.a:\nP1.b:\nP1.c:", "P1.b@5", "P2.a@5", "P1.c@5", "P1.c@4")
        assert story(events_of(app)) == ["4 P1?c", "5 P1?b", "5 P2?a", "5 P1?c"]

    def test_a_busy_process_lets_messages_wait_in_order(self) -> None:
        app = application("P1.a: >P2.m\nP1.b: >P2.m\nP2.m:", "P1.a", "P1.b@100", "P1.a@200")
        assert story(events_of(app, delay=Constant(10), service=Constant(3))) == [
            "0 P1?a",
            "0 P1!m",
            "3000 P1?b",
            "3000 P1!m",
            "6000 P1?a",
            "6000 P1!m",
            "10000 P2?m",
            "13000 P2?m",
            "16000 P2?m",
        ]

    def test_a_message_that_arrives_as_service_ends_waits_behind_the_mailbox(self) -> None:
        app = application("P1.a:\nP1.b:\nP1.c:", "P1.a", "P1.b@1000", "P1.c@3000")
        assert story(events_of(app, service=Constant(3))) == [
            "0 P1?a",
            "3000 P1?b",
            "6000 P1?c",
        ]

    def test_each_process_draws_its_service_times_apart(self) -> None:
        app = application("P1.a:\nP1.b:\nP2.a:\nP2.b:", "P1.a", "P2.a", "P1.b", "P2.b")
        times = [event.time for event in events_of(app, service=Uniform(1, 20))]
        assert times[:2] == [0, 0]
        assert len({*times}) == 3

    @given(applications(), st.integers(), services, st.sampled_from((0, 0.002, 4)))
    def test_mailboxes_are_first_in_first_out(
        self, app: Application, seed: int, service: Delay, delay: float
    ) -> None:
        """With one delay for all, messages arrive in the order in which they were sent."""
        events = events_of(app, seed=seed, delay=Constant(delay), service=service)
        for process in app.names:
            sends = [
                e.sent_at
                for e in events
                if e.process == process and e.kind == HANDLE and e.sent_at is not None
            ]
            assert sends == sorted(sends)

    @given(applications(), st.integers(), delays, services)
    def test_messages_from_one_process_to_another_are_handled_in_order(
        self, app: Application, seed: int, delay: Delay, service: Delay
    ) -> None:
        latest: dict[tuple[str, str], int] = {}
        for event in events_of(app, seed=seed, delay=delay, service=service):
            if event.sent_at is not None:
                link = (event.message.sender, event.message.receiver)
                assert latest.get(link, -1) < event.sent_at
                latest[link] = event.sent_at

    @given(applications(), st.integers(), st.sampled_from((0, 1, 4)), st.sampled_from((0, 3)))
    def test_a_message_is_handled_when_it_is_there_and_its_process_is_idle(
        self, app: Application, seed: int, delay: int, service: int
    ) -> None:
        """The oracle: the later of its arrival and the end of the service before."""
        events = events_of(app, seed=seed, delay=Constant(delay), service=Constant(service))
        starts: dict[str, list[int]] = {name: [] for name in app.names}
        for start in app.start:
            repeat = start.repeat
            times = [0] if repeat is None else range(len(repeat.values))
            every = 0 if repeat is None else repeat.every
            starts[start.to] += [start.at + every * place for place in times]
        for each in starts.values():
            each.sort()
        idle = dict.fromkeys(app.names, 0)
        for event in events:
            if event.kind == SEND:
                continue
            if event.sent_at is None:
                arrival = starts[event.process].pop(0)
            else:
                arrival = events[event.sent_at].time + delay * 1000
            assert event.time == max(arrival, idle[event.process])
            idle[event.process] = event.time + service * 1000

    @given(applications(), st.integers(), delays, services)
    def test_events_are_numbered_in_order_and_found_by_process_and_count(
        self, app: Application, seed: int, delay: Delay, service: Delay
    ) -> None:
        world, events = world_of(app, seed=seed, delay=delay, service=service)
        world.run()
        assert [event.index for event in events] == list(range(world.events))
        assert all(earlier.time <= later.time for earlier, later in pairwise(events))
        for event in events:
            own = world.processes.index(event.process)
            assert world.event_index(own, event.clock[own]) == event.index
            if event.sent_at is not None:
                assert events[event.sent_at].message == event.message
                assert events[event.sent_at].kind == SEND


class TestClocks:
    def test_clocks_tick_at_every_event_and_merge_at_handles(self) -> None:
        app = application("P1.go: >P2.m >P3.m\nP2.m: >P3.n\nP3.m:\nP3.n:", "P1.go")
        assert [(e.process, e.clock) for e in events_of(app)] == [
            ("P1", (1, 0, 0)),
            ("P1", (2, 0, 0)),
            ("P1", (3, 0, 0)),
            ("P2", (2, 1, 0)),
            ("P2", (2, 2, 0)),
            ("P3", (3, 0, 1)),
            ("P3", (3, 2, 2)),
        ]

    @settings(max_examples=200)
    @given(applications(), st.integers(), delays, services)
    def test_clocks_order_events_as_program_order_and_messages_do(
        self, app: Application, seed: int, delay: Delay, service: Delay
    ) -> None:
        """Clocks against the definition of happened-before: reachability over both kinds of
        edges."""
        events = events_of(app, seed=seed, delay=delay, service=service)
        before: list[set[int]] = []
        latest: dict[str, int] = {}
        for event in events:
            reached = set()
            for edge in (latest.get(event.process), event.sent_at):
                if edge is not None:
                    reached |= {edge, *before[edge]}
            before.append(reached)
            latest[event.process] = event.index
        own = {name: index for index, name in enumerate(app.names)}
        for x in events:
            for y in events:
                assert happened_before(x.clock, y.clock) == (x.index in before[y.index])
                if x is not y:
                    count = x.clock[own[x.process]]
                    assert knows(y.clock, own[x.process], count) == (x.index in before[y.index])


class TestMonitoring:
    """What watchers see and may do."""

    def test_a_watcher_sees_its_label_with_clock_right_after_the_event_and_values(self) -> None:
        world, _ = world_of(application("P1.go: >P2.m(k=$k,l=1)\nP2.m:", "P1.go(k=7)"))
        seen: list[tuple[Label, VectorClock, Binding]] = []
        m = Message("P1", "m", "P2")
        for process, label in ((0, Label(SEND, m)), (1, Label(HANDLE, m))):
            world.watchers[process] = {label: lambda *event: seen.append(event)}
        world.run()
        carried = (("k", "7"), ("l", "1"))
        assert seen == [(Label(SEND, m), (2, 0), carried), (Label(HANDLE, m), (2, 1), carried)]

    def test_a_watcher_is_called_before_the_message_leaves(self) -> None:
        """Write-ahead: nothing is under way yet, and the clock is already the new one."""
        world, events = world_of(application("P1.go: >P2.m\nP2.m:", "P1.go"))
        seen = []

        def watch(_: Label, clock: VectorClock, __: Binding) -> None:
            seen.append((len(world.event_queue), len(events), world.clocks[0] == clock))

        world.watchers[0] = {Label(SEND, Message("P1", "m", "P2")): watch}
        world.run()
        assert seen == [(0, 1, True)]

    def test_a_message_carries_the_clock_of_its_own_send_event(self) -> None:
        """An inquiry that is answered while the message is about to leave comes after it."""
        world, events = world_of(application("P1.go: >P2.m >P2.m\nP2.m:\nP3.m:", "P1.go"))

        def watch(_: Label, clock: VectorClock, __: Binding) -> None:
            world.clocks[0] = merge(clock, (0, 0, 5))

        world.watchers[0] = {Label(SEND, Message("P1", "m", "P2")): watch}
        world.run()
        assert [event.clock for event in events] == [
            (1, 0, 0),
            (2, 0, 0),
            (3, 0, 5),
            (2, 1, 0),
            (3, 2, 5),
        ]

    def test_what_is_merged_at_a_handle_is_in_the_sends_after_it(self) -> None:
        world, events = world_of(application("P1.go: >P2.m\nP2.m:", "P1.go"))

        def watch(label: Label, clock: VectorClock, _: Binding) -> None:
            world.clocks[0] = merge(clock, (0, 9))

        world.watchers[0] = {Label(HANDLE, Message("env", "go", "P1")): watch}
        world.run()
        assert [event.clock for event in events] == [(1, 0), (2, 9), (2, 10)]

    def test_one_event_costs_one_look_up(self) -> None:
        """Also where no label is watched."""
        looked_up: list[list[Label]] = [[], []]

        class Counting(dict[Label, Any]):
            def __init__(self, asked: list[Label]) -> None:
                self.asked = asked

            def get(self, label: Label, default: object = None) -> Any:
                self.asked.append(label)

            def __getitem__(self, label: Label) -> Any:
                raise AssertionError

            def __contains__(self, label: object) -> bool:
                raise AssertionError

        world, events = world_of(application("P1.go: >P2.m\nP2.m: >P1.go", "P1.go"))
        world.watchers[:] = [Counting(asked) for asked in looked_up]
        world.run()
        for name, asked in zip(world.processes, looked_up, strict=True):
            assert asked == [event.label for event in events if event.process == name]

    @given(applications(), st.integers(), delays, services, st.integers(0, 3000))
    def test_monitoring_changes_no_event_no_order_and_no_time(
        self, app: Application, seed: int, delay: Delay, service: Delay, pause: int
    ) -> None:
        """Watchers of everything that merge clocks and keep the event queue busy."""
        alone = events_of(app, seed=seed, delay=delay, service=service)
        world, events = world_of(app, seed=seed, delay=delay, service=service)
        schedule = world.event_queue.schedule_of(MONITORING)

        def learn(process: int) -> None:
            for clock in world.clocks:
                world.clocks[process] = merge(world.clocks[process], clock)

        class Everything(dict[Label, Any]):
            def __init__(self, process: int) -> None:
                self.process = process

            def get(self, label: Label, default: object = None) -> Any:
                return self.watch

            def watch(self, label: Label, clock: VectorClock, _: Binding) -> None:
                learn(self.process)
                schedule(world.event_queue.now + pause, learn, self.process)

        world.watchers[:] = [Everything(index) for index in range(len(world.processes))]
        world.run()
        plain = [(e.index, e.time, e.kind, e.message, e.sent_at) for e in alone]
        assert [(e.index, e.time, e.kind, e.message, e.sent_at) for e in events] == plain
        for learned, event in zip(events, alone, strict=True):
            assert merge(learned.clock, event.clock) == learned.clock


class TestMaxEvents:
    PING = "P1.ping: >P2.pong\nP2.pong: >P1.ping >P1.ping"

    @given(applications(), st.integers(), delays, services, st.integers(1, 59))
    def test_a_run_stops_at_exactly_that_many_events(
        self, app: Application, seed: int, delay: Delay, service: Delay, limit: int
    ) -> None:
        """It is the beginning of the run with a higher limit, and says that it stopped."""
        longer = events_of(app, seed=seed, delay=delay, service=service)
        assume(len(longer) >= limit)
        world, events = world_of(app, seed=seed, delay=delay, service=service, max_events=limit)
        world.run()
        assert events == longer[:limit]
        assert world.reached_max_events
        assert len(world.event_queue) == 0

    def test_a_run_that_ends_before_says_so(self) -> None:
        world, _ = world_of(application("P1.go:", "P1.go"), max_events=2)
        world.run()
        assert world.events == 1
        assert not world.reached_max_events

    def test_a_cycle_without_delays_ends(self) -> None:
        world, _ = world_of(application(self.PING, "P1.ping"), delay=NO_TIME, max_events=1000)
        world.run()
        assert world.events == 1000
        assert world.event_queue.now == 0

    def test_monitors_finish_after_the_application_was_stopped(self) -> None:
        world, _ = world_of(application(self.PING, "P1.ping"), max_events=2)
        done: list[int] = []
        schedule = world.event_queue.schedule_of(MONITORING)

        def watch(_: Label, __: VectorClock, ___: Binding) -> None:
            schedule(
                world.event_queue.now + 5000, lambda _: done.append(world.event_queue.now), None
            )

        world.watchers[0] = {Label(SEND, Message("P1", "pong", "P2")): watch}
        world.run()
        assert world.events == 2
        assert done == [5000]

    def test_a_run_of_one_event_can_be_asked_for(self) -> None:
        world, _ = world_of(application(self.PING, "P1.ping"), max_events=1)
        world.run()
        assert world.events == 1
        assert world.reached_max_events

    def test_no_events_at_all_cannot_be_asked_for(self) -> None:
        with pytest.raises(ValueError, match="at least 1"):
            world_of(application("P1.go:", "P1.go"), max_events=0)


class TestDeterminism:
    APP = "P1.a: >P2.m >P3.m >P1.a\nP2.m: ?x[>P3.m x=true|>P1.a]\nP3.m: >P2.m"

    def trace(self, seed: int) -> str:
        sink = io.StringIO()
        app = compile_application(application(self.APP, "P1.a", "P2.m@3"))
        links: dict[tuple[str, str], Delay] = {
            ("P1", "P2"): LogNormal(3, 1),
            ("P2", "P1"): Exponential(2),
        }
        World(
            app,
            seed,
            LinkDelays(Uniform(1, 20), links),
            service=Exponential(1),
            max_events=300,
            recorder=tracing(sink, app.processes),
        ).run()
        return sink.getvalue()

    def test_one_seed_gives_one_trace_whatever_the_hash_seed(self) -> None:
        program = (
            "from tests.simulator.test_world import TestDeterminism;"
            "print(TestDeterminism().trace(-12), end='')"
        )
        traces = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={"PYTHONHASHSEED": seed},
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert traces == {self.trace(-12)}
        assert len(traces.pop().splitlines()) == 300

    def test_seeds_that_only_differ_in_sign_give_different_runs(self) -> None:
        assert len({self.trace(seed) for seed in (-12, 12, 13)}) == 3


class TestRecording:
    def test_a_trace_has_one_line_an_event(self) -> None:
        sink = io.StringIO()
        app = application("P1.go: >P2.m\nP2.m:", "P1.go")
        events: list[RunEvent] = []
        last: deque[RunEvent] = deque(maxlen=1)
        World(
            compile_application(app),
            0,
            LinkDelays(NO_TIME),
            recorder=each_of(events.append, last.append, tracing(sink, app.names)),
        ).run()
        assert sink.getvalue().splitlines() == [trace_line(e, app.names) for e in events]
        assert len(events) == 3
        assert [*last] == events[-1:]
