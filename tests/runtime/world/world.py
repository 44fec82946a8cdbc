"""All agents and services, what is on its way between them, and what may happen next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.agent_files.local import Policy
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver, Timeouts
from choreomon.runtime.outstanding import BackOff
from choreomon.runtime.sidecar import Sidecar
from choreomon.sdk.session import AWAY, Session
from tests.runtime.world.agents import Agent, watched
from tests.runtime.world.connections import Pipe
from tests.runtime.world.disk import Crash, Moment
from tests.runtime.world.services import InFlight, Service
from tests.runtime.world.truth import Truth

LEASE: Final = 2.0
PATIENCE: Final = Timeouts(
    deadline=0.5, give_up=1e9, absent=10.0, back_off=BackOff(first=0.25, most=2.0)
)


class Build(NamedTuple):
    """What agents and services are made with: the right thing, or a broken one."""

    host: type[Host] = Host
    sidecar: type[Sidecar] = Sidecar
    driver: Callable[..., Driver] = Driver
    session: Callable[..., Session] = Session
    rules: Rules = SOUND


CrashKind: TypeAlias = Literal["before commit", "after commit", "agent sends", "service sends"]
CRASH_KINDS: Final[tuple[CrashKind, ...]] = (
    "before commit",
    "after commit",
    "agent sends",
    "service sends",
)


class CrashAt(NamedTuple):
    """Whoever does this for the n-th time in a run, counted over all, dies of it."""

    kind: CrashKind
    number: int


class Case(NamedTuple):
    """What a run is made of. `parameters`: for each property, where it is for each instance.
    `turns`: whether the messages form a chain, each of which is sent
    after the one before was handled. `offsets`: of the monotonic clocks of agents, and from the
    end of services; each has its own. `dead`: the agents that, once dead, stay dead."""

    processes: tuple[str, ...]
    automata: tuple[SequenceAutomaton, ...]
    scripts: tuple[tuple[InFlight, ...], ...]
    policies: tuple[Policy, ...]
    offsets: tuple[float, ...]
    turns: bool = False
    concurrency: int = 2
    buffer: int = 3
    block_deadline: float | None = None
    most_open: int | None = None
    most_sessions: int = 1024
    writes_at_once: bool = False
    timeouts: Timeouts = PATIENCE
    build: Build = Build()
    crash_at: CrashAt | None = None
    dead: frozenset[str] = frozenset()
    parameters: tuple[Parameters | None, ...] = ()

    def parameters_of(self, system: int) -> Parameters | None:
        """Those of a property for each instance."""
        return self.parameters[system] if self.parameters else None

    @property
    def systems(self) -> tuple[bytes, ...]:
        return tuple(bytes([7 + n] * 16) for n in range(len(self.automata)))


class Frame(NamedTuple):
    """From one agent to another."""

    sender: str
    receiver: str
    data: bytes


class Network:
    """Frames between agents that are on their way."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.apart: set[frozenset[str]] = set()
        self.sent = 0

    def send(self, sender: str, receiver: str, data: bytes) -> None:
        self.sent += 1
        if frozenset((sender, receiver)) not in self.apart:
            self.frames.append(Frame(sender, receiver, data))


