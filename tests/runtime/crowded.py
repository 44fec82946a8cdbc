"""A property of which a verdict rests on very many records: each of many processes may take the
step before the judged one, and each may take it back."""

from __future__ import annotations

from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import decode_untrusted, encode
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.monitor.effects import Send
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import FromPeer, Hello, Report
from tests.runtime.driven import SYSTEM, Ports

JUDGE = "judge"


class Crowd:
    """`others` beside the judge, which is not to send `end` after any of them sent `step`, unless
    any of them took `back` in between."""

    def __init__(self, others: list[str]) -> None:
        self.others = others
        self.names = (JUDGE, *others)
        transitions = [StatedTransition("q1", Label(SEND, Message(JUDGE, "end", others[0])), "q2")]
        for other in others:
            step = Label(SEND, Message(other, "step", JUDGE))
            back = Label(HANDLE, Message(JUDGE, "back", other))
            transitions.append(StatedTransition("q0", step, "q1"))
            transitions.append(StatedTransition("q1", back, "q0"))
        automaton = sequence_automaton(initial=["q0"], final=["q2"], transitions=transitions)
        self.tables = transition_tables(automaton, self.names)

    @property
    def table(self) -> SplitTable:
        return SplitTable(SYSTEM.hex(), "crowd", "sound", self.names, self.tables[JUDGE])

    def host(self, process: str) -> Host:
        return Host(Monitor(self.tables[process], self.names, has_deadline=True))

    def greeting(self) -> list[Hello | Report]:
        """The judge's service takes the last step, as the judge's sidecar is told."""
        return [
            Hello(1, "block", "", "s", 0),
            Report(1, "s", 1, 0, SEND, self.others[0], "end", "", 0),
        ]

    def answers(self, ports: Ports) -> list[FromPeer]:
        """What the others answer to what was asked: each took a step, and took it back."""
        found = []
        states = {}
        hosts = {}
        for peer, frame in ports.asked:
            if peer not in hosts:
                host = hosts[peer] = self.host(peer)
                state, _, _ = host.report(host.initial(), Label(SEND, Message(peer, "step", JUDGE)))
                state, _, _ = host.report(state, Label(HANDLE, Message(JUDGE, "back", peer)))
                states[peer] = state
            inquiry = decode_untrusted(frame, self.names, SYSTEM)
            assert isinstance(inquiry, Inquiry)
            states[peer], effects = hosts[peer].receive(states[peer], inquiry)
            found += [
                FromPeer(peer, encode(each.message, SYSTEM))
                for each in effects
                if isinstance(each, Send)
            ]
        return found
