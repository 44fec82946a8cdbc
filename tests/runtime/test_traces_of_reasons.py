"""The traces of the events that a verdict names in its reasons: agents tell each other of them
beside answers, as far as they know them, and after a crash as before."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import msgspec
import pytest

from choreomon.agent_files.told_traces import MOST_TOLD, EventTrace, ToldTraces, encode_traces
from choreomon.agent_files.values import TRACE
from choreomon.agent_files.wire import NO_SYSTEM, TRACES, VERSION, open_untrusted
from choreomon.core.message import BEGINNING, SEND, Label, Message
from choreomon.core.verdict import (
    FRM,
    NEVER,
    POSSIBLY_VIOLATED,
    VIOLATED,
    MonitorVerdict,
    Reason,
    Reference,
)
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Response
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime import said_of_events
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import (
    Delivered,
    FromPeer,
    GivenUp,
    Happened,
    HappenedWithValues,
    decode_batch,
)
from choreomon.runtime.outputs import DeclaredVerdict, Dropped
from choreomon.runtime.reloading import reloaded
from choreomon.runtime.said_of_events import MOST_HEARD, MOST_OWN, SaidOfEvents
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot, without_drained
from tests.properties.stated import automaton_of
from tests.runtime.driven import SYSTEM, Clock, Ports
from tests.runtime.world.disk import Disk

NAMES = ("A", "B")
OTHER = bytes(range(16, 32))
ONE, TWO, THREE = ("1" * 32, "2" * 32, "3" * 32)
A, B, C, D = (
    Label(SEND, Message(sender, name, receiver))
    for sender, name, receiver in (
        *(("A", "a", "B"), ("B", "b", "A")),
        *(("B", "c", "A"), ("A", "d", "B")),
    )
)
ACROSS = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"))
"""B's `b` after A's `a`."""
WITHIN = automaton_of("q0", "q2", ("q0", B, "q1"), ("q1", C, "q2"))
"""B's `c` after its own `b`."""


def trace(text: str) -> bytes:
    return bytes.fromhex(text)


class Agent:
    """One of two, whose frames are carried by hand, in any number, in any order."""

    def __init__(self, name: str, automaton: SequenceAutomaton = ACROSS) -> None:
        host = Host(Monitor(transition_tables(automaton, NAMES)[name], NAMES, has_deadline=True))
        self.sidecar = Sidecar(name, (SYSTEM,), (host,))
        (self.other,) = {*NAMES} - {name}
        self.disk = Disk(lambda moment: None)
        self.begins()

    def begins(self) -> None:
        """What it knows is what is on its disk."""
        self.ports = Ports(self.disk)
        self.dropped: list[str] = []
        self.ports.happened = self.noted  # type: ignore[method-assign]
        self.time = Clock()
        self.driver = Driver(self.sidecar, self.disk, self.ports, self.time)
        self.driver.recover(forgetful=False)
        self.driver.flush()

    def noted(self, output: object) -> None:
        if isinstance(output, Dropped):
            self.dropped.append(output.reason)

    def does(self, name: str, trace_id: str = "", heard: tuple[int, ...] | None = None) -> None:
        known = [heard or ()]
        if trace_id:
            values = {TRACE: trace_id}
            self.driver.take(HappenedWithValues("send", self.other, name, known, 0, values))
        else:
            self.driver.take(Happened("send", self.other, name, known, 0))
        self.driver.flush()

    def hears(self, *frames: bytes) -> None:
        for frame in frames:
            self.driver.take(FromPeer(self.other, frame))
            self.driver.flush()

    @property
    def clock(self) -> tuple[int, ...]:
        return self.driver.state.hosts[0].clock

    @property
    def says(self) -> list[tuple[str, tuple[EventTrace, ...]]]:
        return [(word.verdict.kind, word.traces) for word in self.ports.words]


def answered(asker: Agent, other: Agent) -> list[bytes]:
    """What it answers to the last inquiry."""
    before = len(other.ports.answered)
    _, frame = asker.ports.asked[-1]
    other.hears(frame)
    return [frame for _, frame in other.ports.answered[before:]]


@pytest.fixture
def a() -> Agent:
    return Agent("A")


@pytest.fixture
def b() -> Agent:
    return Agent("B")


