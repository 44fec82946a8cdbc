"""What agents write and send for properties that are not for each instance is, to the byte, what it
was before there were instances, and traces: `BEFORE` was recorded then. Where services say traces,
frames with them go beside these, and the verdicts are about the same."""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import Any

import pytest

from choreomon.agent_files.values import TRACE
from choreomon.agent_files.wire import TRACES, open_untrusted
from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.host import Host
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer, Happened, HappenedWithValues
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.sidecar import Sidecar
from tests.properties.stated import automaton_of
from tests.runtime.driven import SYSTEM, Clock, Ports
from tests.runtime.world.disk import Disk

FEW = ("A", "B", "C")
MANY = (*FEW, *[f"P{number}" for number in range(40)])
EVENTS = [
    Label(SEND, Message(sender, name, receiver))
    for sender, name, receiver in (
        ("A", "a", "B"),
        ("B", "b", "C"),
        ("C", "c", "A"),
        ("B", "d", "A"),
    )
]
A, B, C, D = EVENTS
PROPERTY = automaton_of(
    *("q0", "q3"),
    *(("q0", A, "q1"), ("q1", B, "q2"), ("q2", C, "q3"), ("q2", D, "q1"), ("q1", D, "q0")),
)
BEFORE = {
    "few": {
        "frames": (643, "3e29ee53617c30b2"),
        "rows": (1007, "42cb6cf03bc25517"),
        "snapshots": (18, "da68b0cbc7ad175b"),
        "verdicts": (46, "5af8a4e283be4ed4"),
    },
    "many": {
        "frames": (643, "fa5aa65bc5b549ba"),
        "rows": (1007, "19f1b218cb0566b4"),
        "snapshots": (18, "7b10f8ac3f64db37"),
        "verdicts": (46, "8de26590289bd5a1"),
    },
}


class Traces:
    """The frames that were told beside answers, by process and count the trace of each event, and
    all verdicts."""

    def __init__(self) -> None:
        self.beside: list[bytes] = []
        self.of: dict[tuple[str, int], bytes] = {}
        self.words: list[DeclaredVerdict] = []


def recorded(
    processes: tuple[str, ...], traces: Traces | None = None
) -> dict[str, tuple[int, str]]:
    """By what it is how many there were, and a digest of all, of a run of 400 events. `traces`:
    each of them is in a trace; what is told of that beside answers is taken at once."""
    tables = transition_tables(PROPERTY, processes, "precise")
    random, drivers, ports, disks = Random(7), {}, {}, {}
    for name in FEW:
        host = Host(Monitor(tables[name], processes, PRECISE, has_deadline=True, most_open=64))
        disk = disks[name] = Disk(lambda moment: None)
        ports[name] = Ports(disk)
        sidecar = Sidecar(name, (SYSTEM,), (host,))
        drivers[name] = Driver(sidecar, disk, ports[name], Clock(), rows_per_snapshot=50)
    frames: list[bytes] = []
    known: dict[str, Any] = {name: [] for name in FEW}
    sent = dict.fromkeys(FEW, (0, 0))
    under_way: list[tuple[str, str, bytes]] = []
    for number in range(400):
        label = random.choice(EVENTS)
        sender, name, receiver = label.message
        happened = ("send", receiver, name, known[sender], 0)
        if traces is not None:
            trace_id = f"{number + 1:032x}"
            drivers[sender].take(HappenedWithValues(*happened, {TRACE: trace_id}))
            count = drivers[sender].state.hosts[0].clock[processes.index(sender)]
            traces.of[sender, count] = bytes.fromhex(trace_id)
        else:
            drivers[sender].take(Happened(*happened))
        drivers[sender].flush()
        known[receiver] = [drivers[sender].state.hosts[0].clock]
        for each in FEW:
            asked, answered = sent[each]
            new = [*ports[each].asked[asked:]]
            for peer, frame in ports[each].answered[answered:]:
                if open_untrusted(frame).kind == TRACES:
                    drivers[peer].take(FromPeer(each, frame))
                    drivers[peer].flush()
                    assert traces is not None
                    traces.beside.append(frame)
                else:
                    new.append((peer, frame))
            under_way += [(each, peer, frame) for peer, frame in new]
            sent[each] = len(ports[each].asked), len(ports[each].answered)
        while under_way and random.random() < 0.8:
            peer, to, frame = under_way.pop(random.randrange(len(under_way)))
            frames.append(frame)
            drivers[to].take(FromPeer(peer, frame))
            drivers[to].flush()
    words = [repr(word[:6]).encode() for each in FEW for word in ports[each].words]
    if traces is not None:
        traces.words += [word for each in FEW for word in ports[each].words]
    return {
        "frames": digest(frames),
        "rows": digest([row for each in FEW for row in disks[each].rows]),
        "snapshots": digest([state for each in FEW for _, state in disks[each].snapshots]),
        "verdicts": digest(words),
    }


@pytest.mark.parametrize("processes", [FEW, MANY], ids=["few", "many"])
def test_traces_go_beside_what_is_said_and_change_nothing_of_it(
    processes: tuple[str, ...],
) -> None:
    traces = Traces()
    with_them = recorded(processes, traces)
    before = BEFORE["few" if processes is FEW else "many"]
    assert len(traces.beside) > 100
    assert with_them["frames"] == before["frames"]
    assert with_them["verdicts"] == before["verdicts"]
    assert with_them["rows"] != before["rows"]
    for word in traces.words:
        named = {
            (reason.reference.process, reason.clock[processes.index(reason.reference.process)])
            for reason in word.verdict.because
        }
        assert {each[:2]: each.trace for each in word.traces} == {at: traces.of[at] for at in named}


def digest(parts: list[bytes]) -> tuple[int, str]:
    return len(parts), sha256(b"\n".join(parts)).hexdigest()[:16]


def test_few_processes() -> None:
    assert recorded(FEW) == BEFORE["few"]


def test_so_many_that_clocks_are_coded() -> None:
    assert recorded(MANY) == BEFORE["many"]
