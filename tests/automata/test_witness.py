"""Witnesses, and how far logs can be explained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from choreomon.automata.automaton import Automaton, automaton, members
from choreomon.automata.emptiness import ending
from choreomon.automata.logs import WHOLE, Log, Missing
from choreomon.automata.reference import explains
from choreomon.automata.witness import Place, Reached, _Search, reached
from choreomon.core.action import Action, emission
from tests.automata.asked import PREFIXES, QUESTIONS, SLICES, cases
from tests.automata.drawn import LETTERS

A, BX, BM, CY, CX = LETTERS


def is_right(one_word: tuple[tuple[Action, bool], ...], logs: list[Log], missing: Missing) -> bool:
    """Whether the word, lifeline for lifeline, is what the logs say and what they may lack."""
    for clock, log in logs:
        mine = [(action, seen) for action, seen in one_word if action.lifeline in clock]
        while missing.before and mine and not mine[0][1]:
            mine.pop(0)
        while missing.after and mine and not mine[-1][1]:
            mine.pop()
        if mine != [(action, True) for action in log]:
            return False
    return True


def test_a_witness_is_an_accepted_word_that_explains_the_logs() -> None:
    explained = broken = 0
    for one, logs in cases(700):
        for missing in QUESTIONS:
            found = reached(one, logs, missing)
            assert (found.word is not None) is explains(one, logs, missing)
            if found.word is not None:
                assert one.accepts([action for action, _ in found.word])
                assert is_right(found.word, logs, missing)
                if explains(one, logs):
                    assert all(observed for _, observed in found.word)
                explained += 1
            else:
                assert len(found.places) == len(logs)
                assert all(
                    0 <= at.position <= len(log)
                    for at, (_, log) in zip(found.places, logs, strict=True)
                )
                broken += 1
    assert min(explained, broken) > 2_000


def test_a_wrong_witness_is_noticed() -> None:
    logs: list[Log] = [(("a",), [A]), (("b",), [])]
    assert is_right(((A, True),), logs, WHOLE)
    assert not is_right(((A, False),), logs, SLICES)
    assert not is_right(((A, True), (BX, False)), logs, WHOLE)
    assert is_right(((A, True), (BX, False)), logs, PREFIXES)
    assert not is_right(((A, False), (A, True)), logs, PREFIXES)
    assert is_right(((A, False), (A, True)), logs, SLICES)


ONE = automaton([(0, A, 1), (1, BX, 2), (2, CX, 3), (2, CY, 3), (0, CY, 4)], initial=[0], final=[3])
"""State 4 leads to no end."""


def test_the_first_witness_has_the_fewest_actions() -> None:
    logs: list[Log] = [(("a",), []), (("b",), [BX]), (("c",), [])]
    assert reached(ONE, logs, SLICES) == Reached(((A, False), (BX, True), (CY, False)), ())


@pytest.mark.parametrize(
    ("logs", "missing", "places"),
    [
        # c says what only leads to no end; it waits for a and b.
        (
            [(("a",), []), (("b",), []), (("c",), [CY])],
            WHOLE,
            [Place(0, (A,), False), Place(0, (), True), Place(0, (), True)],
        ),
        # All is explained, and it cannot end there.
        (
            [(("a",), [A]), (("b",), [BX]), (("c",), [])],
            WHOLE,
            [Place(1, (), False), Place(1, (), False), Place(0, (CY, CX), False)],
        ),
        # An action that nobody knows; where a log may lack something, others go on.
        (
            [(("a",), [A]), (("b",), [BX, emission("b", "z")]), (("c",), [CX])],
            SLICES,
            [Place(1, (), False), Place(1, (), False), Place(1, (), False)],
        ),
        # What b lacks behind the place where it is cut off may have been before what c could say.
        (
            [(("a",), [A]), (("b",), [BM]), (("c", "d"), [])],
            PREFIXES,
            [Place(1, (), False), Place(0, (BX,), False), Place(0, (CY, CX), False)],
        ),
        # So it may have been before what c says.
        (
            [(("a",), [A]), (("b",), [BM]), (("c",), [CX])],
            PREFIXES,
            [Place(1, (), False), Place(0, (BX,), False), Place(1, (), False)],
        ),
    ],
)
def test_the_furthest_places_say_what_could_follow(
    logs: list[Log], missing: Missing, places: list[Place]
) -> None:
    assert reached(ONE, logs, missing) == Reached(None, tuple(places))


def test_what_could_follow_is_the_next_action_of_its_log() -> None:
    """A log that ends may lack some actions: those after the first of them do not follow it."""
    one = automaton([(0, A, 1), (1, BX, 2), (2, BM, 3)], initial=[0], final=[1, 3])
    logs: list[Log] = [(("a",), [A, A]), (("b",), [])]
    assert reached(one, logs, PREFIXES).places == (Place(1, (), False), Place(0, (BX,), False))


def wrong_places(one: Automaton, logs: list[Log], missing: Missing) -> list[str]:
    """Where a furthest cut and what could follow are not as all cuts tell that are explained."""
    found = reached(one, logs, missing)
    if found.word is not None:
        return []
    protocol = one
    if not missing.after:  # what is cut off of whole logs goes on
        edges = [
            (source, letter, target)
            for letter, successors in zip(one.letters, one.successors, strict=True)
            for source, targets in successors.items()
            for target in members(targets)
        ]
        useful = ending(one)
        protocol = automaton(
            edges,
            initial=[*members(one.initial)],
            final=[*members(useful)],
            letters=one.letters,
            lifelines=one.lifelines,
        )

    def cut_off(cut: Sequence[int]) -> list[Log]:
        return [(clock, log[:end]) for (clock, log), end in zip(logs, cut, strict=True)]

    explained = [
        cut
        for cut in product(*(range(len(log) + 1) for _, log in logs))
        if explains(protocol, cut_off(cut), missing)
    ]
    best = max(explained, key=lambda cut: (sum(cut), cut), default=(0,) * len(logs))
    wrong = []
    if tuple(place.position for place in found.places) != best:
        wrong.append(f"{found.places}, and not {best}")
    for number, (clock, _) in enumerate(logs):
        could = []
        for letter in one.letters:
            if letter.lifeline in clock:
                longer = cut_off(best)
                longer[number] = (clock, (*longer[number][1], letter))
                could += [letter] if explains(protocol, longer, missing) else []
        allowed = found.places[number].allowed
        if sorted(map(str, allowed)) != sorted(map(str, could)):
            wrong.append(f"after {best} of {clock}: {allowed}, and not {could}")
    return wrong


def test_the_furthest_places_are_those_of_all_cuts() -> None:
    for one, logs in cases(150):
        for missing in QUESTIONS:
            assert wrong_places(one, logs, missing) == []


def test_logs_that_cease_only_at_their_ends_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _Search.links

    def planted(
        self: _Search, coded: Sequence[Sequence[int]], *, may_cease: bool = False
    ) -> object:
        return right(self, coded)

    monkeypatch.setattr(_Search, "links", planted)
    assert any(wrong_places(one, logs, PREFIXES) for one, logs in cases(150))


def test_where_nothing_can_begin_nothing_is_explained() -> None:
    nothing = automaton([(0, A, 0)], initial=[0], final=[])
    assert reached(nothing, [(("a",), [A])]).places == (Place(0, (), False),)


def test_looking_asks_for_the_budget() -> None:
    def check() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        reached(ONE, [], WHOLE, check)