def test_a_verdict_names_the_trace_of_what_happened_beside_another_process(
    a: Agent, b: Agent
) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    b.hears(*answered(b, a))
    assert b.says == [(VIOLATED, (EventTrace("A", 1, trace(ONE)),))]
    (word,) = b.ports.words
    assert word.said == ((TRACE, TWO),)


@pytest.mark.parametrize(("first", "second"), [("", TWO), (ONE, ""), ("", "")])
def test_where_one_of_the_two_is_not_known_the_other_is(
    a: Agent, b: Agent, first: str, second: str
) -> None:
    a.does("a", first)
    b.does("b", second, a.clock)
    frames = answered(b, a)
    assert [open_untrusted(each).kind == TRACES for each in frames] == [True, False][not first :]
    b.hears(*frames)
    (word,) = b.ports.words
    assert word.traces == ((EventTrace("A", 1, trace(ONE)),) if first else ())
    assert word.said == (((TRACE, TWO),) if second else ())
    assert not b.driver.state.said.heard


def test_of_several_events_each_has_its_own(a: Agent, b: Agent) -> None:
    a.does("a", ONE)
    a.does("a", TWO)
    known = a.clock
    a.does("a", THREE)
    b.does("b", "", known)
    b.hears(*answered(b, a))
    ((kind, traces),) = b.says
    named = {reason.clock[0] for reason in b.ports.words[0].verdict.because}
    assert (kind, named) == (VIOLATED, {2, 3})
    assert set(traces) == {EventTrace("A", 2, trace(TWO)), EventTrace("A", 3, trace(THREE))}


def test_a_verdict_names_the_trace_of_an_earlier_event_of_its_own_process() -> None:
    b = Agent("B", WITHIN)
    b.does("b", ONE)
    b.does("c", TWO)
    assert b.says == [(VIOLATED, (EventTrace("B", 1, trace(ONE)),))]
    assert b.ports.asked == []


def test_what_was_told_beside_an_answer_that_never_came_is_not_said_nor_kept(
    a: Agent, b: Agent
) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    told, _ = answered(b, a)
    b.hears(told)
    assert b.driver.state.said.heard
    b.driver.take(GivenUp(0, 1))
    b.driver.flush()
    assert b.says == [(POSSIBLY_VIOLATED, ())]
    assert not b.driver.state.said.heard


@pytest.mark.parametrize("snapshot", [False, True])
@pytest.mark.parametrize("who", ["asked", "asker", "told", "judged"])
def test_after_a_kill_they_are_known_as_before(
    a: Agent, b: Agent, who: str, snapshot: bool
) -> None:
    def dies(agent: Agent) -> None:
        if snapshot:
            agent.driver.snapshot()
        agent.begins()

    a.does("a", ONE)
    if who == "asked":
        dies(a)
    b.does("b", TWO, a.clock)
    told, answer = answered(b, a)
    if who == "asker":
        dies(b)
    b.hears(told)
    if who == "told":
        dies(b)
    b.hears(answer)
    if who == "judged":
        dies(b)
    ((_, traces),) = b.says
    assert traces == (EventTrace("A", 1, trace(ONE)),)


def test_an_answer_that_is_asked_for_again_tells_again(a: Agent, b: Agent) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    assert answered(b, a) == answered(b, a)


def test_what_is_told_again_is_not_written_down_again(a: Agent, b: Agent) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    told, answer = answered(b, a)
    b.hears(told, told, told)
    inputs = [each for row in b.disk.rows for each in decode_batch(row)]
    assert [type(each) for each in inputs].count(FromPeer) == 1
    b.hears(answer)
    rows = len(b.disk.rows)
    b.hears(told)  # too late: there is nothing left to say
    assert (len(b.disk.rows), b.dropped) == (rows, [])


def test_when_all_is_said_nothing_that_others_told_is_kept(a: Agent, b: Agent) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    told, answer = answered(b, a)
    b.hears(told)
    assert trace(ONE) in encode_snapshot(b.driver.state, b.sidecar)
    b.hears(answer)
    assert trace(ONE) in encode_snapshot(b.driver.state, b.sidecar)
    b.driver.take(Delivered([word.id for word in b.ports.words]))
    snapshot = encode_snapshot(b.driver.state, b.sidecar)
    assert trace(ONE) not in snapshot
    assert msgspec.msgpack.decode(snapshot)[0] == 3
    assert a.driver.state.said.own  # others may ask about it


