"""Three processes, one of them bad, and what it may say where it may say something.

`target` is the one that is attacked, `good` its neighbour, `rogue` has a key and no manners. What
must not happen: `b` of the target after `a` of the good one, `f` of the good one after `e` of the
target, for which their agents ask each other; `d` of the target after `c` of the rogue, and `h`
of the rogue after `g` of the target, for which the rogue is asked, and asks.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.faults.plan import Plan, Premises, lay_out, write_config
from choreomon.agent_files import local
from choreomon.agent_files.clocks.links import UNLINKED, Link
from choreomon.agent_files.clocks.text import encode_clocks
from choreomon.agent_files.told_traces import TRACE_BYTES, ToldTraces, encode_traces
from choreomon.agent_files.wire import encode, encode_linked, open_untrusted, unlinked
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import Reference
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Notice, Push, Response, Waiting
from choreomon.properties.automaton import StatedTransition, sequence_automaton

NAMES: Final = ("good", "target", "rogue")
MANY: Final = (*NAMES, *(f"silent{number}" for number in range(40)))
SYNC: Final = 1_000_000_000
"""The counts of the rogue's events with which it asks whether it is still answered begin here."""
AUTOMATON: Final = sequence_automaton(
    initial=["q0"],
    final=["q2", "q4", "q6", "q8"],
    transitions=[
        StatedTransition(source, Label(SEND, Message(sender, name, receiver)), to)
        for source, sender, name, receiver, to in (
            ("q0", "good", "a", "target", "q1"),
            ("q1", "target", "b", "good", "q2"),
            ("q0", "target", "e", "good", "q3"),
            ("q3", "good", "f", "target", "q4"),
            ("q0", "rogue", "c", "target", "q5"),
            ("q5", "target", "d", "rogue", "q6"),
            ("q0", "target", "g", "rogue", "q7"),
            ("q7", "rogue", "h", "target", "q8"),
        )
    ],
)


def prepare(folder: Path, *, seed: int, curve: bool) -> Premises:
    """The files of agents in this folder; the target takes any number of frames a second."""
    plan = Plan(seed, NAMES, AUTOMATON, dict.fromkeys(NAMES, ()), curve=curve, give_up=5.0)
    premises = lay_out(folder, plan)
    for name in NAMES:
        write_config(premises, name, premises.listen)
    file = premises.config("target")
    document = json.loads(file.read_text(encoding="ascii"))
    document["limits"] = {"frames_per_second": 10_000_000}
    file.write_text(json.dumps(document), encoding="ascii")
    return premises


class PeerFrames:
    """Valid frames of the rogue to the target."""

    def __init__(self, random: Random, system: str) -> None:
        self._random = random
        self._system = bytes.fromhex(system)

    def sync(self, number: int) -> bytes:
        """An inquiry that waits for nothing."""
        clock = (0, 0, SYNC + number)
        return self._encoded(
            Inquiry("rogue", "target", Reference("q7", "rogue", "q8"), clock, _ASKED, clock, 0)
        )

    def valid(self) -> list[bytes]:
        """Of every kind, with small clocks."""
        traces = {self._random.randrange(1, 100): b"t" * TRACE_BYTES}
        told = ToldTraces("rogue", self._random.randrange(1, 100), traces)
        messages = [self._encoded(each) for each in self._messages()]
        return [*messages, encode_traces(told, self._system)]

    def responses(self, inspected: Reference, count: int) -> list[bytes]:
        """Answers to an inquiry of the target."""
        clock = (0, 0, count)
        record = Record(_OWN, clock, self._random.choice(("Frm", "Frm_p")))
        answer = Response("rogue", "target", inspected, count, (record,), clock, 0)
        waiting = Waiting("rogue", "target", inspected, count, ("good",), clock)
        return [self._encoded(each) for each in (answer, answer._replace(records=()), waiting)]

    def _messages(self) -> list[MonitoringMessage]:
        count = self._random.randrange(1, 1 << 20)
        clock = (0, 0, count)
        inspected, theirs = Reference("q7", "rogue", "q8"), Reference("q5", "target", "q6")
        gap = Record(_OWN, clock, "Gap", (0, 0, 1))
        merged = Record(_OWN, clock, "Frm_p", (0, 0, 1))
        records = (Record(_OWN, clock, "Frm"), merged, gap)
        return [
            Inquiry("rogue", "target", inspected, clock, _ASKED, clock, 0),
            Response("rogue", "target", theirs, self._random.randrange(100), records, clock, 0),
            Waiting("rogue", "target", theirs, self._random.randrange(100), ("good",), clock),
            Push("rogue", "target", _OWN, clock, "Frm", 1, clock),
            Notice("rogue", Label(SEND, Message("rogue", "c", "target")), clock),
        ]

    def _encoded(self, message: MonitoringMessage) -> bytes:
        return encode(message, self._system)


def conversation(random: Random, system: bytes) -> tuple[list[bytes], Link]:
    """What the rogue says to the target among so many processes that clocks are coded, and what the
    target knows of its clocks after it has heard and answered all of it."""
    rogue = target = UNLINKED
    said = []
    clock = tuple(random.choice((0, 7, 300, 1 << 20)) for _ in MANY)
    theirs, own = Reference("q7", "rogue", "q8"), Reference("q0", "rogue", "q5")
    for count in range(4):
        place = random.randrange(len(MANY))
        event = clock
        clock = (*clock[:place], clock[place] + 1, *clock[place + 1 :])
        record = Record(own, event, "Frm_p", clock if count % 2 else None)
        for message in (
            Inquiry("rogue", "target", theirs, event, _ASKED, clock, 0),
            Response("rogue", "target", theirs, count, (record,) * count, clock, 0),
        ):
            data, rogue = encode_linked(message, rogue, system)
            _, target = unlinked(open_untrusted(data), len(MANY), target)
            said.append(data)
        answer = Waiting("target", "rogue", theirs, count, (), clock)
        data, target = encode_linked(answer, target, system)
        _, rogue = unlinked(open_untrusted(data), len(MANY), rogue)
    return said, target


_ASKED: Final = (Reference("q0", "target", "q7"),)
_OWN: Final = Reference("q0", "rogue", "q5")


def local_messages(system: str, number: int) -> list[local.ClientMessage]:
    """What a service may say as its report of this number."""
    heard = encode_clocks({bytes.fromhex(system)[:4]: (number, 0, number)})
    return [
        local.Report(number, number - 1, "send", "good", "nobody"),
        local.Report(number, number - 1, "handle", "rogue", "c", heard),
        local.Report(number, number - 1, "send", "rogue", "g"),
        local.Gap(number, number - 1, 1),
        local.Renew(number),
        local.Goodbye(),
        local.Hello("block"),
    ]


def http_requests() -> list[bytes]:
    """What a scraper may say; the cheap pages are more often there."""
    paths = ("healthz",) * 20 + ("readyz", "healthz?x=1", "status", "metrics", "nothing")
    head = (
        "Host: x\r\nAccept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain\r\n"
        "Content-Length: 0\r\n\r\n"
    )
    return [f"GET /{path} HTTP/1.1\r\n{head}".encode() for path in paths]
