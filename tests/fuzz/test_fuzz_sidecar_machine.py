"""Any course of a pure sidecar: nothing raises, no clock runs backwards, what it remembers has a
bound, and after a snapshot or a crash it goes on as if there had been none.

`benchmarks.fuzz.checks.Stepped` looks after every step.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)

from benchmarks.fuzz import checks
from benchmarks.fuzz.checks import NAMES, SYSTEM, Broken, Stepped, make_sidecar
from benchmarks.fuzz.mutants import damaged, mutated_pack
from benchmarks.fuzz.premises import PeerFrames
from choreomon.agent_files import local
from choreomon.agent_files.clocks.text import encode_clocks
from choreomon.agent_files.told_traces import ToldTraces, encode_traces
from choreomon.agent_files.values import TRACE
from choreomon.agent_files.wire import encode
from choreomon.core.message import EventKind
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.runtime.inputs import (
    Abandoned,
    Delivered,
    Expired,
    FromPeer,
    Gap,
    GivenUp,
    Goodbye,
    Hello,
    Input,
    Lapsed,
    Promised,
    Recovered,
    Report,
    ReportWithValues,
    decode_batch,
    encode_batch,
)
from choreomon.runtime.outputs import Ask, Dropped, Output, Reply
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot

POLICIES = st.sampled_from(["block", "block", "buffer", "let-go", "fire-and-forget"])
EVENTS = st.sampled_from(
    [
        *(("send", "good", "b"), ("send", "good", "e"), ("send", "rogue", "d")),
        *(("send", "rogue", "g"), ("handle", "good", "a")),
        *(("send", "nobody", "nothing"), ("send", "no name", "b")),
    ]
)
SMALL = st.integers(0, 3)
SEEDS = st.integers(0, 1 << 32)
HEARD = st.none() | st.tuples(SMALL, SMALL, SMALL | st.integers(0, 1 << 61))
PEERS = st.sampled_from(["good", "rogue"])
TRACES = st.sampled_from(["", "", "1" * 32, "2" * 32])
FEW_TRACES = st.dictionaries(st.integers(1, 4), st.sampled_from([b"3" * 16, b"4" * 16]), max_size=2)


def is_refusal(output: Output) -> Any:
    return isinstance(output, Reply) and isinstance(output.message, local.Refused)


class Machine(RuleBasedStateMachine):
    seen: ClassVar[Counter[str]] = Counter()
    replaying = False

    def __init__(self) -> None:
        super().__init__()
        self.it = Stepped(make_sidecar())
        self.saved = encode_snapshot(self.it.state, self.it.sidecar)
        self.since: list[Input] = []
        self.told: list[str] = []
        self.connection = 0
        self.numbers: dict[str, int] = {}
        self.asked: list[Inquiry] = []
        self.is_over = False

    def step(self, given: Input) -> list[Output]:
        before = self.it.state
        try:
            outputs = self.it.step(given)
        except BaseException:
            self.is_over = True
            raise
        self.seen.update(type(each).__name__ for each in outputs)
        self.seen.update(each.reason for each in outputs if isinstance(each, Dropped))
        self.seen.update(each.message.reason for each in outputs if is_refusal(each))
        if self.it.state is not before:
            self.since.append(given)
            self.told.append(repr(outputs))
        for output in outputs:
            if isinstance(output, Ask):
                self.asked = [*self.asked[-20:], output.inquiry]
            elif isinstance(output, Reply) and isinstance(output.message, local.Welcome):
                self.numbers[output.message.session] = output.message.number
        return outputs

    def session(self, place: int) -> tuple[str, int]:
        """One of those that are open, and its connection."""
        sessions = self.it.state.sessions
        names = [*sessions] or ["nowhere"]
        name = names[place % len(names)]
        return name, sessions[name].connection if name in sessions else 1

    # The service.

    @rule(policy=POLICIES, again=st.sampled_from([False, False, True]), place=SMALL, lost=SMALL)
    def hello(self, policy: local.Policy, again: bool, place: int, lost: int) -> None:
        self.connection += 1
        session = self.session(place)[0] if again else ""
        self.step(Hello(self.connection, policy, session, f"s{self.connection}", lost))

    @rule(
        event=EVENTS,
        heard=HEARD,
        place=SMALL,
        off=st.sampled_from([0, 0, 0, 0, 0, -1, 1]),
        behind=st.sampled_from([1, 3, 1 << 20]),
        trace=TRACES,
    )
    def report(
        self,
        event: tuple[EventKind, str, str],
        heard: VectorClock | None,
        place: int,
        off: int,
        behind: int,
        trace: str,
    ) -> None:
        name, connection = self.session(place)
        number = self.numbers.get(name, 0) + 1 + off
        text = "" if heard is None else encode_clocks({SYSTEM[:4]: heard})
        told = (connection, name, number, max(0, number - behind), *event, text, 5)
        outputs = self.step(ReportWithValues(*told, {TRACE: trace}) if trace else Report(*told))
        for output in outputs:
            if isinstance(output, Reply) and isinstance(output.message, local.Clock):
                self.numbers[name] = max(self.numbers.get(name, 0), output.message.number)

    @rule(place=SMALL, way=st.sampled_from([Promised, Lapsed, Abandoned]))
    def promise(self, place: int, way: Any) -> None:
        self.step(way(self.session(place)[0]))

    @rule(place=SMALL, lost=st.integers(1, 1 << 50))
    def gap(self, place: int, lost: int) -> None:
        name, connection = self.session(place)
        number = self.numbers.get(name, 0) + 1
        self.step(Gap(connection, name, number, number - 1, lost))
        if name in self.it.state.sessions:
            self.numbers[name] = self.it.state.sessions[name].last

    @rule(place=SMALL)
    def goodbye(self, place: int) -> None:
        name, connection = self.session(place)
        self.step(Goodbye(connection, name))

    # Peers.

    @rule(seed=SEEDS, peer=PEERS, way=SMALL)
    def rubbish(self, seed: int, peer: str, way: int) -> None:
        random = Random(seed)
        pool = PeerFrames(random, SYSTEM.hex()).valid()
        pool += [self.answer_to(inquiry) for inquiry in self.asked[-9:]]
        self.step(FromPeer(peer, (mutated_pack if way else damaged)(random, pool)))

    @rule(seed=SEEDS)
    def valid(self, seed: int) -> None:
        random = Random(seed)
        self.step(FromPeer("rogue", random.choice(PeerFrames(random, SYSTEM.hex()).valid())))

    @precondition(lambda self: self.asked)
    @rule(place=st.integers(0, 20), waits=st.booleans(), traces=FEW_TRACES)
    def answer(self, place: int, waits: bool, traces: dict[int, bytes]) -> None:
        inquiry = self.asked[place % len(self.asked)]
        if traces:
            told = ToldTraces(inquiry.receiver, inquiry.event[NAMES.index(inquiry.sender)], traces)
            self.step(FromPeer(inquiry.receiver, encode_traces(told, SYSTEM)))
        self.step(FromPeer(inquiry.receiver, self.answer_to(inquiry, waits=waits)))

    def answer_to(self, inquiry: Inquiry, *, waits: bool = False) -> bytes:
        sender, to, clock = inquiry.receiver, inquiry.sender, inquiry.clock
        own = NAMES.index(sender)
        later = (*clock[:own], clock[own] + 1, *clock[own + 1 :])
        count = inquiry.event[NAMES.index(to)]
        if waits:
            told = Waiting(sender, to, inquiry.inspected, count, ("rogue",), later)
            return encode(told, SYSTEM)
        records = tuple(Record(each, later, "Frm_p") for each in inquiry.asked)
        return encode(
            Response(sender, to, inquiry.inspected, count, records, later, clock[own]), SYSTEM
        )

    # Time, and ends.

    @rule(seed=SEEDS)
    def busy(self, seed: int) -> None:
        """Several events, of which some ask others."""
        random = Random(seed)
        name = random.choice([*self.it.state.sessions] or ["nowhere"])
        is_done = random.random() < 0.5
        for _ in range(random.randrange(1, 12)):
            peer, message = random.choice([("good", "b"), ("rogue", "d"), ("good", "e")])
            number = self.numbers.get(name, 0) + 1
            session = self.it.state.sessions.get(name)
            connection = 1 if session is None else session.connection
            done = number - 1 if is_done else 0
            self.step(Report(connection, name, number, done, "send", peer, message, "", 0))
            if session is not None:
                self.numbers[name] = self.it.state.sessions[name].last

    @precondition(lambda self: self.it.state.hosts[0].monitor.inspections)
    @rule(place=SMALL, gives_up=st.booleans())
    def late(self, place: int, gives_up: bool) -> None:
        host, state = self.it.sidecar.hosts[0], self.it.state.hosts[0]
        counts = (host.inspected if gives_up else host.undecided)(state) or [1]
        count = counts[place % len(counts)]
        self.step(GivenUp(0, count) if gives_up else Expired(0, count))

    @rule()
    def delivered(self) -> None:
        self.step(Delivered([*self.it.state.undelivered]))

    @rule()
    def snapshot(self) -> None:
        sidecar = self.it.sidecar
        data = encode_snapshot(self.it.state, sidecar)
        again = decode_snapshot(data, sidecar)
        assert encode_snapshot(again, sidecar) == data
        self.replayed()
        self.it.state, self.saved = again, data
        self.since, self.told = [], []

    @rule(forgetful=st.booleans())
    def crash(self, forgetful: bool) -> None:
        self.it.state = self.replayed()
        self.step(Recovered(forgetful))
        self.it.sidecar.resumed(self.it.state)

    def replayed(self) -> Any:
        """The state that the last snapshot and the inputs after it lead to, with the outputs that
        were seen then."""
        sidecar = self.it.sidecar
        state = decode_snapshot(self.saved, sidecar)
        told = []
        Machine.replaying = True
        try:
            for given in decode_batch(encode_batch(self.since)):
                state, outputs = sidecar.step(state, given)
                told.append(repr(outputs))
        finally:
            Machine.replaying = False
        assert told == self.told, "replayed, it says something else"
        present = encode_snapshot(self.it.state, sidecar)
        assert encode_snapshot(state, sidecar) == present, "replayed, it is another state"
        return state

    def teardown(self) -> None:
        if not self.is_over:
            self.replayed()


QUICK = settings(
    max_examples=500,
    stateful_step_count=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


PLANTED = settings(QUICK, phases=[Phase.generate], max_examples=1000)
SEEN = {
    *("Reply", "Close", "Ask", "Answer", "Answered", "Deadline", "Decided", "Ticked"),
    *("malformed", "system", "sender", "clock", "kind", "rights", "answer", "held", "session"),
    *("number", "window"),
}


def test_any_course_of_a_sidecar_keeps_to_it() -> None:
    Machine.seen.clear()
    run_state_machine_as_test(Machine, settings=QUICK)
    assert set(Machine.seen) >= SEEN


def test_a_clock_that_is_taken_as_it_comes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what was heard replaces the clock instead of being merged."""

    def heard(self: Host, state: HostState, clock: VectorClock) -> tuple[HostState, list[Any]]:
        return HostState(clock, state.monitor), []

    monkeypatch.setattr(Host, "heard", heard)
    with pytest.raises(Broken, match="ran backwards"):
        run_state_machine_as_test(Machine, settings=PLANTED)


def test_what_is_not_in_the_journal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a step depends on something that is in no state."""
    right = Host.give_up

    def give_up(self: Host, state: HostState, given: int) -> Any:
        return (state, []) if Machine.replaying else right(self, state, given)

    monkeypatch.setattr(Host, "give_up", give_up)
    with pytest.raises(AssertionError, match="replayed"):
        run_state_machine_as_test(Machine, settings=PLANTED)


def test_sessions_without_a_bound_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: none is ever pushed out."""
    made = checks.make_sidecar()
    object.__setattr__(made, "most_sessions", 1 << 30)
    monkeypatch.setitem(globals(), "make_sidecar", lambda: made)
    with pytest.raises(Broken, match="remembers too much"):
        run_state_machine_as_test(Machine, settings=PLANTED)