def test_an_event_that_nobody_asks_about_needs_none_beyond_its_verdict(b: Agent) -> None:
    b.does("b", TWO)
    assert not b.driver.state.said.own


def test_events_with_the_same_count_are_told_apart_by_their_processes() -> None:
    known = SaidOfEvents().with_own(0, 2, trace(ONE))
    known = known.told(0, ToldTraces("A", 3, {2: trace(TWO), 1: trace(THREE)}))
    because = [
        Reason("pre", Reference("q0", process, "q1"), (2, 2), FRM, "before", True)
        for process in ("A", "B", BEGINNING)
    ]
    verdict = MonitorVerdict(VIOLATED, "B", (2, 3), (), tuple(because))
    entries = {"A": 0, "B": 1}
    found = (EventTrace("A", 2, trace(TWO)), EventTrace("B", 2, trace(ONE)))
    assert known.named_in(0, 3, verdict, entries) == found
    assert known.named_in(0, 4, verdict, entries) == found[1:]
    assert known.named_in(1, 3, verdict, entries) == ()


# --- bounds ----------------------------------------------------------------------------


def test_of_own_events_the_newest_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said_of_events, "MOST_OWN", 5)
    one = SaidOfEvents()
    for count in range(1, 13):
        one = one.with_own(0, count, trace(f"{count:032x}"))
    assert len(one.own) == 5
    known = {count: one._of_own(0, count) for count in range(20)}
    assert {count: found for count, found in known.items() if found is not None} == {
        count: trace(f"{count:032x}") for count in range(8, 13)
    }
    assert one._of_own(1, 12) is None


def test_the_memory_of_an_agent_is_bounded_however_long_it_runs(a: Agent) -> None:
    for count in range(1, MOST_OWN + 50):
        a.does("a", f"{count:032x}")
    assert len(a.driver.state.said.own) == MOST_OWN
    assert a.driver.state.said.values == a.driver.state.said.heard


def test_others_are_told_of_the_newest_events_that_are_in_an_answer() -> None:
    fired, judged = Reference("q0", "A", "q1"), Reference("q1", "B", "q2")
    counts = range(1, 2 * MOST_TOLD)
    known, records = SaidOfEvents(), tuple([Record(fired, (count, 0), FRM) for count in counts])
    for count in counts:
        known = known.with_own(0, count, trace(ONE))
    told = known.beside(0, 0, Response("A", "B", judged, 1, records, (99, 9), 0))
    assert [count for count, _ in told] == [*reversed(counts[-MOST_TOLD:])]


def test_what_others_tell_of_one_event_is_bounded() -> None:
    known = SaidOfEvents()
    for start in range(1, 3 * MOST_HEARD, MOST_TOLD):
        told = {count: trace(ONE) for count in range(start, start + MOST_TOLD)}
        known = known.told(0, ToldTraces("A", 1, told))
    assert [len(each) for each in known.heard.values()] == [MOST_HEARD]


# --- who may tell ----------------------------------------------------------------------


def told_by(sender: str, count: int = 1, system: bytes = SYSTEM) -> bytes:
    return encode_traces(ToldTraces(sender, count, {1: trace(THREE)}), system)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (told_by("B"), "sender"),
        (told_by("C"), "malformed"),
        (told_by("A", system=NO_SYSTEM), "system"),
        (msgspec.msgpack.encode((VERSION, SYSTEM, TRACES, ("A", 1, {1: b"short"}))), "malformed"),
        (msgspec.msgpack.encode((VERSION, SYSTEM, TRACES + 1, ("A", 1))), "malformed"),
    ],
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    a: Agent, b: Agent, frame: bytes, reason: str
) -> None:
    """The last one is what an agent meets that is older than the one that it asks."""
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    _, answer = answered(b, a)
    before = b.driver.state
    b.hears(frame)
    assert (b.dropped, b.driver.state is before) == ([reason], True)
    b.hears(answer)
    assert b.says == [(VIOLATED, ())]


def test_who_is_not_asked_tells_nothing(a: Agent) -> None:
    a.does("a", ONE)
    before = a.driver.state
    a.hears(told_by("B"))
    assert (a.dropped, a.driver.state is before) == (["answer"], True)


