"""Which possible verdicts were avoidable: by parts, as by all at once."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.experiments.monitoring import avoidable
from choreomon.experiments.monitoring.avoidable import counted, evaluated
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.parts import parts, restricted
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from simulator.generation.parameters import of_class
from simulator.generation.scenario import generated_scenario, generated_simulation


def label(sender: str, name: str) -> Label:
    return Label(SEND, Message(sender, name, "r"))


A, B, C, D = (label(process, process) for process in "abcd")


def drawn(seed: int) -> tuple[object, tuple[str, ...], list[Event]]:
    """Two or three sequences over two messages of each of three processes, which are often shared,
    and a run in which some events know of others."""
    random = Random(seed)
    processes = ("a", "b", "c")
    labels = [label(process, name) for process in processes for name in "xy"]
    sequences = []
    for _ in range(random.randint(2, 3)):
        steps = tuple(random.choice(labels) for _ in range(random.randint(1, 3)))
        cancel = ()
        if len(steps) > 1 and random.random() < 0.5:
            on = random.choice(labels)
            if on not in steps:
                cancel = (Cancellation(on, (1, 1), 0),)
        sequences.append(MessageSequence(steps, cancel))
    clocks = {process: [0, 0, 0] for process in processes}
    events = []
    for _ in range(random.randint(3, 8)):
        index = random.randrange(3)
        own = clocks[processes[index]]
        if random.random() < 0.4:
            other = clocks[random.choice(processes)]
            own[:] = map(max, own, other)
        own[index] += 1
        chosen = random.choice([each for each in labels if each.process == processes[index]])
        events.append(Event(chosen, tuple(own)))
    return sequences_automaton(sequences), processes, events


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_by_parts_is_as_all_at_once(first: int) -> None:
    seen = set()
    for seed in range(first, first + 100):
        automaton, processes, events = drawn(seed)
        exact = evaluate(automaton, processes, events)  # type: ignore[arg-type]
        found = evaluated(automaton, processes, events, range(len(events)))  # type: ignore[arg-type]
        assert found == exact
        seen.update(exact)
    assert seen == set(Formed)


def test_of_two_sequences_of_which_one_is_always_formed() -> None:
    """`a` and `b` in either order, then `c`: orders disagree on each sequence, and agree on the
    property. Looking at each by itself alone would be wrong."""
    automaton = sequences_automaton([MessageSequence((A, B, C)), MessageSequence((B, A, C))])
    events = [Event(A, (1, 0, 0)), Event(B, (0, 1, 0)), Event(C, (1, 1, 1))]
    processes = ("a", "b", "c")
    one, other = (restricted(automaton, states) for states in parts(automaton))
    assert evaluate(one, processes, events)[2] is Formed.SOMETIMES
    assert evaluate(other, processes, events)[2] is Formed.SOMETIMES
    assert evaluated(automaton, processes, events, [2]) == [Formed.ALWAYS]
    assert counted(automaton, processes, events, [2]) == (1, 0)


def test_parts_have_no_state_in_common_and_all_transitions() -> None:
    simulation = generated_simulation(generated_scenario(of_class("C6", sequences=4), 3))
    automaton = simulation.automaton
    assert automaton is not None
    found = parts(automaton)
    assert len(found) == 4
    assert sorted(state for states in found for state in states) == sorted(automaton.states)
    pieces = [restricted(automaton, states) for states in found]
    assert sorted(t for piece in pieces for t in piece.forward) == sorted(automaton.forward)
    assert sorted(t for piece in pieces for t in piece.backward) == sorted(automaton.backward)
    for piece in pieces:
        assert {*piece.initial, *piece.final} <= {*piece.states}


def test_states_that_several_sequences_share_are_one_part() -> None:
    automaton = sequences_automaton([MessageSequence((A, B)), MessageSequence((C, D))])
    one, other = (set(states) for states in parts(automaton))
    joined = replace(
        automaton,
        forward=tuple(
            t._replace(source=min(one))
            if t.source in other and t.source in automaton.initial
            else t
            for t in automaton.forward
        ),
    )
    assert len(parts(automaton)) == 2
    assert any(len(states) > 3 for states in parts(joined))


def test_what_the_budget_does_not_suffice_for_is_counted_as_undecided() -> None:
    automaton = sequences_automaton([MessageSequence((A, B))])
    processes = ("a", "b")
    events = [Event(A, (1, 0)), Event(B, (0, 1))]
    assert counted(automaton, processes, events, [1]) == (0, 0)
    assert counted(automaton, processes, events, [1], max_cuts=2) == (0, 1)
    known = [Event(A, (1, 0)), Event(B, (1, 1))]
    assert counted(automaton, processes, known, [1]) == (1, 0)


def test_where_nothing_is_possible_nothing_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avoidable, "evaluated", None)
    assert counted(sequences_automaton([MessageSequence((A,))]), ("a",), [], []) == (0, 0)
