"""The hosts of all properties beside one process, stepped together: the part of a sidecar that
knows no sessions and no frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias, assert_never

from choreomon.agent_files.clocks.text import KEY_BYTES, decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.longest_body import longest_body
from choreomon.agent_files.told_traces import ToldTraces
from choreomon.agent_files.values import NO_VALUES, TRACE
from choreomon.agent_files.wire import MAX_BYTES, NO_STORE, Frame
from choreomon.core.binding import Values
from choreomon.core.decisive_reasons import with_decisive_reasons
from choreomon.core.errors import MalformedMessage
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.core.stated_rule import rule_of
from choreomon.core.vector_clock import VectorClock, is_far_beyond, tick
from choreomon.core.verdict import NEVER
from choreomon.monitor.effects import Declared, Send, SetDeadline, Unfinished, Unsettled
from choreomon.monitor.host import Host, HostEffect, HostState
from choreomon.monitor.messages import Inquiry, Push, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage, said_in
from choreomon.monitor.opening import Predecessor
from choreomon.monitor.rights import Refused
from choreomon.runtime.outputs import (
    Answer,
    Ask,
    AskAgain,
    Deadline,
    Decided,
    DeclaredVerdict,
    Dropped,
    LeftUnfinished,
    LeftUnsettled,
    Output,
    Ticked,
)
from choreomon.runtime.said_of_events import NOTHING_SAID, SaidOfEvents
from choreomon.runtime.sessions import Sessions
from choreomon.runtime.undelivered import UndeliveredVerdicts
from choreomon.runtime.values_of_events import ValuesOfEvents
from choreomon.runtime.verdict_counts import VerdictCounts

_TO_SPARE: Final = 1 << 14


class SidecarState(NamedTuple):
    """`hosts` in the order of the properties, and `counts` of their verdicts. `undelivered`:
    verdicts that were not delivered. `closed`: for each property the count of the last event about
    which anything is said, `NEVER` where it is not being closed; empty where none is. `said`: what
    services said of events, as far as verdicts may need it."""

    hosts: tuple[HostState, ...]
    sessions: Sessions
    undelivered: UndeliveredVerdicts
    counts: tuple[VerdictCounts, ...]
    closed: tuple[int, ...] = ()
    said: SaidOfEvents = NOTHING_SAID

    def with_host(self, place: int, host: HostState) -> SidecarState:
        """The state with this state of the host at `place`."""
        hosts = (*self.hosts[:place], host, *self.hosts[place + 1 :])
        _, sessions, undelivered, counts, closed, said = self
        return SidecarState(hosts, sessions, undelivered, counts, closed, said)

    def last_judged(self, place: int) -> int:
        """Return the count of the last event of this property that may still get a verdict."""
        return self.closed[place] if self.closed else NEVER

    def undecided(self, place: int, own: int) -> int:
        """The number of events of this property, of the process at `own`, whose last verdict is not
        yet given."""
        last = self.last_judged(place)
        return sum(each.event[own] <= last for each in self.hosts[place].monitor.decisions)

    def untold(self, place: int) -> int:
        """The number of verdicts of this property not yet delivered."""
        return sum(each.system == place for each in self.undelivered.values())

    def is_drained(self, place: int, own: int) -> bool:
        """Tell whether no verdict is left to give on a property that is being closed."""
        if self.last_judged(place) == NEVER:
            return False
        return not self.undecided(place, own) and not self.untold(place)

    def with_counts(self, place: int, counts: VerdictCounts) -> SidecarState:
        """The state with these counts of the property at `place`."""
        return self._replace(counts=(*self.counts[:place], counts, *self.counts[place + 1 :]))


Stepped: TypeAlias = tuple[SidecarState, list[Output]]


class NotTaken(MalformedMessage):
    """A frame that is not read. `reason` is one of a few words, for counting."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(frozen=True)
