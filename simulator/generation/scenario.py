"""Parameters and a seed -> an application with forbidden sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from choreomon.actors.application import (
    Application,
    Assign,
    Given,
    If,
    OfHandled,
    Process,
    Repeat,
    Start,
    Statement,
    Tell,
)
from choreomon.actors.balancing import NO_REPLICAS, Balance, ByKey, Replicas
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import NO_TIME, LinkDelays, microseconds
from choreomon.actors.randomness import Streams
from choreomon.core.roles import Roles
from choreomon.properties import instances
from choreomon.properties.roles import automaton_over_slots, parameters_over_slots
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.properties.tables import DEFAULT_RULES
from simulator.generation.activities import Activity, Handler, drawn_activities, handlers_of
from simulator.generation.branching import Branch, drawn_branches
from simulator.generation.parameters import INSTANCE, Parameters
from simulator.generation.schedule import DELAY, EVERY, Schedule, drawn_schedule, nominal_times
from simulator.generation.sequences import drawn_sequences, with_cancellations
from simulator.run import Simulation
from simulator.world import MAX_EVENTS


@dataclass(frozen=True, slots=True)
class GeneratedScenario:
    """An application and the sequences that it must not form, for each instance if `parameters` ask
    for instances; messages take `DELAY`. `replicas`: those of its processes that are roles."""

    application: Application
    sequences: tuple[MessageSequence, ...]
    parameters: instances.Parameters | None = None
    replicas: Replicas = NO_REPLICAS


def generated_scenario(parameters: Parameters, seed: int) -> GeneratedScenario:
    """The scenario of these parameters and this seed: the same on every machine. Draws for one
    thing do not influence those for others: scenarios that differ only in `cancellations` have the
    same application and steps.
    """
    streams = Streams(seed)
    activities = drawn_activities(parameters, streams.stream("generate", "activities"))
    with_messages = sum(1 for activity in activities if activity.messages)
    schedule = drawn_schedule(
        activities,
        parameters.chain,
        streams,
        all_twice=parameters.unrelated > with_messages - 1,
    )
    branches = drawn_branches(
        activities,
        nominal_times(activities, schedule),
        parameters.branching,
        streams.stream("generate", "branching"),
    )
    steps = drawn_sequences(
        parameters, activities, schedule, streams.stream("generate", "sequences")
    )
    sequences = with_cancellations(
        steps,
        activities,
        parameters.cancellations,
        streams.stream("generate", "cancellations"),
    )
    return GeneratedScenario(
        stated_application(parameters, activities, schedule, branches),
        sequences,
        _for_each(sequences) if parameters.instances else None,
        _with_replicas(parameters, sequences),
    )


def _with_replicas(parameters: Parameters, sequences: Iterable[MessageSequence]) -> Replicas:
    """The process that owns most labels has replicas, each of which handles all of an instance."""
    if not parameters.replicas:
        return NO_REPLICAS
    owners = Counter(label.process for label in sequences_automaton([*sequences]).labels)
    role = owners.most_common(1)[0][0]
    balance: dict[str, Balance] = {role: ByKey(INSTANCE)} if parameters.instances else {}
    return Replicas(Roles({role: parameters.replicas}), balance)


def _for_each(sequences: Iterable[MessageSequence]) -> instances.Parameters:
    messages = {label.message for label in sequences_automaton([*sequences]).labels}
    return instances.Parameters((INSTANCE,), dict.fromkeys(sorted(messages), (INSTANCE,)))


def generated_simulation(scenario: GeneratedScenario) -> Simulation:
    """The scenario ready to run, as if its document had been read."""
    roles = scenario.replicas.roles
    automaton = sequences_automaton(scenario.sequences)
    return Simulation(
        application=compile_application(scenario.application, scenario.replicas),
        delays=LinkDelays(DELAY),
        service=NO_TIME,
        max_events=MAX_EVENTS,
        automaton=automaton_over_slots(automaton, roles),
        rules=DEFAULT_RULES,
        in_order=True,
        monitoring_service=NO_TIME,
        deadline=None,
        parameters=parameters_over_slots(scenario.parameters, automaton, roles),
    )


def stated_application(
    parameters: Parameters,
    activities: Sequence[Activity],
    schedule: Schedule,
    branches: Sequence[Branch],
) -> Application:
    """The application: handlers that send what was drawn, in branches where these were drawn, and
    the schedule."""
    body: dict[Handler, list[Statement]] = {}
    variables: dict[str, dict[str, bool]] = {}
    given: Given = ((INSTANCE, OfHandled(INSTANCE)),) if parameters.instances else ()
    repeat = None
    if parameters.instances:
        repeat = Repeat(INSTANCE, range(1, parameters.instances + 1), microseconds(EVERY))
    for activity in activities:
        for handler, message in zip(activity.handlers, activity.messages, strict=False):
            body.setdefault(handler, []).append(Tell(message.receiver, message.name, given))
    for handler, variable, needed, initial, _ in branches:
        variables.setdefault(handler.process, {})[variable] = initial
        body[handler] = [If(variable, tuple(body[handler]), negated=not needed)]
    for _, variable, _, initial, changed_by in branches:
        if changed_by is not None:
            body.setdefault(changed_by, []).insert(0, Assign(variable, not initial))
    starts = sorted(
        (time, *activity.handlers[0])
        for activity, times in zip(activities, schedule.starts, strict=True)
        for time in times
    )
    return Application(
        processes=tuple(
            Process(
                own[0].process,
                {handler.name: tuple(body.get(handler, ())) for handler in own},
                variables.get(own[0].process, {}),
            )
            for own in handlers_of(parameters)
        ),
        start=tuple(
            Start(to, name, microseconds(time), repeat=repeat) for time, to, name in starts
        ),
    )
