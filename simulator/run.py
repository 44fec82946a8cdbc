"""Runs of a document's application with its monitors, from a seed to a `Run`."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final, NamedTuple

from choreomon.actors.delays import NO_TIME, sampler
from choreomon.actors.randomness import Streams
from choreomon.core.message import BEGINNING
from choreomon.core.run import BEFORE_ALL, Run, RunEvent, RunReason, RunVerdict, in_order
from choreomon.core.stated_rule import StatedRule, rule_of
from choreomon.core.strategy_names import ASKING, StrategyName
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import UNSEEN, MonitorVerdict, Reason
from choreomon.documents.read import Document
from choreomon.documents.scenario import Scenario, scenario
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.formed import Formed, formed_by, formed_for_each
from choreomon.properties.linear import FormationRules
from choreomon.properties.slices import Happened
from choreomon.properties.tables import RulesName, TransitionTable, transition_tables
from simulator.event_queue import MONITORING
from simulator.formations import noting_formations, noting_labelled
from simulator.kept_messages import KeptMessages
from simulator.measuring import Measures, Observer, TimedVerdict
from simulator.monitor_log import MonitorRecorder, RecordedMonitors
from simulator.monitoring import monitors, rules_with, unfit_for
from simulator.moving_replicas import MovingReplicas
from simulator.network import Network
from simulator.recording import each_of
from simulator.sidecars.run_context import Explained, RunContext, Silence
from simulator.world import Recorder, World

KEPT_EVENTS: Final = 100_000
"""The number of last events of a run kept for pictures and explanations, if asked for."""


class Simulation(Scenario):
    """A scenario that can be run in virtual time, any number of times."""

    def run(
        self,
        seed: int,
        *,
        strategy: StrategyName = "pull",
        rules: RulesName | None = None,
        recorder: Recorder | None = None,
        keep_events: bool = False,
        on_verdict: Callable[[RunVerdict], None] | None = None,
        observer: Observer | None = None,
        monitor_recorder: MonitorRecorder | None = None,
    ) -> Run:
        """Run once.

        `rules` override the document's; monitors that do not ask take `sound` for `precise`.
        `recorder` receives every event, `on_verdict` every verdict, also provisional ones, with the
        reasons of that moment; verdicts of the `Run` have the reasons of the end. `observer` sees
        messages and states of monitors, `monitor_recorder` all that they send, take and declare.
        With `keep_events` the last `KEPT_EVENTS` events, and messages between monitors, are kept;
        if these are all events, the `Run` says which of them really formed the property.

        Raises `ValueError` for a property for each instance if the strategy or the rules do not
        know instances.
        """
        kept: deque[RunEvent] = deque(maxlen=KEPT_EVENTS)
        world = World(
            self.application,
            seed,
            self.delays,
            service=self.service,
            max_events=self.max_events,
            recorder=each_of(recorder, kept.append if keep_events else None),
        )
        monitored = _Monitored(Measures({}, lambda: 0), _as_it_is, {})
        messages = KeptMessages(lambda: world.events) if keep_events else None
        formed: Sequence[tuple[int, int]] = ()
        labelled: Sequence[Happened] = ()
        if self.automaton is not None:
            hearing = _Hearing(on_verdict, observer, monitor_recorder, messages)
            arranged = (seed, strategy, rules, hearing)
            monitored = self._monitored(self.automaton, world, *arranged)
            if self.parameters is None:
                formed = self._noting(world)
            else:
                world.watchers[:], labelled = noting_labelled(world.watchers, lambda: world.events)
        measures, explained, silences = monitored
        MovingReplicas(world, self.application.replicas, seed, silences)
        with _without_cycle_collection():
            world.run()
            lookup = _Lookup(world, self.automaton)
            found = map(lookup.verdict, measures.last_verdicts(explained))
            verdicts = in_order(found, lookup.rules)
        complete = kept if keep_events and world.events == len(kept) else ()
        return Run(
            seed=seed,
            processes=world.processes,
            events=world.events,
            ended_at=world.event_queue.now,
            reached_max_events=world.reached_max_events,
            monitoring_messages=measures.messages,
            monitoring_bytes=measures.bytes,
            latency=measures.latency(),
            history_records=measures.history_records(),
            verdicts=tuple(verdicts),
            kept_events=tuple(kept),
            formed=self._formed(formed, labelled, complete, verdicts),
            unsettled=tuple(sorted(world.event_index(*each) for each in measures.unsettled_events)),
            kept_messages=() if messages is None else messages.messages,
        )

    def _noting(self, world: World) -> Sequence[tuple[int, int]]:
        """Note where the property is formed, by rule: a list that grows with the run."""
        world.watchers[:], formed = noting_formations(
            self._formation_rules, world.watchers, lambda: world.events
        )
        return formed

    def _formed(
        self,
        formed: Iterable[tuple[int, int]],
        labelled: Sequence[Happened],
        events: Sequence[RunEvent],
        verdicts: Iterable[RunVerdict],
    ) -> Formed | None:
        if self.automaton is None:
            return None
        if self.parameters is not None:
            return formed_for_each(self.automaton, self.parameters, labelled, verdicts)
        return formed_by(self.automaton, formed, events, verdicts)

    @cached_property
    def _formation_rules(self) -> FormationRules:
        assert self.automaton is not None
        return FormationRules(self.automaton)

    def _monitored(
        self,
        automaton: SequenceAutomaton,
        world: World,
        seed: int,
        strategy: StrategyName,
        rules: RulesName | None,
        hearing: _Hearing,
    ) -> _Monitored:
        """Put monitors beside the processes of the world."""
        lookup = _Lookup(world, automaton)
        on_verdict, observer, monitor_recorder, messages = hearing
        log = None if monitor_recorder is None else RecordedMonitors(world, monitor_recorder)
        judging = rules_with(strategy, rules or self.rules)
        if unfit := unfit_for(automaton, self.parameters, strategy, judging):
            raise ValueError(unfit)
        tables = transition_tables(automaton, world.processes, judging, self.parameters)
        if messages is not None:
            messages.also = log

        def told(timed: TimedVerdict) -> None:
            verdict = None
            if timed.verdict is not None:
                verdict = lookup.verdict(timed, strategy in ASKING)
                if on_verdict is not None:
                    on_verdict(verdict)
            if log is not None:
                rule = _rule_told(tables[timed.process], timed, asking=strategy in ASKING)
                log.declared(timed, verdict, rule)

        measures = Measures(
            {process: index for index, process in enumerate(world.processes)},
            lambda: world.event_queue.now,
            None if on_verdict is None and log is None else told,
            observer,
            several=bool(automaton.rules),
        )
        context = self._context(world, Streams(seed), measures, messages or log)
        placed = monitors(strategy, context, tables, judging)
        world.watchers[:] = placed.watchers
        return _Monitored(measures, placed.explained, context.silences)

    def _context(
        self,
        world: World,
        streams: Streams,
        measures: Measures,
        log: KeptMessages | RecordedMonitors | None,
    ) -> RunContext:
        """Return what the monitors of a run share."""
        return RunContext(
            event_queue=world.event_queue,
            clocks=world.clocks,
            processes=world.processes,
            network=Network(
                world.event_queue,
                MONITORING,
                self.delays,
                streams,
                name="monitoring",
                in_order=self.in_order,
            ),
            service=lambda name: sampler(
                self.monitoring_service, streams.stream("monitoring service", name)
            ),
            at_once=self.monitoring_service == NO_TIME
            and not self.application.replicas.memberships,
            deadline=self.deadline,
            measurements=measures,
            log=log,
        )


class _Monitored(NamedTuple):
    """Monitors in place: the measures of their costs, what explains their verdicts, and how each is
    silenced."""

    measures: Measures
    explained: Explained
    silences: Mapping[str, Silence]


class _Hearing(NamedTuple):
    """Listeners to the monitors of a run."""

    on_verdict: Callable[[RunVerdict], None] | None
    observer: Observer | None
    recorder: MonitorRecorder | None
    messages: KeptMessages | None


def _as_it_is(verdict: MonitorVerdict) -> MonitorVerdict:
    return verdict


def _rule_told(table: TransitionTable, timed: TimedVerdict, *, asking: bool) -> StatedRule | None:
    """The rule that a monitor's word is about, also where nothing was formed. Where monitors do not
    speak of single rules, a label completes one at most."""
    if asking and table.rules:
        return table.rules[timed.rule].stated
    final = [row.transition for row in table.rows if row.final]
    return rule_of(table.rules, [(t.source, t.target) for t in final if t.label == timed.label])


def simulation(document: Document) -> Simulation:
    """The simulation of a document. Raises `DocumentError` for one without an application."""
    found = scenario(document, "simulate")
    return Simulation(**vars(found))


@contextmanager
def _without_cycle_collection() -> Iterator[None]:
    """Runs without the cycle collector. A run makes tuples by the million and no cycles; looking
    for these in vain would take a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Lookup:
    """Lookup of the clocks of verdicts among the events of one world."""

    def __init__(self, world: World, automaton: SequenceAutomaton | None) -> None:
        self._world = world
        self.rules = () if automaton is None else automaton.rules
        self._index_of = {process: index for index, process in enumerate(world.processes)}

    def verdict(self, timed: TimedVerdict, pulling: bool = False) -> RunVerdict:
        """The verdict, looked up. `timed.verdict` must not be `None`. `pulling`: a provisional
        verdict is an early one."""
        verdict = timed.verdict
        assert verdict is not None
        transitions = tuple([(t.source, t.target) for t in verdict.transitions])
        return RunVerdict(
            verdict=verdict.kind,
            monitor=verdict.process,
            event_index=self._event_index(verdict.process, verdict.clock),
            transitions=transitions,
            label=str(timed.label),
            because=tuple([self._reason(reason) for reason in verdict.because]),
            declared_at=timed.time,
            silent=verdict.silent,
            early=pulling and timed.provisional,
            happened_at=timed.since,
            binding=timed.binding,
            rule=rule_of(self.rules, transitions),
        )

    def _reason(self, given: Reason) -> RunReason:
        source, process, target = given.reference
        assert given.result not in UNSEEN  # every event of a world is seen, and remembered
        pre = given.of_reference
        return RunReason(
            event_index=self._event_index(process, given.clock),
            transition=(source, target),
            role=given.role,
            result=given.result,
            relation=given.relation,
            certain=given.certain,
            of=None
            if given.of is None or pre is None
            else self._event_index(pre.process, given.of),
            of_transition=None if pre is None else (pre.source, pre.target),
            since=None if given.since is None else self._event_index(process, given.since),
        )

    def _event_index(self, process: str, clock: VectorClock) -> int:
        if process == BEGINNING:
            return BEFORE_ALL
        own = self._index_of[process]
        return self._world.event_index(own, clock[own])
