"""Sidecars beside a few processes, for stories of systems that follow each other: everything
happens as it is told, frames go when they are let through, and nothing fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from choreomon.agent_files.clocks.text import decode_clocks_untrusted
from choreomon.agent_files.succession import predecessors
from choreomon.agent_files.wire import encode
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.verdict import VerdictKind
from choreomon.monitor.host import Host
from choreomon.monitor.opening import Predecessor
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Expired, FromPeer, Happened
from choreomon.runtime.outputs import Answer, Ask, AskAgain, Decided, Dropped, Output
from choreomon.runtime.reloading import reloaded
from choreomon.runtime.sidecar import Sidecar

OLD: Final = 0
NEW: Final = 1


class Said(NamedTuple):
    """Of an event of a process, by one of the systems; `last`: not only for now."""

    process: str
    system: int
    count: int
    kind: VerdictKind
    last: bool


class Beside:
    """One sidecar a process. All begin with the old property alone."""

    def __init__(
        self,
        names: Sequence[str],
        *properties: SequenceAutomaton,
        rules: Rules = PRECISE,
        follows: bool = True,
        kind: type[Sidecar] = Sidecar,
    ) -> None:
        self.names = tuple(names)
        self.systems = tuple(bytes([7 + n] * 16) for n in range(len(properties)))
        self.said: list[Said] = []
        self.dropped: list[Dropped] = []
        self.frames: list[tuple[str, str, bytes]] = []
        self._kind = kind
        tables = [transition_tables(each, self.names, rules.name) for each in properties]
        self._hosts = {
            name: [
                Host(Monitor(table[name], self.names, rules, has_deadline=True)) for table in tables
            ]
            for name in self.names
        }
        first = self.systems[OLD].hex()
        self.after: list[Mapping[str, Predecessor]] = [{}]
        for before, (old, new) in enumerate(pairwise(tables)):
            followed = self.systems[before].hex()
            self.after.append(predecessors(followed, first, old, new) if follows else {})
        self.sidecars = {name: self.sidecar(name, [OLD]) for name in self.names}
        self.states: dict[str, SidecarState] = {
            name: sidecar.initial() for name, sidecar in self.sidecars.items()
        }
        self._heard: dict[str, list[str]] = {name: [] for name in self.names}

    def sidecar(self, name: str, systems: Sequence[int], closing: Sequence[int] = ()) -> Sidecar:
        held = (*systems, *closing)
        return self._kind(
            name,
            tuple(self.systems[each] for each in held),
            tuple(self._hosts[name][each] for each in held),
            after={
                self.systems[each]: self.after[each][name]
                for each in held
                if name in self.after[each]
            },
            closing=frozenset(self.systems[each] for each in closing),
        )

    # What happens.

    def sends(self, message: Message) -> str:
        """It is sent; what it carries."""
        self._happens(message.sender, Label(SEND, message))
        return self.sidecars[message.sender]._clocks(self.states[message.sender])

    def handles(self, message: Message, carried: str) -> None:
        self._heard[message.receiver].append(carried)
        self._happens(message.receiver, Label(HANDLE, message))

    def passes(self, message: Message) -> None:
        """It is sent and handled."""
        self.handles(message, self.sends(message))

    def _happens(self, name: str, label: Label) -> None:
        kind, message = label
        peer = message.receiver if kind == SEND else message.sender
        sidecar = self.sidecars[name]
        clocks: list[tuple[int, ...]] = [()] * len(sidecar.systems)
        for text in self._heard[name]:
            for key, clock in decode_clocks_untrusted(text).items():
                for place, known in enumerate(sidecar.keys):
                    if known == key:
                        both = zip(clocks[place] or clock, clock, strict=True)
                        clocks[place] = tuple(max(each) for each in both)
        if label in sidecar.values.carried:  # else what was heard is told with the next event
            self._heard[name].clear()
            self._step(name, Happened(kind, peer, message.name, clocks, 0))

    def expires(self, name: str, system: int, count: int) -> None:
        """The deadline of an event passes."""
        place = self.sidecars[name].systems.index(self.systems[system])
        self._step(name, Expired(place, count))

    def _step(self, name: str, given: Happened | FromPeer | Expired) -> None:
        self.states[name], outputs = self.sidecars[name].step(self.states[name], given)
        self._let_out(name, outputs)

    def _let_out(self, name: str, outputs: Sequence[Output]) -> None:
        sidecar = self.sidecars[name]
        for output in outputs:
            if isinstance(output, Ask):
                self._send(name, output.system, output.inquiry)
            elif isinstance(output, Answer):
                self._send(name, output.system, output.message)
            elif isinstance(output, AskAgain):
                for inquiry in sidecar.hosts[output.system].outstanding(
                    self.states[name].hosts[output.system]
                ):
                    self._send(name, output.system, inquiry)
            elif isinstance(output, Decided) and output.declared is not None:
                system = self.systems.index(sidecar.systems[output.system])
                kind = output.declared.verdict.kind
                count = output.declared.event_count
                self.said.append(Said(name, system, count, kind, not output.provisional))
            elif isinstance(output, Dropped):
                self.dropped.append(output)

    def _send(self, name: str, place: int, message: object) -> None:
        data = encode(message, self.sidecars[name].systems[place])  # type: ignore[arg-type]
        self.frames.append((name, message.receiver, data))  # type: ignore[attr-defined]

    def delivers(self) -> None:
        """All frames arrive, also those that are sent by that."""
        while self.frames:
            sender, receiver, data = self.frames.pop(0)
            self._step(receiver, FromPeer(sender, data))

    def asks_again(self) -> None:
        """Whatever is not answered is asked once more, and arrives."""
        for name, sidecar in self.sidecars.items():
            self._let_out(name, [AskAgain(place) for place in range(len(sidecar.systems))])
        self.delivers()

    # A rollout.

    def rolls(self, name: str, systems: Sequence[int], closing: Sequence[int] = ()) -> None:
        """The agent of one process goes on with other systems. Raises `CannotReload`."""
        sidecar = self.sidecar(name, systems, closing)
        self.states[name] = reloaded(self.sidecars[name], self.states[name], sidecar)
        self.sidecars[name] = sidecar

    def roll(self, systems: Sequence[int], closing: Sequence[int] = ()) -> None:
        """All of them, one after the other."""
        for name in self.names:
            self.rolls(name, systems, closing)

    def tells(self, name: str) -> None:
        """The sinks of one of them take all that was said."""
        state = self.states[name]
        self.states[name] = state._replace(
            undelivered=state.undelivered.without([*state.undelivered])
        )

    def last(self, system: int) -> list[tuple[str, VerdictKind]]:
        """The last verdicts of a system, by process."""
        return [
            (each.process, each.kind) for each in self.said if each.system == system and each.last
        ]
