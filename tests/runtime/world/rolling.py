"""A world in which a system follows another one: agents open the new one, close the old one and
leave it out, each at a moment of its own, while services, networks and agents fail as they do
elsewhere.

The first automaton of a case is the old property, the second the new one. What happened is known as
in every world; for each property all of it counts, also what happened before it was open somewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Final, NamedTuple

from choreomon.agent_files import local
from choreomon.agent_files.clocks.text import decode_clocks_untrusted
from choreomon.agent_files.succession import predecessors
from choreomon.core.message import Label
from choreomon.core.verdict import NEVER, POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.opening import Predecessor
from choreomon.properties.reference import formations
from choreomon.properties.tables import transition_tables
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Input, Report
from choreomon.runtime.openings import Openings
from choreomon.runtime.outputs import DeclaredVerdict, Output
from choreomon.runtime.service import ServiceSide
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot
from tests.runtime.world.agents import TOO_LATE, Agent
from tests.runtime.world.connections import Loop
from tests.runtime.world.playing import Do, Playing
from tests.runtime.world.services import Act
from tests.runtime.world.truth import Broken, Key, Truth
from tests.runtime.world.world import LEASE, Case, World

OLD: Final = 0
NEW: Final = 1


class Phase(NamedTuple):
    """What a configuration names: systems, and those of them that are to be closed."""

    systems: tuple[int, ...]
    closing: frozenset[int] = frozenset()


BEFORE: Final = Phase((OLD,))
BOTH: Final = Phase((OLD, NEW))
DRAINING: Final = Phase((NEW, OLD), frozenset({OLD}))
AFTER: Final = Phase((NEW,))
PHASES: Final = (BEFORE, BOTH, DRAINING, AFTER)


class RollingCase(NamedTuple):
    """`follows`: whether the new system follows the old one, or has nothing to do with it."""

    case: Case
    follows: bool = True
    openings: type[Openings] = Openings


class RollingTruth(Truth):
    """What happened to each property, whether it was open or not."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.told_at: dict[tuple[str, int], int] = {}
        self.closed: dict[tuple[str, int], int] = {}
        self.judged = [0, 0]

    def told(self, agent: Agent, connection: int, message: local.Welcome | local.Clock) -> None:
        """No clock tells what is not committed, whatever systems it is of."""
        assert isinstance(agent, RollingAgent)
        clocks = decode_clocks_untrusted(message.clock)
        if isinstance(message, local.Welcome):
            for key, clock in clocks.items():
                self._check(agent, [clock], [agent.durable_by_key[key]], f"{message}")

    def acknowledged(self, act: Act) -> None:
        if all(act.label in automaton.labels for automaton in self.automata) and not act.ticks:
            self.breaks("acknowledged", f"{act} was answered and is not there")

    def order(self, system: int, *, by_leaving: bool) -> list[tuple[int, Label, Key | Act]]:
        """All that happened that the property mentions: where it was first told, or else where it
        left."""
        labels = self.automata[system].labels
        first: dict[int, int] = {}
        for tick in self.ticks:
            first.setdefault(id(tick.act), tick.when)
        told = {id(self.act_of[key]): when for key, when in self.told_at.items()}
        found: list[tuple[int, Label, Key | Act]] = []
        ticked = set()
        for tick in self.ticks:
            if tick.key[1] == system:
                found.append((first[id(tick.act)], tick.label, tick.key))
                ticked.add(id(tick.act))
        acts = {id(act): act for _, act in self.lefts}
        acts |= {id(tick.act): tick.act for tick in self.ticks if tick.act is not None}
        left = {id(act): when for when, act in self.lefts}
        for place, act in acts.items():
            if place not in ticked and act.label in labels:
                times = [each[place] for each in (first, told, left) if place in each]
                found.append((min(times), act.label, act))
        return sorted(found, key=lambda each: each[0])

    def judge(self, exempt: frozenset[str] = frozenset()) -> list[Broken]:
        found: list[Broken] = []
        last: dict[Key, DeclaredVerdict] = {}
        violated: set[Key] = set()
        for agent, (_, declared) in self.words():
            key = (agent, declared.system, declared.event_count)
            if not declared.provisional:
                last[key] = declared
            if declared.verdict.kind == VIOLATED:
                violated.add(key)
        for system, automaton in enumerate(self.automata):
            order = self.order(system, by_leaving=False)
            formed = formations(automaton, [label for _, label, _ in order])
            really = {order[each.index][2] for each in formed}
            for what in really:
                if not isinstance(what, tuple):
                    continue  # before it was open there, or after it was closed
                if what[2] > self.closed.get((what[0], system), NEVER):
                    continue
                self.judged[system] += 1
                said = last.get(what)
                if said is None or said.verdict.kind not in (VIOLATED, POSSIBLY_VIOLATED):
                    found.append(Broken("G1", f"{what} formed {system}: {said}"))
            found += [
                Broken("G2", f"{key} violated {system}, and was not formed")
                for key in violated
                if key[1] == system and key not in really
            ]
        return found


