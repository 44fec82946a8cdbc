"""The longest answers that a peer may give, and how long they take.

Two processes answer one inspection with as many records as may be (`rights.MOST_RECORDS`), where
all steps before it are of the one, and all cancellations of the other: judging compares each with
each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from benchmarks.fuzz.report import measured_on
from choreomon.agent_files.wire import NO_SYSTEM, encode
from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import FromPeer, Happened
from choreomon.runtime.outputs import Ask, Decided
from choreomon.runtime.sidecar import Sidecar

SIZES: Final = ((3, 1), (3, 8), (3, 32), (32, 8), (256, 8), (256, 32))
"""Processes, and references of each of two that are asked about."""
MOST: Final = 1.0
"""Seconds."""


def automaton(wide: int) -> SequenceAutomaton:
    """`b` of P1 after one of so many `a` of P2, each of which P3 may take back."""
    transitions = [StatedTransition("q1", Label(SEND, Message("P1", "b", "P2")), "q2")]
    for number in range(wide):
        a = Label(SEND, Message("P2", f"a{number}", "P1"))
        undo = Label(SEND, Message("P3", f"undo{number}", "P1"))
        transitions.append(StatedTransition(f"q{number + 10}", a, "q1"))
        transitions.append(StatedTransition("q1", undo, f"q{number + 10}"))
    return sequence_automaton(
        initial=[f"q{number + 10}" for number in range(wide)], final=["q2"], transitions=transitions
    )


def seconds(processes: int, wide: int) -> tuple[float, int, int]:
    """How long the two answers take, how many bytes they have, and how many records."""
    names = tuple(f"P{number + 1}" for number in range(processes))
    table = transition_tables(automaton(wide), names)["P1"]
    agent = Sidecar("P1", (NO_SYSTEM,), (Host(Monitor(table, names, most_open=512)),))
    state, outputs = agent.step(agent.initial(), Happened("send", "P2", "b", [], 0))
    inquiries = [each.inquiry for each in outputs if isinstance(each, Ask)]
    frames = [_longest(agent, inquiry) for inquiry in inquiries]
    most = agent.hosts[0].rights.most_records or 0
    records = sum(most * len(inquiry.asked) for inquiry in inquiries)
    began = time.thread_time()
    for peer, frame in frames:
        state, outputs = agent.step(state, FromPeer(peer, frame))
    took = time.thread_time() - began
    if not any(isinstance(each, Decided) for each in outputs):
        raise RuntimeError(f"the answers were not taken: {str(outputs)[:500]}")
    return took, sum(len(frame) for _, frame in frames), records


def _longest(agent: Sidecar, inquiry: Inquiry) -> tuple[str, bytes]:
    host = agent.hosts[0]
    size, peer = len(host.monitor.processes), host.monitor.index_of[inquiry.receiver]
    most = host.rights.most_records or 0
    count = most * len(inquiry.asked)

    def clock(number: int) -> tuple[int, ...]:
        # Nobody knew of anybody, so that each may have come before each.
        return tuple((1 << 35) + number if place == peer else 0 for place in range(size))

    records = []
    for number in range(count):
        reference = inquiry.asked[number % len(inquiry.asked)]
        since = None if number % 2 else clock(0)
        records.append(Record(reference, clock(number), "Frm_p", since))
    while True:
        answer = Response(
            inquiry.receiver, "P1", inquiry.inspected, 1, tuple(records), clock(count), 0
        )
        frame = encode(answer)
        if len(frame) <= 1 << 20:
            return inquiry.receiver, frame
        records = records[: len(records) * 9 // 10]


def section(command: str) -> tuple[Iterator[str], bool]:
    found = [(size, seconds(*size)) for size in SIZES]
    return _lines(command, found), all(took < MOST for _, (took, _, _) in found)


def _lines(
    command: str, found: list[tuple[tuple[int, int], tuple[float, int, int]]]
) -> Iterator[str]:
    yield "## The longest answers\n"
    yield f"`{command}`\n"
    yield f"{measured_on()}\n"
    yield (
        "Two processes answer one inspection with as many records as a peer may, none of which is "
        "certain, all of which must be compared with each other. *Records*: the most of both; "
        "fewer where 1 MiB is reached before.\n"
    )
    yield "| processes | transitions of each | records | bytes of both | both take ms |"
    yield "|---:|---:|---:|---:|---:|"
    for (processes, wide), (took, size, records) in found:
        yield f"| {processes} | {wide} | {records:,} | {size:,} | {1000 * took:.1f} |"
