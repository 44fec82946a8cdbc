"""The forbidden sequences of a generated application, and their cancellations.

As in section 6.2 of the paper a sequence consists of the messages of a longest chain, in their
order, and if it is longer than that chain, of messages that are causally unrelated to these and to
each other: messages of other activities. If there are too few of those, some stand in the sequence
twice, and then their activities happen twice.

The paper leaves open where in a sequence the unrelated messages stand. Here a run of the network is
drawn, and they stand where they come in that run; so the sequence can really be formed, and often
is not. Only if this gives no new sequence, they stand anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from choreomon.core.errors import InternalError
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.sequences import Cancellation, MessageSequence
from simulator.generation.activities import Activity
from simulator.generation.draws import below, pick, rounded_share, shuffled, some
from simulator.generation.parameters import Parameters
from simulator.generation.schedule import Schedule

RUNS: Final = 100
"""The most runs of the network drawn for one sequence before its unrelated messages stand
anywhere."""

MOST_ATTEMPTS: Final = 100_000
"""The most attempts at one sequence. `Parameters` ensures that there is another one, and sequences
are so few that one is found long before."""


class _Step(NamedTuple):
    """Message number `place` of an activity in its run number `run`."""

    activity: int
    place: int
    run: int


def drawn_sequences(
    parameters: Parameters, activities: Sequence[Activity], schedule: Schedule, random: Random
) -> list[tuple[Message, ...]]:
    """Draw the steps of each sequence; no two sequences have the same. Each has a chain of its own,
    as long as there are enough chains."""
    messages = [activity.messages for activity in activities]
    chains = shuffled(random, range(parameters.chains))
    found: dict[tuple[Message, ...], None] = {}
    for number in range(parameters.sequences):
        chain = chains[number % len(chains)]
        for attempt in range(MOST_ATTEMPTS):
            steps = _chosen(parameters, messages, schedule, chain, random)
            if attempt < RUNS:
                ordered = _as_in_a_run(steps, messages, schedule, random)
            else:
                ordered = _anyhow(steps, chain, random)
            sequence = tuple(messages[step.activity][step.place] for step in ordered)
            if sequence not in found:
                found[sequence] = None
                break
        else:
            raise InternalError(f"there is no sequence number {number + 1} for {parameters}")
    return [*found]


def _chosen(
    parameters: Parameters,
    messages: Sequence[tuple[Message, ...]],
    schedule: Schedule,
    chain: int,
    random: Random,
) -> list[_Step]:
    """Choose the steps of one sequence, those of the chain first and in order."""
    run = below(random, len(schedule.starts[chain]))
    places = sorted(some(random, range(parameters.chain), parameters.length))
    steps = [_Step(chain, place, run) for place in places]
    others = [n for n, sent in enumerate(messages) if sent and n != chain]
    unrelated = [
        _Step(n, below(random, len(messages[n])), below(random, len(schedule.starts[n])))
        for n in some(random, others, parameters.unrelated)
    ]
    again = some(random, unrelated, parameters.unrelated - len(unrelated))
    return steps + unrelated + [step._replace(run=1 - step.run) for step in again]


def _as_in_a_run(
    steps: Sequence[_Step],
    messages: Sequence[tuple[Message, ...]],
    schedule: Schedule,
    random: Random,
) -> list[_Step]:
    """Order the steps as in one run of the network."""
    times = {
        (activity, run): schedule.drawn(activity, len(messages[activity]), run, random)
        for activity, run in dict.fromkeys((step.activity, step.run) for step in steps)
    }
    return sorted(steps, key=lambda step: times[step.activity, step.run][step.place])


def _anyhow(steps: Sequence[_Step], chain: int, random: Random) -> list[_Step]:
    """Order the steps at random, leaving those of the chain in their order."""
    ordered = shuffled(random, steps)
    own = iter([step for step in steps if step.activity == chain])
    return [next(own) if step.activity == chain else step for step in ordered]


def with_cancellations(
    sequences: Sequence[tuple[Message, ...]],
    activities: Sequence[Activity],
    share: float,
    random: Random,
) -> tuple[MessageSequence, ...]:
    """The sequences with one cancellation each at this share of all places between two steps.

    The paper leaves open what cancels. Here it is a message of an activity without a step in the
    sequence, and so causally unrelated to all steps; if there is none, any message but the next
    step. It leads back to any earlier state.
    """
    places = [(n, done) for n, steps in enumerate(sequences) for done in range(1, len(steps))]
    chosen = sorted(some(random, places, rounded_share(share, len(places))))
    cancel: list[list[Cancellation]] = [[] for _ in sequences]
    for number, done in chosen:
        message = _cancelling(sequences[number], done, activities, random)
        cancel[number].append(Cancellation(Label(SEND, message), (done, done), below(random, done)))
    return tuple(
        MessageSequence(tuple(Label(SEND, message) for message in steps), tuple(cancelled))
        for steps, cancelled in zip(sequences, cancel, strict=True)
    )


def _cancelling(
    steps: tuple[Message, ...], done: int, activities: Sequence[Activity], random: Random
) -> Message:
    taken = {*steps}
    unrelated = [
        message
        for activity in activities
        if taken.isdisjoint(activity.messages)
        for message in activity.messages
    ]
    anything = [m for activity in activities for m in activity.messages if m != steps[done]]
    return pick(random, unrelated or anything)
