"""What really happened in a world, and whether what agents said of it keeps the laws.

The real order is that of the commits in the agents. An event that was never told, or too late to be
one, happened when its message left, or when it was told if that was earlier. One that was told only
after it had left is looked at in both places: nothing may be missed in either. Under
`fire-and-forget` all are told late, and only the order of the commits is spoken of: by the order in
which messages left, an event that was told late can cancel what came after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from choreomon.agent_files import local
from choreomon.agent_files.clocks.links import Link, Offer, name_of
from choreomon.agent_files.clocks.packed import PackedClock, packed
from choreomon.agent_files.clocks.text import KEY_BYTES, decode_clocks_untrusted
from choreomon.agent_files.wire import encode, open_untrusted, read_untrusted, unlinked
from choreomon.core.binding import Binding, Values
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.of_instances.messages import InstanceMessage, said_in
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.runtime.outputs import DeclaredVerdict, Ticked
from tests.laws.formed_instances import formed_at

if TYPE_CHECKING:
    from tests.runtime.world.agents import Agent
    from tests.runtime.world.services import Act

Key: TypeAlias = tuple[str, int, int]
"""An event: process, system, count."""

Law: TypeAlias = Literal[
    "G1", "G2", "answered", "words", "acknowledged", "counted once", "clocks", "durable", "honest",
    "secret",
]  # fmt: skip

LAWS: Final[dict[Law, str]] = {
    "G1": "where the property was formed, its monitor says so",
    "G2": "where it says violated, the property was formed",
    "answered": "when all is healed, nothing waits any more",
    "words": "a word that is not forgotten has one content for ever; what follows it is surer; "
    "violated is the last",
    "acknowledged": "what was answered to a service has happened",
    "counted once": "one event has one count, and one count one event",
    "clocks": "no clock runs backwards, neither to a service nor in a frame",
    "durable": "nothing is told that was not committed",
    "honest": "agents that are honest refuse each other nothing",
    "secret": "no frame has a value, and verdicts say what their own service said",
}


class Tick(NamedTuple):
    """An event that was committed; it happened when its clock ticked. `act` is what the service
    did, where that is known."""

    when: int
    key: Key
    label: Label
    act: Act | None
    clock: VectorClock


class Left(NamedTuple):
    """A service went on with what it did. Where it had to wait until its agent had noted a gap
    for it, it happened there."""

    when: int
    act: Act


class Stepped(NamedTuple):
    """A step of an agent, before its commit: an event of a session, or a gap where `ticked` is
    `None`; `late` where that was told as an event."""

    when: int
    session: str
    number: int
    ticked: Ticked | None
    late: bool = False


class Said(NamedTuple):
    """A declared verdict as it came to the sinks."""

    when: int
    declared: DeclaredVerdict


class Broken(NamedTuple):
    law: Law
    what: str


class Truth:
    """What happened, in its order, and every verdict that was declared."""

    def __init__(
        self,
        processes: Sequence[str],
        automata: Sequence[SequenceAutomaton],
        keys: Sequence[bytes],
        exact: frozenset[str] = frozenset(),
        late: frozenset[str] = frozenset(),
        parameters: Sequence[Parameters | None] = (),
    ) -> None:
        self.exact = exact
        self.late = late
        self.processes = tuple(processes)
        self.automata = tuple(automata)
        self.parameters = tuple(parameters) or (None,) * len(self.automata)
        self.index_of = {name: place for place, name in enumerate(self.processes)}
        self.acts: list[Act] = []
        self.act_of: dict[tuple[str, int], Act] = {}
        self.ticks: list[Tick] = []
        self.lefts: list[Left] = []
        self.noted: dict[str, int] = {}  # when the last gap of each agent was
        self.said_by: dict[str, list[Said]] = {name: [] for name in self.processes}
        self._kept_to: dict[str, list[Said]] = {name: [] for name in self.processes}
        self.broken: list[Broken] = []
        self.moment = 0
        self.inquiries = self.of_instances = 0
        self.offered: dict[int, PackedClock] = {}
        self.relative = 0
        self.events = 0
        self.forgotten: set[Key] = set()
        self.knew_more = False
        """Whether an agent lost, with its disk, that it had heard of something: what it does later
        is after that all the same, and by its clock it need not be."""
        self._keys = [key[:KEY_BYTES] for key in keys]
        self._system_of = {key: place for place, key in enumerate(keys)}
        self._last: dict[tuple[str, int], int] = {}

    def breaks(self, law: Law, what: str) -> None:
        self.broken.append(Broken(law, what))

    # What happens.

    def now(self) -> int:
        """Each call is later than the one before."""
        self.moment += 1
        return self.moment

    def happened(self, agent: str, stepped: Sequence[Stepped]) -> None:
        """These were committed now."""
        for when, session, number, ticked, late in stepped:
            if late:
                act = self.act_of.get((session, number))
                if act is not None:
                    act.late = when
                continue
            if ticked is None:
                self.noted[agent] = when
                continue
            system = ticked.system
            count = ticked.clock[self.index_of[agent]]
            key = (agent, system, count)
            act = self.act_of.get((session, number))
            if count <= self._last.get((agent, system), 0):
                self.breaks("counted once", f"{key} is an old count")
            self._last[agent, system] = count
            if act is not None:
                before = act.ticks.setdefault(system, [])
                if any((agent, system, each) not in self.forgotten for each in before):
                    self.breaks("counted once", f"{act} happened as {before} and {count}")
                before.append(count)
            self.events += 1
            self.ticks.append(Tick(when, key, ticked.label, act, ticked.clock))

    def left(self, act: Act, *, noted: bool = False) -> None:
        """`noted`: its agent knew before that there would be a gap."""
        if noted and act.name not in self.noted:
            self.breaks("acknowledged", f"{act} went on for a gap that is not there")
            noted = False
        self.lefts.append(Left(self.noted[act.name] if noted else self.now(), act))

    def forgot(self, agent: Agent, since: int) -> None:
        """Commits of an agent since this moment were lost; what it said on their strength it may
        say again otherwise, though neither G1 nor G2 lets it contradict itself."""
        kept_to = self._kept_to[agent.name]
        self._kept_to[agent.name] = [said for said in kept_to if said.when < since]
        own = agent.index
        self.knew_more = True
        for tick in self.ticks:
            name, system, count = tick.key
            if name == agent.name and count > agent.durable[system][own]:
                self.forgotten.add(tick.key)
        zero = (0,) * len(self.processes)
        agent.told = [(*zero[:own], clock[own], *zero[own + 1 :]) for clock in agent.told]
        agent.framed = [(*zero[:own], clock[own], *zero[own + 1 :]) for clock in agent.framed]
        agent.answers.clear()

    # What is told.

    def told(self, agent: Agent, connection: int, message: local.Welcome | local.Clock) -> None:
        """An agent answers its service."""
        clocks = decode_clocks_untrusted(message.clock)
        now = [clocks[key] for key in self._keys]
        self._check(agent, now, agent.durable, f"{message}")
        if isinstance(message, local.Welcome):
            self._later(agent, agent.told, now, f"{message}")
            agent.told = now
            return
        assert agent.driver is not None
        sessions = agent.driver.state.sessions.items()
        name = next((name for name, each in sessions if each.connection == connection), "")
        if not name:
            return  # its session ended in the same turn
        answers = agent.answers[name]
        if answers.setdefault(message.number, now) != now:
            self.breaks("clocks", f"{agent.name} answers {message}, before {answers}")
        earlier = [clocks for number, clocks in answers.items() if number < message.number]
        if earlier:
            self._later(agent, earlier[-1], now, f"{message}")
        agent.told = [merge(*each) for each in zip(agent.told, now, strict=True)]

    def _later(
        self, agent: Agent, earlier: list[VectorClock], now: list[VectorClock], what: str
    ) -> None:
        for before, clock in zip(earlier, now, strict=True):
            if not _reached(before, clock):
                self.breaks("clocks", f"{agent.name} told {before} and then {what}")

    def acknowledged(self, act: Act) -> None:
        """A service got the answer to its report."""
        for system, automaton in enumerate(self.automata):
            if act.label in automaton.labels and not act.ticks.get(system) and act.late is None:
                self.breaks("acknowledged", f"{act} was answered and is not there")

    def framed(self, agent: Agent, data: bytes) -> None:
        """An agent sends a frame to another one."""
        frame = open_untrusted(data)
        offers = frame.offers
        if frame.base is not None:
            link = Link((Offer(frame.base, self.offered[frame.base]),))
            data, _ = unlinked(frame, len(self.processes), link)
            frame = open_untrusted(data)
            self.relative += 1
        system = self._system_of[frame.system]
        of = self.parameters[system]
        names = () if of is None else tuple(sorted(of.names))
        message = read_untrusted(frame, self.processes, names)
        clock: VectorClock = message.clock  # type: ignore[union-attr]
        self.of_instances += isinstance(message, InstanceMessage)
        if any(value.encode() in data for act in self.acts for _, value in act.values):
            self.breaks("secret", f"{agent.name} sends a value in {message}")
        if offers:
            offered = packed(clock)
            self.offered[name_of(offered)] = offered
        self.inquiries += type(said_in(message)) is Inquiry
        self._check(agent, [clock], [agent.durable[system]], f"{message}")
        whole = encode(message, frame.system, parameters=names)
        if whole in agent.copies:
            return  # a repetition
        agent.copies.add(whole)
        self._later(agent, [agent.framed[system]], [clock], f"{message}")
        agent.framed[system] = clock

    def _check(
        self, agent: Agent, clocks: list[VectorClock], durable: list[VectorClock], what: str
    ) -> None:
        for clock, committed in zip(clocks, durable, strict=True):
            if not _reached(clock, committed):
                self.breaks("durable", f"{agent.name} committed {committed} and says {what}")

    def said(self, agent: str, declared: DeclaredVerdict) -> None:
        for before in self._kept_to[agent]:
            if before.declared.id == declared.id:
                if before.declared != declared:
                    self.breaks("words", f"{before.declared} and then {declared}")
                return
        earlier = [
            before.declared
            for before in self._kept_to[agent]
            if (before.declared.system, before.declared.event_count)
            == (declared.system, declared.event_count)
        ]
        if any(not before.provisional for before in earlier):
            self.breaks("words", f"{declared} after {earlier}")
        if any(b.verdict.kind == VIOLATED for b in earlier) and declared.verdict.kind != VIOLATED:
            self.breaks("words", f"{declared} after {earlier}")
        if len(earlier) > 1:
            self.breaks("words", f"{declared} after {earlier}")
        said = Said(self.now(), declared)
        self._kept_to[agent].append(said)
        self.said_by[agent].append(said)

    # What it comes to.

    def order(self, system: int, *, by_leaving: bool) -> list[tuple[int, Label, Key | Act]]:
        """The events of one system in the order in which they happened. What was told late is
        there where it was told, or, `by_leaving` and where processes are `exact`, where its message
        left."""
        labels = self.automata[system].labels
        ticks = [tick for tick in self.ticks if tick.key[1] == system]
        ticked = {id(tick.act): tick.when for tick in reversed(ticks) if tick.act is not None}
        left = {
            id(act): when
            for when, act in self.lefts
            if act.label in labels and when < ticked.get(id(act), when + 1)
        }
        found: list[tuple[int, Label, Key | Act]] = [
            (left.get(id(act), when) if self._left_counts(key[0], by_leaving) else when, label, key)
            for when, key, label, act, _ in ticks
        ]
        found += [
            (when if act.late is None else min(when, act.late), act.label, act)
            for when, act in self.lefts
            if act.label in labels and id(act) not in ticked
        ]
        found.sort(key=lambda each: each[0])
        return found

    def _left_counts(self, process: str, by_leaving: bool) -> bool:
        return process in self.exact or (by_leaving and process not in self.late)

    def all_told(self, system: int) -> dict[Key, Event] | None:
        """The events of one system with their clocks, where all that happened was told in time, and
        nothing was forgotten of it, or of what was known."""
        keys = [what for _, _, what in self.order(system, by_leaving=False)]
        late = any(act.late is not None for act in self.act_of.values())
        if late or self.knew_more or not all(isinstance(each, tuple) for each in keys):
            return None
        return {
            tick.key: Event(tick.label, tick.clock) for tick in self.ticks if tick.key[1] == system
        }

    def words(self) -> Iterator[tuple[str, Said]]:
        for agent, said in self.said_by.items():
            for each in said:
                yield agent, each

    def judge(self, exempt: frozenset[str] = frozenset()) -> list[Broken]:
        """Which laws were broken, of those that are about the whole run. What processes that
        are `exempt` did is not asked for; they may be dead."""
        found: list[Broken] = []
        last: dict[Key, DeclaredVerdict] = {}
        unseen: dict[tuple[str, int], int] = defaultdict(lambda: -1)
        violated: set[Key] = set()
        for agent, (when, declared) in self.words():
            key = (agent, declared.system, declared.event_count)
            if declared.verdict.unseen:
                unseen[agent, declared.system] = max(unseen[agent, declared.system], when)
                continue
            if not declared.provisional:
                last[key] = declared
            if declared.verdict.kind == VIOLATED:
                violated.add(key)
        found += self._of_another_instance()
        for system in range(len(self.automata)):
            for by_leaving in (False, True):
                order = self.order(system, by_leaving=by_leaving)
                formed = self._formed(system, order)
                for place in formed:
                    when, label, what = order[place]
                    if isinstance(what, tuple):
                        if what[0] in exempt:
                            continue
                        said = last.get(what)
                        if said is not None and said.verdict.kind in (VIOLATED, POSSIBLY_VIOLATED):
                            continue
                        if what in self.forgotten and unseen[what[0], system] > when:
                            continue
                        found.append(
                            Broken("G1", f"{label} {what} formed it ({by_leaving=}): {said}")
                        )
                    elif what.name not in exempt and unseen[what.name, system] <= when:
                        found.append(Broken("G1", f"{what} formed it and nobody was told"))
                if not by_leaving:
                    really = {order[place][2] for place in formed}
                    found += [
                        Broken("G2", f"{key} violated, and was not formed")
                        for key in violated
                        if key[1] == system and key not in really
                    ]
        return found

    def _formed(self, system: int, order: Sequence[tuple[int, Label, Key | Act]]) -> list[int]:
        """At which of these the property was formed; of one for each instance in its slices."""
        acts = {tick.key: tick.act for tick in self.ticks}
        valued: list[tuple[Label, Values]] = []
        for _, label, what in order:
            act = acts[what] if isinstance(what, tuple) else what
            valued.append((label, {} if act is None else dict(act.values)))
        return formed_at(self.automata[system], self.parameters[system], valued)

    def _of_another_instance(self) -> Iterator[Broken]:
        """Verdicts that do not say the values that their service said."""
        acts = {tick.key: tick.act for tick in self.ticks}
        for agent, (_, declared) in self.words():
            of, act = self.parameters[declared.system], None
            if of is None or declared.verdict.unseen:
                expected: Binding | None = ()
            else:
                act = acts.get((agent, declared.system, declared.event_count))
                expected = None if act is None else of.binding(act.label, dict(act.values))
            if expected is not None and declared.said != expected:
                yield Broken("secret", f"{declared} is about {act}")


def _reached(earlier: VectorClock, later: VectorClock) -> bool:
    return all(a <= b for a, b in zip(earlier, later, strict=True))
