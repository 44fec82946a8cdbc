"""Bugs on purpose, in the place of parts of the generator. The laws about generated scenarios are
to notice each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from choreomon.actors.application import If
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.sequences import MessageSequence
from simulator.generation import scenario
from simulator.generation.activities import Activity, drawn_activities
from simulator.generation.branching import Branch, drawn_branches
from simulator.generation.parameters import Parameters
from simulator.generation.schedule import Schedule, drawn_schedule
from simulator.generation.sequences import drawn_sequences, with_cancellations


def one_message_more(parameters: Parameters, random: Random) -> list[Activity]:
    """A chain goes on to where another activity begins."""
    first, *rest, last = drawn_activities(parameters, random)
    return [Activity((*first.handlers, last.handlers[0])), *rest, last]


def one_message_less(
    parameters: Parameters, activities: Sequence[Activity], *arguments: Any
) -> Any:
    """No chain is sent to its end."""
    shorter = [Activity(activity.handlers[: parameters.chain]) for activity in activities]
    return APPLICATION(parameters, shorter, arguments[0], ())


def twice_in_a_chain(parameters: Parameters, random: Random) -> list[Activity]:
    """A process of the first chain sends to itself, and so twice."""
    first, *rest = drawn_activities(parameters, random)
    start, _, *others = first.handlers
    of_others = [handler for activity in rest for handler in activity.handlers]
    own = next(handler for handler in of_others if handler.process == start.process)
    return [Activity((start, own, *others)), *rest]


def a_third_start(*arguments: Any, **options: Any) -> Schedule:
    starts = drawn_schedule(*arguments, **options).starts
    return Schedule(((1, 2, 3), *starts[1:]))


def one_branch_less(*arguments: Any) -> list[Branch]:
    return drawn_branches(*arguments)[1:]


def closed_at_first(*arguments: Any) -> list[Branch]:
    """The variable has the wrong value to begin with."""
    first, *rest = drawn_branches(*arguments)
    return [first._replace(initial=not first.needed, changed_by=None), *rest]


Steps = Sequence[tuple[Message, ...]]


def one_sequence_less(*arguments: Any) -> Steps:
    return drawn_sequences(*arguments)[1:]


def the_same_again(*arguments: Any) -> Steps:
    first, _, *rest = drawn_sequences(*arguments)
    return [first, first, *rest]


def one_step_less(*arguments: Any) -> Steps:
    first, *rest = drawn_sequences(*arguments)
    return [first[1:], *rest]


def one_step_more(*arguments: Any) -> Steps:
    first, *rest = drawn_sequences(*arguments)
    return [(*first, first[0]), *rest]


def from_end_to_start(*arguments: Any) -> Steps:
    return [steps[::-1] for steps in drawn_sequences(*arguments)]


def a_step_three_times(*arguments: Any) -> Steps:
    first, *rest = drawn_sequences(*arguments)
    return [(first[0],) * 3 + first[3:], *rest]


def related_steps(parameters: Parameters, activities: Sequence[Activity], *arguments: Any) -> Steps:
    """The rest of each sequence is of one other chain, too."""
    one, other, *_ = [a.messages for a in activities if len(a.messages) == parameters.chain]
    first, *rest = drawn_sequences(parameters, activities, *arguments)
    return [(*one, *other[: len(first) - len(one)]), *rest]


Cancelled = tuple[MessageSequence, ...]


def nothing_cancels(sequences: Steps, *_: Any) -> Cancelled:
    return with_cancellations(sequences, (), 0, Random(0))


def a_step_cancels(*arguments: Any) -> Cancelled:
    """Which is not unrelated to the sequence."""
    return tuple(
        sequence._replace(
            cancel=tuple(
                cancellation._replace(on=sequence.steps[cancellation.after[0] - 1])
                for cancellation in sequence.cancel
            )
        )
        for sequence in with_cancellations(*arguments)
    )


def what_nobody_sends_cancels(*arguments: Any) -> Cancelled:
    return tuple(
        sequence._replace(
            cancel=tuple(
                cancellation._replace(on=Label(SEND, cancellation.on.message._replace(sender="p1")))
                for cancellation in sequence.cancel
            )
        )
        for sequence in with_cancellations(*arguments)
    )


def cancelled_twice(*arguments: Any) -> Cancelled:
    made = with_cancellations(*arguments)
    return tuple(sequence._replace(cancel=sequence.cancel * 2) for sequence in made)


def both_branches_send(*arguments: Any) -> Any:
    """In one handler, to where it sent anyway: not two chains, but the same twice."""
    application = APPLICATION(*arguments)
    processes = [*application.processes]
    for number, process in enumerate(processes):
        handlers = {
            name: tuple(replace(s, then=s.then * 3) if isinstance(s, If) else s for s in statements)
            for name, statements in process.handlers.items()
        }
        processes[number] = replace(process, handlers=handlers)
    return replace(application, processes=tuple(processes))


APPLICATION = scenario.stated_application
