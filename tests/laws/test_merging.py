"""Merged records (history.py) are several events in one; what that must not be taken for.
Chains are merged down to one record, so that it happens within a few events."""

from __future__ import annotations

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.monitor import inspection, pull
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.laws.interleaving import System, Told
from tests.laws.planted import ShortChains

NAMES = ("P1", "P2", "P3")


@pytest.fixture(autouse=True)
def no_chain_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short chains are looked through too."""
    monkeypatch.setattr(inspection, "SMALL", 1)
    monkeypatch.setattr(pull, "SMALL", 1)


def tell(final: str, initial: tuple[str, ...], transitions: dict[str, Message]) -> Told:
    automaton = sequence_automaton(
        initial=initial,
        final=[final],
        transitions=[
            StatedTransition(pair.split()[0], Label(SEND, message), pair.split()[1])
            for pair, message in transitions.items()
        ],
    )
    return Told.of(System(automaton, NAMES, ShortChains(1)))


def test_an_event_that_cancels_and_starts_anew_does_not_cancel_its_own_start() -> None:
    """Every a cancels the a before it and starts anew. Both chains end with the same event,
    so the last cancellation did not happen after the last start."""
    a, b = Message("P1", "a", "P2"), Message("P2", "b", "P1")
    told = tell("q2", ("q0",), {"q0 q1": a, "q1 q0": a, "q1 q2": b})
    for _ in range(4):
        told.sends(a)
        told.works("P1")
        told.handles(a)
    told.sends(b)
    told.works("P2")
    run = told.settles()
    assert run.formed == run.violated() == {8}


def test_a_cancellation_at_the_judged_event_does_not_count_with_older_ones() -> None:
    """The second x both cancels and ends. Its cancellation is settled, and merged with that
    of the first x, while the end is still inspected, because it waits for d as well."""
    a, x = Message("P2", "a", "P1"), Message("P1", "x", "P2")
    d, e = Message("P1", "d", "P2"), Message("P3", "e", "P2")
    told = tell("q2", ("q0", "q8"), {"q0 q1": a, "q1 q2": x, "q1 q0": x, "q8 q9": e, "q9 q1": d})
    for last in (False, True):
        told.sends(a)
        told.works("P2")
        told.handles(a)
        if last:
            told.sends(d)
            told.works("P1")
        told.sends(x)
        told.works("P1")
        for _ in range(2):
            told.delivers("P1", "P2")
            told.delivers("P2", "P1")
    run = told.settles()
    assert run.formed == {2, 6}
    assert run.last_verdicts() == {2: "violated", 6: "possibly-violated"}
