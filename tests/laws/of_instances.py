"""Random runs of the monitors of a property for each instance, and what of them is wrong.

The meaning is that of the slices: for each binding the events that agree with it, in the order of
the run, each by the definitions that know of no instances (`formations`, `evaluate`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from choreomon.core.binding import Binding, Values, agree
from choreomon.core.message import BEGIN, HANDLE, SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock, tick
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.effects import Declared, Send, SetDeadline, Unfinished, Unsettled
from choreomon.monitor.host import Host, HostEffect, HostState
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.monitor import InstanceMonitor, checkpoint
from choreomon.monitor.of_instances.state import NOTHING, Instance, InstancesState
from choreomon.monitor.rights import Refused
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.certain_cancellations import certain_cancellations
from choreomon.properties.instances import Parameters
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.reference import formations
from choreomon.properties.tables import closure, transition_tables
from tests.laws.drawn import draw_automaton, draw_begun, draw_scripts, processes

NAMES = ("order", "session", "tenant")


class Flavor(NamedTuple):
    """What goes wrong in a run, and how likely. `gaps`: stretches of which nobody is told; `lost`
    and `repeated` messages of monitors; `gives_up` on events; `most_open` events. `in_order`: no
    message of a monitor overtakes another one of its. `slow`: they take long, so that much is open
    at once. `stores`: how likely what can be is put into a store after a step; what happened since
    the last time is computed again from there. `forgets`: how likely an old one is forgotten then
    (`tests/laws/forgotten.py`). `events`: the least and the most. `begin`: the property has
    `BEGIN`."""

    gaps: float = 0.0
    lost: float = 0.0
    repeated: float = 0.0
    gives_up: float = 0.0
    expires: float = 0.0
    most_open: int | None = None
    in_slices: bool = False
    in_order: bool = False
    slow: bool = False
    stores: float = 0.0
    forgets: float = 0.0
    events: tuple[int, int] = (6, 24)
    most_parameters: int = 3
    begin: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether all that can be known is known in the end."""
        return not (self.gaps or self.gives_up or self.most_open or self.forgets)


class System(NamedTuple):
    """A property for each instance, and its processes."""

    automaton: SequenceAutomaton
    parameters: Parameters
    processes: tuple[str, ...]


class Happened(NamedTuple):
    """An event as the reference sees it. `clock` is of no use where nobody was `told`."""

    label: Label
    binding: Binding
    clock: VectorClock
    told: bool = True


PLAIN: Final = Flavor()
FLAVORS: Final = {
    "plain": PLAIN,
    "in order": Flavor(in_order=True),
    "long": Flavor(events=(40, 90), most_parameters=2),
    "slow": Flavor(slow=True, events=(20, 60), most_parameters=2),
    "gaps": Flavor(gaps=0.08),
    "lost and repeated": Flavor(lost=0.2, repeated=0.2),
    "in slices": Flavor(in_slices=True, repeated=0.1),
    "giving up": Flavor(gives_up=0.1, expires=0.2),
    "two open": Flavor(most_open=2, lost=0.1),
    "one open": Flavor(most_open=1, slow=True, events=(40, 90)),
    "in a store": Flavor(stores=0.5, repeated=0.1, events=(10, 40)),
    "since the beginning": Flavor(begin=True),
    "since the beginning, gaps": Flavor(gaps=0.08, begin=True),
    "since the beginning, in a store": Flavor(
        gaps=0.05, stores=0.5, lost=0.1, repeated=0.1, events=(10, 40), begin=True
    ),
    "everything": Flavor(
        stores=0.2,
        gaps=0.05,
        lost=0.1,
        repeated=0.1,
        gives_up=0.05,
        expires=0.1,
        most_open=4,
        in_slices=True,
        events=(10, 40),
    ),
}

Script: TypeAlias = list[tuple[Message, Values]]


