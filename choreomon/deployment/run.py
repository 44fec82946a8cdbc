"""Runs of a scenario for real, from a seed to a `Run`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from choreomon.core.run import Run, RunEvent, RunVerdict, summary, summary_of_counts
from choreomon.deployment.coordinator import Coordinator, OnVerdict, Plan
from choreomon.deployment.event_records import EventLog
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.links import MICROSECONDS
from choreomon.deployment.run_directory import RunDirectory, run_directory, split
from choreomon.deployment.run_verdicts import last_verdicts
from choreomon.documents.scenario import Scenario
from choreomon.properties.formed import Formed, formed_by, formed_for_each
from choreomon.properties.linear import FormationRules, FormationWatch
from choreomon.properties.slices import Happened
from choreomon.properties.tables import RulesName

KEPT_EVENTS: Final = 100_000
"""The number of last events of a run kept for pictures and explanations, if asked for."""

Recorder = Callable[[RunEvent], None]


@dataclass(frozen=True)
class Deployment:
    """A scenario that can be run for real, one run after the other.

    - `fork_server`: makes the processes, and has their files in its folder.
    - `title`: the name of the property in the files of agents.
    - `embedded`: actors hold their monitors themselves.
    - `speed`: seconds of the document per real second.
    - `timeout`: seconds after which an unfinished run is given up.
    """

    fork_server: ForkServer
    scenario: Scenario
    rules: RulesName
    title: str = "scenario"
    embedded: bool = False
    speed: float = 1.0
    timeout: float = 60.0

    def run(
        self,
        seed: int,
        *,
        recorder: Recorder | None = None,
        keep_events: bool = False,
        on_verdict: OnVerdict | None = None,
    ) -> Run:
        """Run once. `recorder` is given every event, in order, when the run is over; `on_verdict`
        every verdict of a monitor as it is given. With `keep_events` the last `KEPT_EVENTS` events
        are kept, and if these are all, the `Run` says which of them formed the property in their
        real order; where it was formed is always noted. Raises `NotFinished`; `OSError` and
        `UnusableKeys` if this machine lacks what it takes; `InternalError` if a process failed.
        Even then no process and no file is left.
        """
        scenario, automaton = self.scenario, self.scenario.automaton
        processes = scenario.application.processes
        monitoring = None
        if automaton is not None:
            parameters = scenario.parameters
            roles = scenario.application.replicas.roles
            monitoring = split(automaton, processes, self.rules, self.title, parameters, roles)
        plan = Plan(scenario, seed, monitoring, self.embedded, self.speed, self.timeout)
        with run_directory(self.fork_server.folder, processes) as place:
            if monitoring is not None:
                place.furnish(monitoring)
            coordinator = Coordinator(plan, place, on_verdict)
            coordinator.run(self.fork_server)
            return self._told(plan, coordinator, place, recorder, keep_events)

    def _told(
        self,
        plan: Plan,
        coordinator: Coordinator,
        place: RunDirectory,
        recorder: Recorder | None,
        keep_events: bool,
    ) -> Run:
        timing, monitoring, automaton = coordinator.timing, plan.monitoring, plan.scenario.automaton
        log = EventLog(
            place.records(monitoring is not None),
            monitoring.system_key if monitoring is not None else b"",
            timing,
            plan.scenario.application.replicas.roles,
        )
        kept: deque[RunEvent] = deque(maxlen=KEPT_EVENTS)
        formed: list[tuple[int, int]] = []
        labelled: list[Happened] = []
        parameters = plan.scenario.parameters
        watch = FormationWatch(self._formation_rules) if automaton is not None else None
        events = 0
        for event in log.events():
            events += 1
            if recorder is not None:
                recorder(event)
            if keep_events:
                kept.append(event)
            if watch is not None and event.label in self._formation_rules.reactions:
                if parameters is not None:
                    labelled.append(Happened(event.index, event.label, event.values))
                else:
                    formed += [(event.index, place) for place in watch.formed_at(event.label)]
        rules = () if automaton is None else automaton.rules
        verdicts = last_verdicts(coordinator.said, log.index_of, timing, rules)
        records: Counter[int] = Counter()
        for cost in coordinator.costs:
            records.update(cost.records)
        latencies = [each * self.speed for cost in coordinator.costs for each in cost.latencies]
        whole = kept if events == len(kept) else ()
        return Run(
            seed=plan.seed,
            processes=plan.processes,
            events=events,
            ended_at=timing.document_time(coordinator.ended * MICROSECONDS),
            reached_max_events=coordinator.reached_max_events,
            monitoring_messages=sum(cost.messages for cost in coordinator.costs),
            monitoring_bytes=sum(cost.bytes for cost in coordinator.costs),
            latency=summary([*map(round, latencies)]),
            history_records=summary_of_counts(records),
            verdicts=tuple(verdicts),
            kept_events=tuple(kept),
            formed=_formed(plan.scenario, formed, labelled, whole, verdicts),
            unsettled=tuple(
                sorted(log.index_of(*each) for cost in coordinator.costs for each in cost.unsettled)
            ),
        )

    @cached_property
    def _formation_rules(self) -> FormationRules:
        assert self.scenario.automaton is not None
        return FormationRules(self.scenario.automaton)


def _formed(
    scenario: Scenario,
    formed: Sequence[tuple[int, int]],
    labelled: Sequence[Happened],
    events: Sequence[RunEvent],
    verdicts: Sequence[RunVerdict],
) -> Formed | None:
    """The places where the property was really formed; for a property for each instance, found from
    the events `labelled`."""
    if scenario.automaton is None:
        return None
    if scenario.parameters is not None:
        return formed_for_each(scenario.automaton, scenario.parameters, labelled, verdicts)
    return formed_by(scenario.automaton, formed, events, verdicts)