class World:
    """Everything that a run depends on but the choices."""

    agent_type: type[Agent] = Agent
    truth_type: type[Truth] = Truth

    def __init__(self, case: Case) -> None:
        self.case = case
        self.time = 0.0
        self.turn = 0
        self.app: list[InFlight] = []
        self.network = Network()
        self.counted: Counter[CrashKind] = Counter()
        self.complaints: list[str] = []
        self.unreachable: set[str] = set()  # services that cannot connect with their agent
        self.truth = self.truth_type(
            case.processes,
            case.automata,
            case.systems,
            frozenset(
                name
                for name, policy in zip(case.processes, case.policies, strict=True)
                if policy == "buffer"
            ),
            frozenset(
                name
                for name, policy in zip(case.processes, case.policies, strict=True)
                if policy == "fire-and-forget"
            ),
            case.parameters,
        )
        self._sessions = 0
        self._sidecar = watched(case.build.sidecar)
        tables = [
            transition_tables(
                automaton, case.processes, case.build.rules.name, case.parameters_of(system)
            )
            for system, automaton in enumerate(case.automata)
        ]
        self._hosts = [
            tuple(
                case.build.host(
                    (Monitor if case.parameters_of(system) is None else InstanceMonitor)(
                        table[name],
                        case.processes,
                        case.build.rules,
                        has_deadline=True,
                        most_open=case.most_open,
                        in_slices=True,
                    )
                )
                for system, table in enumerate(tables)
            )
            for name in case.processes
        ]
        self.agents = {name: self.agent_type(self, name) for name in case.processes}
        self.services = {
            name: Service(self, name, policy, list(script))
            for name, policy, script in zip(
                case.processes, case.policies, case.scripts, strict=True
            )
        }
        for name in case.processes:
            self.does(self.agents[name], self.agents[name].start)
            self.services[name].start()

    def sidecar_of(self, index: int) -> Sidecar:
        case = self.case
        return self._sidecar(
            process=case.processes[index],
            systems=case.systems,
            hosts=self._hosts[index],
            lease=LEASE,
            most_sessions=case.most_sessions,
            value_keys={
                system: bytes([100 + place] * 16)
                for place, system in enumerate(case.systems)
                if case.parameters_of(place) is not None
            },
        )

    def fresh_session(self) -> str:
        self._sessions += 1
        return f"session-{self._sessions}"

    def complain(self, what: str) -> None:
        """Something that never happens where everybody is honest."""
        self.complaints.append(what)

    # Dying.

    def at_commit(self, agent: Agent, moment: Moment) -> None:
        self._count("before commit" if moment == "before" else "after commit")

    def sent(self, agent: Agent) -> None:
        self._count("agent sends")

    def service_sent(self, service: Service) -> None:
        self._count("service sends")

    def _count(self, kind: CrashKind) -> None:
        self.counted[kind] += 1
        if self.case.crash_at == (kind, self.counted[kind]):
            raise Crash

    def does(self, who: Agent | Service, what: Callable[..., Any], *args: Any) -> None:
        """One of them does something, and may die of it."""
        try:
            what(*args)
        except Crash:
            who.die()

    # Connections.

    def connect(self, name: str) -> None:
        pipe = Pipe()
        self.does(self.agents[name], self.agents[name].accept, pipe)
        self.does(self.services[name], self.services[name].connect, pipe)

    def wants_connection(self, name: str) -> bool:
        service, agent = self.services[name], self.agents[name]
        return (
            service.session is not None
            and name not in self.unreachable
            and service.pipe is None
            and service.session.phase == AWAY
            and agent.driver is not None
            and not agent.driver.failing
        )

    def pipes_of(self, name: str) -> list[Pipe]:
        """All connections of an agent that something may still come out of, and the one that its
        service has."""
        pipes = [*self.agents[name].pipes.values()]
        mine = self.services[name].pipe
        return pipes if mine is None or mine in pipes else [*pipes, mine]

    # What is not done yet.

    def dues(self) -> list[float]:
        """When something is due."""
        times = [agent.due() for agent in self.agents.values()]
        times += [service.due() for service in self.services.values()]
        return [time for time in times if time is not None]

    def unfinished(self) -> list[str]:
        """What still waits."""
        found: list[str] = []
        for name, agent in self.agents.items():
            driver = agent.driver
            if driver is None:
                if name not in self.case.dead:
                    found.append(f"the agent of {name} is dead")
                continue
            for state in driver.state.hosts:
                monitor = state.monitor
                found += [
                    f"{name}: {what}"
                    for what in (*monitor.unprocessed, *monitor.inspections, *monitor.decisions)
                ]
                if isinstance(monitor, InstancesState):
                    found += [f"{name}: inquiries wait"] * monitor.shared.postponed
                else:
                    found += [f"{name}: {what}" for what in monitor.postponed]
                if monitor.gaps and monitor.gaps[-1].until[agent.index] >= 1 << 59:
                    service = self.services[name]
                    if service.policy != "fire-and-forget":
                        found.append(f"{name}: a gap is open")
            found += [f"{name}: untold {word}" for word in driver.state.undelivered]
            found += [f"{name}: asks {key}" for key, each in driver._asking.items() if each.due]
            if driver.failing:
                found.append(f"{name}: the disk is full")
            found += [
                f"{name}: the session {session} has gone"
                for session, each in driver.state.sessions.items()
                if each.policy != "block" and each.connection not in agent.side.connections
            ]
        for name, service in self.services.items():
            if name in self.case.dead:
                continue
            if service.session is None:
                found.append(f"the service of {name} is dead")
            elif not service.session.idle:
                found.append(f"{name}: {[vars_of(each) for each in service.session._journal]}")
            found += [f"{name}: {act}" for act in service.acts]
            if service.script and self.may_send(name):
                found.append(f"{name}: has more to send")
        found += [
            f"{flight} is not handled"
            for flight in self.app
            if flight.message.receiver not in self.case.dead
        ]
        return found

    def may_send(self, name: str) -> bool:
        script = self.services[name].script
        return bool(script) and (script[0].turn is None or script[0].turn == self.turn)


def vars_of(thing: object) -> dict[str, object]:
    slots: tuple[str, ...] = type(thing).__slots__  # type: ignore[attr-defined]
    return {slot: getattr(thing, slot) for slot in slots if slot != "tickets"}