def well_formed(
    automaton: SequenceAutomaton, carried: dict[Message, frozenset[str]]
) -> dict[Message, frozenset[str]]:
    """Let messages carry what they have to, so that every transition carries all that it rests
    on."""
    certain = certain_cancellations(automaton)
    carried = {**carried, BEGIN.message: frozenset()}
    tables = transition_tables(
        automaton, _watching(automaton), "precise", Parameters(NAMES, {})
    ).values()
    needs = {reference: need for table in tables for reference, need in table.skeleton.items()}
    labels: dict[object, list[Label]] = {}
    for t in (*automaton.forward, *automaton.backward):
        labels.setdefault(t.reference, []).append(t.label)
    changed = True
    while changed:
        changed = False
        for t in (*automaton.forward, *automaton.backward):
            rests_on = {t.reference} if t.reference in certain else closure(needs, [t.reference])
            wanted = frozenset(
                name
                for each in rests_on
                for label in labels[each]
                for name in carried[label.message]
            )
            if not wanted <= carried[t.label.message]:
                carried[t.label.message] |= wanted
                changed = True
    del carried[BEGIN.message]
    return carried


def _watching(automaton: SequenceAutomaton) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label.process for label in automaton.labels))


def draw_system(random: Random, most_parameters: int = 3, *, begin: bool = False) -> System:
    """A property whose messages carry any of one to `most_parameters` parameters, as far as it is
    one that can be monitored."""
    names = processes(random.randint(2, 5))
    automaton = (draw_begun if begin else draw_automaton)(random, names)
    known = NAMES[: random.randint(1, most_parameters)]
    nested = random.random() < 0.5
    carried = {}
    for message in dict.fromkeys(label.message for label in automaton.labels):
        if nested:
            size = random.choice([0, *range(len(known) + 1), len(known), len(known)])
            carried[message] = frozenset(known[:size])
        else:
            carried[message] = frozenset(name for name in known if random.random() < 0.6)
    carried = well_formed(automaton, carried)
    parameters = Parameters(known, {m: tuple(sorted(names)) for m, names in carried.items()})
    return System(automaton, parameters, names)


def monitor_of(
    system: System,
    process: str,
    flavor: Flavor,
    kind: Callable[..., InstanceMonitor],
    cold: dict[Binding, Instance],
) -> InstanceMonitor:
    tables = transition_tables(system.automaton, system.processes, "precise", system.parameters)
    return kind(
        tables[process],
        system.processes,
        has_deadline=bool(flavor.expires),
        most_open=flavor.most_open,
        in_slices=flavor.in_slices,
        cold=cold.get,
    )


