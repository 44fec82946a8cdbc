"""Live verdicts for tests: made by monitors, by hand, and at random."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from choreomon.agent_files.table_file import SplitTable
from choreomon.core.live import EventName, LiveReason, LiveVerdict
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.verdict import FRM, FRM_P, GAP, POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import transition_tables

PROCESSES = ("P1", "P2", "P3")
A = Label(SEND, Message("P1", "a", "P2"))
B = Label(SEND, Message("P2", "b", "P3"))
UNDO = Label(HANDLE, Message("P2", "undo", "P1"))
SYSTEM = "9f0c6ab1d2e34f5061728394a5b6c7d8"


def two_steps() -> dict[str, SplitTable]:
    """P1 sends a, then P2 sends b, unless P1 handles undo in between."""
    sequence = MessageSequence((A, B), (Cancellation(UNDO, (1, 1), 0),))
    automaton = sequences_automaton((sequence,))
    return {
        process: SplitTable(SYSTEM, "two steps", "sound", PROCESSES, table, automaton.sequences)
        for process, table in transition_tables(automaton, PROCESSES).items()
    }


def host_of(process: str, *, has_deadline: bool = True) -> Host:
    table = two_steps()[process]
    return Host(Monitor(table.table, table.processes, has_deadline=has_deadline))


BY_HAND = LiveVerdict(
    id=f"{SYSTEM}/P2/1/possibly-violated",
    verdict=POSSIBLY_VIOLATED,
    provisional=False,
    system=SYSTEM,
    property="two steps",
    process="P2",
    count=1,
    label=str(B),
    clock={"P1": 4, "P2": 1},
    transitions=(("q1", "q2"),),
    because=(
        LiveReason(EventName("P1", 4), ("q0", "q1"), "pre", FRM, "before", False),
        LiveReason(
            *(EventName("P1", None, gap=True), ("q1", "q0"), "vio", GAP, "concurrent", False),
            of=EventName("P1", 4),
            of_transition=("q0", "q1"),
            since=EventName("P1", 4),
        ),
    ),
    silent=("P3",),
    waiting_for=(),
    unseen=False,
    time="2026-01-31T12:00:00.250Z",
    sequences=(2,),
)

_words = st.text(max_size=6)
_counts = st.integers(0, 1 << 53)
_trace_ids = st.text("0123456789abcdef", min_size=32, max_size=32) | st.just("")
_transitions = st.tuples(_words, _words)
_events = st.builds(EventName, _words, _counts) | st.builds(
    EventName, _words, st.none() | _counts, st.just(True)
)
_reasons = st.builds(
    LiveReason,
    event=st.builds(replace, _events, trace_id=_trace_ids),
    transition=_transitions,
    role=st.sampled_from(["pre", "vio"]),
    result=st.sampled_from([FRM, FRM_P, GAP]),
    relation=st.sampled_from(["before", "concurrent"]),
    certain=st.booleans(),
    of=st.none() | _events,
    of_transition=st.none() | _transitions,
    since=st.none() | _events,
)
live_verdicts = st.builds(
    LiveVerdict,
    id=_words,
    verdict=st.sampled_from([VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN]),
    provisional=st.booleans(),
    system=_words,
    property=_words,
    process=_words,
    count=_counts,
    label=st.none() | _words,
    clock=st.dictionaries(_words, _counts, max_size=3),
    transitions=st.lists(_transitions, max_size=2).map(tuple),
    because=st.lists(_reasons, max_size=3).map(tuple),
    silent=st.lists(_words, max_size=2).map(tuple),
    waiting_for=st.lists(_words, max_size=2).map(tuple),
    unseen=st.booleans(),
    time=_words,
    sequences=st.lists(st.integers(1, 9), max_size=3).map(tuple),
    left_out=st.dictionaries(st.sampled_from(["because", "silent"]), _counts, max_size=2),
    instance=st.dictionaries(_words, _words, max_size=2),
    trace_id=_trace_ids,
)
