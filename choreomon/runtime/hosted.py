"""The hosts of all properties beside one process, stepped together: the part of a sidecar that
knows no sessions and no frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias, assert_never

from choreomon.core.errors import MalformedMessage
from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.core.vector_clock import VectorClock, is_far_beyond
from choreomon.formats.clock_text import KEY_BYTES, decode_clocks_untrusted, encode_clocks
from choreomon.formats.wire import MAX_BYTES, Frame, longest_body
from choreomon.monitor.effects import Declared, Send, SetDeadline, Unsettled
from choreomon.monitor.host import Host, HostEffect, HostState
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.rights import Refused
from choreomon.runtime.outputs import (
    Answer,
    Ask,
    AskAgain,
    Deadline,
    Decided,
    DeclaredVerdict,
    Dropped,
    LeftUnsettled,
    Output,
    Ticked,
)
from choreomon.runtime.sessions import Sessions
from choreomon.runtime.undelivered import UndeliveredVerdicts

_TO_SPARE: Final = 1 << 14


class SidecarState(NamedTuple):
    """`hosts` in the order of the properties. `undelivered`: verdicts that were not delivered."""

    hosts: tuple[HostState, ...]
    sessions: Sessions
    undelivered: UndeliveredVerdicts


Stepped: TypeAlias = tuple[SidecarState, list[Output]]


class NotTaken(MalformedMessage):
    """A frame that is not read. `reason` is one of a few words, for counting."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(frozen=True)