class Run:
    """One run: any order of sends, handles and deliveries."""

    def __init__(
        self,
        random: Random,
        flavor: Flavor = PLAIN,
        kind: Callable[..., InstanceMonitor] = InstanceMonitor,
        system: System | None = None,
    ) -> None:
        self.random, self.flavor = random, flavor
        self.system = system or draw_system(random, flavor.most_parameters, begin=flavor.begin)
        self.names = self.system.processes
        self._cold: list[dict[Binding, Instance]] = [{} for _ in self.names]
        self.hosts = [
            Host(monitor_of(self.system, name, flavor, kind, cold))
            for name, cold in zip(self.names, self._cold, strict=True)
        ]
        self.states: list[HostState] = [host.initial() for host in self.hosts]
        self._stored = [*self.states]
        self._journal: list[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
            [] for _ in self.names
        ]
        self.events: list[Happened] = []
        self.said: dict[tuple[int, Binding], str | None] = {}
        self.unsettled: set[int] = set()
        self.refused: list[Refused] = []
        self.messages = self.most_waiting = 0
        self._channels: dict[tuple[int, int], list[InstanceMessage]] = {}
        self._blind = [False] * len(self.names)
        self._deadlines: list[tuple[int, int]] = []
        values = [random.choice((1, 2, 2, 3)) for _ in NAMES]
        scripts = draw_scripts(random, self.system.automaton, self.names, events=flavor.events)
        self._scripts: list[Script] = [
            [
                (m, {n: str(random.randrange(k)) for n, k in zip(NAMES, values, strict=True)})
                for m in script
            ]
            for script in scripts
        ]

    def play(self) -> Run:
        random, flavor = self.random, self.flavor
        taste = {kind: random.choice((0.05, 0.3, 1.0, 3.0)) for kind in "sthd"}
        if flavor.slow:
            taste |= {"s": 3.0, "d": 0.05}
        inboxes: list[list[tuple[Message, Values, VectorClock]]] = [[] for _ in self.names]
        while True:
            moves: list[tuple[str, int, int, int]] = []
            weights: list[float] = []
            for p, script in enumerate(self._scripts):
                if script:
                    moves.append(("send", p, 0, 0))
                    weights.append(taste["s"])
            for p, box in enumerate(inboxes):
                for i in range(len(box)):
                    moves.append(("handle", p, i, 0))
                    weights.append(taste["t"])
            for (p, q), waiting in self._channels.items():
                for i in range(min(1, len(waiting)) if flavor.in_order else len(waiting)):
                    moves.append(("deliver", p, q, i))
                    weights.append(taste["d"])
            if not moves:
                if self._ask_again():
                    continue
                break
            self._something_else()
            kind, p, i, n = random.choices(moves, weights)[0]
            if kind == "deliver":
                self._delivered(p, i, n)
            elif kind == "send":
                message, values = self._scripts[p].pop(0)
                self._happens(p, Label(SEND, message), values)
                to = self.names.index(message.receiver)
                inboxes[to].append((message, values, self.states[p].clock))
            else:
                message, values, clock = inboxes[p].pop(i)
                self._step(p, "heard", clock)
                self._happens(p, Label(HANDLE, message), values)
        for p, blind in enumerate(self._blind):
            if blind:
                self._step(p, "gap_ends", lost=True)
        return self

    def _happens(self, p: int, label: Label, values: Values) -> None:
        if not self.hosts[p].mentions(label):
            return
        binding = self.system.parameters.binding(label, values)
        assert binding is not None
        if self._blind[p]:
            self.events.append(Happened(label, binding, (), told=False))
            return
        own = self.states[p].clock
        self.events.append(Happened(label, binding, tick(own, p)))
        self._step(p, "report", label, binding)

    def _delivered(self, p: int, q: int, n: int) -> None:
        channel = self._channels[p, q]
        random, flavor = self.random, self.flavor
        message = channel[n] if random.random() < flavor.repeated else channel.pop(n)
        if random.random() >= flavor.lost:
            self._step(q, "receive", message)

    def _something_else(self) -> None:
        random, flavor = self.random, self.flavor
        p = random.randrange(len(self.names))
        if random.random() < flavor.gaps:
            if self._blind[p]:
                self._step(p, "gap_ends", lost=True)
            else:
                self._step(p, "gap_opens")
            self._blind[p] = not self._blind[p]
        opened = self.hosts[p].inspected(self.states[p])
        if opened and random.random() < flavor.gives_up:
            self._step(p, "give_up", random.choice(opened))
        if self._deadlines and random.random() < flavor.expires:
            q, count = self._deadlines.pop(random.randrange(len(self._deadlines)))
            self._step(q, "expire", count)

    def _ask_again(self) -> bool:
        """Repeat what is not answered; whether there was anything."""
        asked = False
        for p, host in enumerate(self.hosts):
            for inquiry in host.outstanding(self.states[p]):
                assert isinstance(inquiry, InstanceMessage)
                self._channel(p, inquiry).append(inquiry)
                asked = True
        return asked and bool(self.flavor.lost or self.flavor.most_open)

    def _channel(self, p: int, message: InstanceMessage) -> list[InstanceMessage]:
        return self._channels.setdefault((p, self.names.index(message.receiver)), [])

    def _step(self, p: int, name: str, *given: Any, **named: Any) -> None:
        """Step the host by the method of this name."""
        self.states[p], effects = self._stepped(p, self.states[p], name, given, named)
        self._journal[p].append((name, given, named))
        self._check_bounds(p)
        self._do(p, effects)
        if self.random.random() < self.flavor.stores:
            self._store(p)

    def _stepped(
        self, p: int, state: HostState, name: str, given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[HostState, list[HostEffect]]:
        stepped = getattr(self.hosts[p], name)(state, *given, **named)
        if name == "gap_opens":
            return stepped, []
        return stepped[0], stepped[-1]

    def _store(self, p: int) -> None:
        again = self._stored[p]
        for name, given, named in self._journal[p]:
            again, _ = self._stepped(p, again, name, given, named)
        assert again == self.states[p], "it is another one when it is computed again"
        clock, monitor = self.states[p]
        assert isinstance(monitor, InstancesState)
        left, idle = checkpoint(monitor)
        for binding, instance in idle.items():
            self._cold[p].pop(binding, None)
            if instance != NOTHING:
                self._cold[p][binding] = instance
        self.states[p] = self._stored[p] = HostState(clock, left)
        self._journal[p].clear()

    def _check_bounds(self, p: int) -> None:
        monitor, most = self.states[p].monitor, self.flavor.most_open
        assert isinstance(monitor, InstancesState)
        if most is not None:
            assert len(monitor.shared.open) <= most, "too many are open"
            own, instances = self.names[p], monitor.instances.values()
            waiting = sum(each.sender != own for one in instances for each in one.postponed)
            self.most_waiting = max(self.most_waiting, waiting)

    def _do(self, p: int, effects: list[HostEffect]) -> None:
        again = False
        for effect in effects:
            match effect:
                case Send(message):
                    assert isinstance(message, InstanceMessage)
                    self._channel(p, message).append(message)
                    self.messages += 1
                case Declared(verdict=verdict) if verdict is not None and verdict.unseen:
                    pass
                case Declared(provisional=False):
                    at = self._index(p, effect.event), effect.binding
                    assert at not in self.said, "it is said twice"
                    self.said[at] = effect.verdict.kind if effect.verdict else None
                case Declared():
                    assert effect.verdict is not None
                    if effect.verdict.kind == VIOLATED:
                        at = self._index(p, effect.event), effect.binding
                        assert self.said.get(at) in (None, VIOLATED)
                case Unsettled(event):
                    self.unsettled.add(self._index(p, event))
                case SetDeadline(event):
                    self._deadlines.append((p, event[p]))
                case Unfinished():
                    again = True
                case Refused():
                    self.refused.append(effect)
        if again:
            self._step(p, "go_on")

    def _index(self, p: int, clock: VectorClock) -> int:
        return next(i for i, each in enumerate(self.events) if each.clock == clock)

    # What is wrong with it.

    def wrong(self) -> Counter[str]:
        """Kinds of mistakes, with how many there are; empty: none."""
        found: Counter[str] = Counter()
        violated = {at for at, kind in self.said.items() if kind == VIOLATED}
        possibly = {at for at, kind in self.said.items() if kind == POSSIBLY_VIOLATED}
        formed = self.formed()
        found["missed"] = len(
            {at for at in formed if self.events[at[0]].told} - violated - possibly
        )
        found["made up"] = len(violated - formed)
        found["of another instance"] = sum(
            self.events[place].binding != binding for place, binding in self.said
        )
        found["refused"] = len(self.refused)
        if self.flavor.is_exact:
            exact = self.exact()
            found["missed"] += len(
                {at for at in exact if exact[at] != Formed.NEVER} - violated - possibly
            )
            found["made up"] += sum(exact[at] != Formed.ALWAYS for at in violated)
            found["avoidable"] = sum(
                exact[at] != Formed.SOMETIMES and at[0] not in self.unsettled for at in possibly
            )
        for state, cold in zip(self.states, self._cold, strict=True):
            monitor = state.monitor
            assert isinstance(monitor, InstancesState)
            shared = monitor.shared
            instances = {**cold, **monitor.instances}
            found["unfinished"] += len(shared.open) + shared.postponed + len(shared.waiting)
            found["unfinished"] += sum(not each.is_idle for each in instances.values())
            found["miscounted"] += shared.records != sum(
                each.records for each in instances.values()
            )
            found["miscounted"] += shared.remembered != sum(
                each.has_records for each in instances.values()
            )
        return +found

    def formed(self) -> set[tuple[int, Binding]]:
        """Where the property is formed in the order of the run."""
        found = set()
        for binding, places in self._slices().items():
            for each in formations(self.system.automaton, [self.events[i].label for i in places]):
                place = places[each.index]
                if self.events[place].binding == binding:
                    found.add((place, binding))
        return found

    def exact(self) -> dict[tuple[int, Binding], Formed]:
        """The same over all orders that the clocks leave open."""
        found = {}
        for binding, places in self._slices().items():
            events = [Event(self.events[i].label, self.events[i].clock) for i in places]
            outcomes = evaluate(self.system.automaton, self.names, events)
            for place, outcome in zip(places, outcomes, strict=True):
                if self.events[place].binding == binding:
                    found[place, binding] = outcome
        return found

    def _slices(self) -> dict[Binding, list[int]]:
        """By binding the events that agree with it on what they carry."""
        automaton = self.system.automaton
        finals = {t.label for t in automaton.forward if t.target in automaton.final}
        bindings = dict.fromkeys(e.binding for e in self.events if e.label in finals)
        return {
            binding: [
                place
                for place, event in enumerate(self.events)
                if {*dict(event.binding)} <= {*dict(binding)} and agree(event.binding, binding)
            ]
            for binding in bindings
        }
