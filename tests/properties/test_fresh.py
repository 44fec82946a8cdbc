"""Labels that begin instances anew, beside a slow definition: what an instance had of its own is
taken out of its slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

import pytest

from choreomon.core.binding import Binding, Values, agree
from choreomon.core.errors import PropertyError
from choreomon.core.message import BEGIN, SEND, Label, Message
from choreomon.properties import fresh as fresh_module
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition
from choreomon.properties.fresh import begun_anew, is_own
from choreomon.properties.instances import Parameters, instance_defects
from choreomon.properties.reference import formations
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from tests.laws.drawn import draw_automaton, draw_begun, draw_label, processes

PROCESSES = processes(3)
NAMES = ("a", "b")
Word: TypeAlias = Sequence[tuple[Label, Values]]


class Drawn(NamedTuple):
    before: SequenceAutomaton
    whole: SequenceAutomaton
    parameters: Parameters
    fresh: tuple[Label, ...]


def formed(automaton: SequenceAutomaton, word: Word, parameters: Parameters) -> set[object]:
    """Where it is formed, and for which binding, in the slices of this order of events."""
    found: set[object] = set()
    for binding, places in slices(automaton, word, parameters):
        for each in formations(automaton, [word[place][0] for place in places]):
            if bound(word, places[each.index], parameters) == binding:
                found.add((places[each.index], binding))
    return found


def formed_slowly(drawn: Drawn, word: Word) -> set[object]:
    """The same with the automaton that knows of no fresh labels: of each event it is asked what it
    forms where all that was the instance's own before the last fresh event was not."""
    found: set[object] = set()
    for binding, places in slices(drawn.before, word, drawn.parameters):
        for end, place in enumerate(places, 1):
            left = places[:end]
            for label in drawn.fresh:
                last = max((at for at in places[: end - 1] if word[at][0] == label), default=-1)
                left = [
                    at
                    for at in left
                    if at >= last or not is_own(drawn.parameters, label, word[at][0])
                ]
            forms = formations(drawn.before, [word[at][0] for at in left])
            here = any(each.index == len(left) - 1 for each in forms)
            if here and bound(word, place, drawn.parameters) == binding:
                found.add((place, binding))
    return found


def slices(
    automaton: SequenceAutomaton, word: Word, parameters: Parameters
) -> Iterator[tuple[Binding, list[int]]]:
    finals = {t.label for t in automaton.forward if t.target in automaton.final}
    ends = [place for place, (label, _) in enumerate(word) if label in finals]
    for binding in dict.fromkeys(bound(word, place, parameters) for place in ends):
        yield (
            binding,
            [at for at in range(len(word)) if agree(binding, bound(word, at, parameters))],
        )


def bound(word: Word, place: int, parameters: Parameters) -> Binding:
    found = parameters.binding(*word[place])
    assert found is not None
    return found


def draw_chain(random: Random, *, begin: bool = False) -> SequenceAutomaton:
    """Sequences, and what cancels them; with `begin` each begins with `BEGIN`."""
    sequences = []
    for part in range(random.choice((1, 1, 2))):
        size = random.randint(2, 4)
        steps = tuple(draw_label(random, PROCESSES, 10 * part + step, 0.2) for step in range(size))
        if begin:
            steps = (BEGIN, *steps[1:])
        cancel = []
        for number in range(random.randint(0, 2)):
            first = random.randint(1, size - 1)
            last = random.randint(first, size - 1)
            on = draw_label(random, PROCESSES, 10 * part + 5 + number, 0.2)
            cancel.append(Cancellation(on, (first, last), random.randrange(first)))
        sequences.append(MessageSequence(steps, tuple(cancel)))
    return sequences_automaton(sequences)


def drawn_of(random: Random, seed: int, *, begin: bool) -> SequenceAutomaton:
    """Every other one is of sequences."""
    if seed % 2:
        return draw_chain(random, begin=begin)
    return (
        draw_begun(random, PROCESSES) if begin else draw_automaton(random, PROCESSES, handled=0.2)
    )