class Hosted:
    """`systems` are the ids of the properties, 16 bytes each, in the order of `hosts`."""

    process: str
    systems: tuple[bytes, ...]
    hosts: tuple[Host, ...]
    _place: Mapping[bytes, int] = field(init=False, repr=False)
    _keys: tuple[bytes, ...] = field(init=False, repr=False)
    _mentioned: Mapping[Label, tuple[int, ...]] = field(init=False, repr=False)
    _labels: tuple[str, ...] = field(init=False, repr=False)
    _longest: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mentioned: dict[Label, tuple[int, ...]] = {}
        for place, host in enumerate(self.hosts):
            for label in host.monitor.plans:
                mentioned[label] = (*mentioned.get(label, ()), place)
        keys = tuple(system[:KEY_BYTES] for system in self.systems)
        object.__setattr__(self, "_place", {system: n for n, system in enumerate(self.systems)})
        object.__setattr__(self, "_keys", keys)
        object.__setattr__(self, "_mentioned", mentioned)
        object.__setattr__(self, "_labels", tuple(map(str, mentioned)))
        longest = tuple(longest_body(host.rights) for host in self.hosts)
        object.__setattr__(self, "_longest", longest)

    @property
    def bearable_frame(self) -> int:
        """Bytes of a frame that is so far above what others may send that it need not be counted,
        and whoever sends it may be cut off."""
        return min(MAX_BYTES, 2 * max(self._longest) + _TO_SPARE)

    def place_of(self, frame: Frame) -> int:
        """The place of the property that a frame is about. Raises `NotTaken`."""
        place = self._place.get(frame.system)
        if place is None:
            told = f"its system is {frame.system.hex()}: all agents need files of one split"
            raise NotTaken("system", told)
        if len(frame.body) > self._longest[place]:
            told = f"{len(frame.body)} bytes: no message of this system is so long"
            raise NotTaken("oversized", told)
        return place

    def initial(self) -> SidecarState:
        return SidecarState(tuple(host.initial() for host in self.hosts), {}, UndeliveredVerdicts())

    def label(self, event: EventKind, peer: str, name: str) -> Label:
        """That of an event of the own process; `peer` is the other end of its message."""
        if event == SEND:
            return Label(SEND, Message(self.process, name, peer))
        return Label(HANDLE, Message(peer, name, self.process))

    def mentioned(self) -> frozenset[tuple[EventKind, str, str]]:
        """The events that some row of some property mentions, so that they are to be told: kind,
        other end of the message, its name."""
        return frozenset(
            (kind, message.receiver if kind == SEND else message.sender, message.name)
            for kind, message in self._mentioned
        )

    def _event(
        self, state: SidecarState, label: Label, heard: Iterable[tuple[int, VectorClock]], at: int
    ) -> Stepped:
        """An event with this label happens, after what was heard."""
        state, outputs = self._hear(state, heard)
        for place in self._mentioned.get(label, ()):
            hosts = state.hosts
            after, clock, effects = self.hosts[place].report(hosts[place], label)
            state = SidecarState(
                (*hosts[:place], after, *hosts[place + 1 :]), state.sessions, state.undelivered
            )
            outputs.append(Ticked(place, at, label, clock))
            if effects:
                state, more = self._done(state, place, effects)
                outputs += more
        return state, outputs

    def _hear(self, state: SidecarState, heard: Iterable[tuple[int, VectorClock]]) -> Stepped:
        """The process got to know these clocks."""
        outputs: list[Output] = []
        for place, clock in heard:
            host = self.hosts[place]
            if is_far_beyond(clock, state.hosts[place].clock):
                # It came with a message, from whoever sent that: its event is one all the same.
                told = f"{clock} was heard, which cannot be: is the header taken from outside?"
                outputs.append(Dropped("clock", "service", told))
                continue
            state, more = self._advanced(state, place, host.heard(state.hosts[place], clock))
            outputs += more
        return state, outputs

    def _heard(self, text: str) -> list[tuple[int, VectorClock]]:
        clocks = decode_clocks_untrusted(text)
        heard: list[tuple[int, VectorClock]] = []
        for place, key in enumerate(self._keys):
            clock = clocks.get(key)
            if clock is not None:
                entries = len(self.hosts[place].monitor.processes)
                if len(clock) != entries:
                    raise MalformedMessage(f"{clock} is no clock of {entries} processes")
                heard.append((place, clock))
        return heard  # what is about systems that are not here is not ours to judge

    def _clocks(self, state: SidecarState) -> str:
        return encode_clocks(
            {key: host.clock for key, host in zip(self._keys, state.hosts, strict=True)}
        )

    def _advanced(
        self, state: SidecarState, place: int, stepped: tuple[HostState, Sequence[HostEffect]]
    ) -> Stepped:
        after, effects = stepped
        hosts = state.hosts
        if after is not hosts[place]:
            state = SidecarState(
                (*hosts[:place], after, *hosts[place + 1 :]), state.sessions, state.undelivered
            )
        return self._done(state, place, effects) if effects else (state, [])

    def _done(self, state: SidecarState, place: int, effects: Iterable[HostEffect]) -> Stepped:
        outputs: list[Output] = []
        for effect in effects:
            match effect:
                case Send(message):
                    if type(message) is Inquiry:
                        outputs.append(Ask(place, message))
                    else:
                        assert isinstance(message, Response | Waiting)
                        outputs.append(Answer(place, message))
                case SetDeadline(event):
                    outputs.append(Deadline(place, event[self.hosts[place].monitor.own]))
                case Declared():
                    declared = self._declared(place, effect)
                    if declared is not None:
                        state = state._replace(undelivered=state.undelivered.added(declared))
                    count = effect.event[self.hosts[place].monitor.own]
                    outputs.append(Decided(place, count, declared, effect.provisional))
                case Unsettled(event):
                    count = event[self.hosts[place].monitor.own]
                    outputs.append(LeftUnsettled(place, count))
                case Refused(reason, sender, detail):
                    outputs.append(Dropped(reason, sender, detail))
                case _:
                    assert_never(effect)
        return state, outputs

    def _declared(self, place: int, declared: Declared) -> DeclaredVerdict | None:
        verdict = declared.verdict
        if verdict is None:
            return None
        count = declared.event[self.hosts[place].monitor.own]
        system = self.systems[place].hex()
        kind = f"{verdict.kind}-for-now" if declared.provisional else verdict.kind
        return DeclaredVerdict(
            f"{system}/{self.process}/{count}/{kind}",
            place,
            count,
            "" if declared.label is None else str(declared.label),
            verdict,
            declared.provisional,
        )

    def resumed(self, state: SidecarState) -> list[Output]:
        """What to do again after a restart: open inquiries, deadlines, verdicts that were not
        delivered. To be let out as any other output: after the commit."""
        outputs: list[Output] = []
        for place, host in enumerate(self.hosts):
            outputs += [Deadline(place, count) for count in host.inspected(state.hosts[place])]
            outputs.append(AskAgain(place))
        outputs += [
            Decided(declared.system, declared.event_count, declared, declared.provisional)
            for declared in state.undelivered.values()
        ]
        return outputs