def test_traces_of_events_that_no_reason_names_are_not_said(a: Agent, b: Agent) -> None:
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    _, answer = answered(b, a)
    wrong = encode_traces(ToldTraces("A", 1, {7: trace(THREE)}), SYSTEM)
    b.hears(wrong, answer)
    assert b.says == [(VIOLATED, ())]


# --- any course --------------------------------------------------------------------------


BOTH_WAYS = automaton_of(
    "q0", "q4", ("q0", A, "q1"), ("q1", B, "q4"), ("q0", C, "q2"), ("q2", D, "q4")
)
"""`b` after `a`, or `d` after `c`."""


def course(seed: int, *, lossy: bool) -> tuple[int, int]:
    """Two agents are told what happens, are killed, and hear each other's frames in the order of
    each channel, again and again; where it is `lossy`, not all. Whatever trace a verdict names is
    that of the event. Returns how many of the events in reasons were in a trace, and of how many of
    these the verdicts said it."""
    random = Random(seed)
    agents = {name: Agent(name, BOTH_WAYS) for name in NAMES}
    truth: dict[tuple[str, int], bytes] = {}
    channels: dict[tuple[str, str], list[bytes]] = {}
    told: dict[str, DeclaredVerdict] = {}
    moves = ("does", "does", "carries", "carries", "carries", "waits", "dies", "saves")
    for number in range(1, 240):
        name, place = random.choice(NAMES), NAMES.index
        agent, move = agents[name], random.choice(moves)
        if move == "does":
            trace_id = random.choice(("", f"{number:032x}"))
            other = agents[agent.other].clock if random.random() < 0.6 else None
            agent.does(random.choice("ad" if name == "A" else "bc"), trace_id, other)
            truth[name, agent.clock[place(name)]] = trace(trace_id)
        elif move == "carries" and channels:
            channel = random.choice([*channels])
            frames = channels.pop(channel)
            if not (lossy and random.random() < 0.3):
                agents[channel[1]].hears(frames[0], *frames[: random.randrange(2)])
            if frames[1:]:
                channels[channel] = frames[1:]
        elif move == "waits":
            agent.time.time += 10.0
            agent.driver.tick()
        elif move == "saves":
            agent.driver.snapshot()
        told.update({word.id: word for word in agent.ports.words})
        for each in NAMES:
            ports = agents[each].ports
            for way, said in (("asks", ports.asked), ("answers", ports.answered)):
                for _, frame in said:
                    channels.setdefault((way, agents[each].other), []).append(frame)
                said.clear()
        if move == "dies":
            agent.begins()
    known = named = 0
    for word in told.values():
        clocks = [(reason.reference.process, reason.clock) for reason in word.verdict.because]
        events = {(process, clock[NAMES.index(process)]) for process, clock in clocks}
        for process, count, found in word.traces:
            assert (process, count) in events
            assert found == truth[process, count]
        known += sum(bool(truth.get(event)) for event in events)
        named += len(word.traces)
    return known, named


def test_in_any_course_a_verdict_names_the_traces_of_its_events_and_no_others() -> None:
    courses = [course(seed, lossy=False) for seed in range(60)]
    assert sum(known for known, _ in courses) > 200
    assert all(known == named for known, named in courses)


def test_where_frames_are_lost_fewer_are_named_and_none_is_wrong() -> None:
    known, named = map(sum, zip(*[course(seed, lossy=True) for seed in range(60)], strict=True))
    assert 0.5 * known < named < known


# --- reloading -------------------------------------------------------------------------


def test_they_go_on_with_their_property_in_another_place(a: Agent, b: Agent) -> None:
    """Also when it is left alone."""
    a.does("a", ONE)
    b.does("b", TWO, a.clock)
    told, _ = answered(b, a)
    b.hears(told)
    for agent, field in ((a, "own"), (b, "heard")):
        one = agent.sidecar
        both = replace(one, systems=(OTHER, SYSTEM), hosts=(one.hosts[0], one.hosts[0]))
        state = reloaded(one, agent.driver.state, both)
        assert [place for place, _ in getattr(state.said, field)] == [1]
        assert decode_snapshot(encode_snapshot(state, both), both).said == state.said
        drained = state._replace(closed=(0, NEVER))
        assert (left := without_drained(encode_snapshot(drained, both), {OTHER})) is not None
        assert decode_snapshot(left[0], one).said == agent.driver.state.said