class RollingAgent(Agent):
    """An agent whose configuration is that of its `phase`."""

    harmless = (*TOO_LATE, "system", "closed")
    world: RollingWorld

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        self.phase = BEFORE
        self.openings: Openings | None = None
        self.durable_by_key: dict[bytes, tuple[int, ...]] = {}
        self._told: list[tuple[str, int, int]] = []
        self.disk.exchanged = self._exchanged

    # Lives.

    def start(self) -> None:
        world, case = self.world, self.world.case
        self.lives += 1
        held = self.disk.systems
        stored = BEFORE.systems if held is None else tuple(map(case.systems.index, held))
        sidecar = world.rolling(self, Phase(stored))
        self.loop = Loop(self.now)
        self.driver = case.build.driver(
            sidecar, self.disk, self, self.now, case.timeouts, rows_per_snapshot=3
        )
        self.side = ServiceSide(
            self.driver,
            loop=self.loop,  # type: ignore[arg-type]
            now=self.now,
            fresh_session=world.fresh_session,
            soon=self.soon,
            lost=lambda events: None,
            refused=self._refused,
        )
        self.openings = world.rolling_case.openings(
            self.driver, now=self.now, opened=lambda tables: self.soon(), patience=1e9
        )
        self._recovering = True
        self.disk.opened()
        self.driver.recover(forgetful=self.forgetful)
        self._recovering = False
        self._stepped.clear()
        self._note(sidecar, self.driver.committed, self.held)
        self.openings.plan(world.rolling(self, self.phase), (), self.side)
        self.flush()

    def die(self) -> None:
        super().die()
        self.openings = None
        self._told.clear()

    def rolls(self, phase: Phase) -> None:
        """It reads a configuration anew, which stays whatever becomes of the agent."""
        assert self.openings is not None
        assert self.side is not None
        self.openings.plan(self.world.rolling(self, phase), (), self.side)
        self.phase = phase
        self._open()

    def _open(self) -> None:
        if self.openings is not None and self.side is not None:
            self.openings.open(self.side)

    def _exchanged(self, data: bytes, systems: tuple[bytes, ...]) -> None:
        held = tuple(map(self.world.case.systems.index, systems))
        sidecar = self.world.rolling(self, Phase(held))
        self._note(sidecar, decode_snapshot(data, sidecar), held)

    def _note(self, sidecar: Sidecar, state: SidecarState, held: tuple[int, ...]) -> None:
        """What is committed by now."""
        for place, system in enumerate(held):
            self.durable[system] = self.durable_by_key[sidecar.keys[place]] = state.hosts[
                place
            ].clock
            closed = self.world.truth.closed
            if state.last_judged(place) == NEVER:
                closed.pop((self.name, system), None)
            else:  # what happened before, by the clock: not by what the agent makes of it
                own = sidecar.hosts[place].monitor.own
                closed.setdefault((self.name, system), state.hosts[place].clock[own])

    @property
    def held(self) -> tuple[int, ...]:
        """The systems that are open here."""
        assert self.driver is not None
        return tuple(map(self.world.case.systems.index, self.driver.sidecar.systems))

    @property
    def drained(self) -> bool:
        """Whether the old system has nothing left to say here."""
        if self.driver is None:
            return False
        state = self.driver.committed
        if self.driver.state is not state or OLD not in self.held:
            return False
        return state.is_drained(self.held.index(OLD), self.index)

    # Its loop.

    def flush(self) -> None:
        super().flush()
        self._open()

    def wake(self) -> None:
        super().wake()
        self._open()

    # What it decided.

    def _watch(self, given: Input, outputs: list[Output]) -> None:
        if self._recovering:
            return
        before = len(self._stepped)
        super()._watch(given, outputs)
        held = self.held
        self._stepped[before:] = [
            each
            if each.ticked is None
            else each._replace(ticked=each.ticked._replace(system=held[each.ticked.system]))
            for each in self._stepped[before:]
        ]
        if type(given) is Report:
            self._told.append((given.session, given.number, self.world.truth.now()))

    def _committed(self) -> None:
        assert self.driver is not None
        self.forgetful = False
        self._commits.append(self.world.truth.now())
        stepped, self._stepped = self._stepped, []
        self._note(self.driver.sidecar, self.driver.state, self.held)
        for session, number, when in self._told:
            if (session, number) in self.world.truth.act_of:
                self.world.truth.told_at.setdefault((session, number), when)
        self._told.clear()
        self.world.truth.happened(self.name, stepped)

    def tell(self, declared: DeclaredVerdict) -> None:
        self.world.truth.said(self.name, declared._replace(system=self.held[declared.system]))
        self.undelivered.append(declared.id)
        self.world.sent(self)


