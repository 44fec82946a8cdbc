"""Every schedule of small systems (`tests.laws.schedules`, `tests.laws.small_systems`). Which
worlds there are is compared with plain exploration, which knows of no numbers."""

from __future__ import annotations

from itertools import islice

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.effects import Declared, Effect, Unsettled
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import PAPER, SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.laws import planted
from tests.laws.every_event import Wrong
from tests.laws.interleaving import System, World
from tests.laws.planted import NeverAsksAgain, SendsNoEvidence, TrustsUncertainRecords
from tests.laws.schedules import Explorer, explored
from tests.laws.small_systems import Scope, Small, automata, systems


def send(sender: str, name: str) -> Label:
    return Label(SEND, Message(sender, name, "B" if sender == "A" else "A"))


GO, STOP, END, STEP = send("B", "go"), send("B", "stop"), send("B", "end"), send("A", "step")


def smallest(again: Label, *sent: Label) -> Small:
    """`again` leads back to where only `STEP` is missing."""
    stated = [
        ("0", GO, "1"),
        ("1", STEP, "2"),
        ("2", END, "3"),
        ("1", STOP, "0"),
        ("2", again, "1"),
    ]
    automaton = sequence_automaton(
        initial=["0"], final=["3"], transitions=[StatedTransition(*each) for each in stated]
    )
    return Small(automaton, ("A", "B"), ((STEP.message,), tuple(each.message for each in sent)))


SMALLEST = smallest(GO, GO, STOP, GO, END)
"""The smallest in which evidence that is cut misses a formation: an inquiry has to be overtaken."""

ITS_TWIN = smallest(STOP, GO, END, STOP, END)
"""As small, and possible where all orders agree. Of all 256 systems with five events, transitions
between the same states and one `STEP` of the other process, no third one shows it."""


# The worlds, and plain exploration.


def plainly(system: System, start: World) -> tuple[int, set[object]]:
    """The number of ways to an end, and the ends: which events there were, and what was said."""
    ways: dict[tuple[World, tuple[Effect, ...]], int] = {}
    ends: set[object] = set()

    def count(world: World, said: tuple[Effect, ...]) -> int:
        at = (world, said)
        if at not in ways:
            moves = system.moves(world)
            if not moves:
                ends.add((frozenset(world.events), frozenset(said)))
            ways[at] = 0 if moves else 1
            for move in moves:
                after, effects = system.perform(world, move)
                words = [each for each in effects if isinstance(each, Declared | Unsettled)]
                ways[at] += count(after, (*said, *words))
        return ways[at]

    return count(start, ()), ends


@pytest.mark.parametrize("rules", [PRECISE, SOUND], ids=["precise", "sound"])
@pytest.mark.parametrize(
    ("scope", "queued", "handles"),
    [
        (Scope("AAB", 3, 4, 3), False, False),
        (Scope("AB", 3, 4, 3), True, False),
        (Scope("ABC", 3, 3, 3), False, False),
        (Scope("AB", 3, 3, 2), False, True),
    ],
)
def test_numbered_worlds_have_the_ends_of_plain_ones_and_as_many_ways_to_them(
    scope: Scope, queued: bool, handles: bool, rules: Rules
) -> None:
    for small in islice(systems(scope), 0, None, 40):
        system = System(
            small.automaton,
            small.processes,
            rules,
            in_order=False,
            queued=queued,
            handles=handles,
        )
        ways, ends = plainly(system, system.start(small.scripts))
        explorer = Explorer(system, small.scripts)
        assert explorer.explore().schedules == ways
        found = {tuple(map(frozenset, explorer.end(world))) for world in explorer.ends}
        assert found == ends


def test_there_are_as_many_automata_as_there_are() -> None:
    """Modulo renaming: with two transitions and a label for each process one is a chain of two; of
    three states and three transitions 14."""
    counts = [sum(1 for _ in automata(Scope("AB", 3, n, 5))) for n in (2, 3, 4, 5)]
    assert counts == [1, 14, 67, 168]


# The law.


@pytest.mark.parametrize("small", [SMALLEST, ITS_TWIN], ids=["smallest", "twin"])
def test_the_smallest_systems_are_right_in_every_schedule(small: Small) -> None:
    found = explored(small)
    assert not found.wrong
    assert not found.cut_off
    assert found.schedules > 100_000


def test_the_smallest_systems_show_evidence_that_is_cut() -> None:
    rules = planted.CutsEvidence()
    assert explored(SMALLEST, rules=rules).wrong == (Wrong("nothing said", (0, 4)),)
    assert explored(ITS_TWIN, rules=rules).wrong == (Wrong("avoidable", (0, 4)),)


@pytest.mark.parametrize("rules", [PRECISE, SOUND], ids=["precise", "sound"])
@pytest.mark.parametrize(
    ("scope", "every"),
    [
        (Scope("AB", 3, 3, 4), 2),
        (Scope("AAB", 3, 3, 4), 3),
        (Scope("ABC", 3, 3, 4), 1),
    ],
    ids=str,
)
def test_small_systems_are_right_in_every_schedule(scope: Scope, every: int, rules: Rules) -> None:
    seen = 0
    for small in islice(systems(scope), 0, None, every):
        found = explored(small, rules=rules)
        assert not found.wrong
        assert not found.cut_off
        seen += found.words
    assert seen > 50


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        (PAPER, "nothing said"),
        (TrustsUncertainRecords(), "nothing said"),
        (SendsNoEvidence(), "made up"),
        (NeverAsksAgain(), "avoidable"),
    ],
)
def test_every_schedule_shows_broken_rules(rules: Rules, fault: str) -> None:
    assert any(
        each.fault == fault
        for small in systems(Scope("AAB", 3, 3, 4))
        for each in explored(small, rules=rules).wrong
    )
