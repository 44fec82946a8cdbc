"""The coordinator of one run: who is started when, and who waits for whom.

The orchestrator starts the processes, waits until the application is at its end and then until all
monitors are, and ends everything. It has no sockets of its own, and takes no part in the delivery
of messages.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.core.errors import ChoreomonError, InternalError
from choreomon.deployment.actor_process import ActorRole, EmbeddedMonitor, SidecarMonitor
from choreomon.deployment.agent_process import AgentRole
from choreomon.deployment.event_records import Timing
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.instructions import (
    AllReady,
    Begin,
    Begun,
    Connect,
    Cost,
    End,
    Ended,
    HowFar,
    Listening,
    Quiet,
    Said,
    Settle,
    Settled,
    Told,
    Unfinished,
)
from choreomon.deployment.links import MICROSECONDS
from choreomon.deployment.network_process import NetworkRole
from choreomon.deployment.process_group import ProcessGroup, TimeIsUp
from choreomon.deployment.run_directory import Monitoring, RunDirectory
from choreomon.documents.scenario import Scenario

T = TypeVar("T", bound=Told)

READY_WITHIN: Final = 60.0
"""Seconds that all processes may take to get ready, and to end when everything is over."""

TELLS_WITHIN: Final = 5.0
"""Seconds that a process has to report its progress when a run takes too long."""

NETWORK: Final = "the network"

OnVerdict = Callable[[Said, Timing], None]
"""Hears every verdict of a monitor as it is given."""


class NotFinished(ChoreomonError):
    """A run did not end in time; the message says what was missing."""


@dataclass(frozen=True)
class Plan:
    """The plan of a run. `monitoring` is `None` if nothing is monitored; `embedded`: actors hold
    their monitors themselves; `speed`: seconds of the document per real second; `timeout`: seconds
    after which an unfinished run is given up."""

    scenario: Scenario
    seed: int
    monitoring: Monitoring | None
    embedded: bool
    speed: float
    timeout: float

    @property
    def processes(self) -> tuple[str, ...]:
        return self.scenario.application.processes


class Coordinator:
    """Runs a plan once, in the folder `place`; afterwards it has the results.

    - `said`: all verdicts of monitors, those of each in the order in which they were given;
    - `costs`: of each monitor;
    - `timing`: when it began; `ended`: when the last process came to its end, in seconds of the
      monotonic clock.
    """

    def __init__(
        self, plan: Plan, place: RunDirectory, on_verdict: OnVerdict | None = None
    ) -> None:
        self.said: list[Said] = []
        self.costs: list[Cost] = []
        self.timing = Timing(0, plan.speed)
        self.ended = 0.0
        self.reached_max_events = False
        self._plan = plan
        self._place = place
        self._on_verdict = on_verdict
        self._wait_for(READY_WITHIN)
        self._told: dict[str, deque[Told]] = defaultdict(deque)

    def run(self, fork_server: ForkServer) -> None:
        """Run the plan, from the start of the processes to their end; none is left, whatever
        happens. Raises `NotFinished`, and `InternalError` if a process failed.
        """
        with ProcessGroup(fork_server) as group:
            self._group = group
            self._start()
            self._carry_on()
            self._end()

    def _start(self) -> None:
        plan, group = self._plan, self._group
        beside = plan.monitoring is not None and not plan.embedded
        names = [NETWORK, *map(_actor, plan.processes)]
        names += map(_agent, plan.processes) if beside else ()
        for name in names:
            group.start(name)
        group.play(NETWORK, self._network())
        addresses = self._next(NETWORK, Listening, "was started").endpoints
        endpoints: dict[str, str] = {}
        if beside:
            for process in plan.processes:
                role = AgentRole(self._config(process, addresses), self._place.ticks(process))
                group.play(_agent(process), role)
            for process in plan.processes:
                endpoints |= self._next(_agent(process), Listening, "was started").endpoints
                group.play(
                    _actor(process),
                    self._role(process, SidecarMonitor(self._place.socket(process))),
                )
        elif plan.monitoring is not None:
            for process in plan.processes:
                within = EmbeddedMonitor(
                    self._config(process, addresses), self._place.ticks(process)
                )
                group.play(_actor(process), self._role(process, within))
            for process in plan.processes:
                endpoints |= self._next(_actor(process), Listening, "was started").endpoints
        else:
            for process in plan.processes:
                group.play(_actor(process), self._role(process, None))
        group.tell(NETWORK, Connect(endpoints))
        self._next(NETWORK, AllReady, "waited for all actors")

    def _carry_on(self) -> None:
        group = self._group
        group.tell(NETWORK, Begin())
        begun = self._next(NETWORK, Begun, "was to begin")
        self._wait_for(self._plan.timeout)
        self.timing = Timing.of(begun.at, self._plan.speed)
        try:
            quiet = self._next(NETWORK, Quiet, "")
        except NotFinished:
            raise self._not_quiet() from None
        self.ended = quiet.at
        self.reached_max_events = quiet.reached_max_events
        monitors = self._monitors()
        for name in monitors:
            group.tell(name, Settle())
        for name in monitors:
            settled = self._next(name, Settled, "had not all answers to what it asked")
            self.ended = max(self.ended, settled.at)

    def _end(self) -> None:
        """End the processes, actors first: their agents are told that they leave."""
        self._wait_for(READY_WITHIN)
        processes = self._plan.processes
        agents = [name for name in self._monitors() if not self._plan.embedded]
        for names in ([*map(_actor, processes)], agents, [NETWORK]):
            for name in names:
                self._group.tell(name, End())
            for name in names:
                self._next(name, Ended, "was to end")

    def _monitors(self) -> list[str]:
        if self._plan.monitoring is None:
            return []
        return [*map(_actor if self._plan.embedded else _agent, self._plan.processes)]

    # Roles.

    def _network(self) -> NetworkRole:
        plan, scenario = self._plan, self._plan.scenario
        replicas = scenario.application.replicas
        starts = [
            (at, replicas.roles.role_of(label.message.receiver), label.message.name, values)
            for at, ((_, label, _), *_), values in scenario.application.starts
        ]
        return NetworkRole(
            endpoint=self._place.endpoint,
            routes={process: self._route(process) for process in plan.processes},
            replicas=replicas,
            starts=starts,
            delays=scenario.delays,
            seed=plan.seed,
            speed=plan.speed,
            max_events=scenario.max_events,
            in_order=scenario.in_order,
            keys=plan.monitoring.keys if plan.monitoring else {},
            asks=plan.monitoring.asks if plan.monitoring else {},
        )

    def _role(self, process: str, monitor: SidecarMonitor | EmbeddedMonitor | None) -> ActorRole:
        plan, scenario = self._plan, self._plan.scenario
        return ActorRole(
            process=process,
            application=scenario.application,
            endpoint=self._place.endpoint,
            route=self._route(process),
            service=scenario.service,
            seed=plan.seed,
            speed=plan.speed,
            told=plan.monitoring.mentioned(process) if plan.monitoring else frozenset(),
            monitor=monitor,
            noted=self._place.noted(process),
        )

    def _config(self, process: str, addresses: Mapping[str, str]) -> AgentConfig:
        assert self._plan.monitoring is not None
        deadline = self._plan.scenario.deadline
        return self._place.config(
            self._plan.monitoring.tables[process],
            addresses,
            None if deadline is None else deadline / MICROSECONDS / self._plan.speed,
        )

    def _route(self, process: str) -> bytes:
        return b"actor-%d" % self._plan.processes.index(process)

    # What is told.

    def _next(self, name: str, kind: type[T], doing: str) -> T:
        """The next message of this kind from a process. `doing`: what it is doing meanwhile."""
        told = self._told[name]
        while not told:
            try:
                self._hear(self._until)
            except TimeIsUp:
                raise self._late(f"{name} {doing}") from None
            if not told and time.monotonic() > self._until:  # others may talk endlessly
                raise self._late(f"{name} {doing}")
        message = told.popleft()
        if not isinstance(message, kind):
            raise InternalError(f"{name} tells {message}; {kind.__name__} was expected")
        return message

    def _hear(self, until: float) -> None:
        for name, message in self._group.hear(until):
            if isinstance(message, Said):
                self.said.append(message)
                if self._on_verdict is not None:
                    self._on_verdict(message, self.timing)
            elif isinstance(message, Cost):
                self.costs.append(message)
            else:
                self._told[name].append(message)
                if isinstance(message, Ended):
                    self._group.dismiss(name)

    def _wait_for(self, seconds: float) -> None:
        """Set the time left for everything from now on."""
        self._waited = seconds
        self._until = time.monotonic() + seconds

    def _late(self, what: str) -> NotFinished:
        return NotFinished(
            f"not at its end after {self._waited:g} seconds, with seed {self._plan.seed}: {what}: "
            "give it more time with --timeout, or fewer processes with --embedded"
        )

    def _not_quiet(self) -> NotFinished:
        """The error that tells what is missing if the application does not come to its end."""
        self._group.tell(NETWORK, HowFar())
        self._wait_for(TELLS_WITHIN)
        try:
            told = self._next(NETWORK, Unfinished, "does not answer")
        except InternalError:  # it ended at this very moment
            return self._late("monitors were not asked")
        busy = ", ".join(f"{number:,} with {process}" for process, number in told.busy.items())
        return NotFinished(
            f"not at its end after {self._plan.timeout:g} seconds, with seed {self._plan.seed}: "
            f"{told.events:,} events happened; messages on their way: {told.under_way:,}; being "
            f"handled: {busy or 'none'}: give it more time with --timeout, let it run faster with "
            "--speed, or look for handlers that send to each other without end"
        )


def _actor(process: str) -> str:
    return f"the actor {process}"


def _agent(process: str) -> str:
    return f"the agent of {process}"