def draw(random: Random, automaton: SequenceAutomaton) -> Drawn | PropertyError | None:
    """A property with fresh labels, or what refuses them; None where it is none without."""
    extra = Label(SEND, Message("P1", "begin", "P2"))
    labels = (*automaton.labels, extra)
    last = {t.label.message for t in automaton.forward if t.target in automaton.final}
    carried = {}
    for message in dict.fromkeys(label.message for label in labels):
        some = random.choice(((), ("a",), ("a", "b"), ("a", "b")))
        carried[message] = NAMES if message in last else some
    parameters = Parameters(NAMES, carried)
    if [*instance_defects(automaton, parameters, {})]:
        return None
    chosen = dict.fromkeys([extra, *(random.choice(labels) for _ in range(random.choice((0, 1))))])
    fresh = tuple(random.sample([*chosen], len(chosen)))
    if random.random() < 0.3:
        fresh = (random.choice(labels),)
    try:
        whole = begun_anew(automaton, parameters, [(("fresh", 0), label) for label in fresh])
    except PropertyError as error:
        return error
    if [*instance_defects(whole, parameters, {})]:
        return None
    return Drawn(automaton, whole, parameters, fresh)


def draw_word(random: Random, drawn: Drawn) -> Word:
    labels = [*drawn.whole.labels]
    return [
        (random.choice(labels), {name: random.choice("12") for name in NAMES})
        for _ in range(random.randint(3, 16))
    ]


def wrong(seeds: range, *, begin: bool = False) -> tuple[list[int], int, int]:
    """The seeds of words that are judged otherwise; how many properties were not refused, and how
    many formations there were. `begin`: of properties with `BEGIN`."""
    found, some, formations_found = [], 0, 0
    for seed in seeds:
        random = Random(f"fresh {seed}")
        automaton = drawn_of(random, seed, begin=begin)
        drawn = draw(random, automaton)
        if not isinstance(drawn, Drawn):
            continue
        some += 1
        for _ in range(4):
            word = draw_word(random, drawn)
            expected = formed_slowly(drawn, word)
            formations_found += len(expected)
            if formed(drawn.whole, word, drawn.parameters) != expected:
                found.append(seed)
                break
    return found, some, formations_found


def test_a_fresh_label_makes_it_as_if_no_own_event_had_been() -> None:
    found, some, formations_found = wrong(range(2000))
    assert found == []
    assert some > 400
    assert formations_found > 500


def test_with_begin_it_is_as_if_the_instance_had_begun_just_now() -> None:
    found, some, formations_found = wrong(range(2000), begin=True)
    assert found == []
    assert some > 200
    assert formations_found > 1000


def test_a_fresh_label_that_does_not_begin_what_begin_does_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = fresh_module.extended

    def without(automaton: SequenceAutomaton, added: list[StatedTransition]) -> SequenceAutomaton:
        return right(automaton, [each for each in added if each.backward])

    monkeypatch.setattr(fresh_module, "extended", without)
    assert wrong(range(200), begin=True)[0]


def test_planted_bugs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared steps taken back, too; circles and what others take back allowed; own steps left."""

    def own_steps(automaton: SequenceAutomaton, *_: object) -> object:
        return list(automaton.forward)

    for name, planted in (
        ("own_steps", own_steps),
        ("defects_of_all", lambda *_: iter(())),
        ("own_defects", lambda *_, **__: iter(())),
        ("cancelling_defects", lambda *_: iter(())),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(fresh_module, name, planted)
            if name in ("own_steps", "cancelling_defects"):
                patch.setattr(fresh_module, "own_defects", lambda *_, **__: iter(()))
                patch.setattr(fresh_module, "defects_of_all", lambda *_: iter(()))
            assert wrong(range(700))[0], name