class RollingWorld(World):
    agent_type = RollingAgent
    truth_type = RollingTruth
    truth: RollingTruth
    rolling_case: RollingCase

    def __init__(self, rolling: RollingCase) -> None:
        self.rolling_case = rolling
        case = rolling.case
        old, new = (
            transition_tables(automaton, case.processes, case.build.rules.name)
            for automaton in case.automata
        )
        self.after: dict[str, Predecessor] = {}
        if rolling.follows:
            first = case.systems[OLD].hex()
            self.after = predecessors(first, first, old, new)
        super().__init__(case)

    def unfinished(self) -> list[str]:
        agents: Sequence[RollingAgent] = [*self.agents.values()]  # type: ignore[list-item]
        return super().unfinished() + [
            f"{each.name} has not got to the end of the rollout"
            for each in agents
            if each.phase != AFTER or each.driver is None or each.held != AFTER.systems
        ]

    def rolling(self, agent: RollingAgent, phase: Phase) -> Sidecar:
        """The sidecar of a configuration, all of whose steps are seen."""
        case, index = self.case, agent.index

        class Watched(case.build.sidecar):  # type: ignore[misc,name-defined]
            def step(self, state: SidecarState, given: Input) -> tuple[SidecarState, list[Output]]:
                state, outputs = super().step(state, given)
                agent._watch(given, outputs)
                return state, outputs

        after = self.after.get(case.processes[index])
        return Watched(
            process=case.processes[index],
            systems=tuple(case.systems[system] for system in phase.systems),
            hosts=tuple(self._hosts[index][system] for system in phase.systems),
            after={} if after is None or NEW not in phase.systems else {case.systems[NEW]: after},
            closing=frozenset(case.systems[system] for system in phase.closing),
            lease=LEASE,
            most_sessions=case.most_sessions,
        )


class RollingPlaying(Playing):
    """A rollout among the moves.

    The rules of the recipe (docs/operations.md, "Upgrades"): nobody closes the old system before
    the new one is open everywhere, and nobody leaves it out before it is drained everywhere. With
    `careless` only the second one is kept, which costs certainty alone.
    """

    world: RollingWorld

    def __init__(
        self, rolling: RollingCase, taste: object, random: Random, *, careless: bool = False
    ) -> None:
        self.world_type = lambda _: RollingWorld(rolling)  # type: ignore[assignment,return-value]
        super().__init__(rolling.case, taste, random)  # type: ignore[arg-type]
        self.careless = careless

    def moves(self) -> list[tuple[str, Do]]:
        found = super().moves()
        if self.healing and found:
            return found
        return [*found, *self._steps()]

    def _steps(self) -> list[tuple[str, Do]]:
        agents: Sequence[RollingAgent] = [*self.world.agents.values()]  # type: ignore[list-item]
        at = [PHASES.index(each.phase) for each in agents]
        is_open = all(NEW in each.held for each in agents if each.driver is not None) and all(
            each.driver is not None for each in agents
        )
        drained = all(each.drained or each.phase == AFTER for each in agents)
        found: list[tuple[str, Do]] = []
        for agent, place in zip(agents, at, strict=True):
            if agent.driver is None or agent.driver.failing:
                continue
            if self.healing and place > min(at):
                continue
            to: list[Phase] = []
            if place == 0:
                to.append(BOTH)
                if self.careless:
                    to.append(DRAINING)
            elif place == 1 and (is_open or self.careless):
                to.append(DRAINING)
            elif place == 2 and drained and agent.drained and NEW in agent.held:
                to.append(AFTER)
            found += [
                ("roll", partial(self.world.does, agent, agent.rolls, phase)) for phase in to[:1]
            ]
            if not self.healing:
                found += [("roll", partial(self.world.does, agent, agent.rolls, p)) for p in to[1:]]
        return found