class Hosted:
    """`systems` are the ids of the properties, 16 bytes each, in the order of `hosts`. `after`: of
    those that follow another system, which (docs/adr/030-systems-that-follow.md); all that come
    from one have one clock. `closing`: those that are to be closed
    when this follows another sidecar. `foretold`: what some property
    mentions that is not open yet. `store` is the name of the agent's: two agents of one process, or
    one that has lost its store, use the same counts. It is empty for a store that was made before
    stores had names. `value_keys`: by system those of the digests of values, of properties for each
    instance. `role`: that of a process which is a slot; services know it by that name, and not by
    its slot's. `short_clocks`: headers have clocks in their short form."""

    process: str
    systems: tuple[bytes, ...]
    hosts: tuple[Host, ...]
    store: bytes = field(default=NO_STORE, kw_only=True)
    after: Mapping[bytes, Predecessor] = field(default_factory=dict, kw_only=True)
    closing: frozenset[bytes] = field(default=frozenset(), kw_only=True)
    foretold: frozenset[CarryingLabel] = field(default=frozenset(), kw_only=True)
    value_keys: Mapping[bytes, bytes] = field(default_factory=dict, kw_only=True)
    role: str = field(default="", kw_only=True)
    short_clocks: bool = field(default=False, kw_only=True)
    _place: Mapping[bytes, int] = field(init=False, repr=False)
    _left: frozenset[bytes] = field(init=False, repr=False)
    _keys: tuple[bytes, ...] = field(init=False, repr=False)
    _mentioned: Mapping[Label, tuple[int, ...]] = field(init=False, repr=False)
    _beside: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    _passed: Mapping[Label, tuple[int, ...]] = field(init=False, repr=False)
    values: ValuesOfEvents = field(init=False, repr=False)
    _longest: tuple[int, ...] = field(init=False, repr=False)
    parameters: tuple[tuple[str, ...], ...] = field(init=False, repr=False)
    """The bound parameters of each property, sorted; mostly none."""

    def __post_init__(self) -> None:
        mentioned: dict[Label, tuple[int, ...]] = {}
        for place, host in enumerate(self.hosts):
            for label in host.monitor.plans:
                mentioned[label] = (*mentioned.get(label, ()), place)
        clocks = [self.clock_of(system) for system in self.systems]
        beside = tuple(
            tuple([n for n, other in enumerate(clocks) if other == clock and n != place])
            for place, clock in enumerate(clocks)
        )
        passed = {
            label: tuple(sorted({n for place in places for n in beside[place]} - {*places}))
            for label, places in mentioned.items()
        }
        left = {bytes.fromhex(each.system) for each in self.after.values()} - {*self.systems}
        object.__setattr__(self, "_place", {system: n for n, system in enumerate(self.systems)})
        object.__setattr__(self, "_left", frozenset(left))
        object.__setattr__(self, "_keys", tuple([clock[:KEY_BYTES] for clock in clocks]))
        object.__setattr__(self, "_mentioned", mentioned)
        object.__setattr__(self, "_beside", beside)
        object.__setattr__(self, "_passed", {label: n for label, n in passed.items() if n})
        keys = [self.value_keys.get(system, b"") for system in self.systems]
        carrying = ValuesOfEvents(self.hosts, keys, mentioned, self.foretold)
        object.__setattr__(self, "values", carrying)
        longest = tuple(longest_body(host.rights) for host in self.hosts)
        object.__setattr__(self, "_longest", longest)
        tables = [host.monitor.table for host in self.hosts]
        parameters = tuple([tuple(sorted(table.parameters)) for table in tables])
        object.__setattr__(self, "parameters", parameters)

    @property
    def named(self) -> str:
        """The name by which services know the process."""
        return self.role or self.process

    @property
    def bearable_frame(self) -> int:
        """Bytes of a frame that is so far above what others may send that it need not be counted,
        and whoever sends it may be cut off."""
        return min(MAX_BYTES, 2 * max(self._longest) + _TO_SPARE)

    def place_of(self, frame: Frame) -> int:
        """The place of the property that a frame is about. Raises `NotTaken`."""
        place = self._place.get(frame.system)
        if place is None:
            if frame.system in self._left:
                raise NotTaken("closed", f"its system, {frame.system.hex()}, was closed here")
            told = f"its system is {frame.system.hex()}: all agents need files of one split"
            raise NotTaken("system", told)
        if len(frame.body) > self._longest[place]:
            told = f"{len(frame.body)} bytes: no message of this system is so long"
            raise NotTaken("oversized", told)
        return place

    def initial(self) -> SidecarState:
        """The state before anything happened."""
        hosts = tuple(host.initial() for host in self.hosts)
        return SidecarState(hosts, {}, UndeliveredVerdicts(), (VerdictCounts(),) * len(hosts))

    def clock_of(self, system: bytes) -> bytes:
        """The id of the first system that has the clock of this one."""
        predecessor = self.after.get(system)
        return system if predecessor is None else bytes.fromhex(predecessor.clock)

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys by which the clock of each property is found in headers."""
        return self._keys

    def label(self, event: EventKind, peer: str, name: str) -> Label:
        """The label of an event of the own process; `peer` is the other end of its message."""
        if event == SEND:
            return Label(SEND, Message(self.process, name, peer))
        return Label(HANDLE, Message(peer, name, self.process))

    def mentions(self, label: Label) -> bool:
        """Tell whether a property mentions the label, so that a verdict may be about its events or
        name them."""
        return label in self._mentioned

    def _event(
        self,
        state: SidecarState,
        label: Label,
        heard: Iterable[tuple[int, VectorClock]],
        at: int,
        values: Values = NO_VALUES,
    ) -> Stepped:
        """Take an event with this label, after what was heard. `values` are those of all its
        parameters."""
        state, outputs = self._hear(state, heard)
        for place in self._passed.get(label, ()):
            state = self._ticked(state, place)
        for place in self._mentioned.get(label, ()):
            host = self.hosts[place]
            said = self.values.said(place, label, values) if values else ()
            trace = values.get(TRACE, "") if values else ""
            binding = self.values.digested(place, said) if said else ()
            after, clock, effects = host.report(state.hosts[place], label, binding)
            state = state.with_host(place, after)
            if said or trace:
                about = (host.monitor, label, clock[host.monitor.own], said, trace)
                state = state._replace(said=state.said.happened(place, *about))
            outputs.append(Ticked(place, at, label, clock, said))
            if effects:
                state, more = self._done(state, place, effects)
                outputs += more
        return state, outputs

    def _ticked(self, state: SidecarState, place: int) -> SidecarState:
        """An event that this property does not mention ticks its clock, which it shares."""
        clock, monitor = state.hosts[place]
        own = self.hosts[place].monitor.own
        return state.with_host(place, HostState(tick(clock, own), monitor))

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
            {key: host.clock for key, host in zip(self._keys, state.hosts, strict=True)},
            short=self.short_clocks,
        )

    def _advanced(
        self, state: SidecarState, place: int, stepped: tuple[HostState, Sequence[HostEffect]]
    ) -> Stepped:
        after, effects = stepped
        if after is not state.hosts[place]:
            state = state.with_host(place, after)
        return self._done(state, place, effects) if effects else (state, [])

    def _done(self, state: SidecarState, place: int, effects: Iterable[HostEffect]) -> Stepped:
        outputs: list[Output] = []
        decided: list[int] = []
        for effect in effects:
            match effect:
                case Send(message):
                    assert not isinstance(message, Push)
                    if type(said_in(message)) is Inquiry:
                        outputs.append(Ask(place, message))  # type: ignore[arg-type]
                    else:
                        outputs.append(self._answer(state, place, message))  # type: ignore[arg-type]
                case SetDeadline(event):
                    count = event[self.hosts[place].monitor.own]
                    if count <= state.last_judged(place):
                        outputs.append(Deadline(place, count))
                case Declared():
                    count = effect.event[self.hosts[place].monitor.own]
                    is_judged = count <= state.last_judged(place)
                    declared = self._declared(state, place, effect) if is_judged else None
                    if state.said.is_needed(place, count):
                        decided.append(count)
                    if declared is not None:
                        kind, provisional = declared.verdict.kind, effect.provisional
                        counts = state.counts[place].with_one(kind, provisional=provisional)
                        undelivered = state.undelivered.added(declared)
                        state = state._replace(undelivered=undelivered).with_counts(place, counts)
                    outputs.append(Decided(place, count, declared, effect.provisional))
                case Unsettled(event):
                    count = event[self.hosts[place].monitor.own]
                    if count > state.last_judged(place):
                        continue
                    counts = state.counts[place].with_one_unsettled()
                    state = state.with_counts(place, counts)
                    outputs.append(LeftUnsettled(place, count))
                case Unfinished():
                    outputs.append(LeftUnfinished(place))
                case Refused(reason, sender, detail):
                    outputs.append(Dropped(reason, sender, detail))
                case _:
                    assert_never(effect)
        for count in dict.fromkeys(decided):
            if not self.hosts[place].is_undecided(state.hosts[place], count):
                state = state._replace(said=state.said.without(place, count))
        return state, outputs

    def _answer(
        self, state: SidecarState, place: int, message: Response | Waiting | InstanceMessage
    ) -> Answer:
        said, own = state.said, self.hosts[place].monitor.own
        return Answer(place, message, said.beside(place, own, message) if said.own else ())

    def _declared(
        self, state: SidecarState, place: int, declared: Declared
    ) -> DeclaredVerdict | None:
        if declared.verdict is None:
            return None
        # Here, so that whatever follows from it is small: the store, pages, sinks.
        verdict = with_decisive_reasons(declared.verdict)
        count = declared.event[self.hosts[place].monitor.own]
        system = self.systems[place].hex()
        kind = f"{verdict.kind}-for-now" if declared.provisional else verdict.kind
        of_store = f"/{self.store.hex()}" if self.store else ""
        rules = self.hosts[place].monitor.table.rules
        rule = rule_of(rules, [(each.source, each.target) for each in verdict.transitions])
        about = f"{count}/{rule.key}" if rule is not None else str(count)
        said, entries = state.said, self.hosts[place].monitor.index_of
        return DeclaredVerdict(
            id=f"{system}/{self.process}/{about}/{kind}{of_store}",
            system=place,
            event_count=count,
            label="" if declared.label is None else str(declared.label),
            verdict=verdict,
            provisional=declared.provisional,
            said=() if declared.label is None else said.values.get((place, count), ()),
            traces=said.named_in(place, count, verdict, entries),
        )

    def _told(self, state: SidecarState, place: int, told: ToldTraces, peer: str) -> Stepped:
        """Another agent told traces beside its answer about an own event. Raises `NotTaken`."""
        host = self.hosts[place]
        if peer and told.sender != peer:
            raise NotTaken("sender", f"it says that it is {told.sender}")
        if told.sender not in host.asks():
            raise NotTaken("answer", f"{told.sender} was not asked")
        said = state.said
        if host.is_undecided(state.hosts[place], told.event_count):
            said = said.told(place, told)
        return state if said is state.said else state._replace(said=said), []

    def resumed(self, state: SidecarState) -> list[Output]:
        """The outputs to repeat after a restart: open inquiries, deadlines, verdicts not yet
        delivered. They are let out like any other output: after the commit."""
        outputs: list[Output] = []
        for place, host in enumerate(self.hosts):
            last = state.last_judged(place)
            outputs += [
                Deadline(place, count)
                for count in host.inspected(state.hosts[place])
                if count <= last
            ]
            outputs += [AskAgain(place), LeftUnfinished(place)]
        outputs += [
            Decided(declared.system, declared.event_count, declared, declared.provisional)
            for declared in state.undelivered.values()
        ]
        return outputs
