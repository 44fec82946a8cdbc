"""How far events came along what is forbidden, against what would still have to be appended."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.progress import Progress, rules_of
from choreomon.properties.reference import formations
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton

LABELS = tuple(Label(SEND, Message("a", name, "b")) for name in "uvwxyz")


def far_slowly(sequence: MessageSequence, labels: tuple[Label, ...], told: list[Label]) -> int:
    """The steps of the sequence less the fewest events after some beginning that form it."""
    automaton = sequences_automaton([sequence])
    steps = len(sequence.steps)
    for lacking in range(steps):
        for more in product(labels, repeat=lacking):
            for end in range(1, len(told) + 1):
                order = [*told[:end], *more]
                if any(each.index == len(order) - 1 for each in formations(automaton, order)):
                    return steps - lacking
    return 0


def drawn(random: Random) -> MessageSequence:
    labels = random.sample(LABELS, 5)
    steps = tuple(labels[: random.randint(1, 3)])
    cancel = []
    if len(steps) > 1:
        for on in labels[3 : random.randint(3, 5)]:
            low = random.randint(1, len(steps) - 1)
            high = random.randint(low, len(steps) - 1)
            cancel.append(Cancellation(on, (low, high), random.randint(0, low - 1)))
    return MessageSequence(steps, tuple(cancel))


@pytest.mark.parametrize("seed", range(100))
def test_what_is_lacking_would_form_it(seed: int) -> None:
    random = Random(seed)
    sequence = drawn(random)
    told = random.choices(LABELS, k=random.randint(0, 6))
    automaton = sequences_automaton([sequence])
    progress = Progress(rules_of(automaton))
    for label in told:
        progress.add(label)
    assert progress.far == (far_slowly(sequence, automaton.labels, told),)


def test_each_sequence_is_a_rule_with_its_own_progress() -> None:
    u, v, w, x, *_ = LABELS
    automaton = sequences_automaton(
        [MessageSequence((u, v, w)), MessageSequence((v, x)), MessageSequence((w,))]
    )
    rules = rules_of(automaton)
    assert [(rule.number, rule.steps, rule.sequence) for rule in rules] == [
        (1, 3, (u, v, w)),
        (2, 2, (v, x)),
        (3, 1, (w,)),
    ]
    progress = Progress(rules)
    assert progress.far == (0, 0, 0)
    for label in (v, u, v):
        progress.add(label)
    assert progress.far == (2, 1, 0)
    assert [rule.can_be_formed_by({u, v, w}) for rule in rules] == [True, False, True]


def test_an_automaton_counts_by_its_shortest_way() -> None:
    u, v, w, x, *_ = LABELS
    ways = [("s", u, "1"), ("1", v, "2"), ("2", w, "f"), ("s", x, "2")]
    automaton = sequence_automaton(
        initial=["s"], final=["f"], transitions=[StatedTransition(*way) for way in ways]
    )
    (rule,) = rules_of(automaton)
    assert (rule.steps, rule.sequence) == (2, (x, w))
    progress = Progress([rule])
    seen = []
    for label in (u, v, w):
        progress.add(label)
        seen.append(progress.far)
    assert seen == [(1,), (1,), (2,)]  # the first event lacks two more, as if none had happened
    assert rule.can_be_formed_by({u, v, w})
    assert not rule.can_be_formed_by({u, v, x})
