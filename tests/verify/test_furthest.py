"""Explanations of long logs: the furthest places, and the way back to a witness."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from benchmarks.explanations import fault
from benchmarks.middle.corpora import Cut, cut, interactions, partitions, walked
from choreomon.hibou.model import read_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction.term import Interaction, alt, seq
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import project_trace
from choreomon.verify.beam_search import Layer, Search
from choreomon.verify.explanation import explain
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.verdict import Mode
from choreomon.verify.verifier import Verifier
from tests.interaction.drawn import a as do
from tests.verify.exact_cases import multi


def asked(name: str, clocks: str, how: Cut, length: int) -> tuple[Interaction, MultiTrace]:
    """Logs cut from a walk through an interaction of the corpora."""
    interaction = read_interaction(interactions()[name])
    ((_, trace),) = walked(interaction, "random", Random(f"0 {name} random"), [length])
    whole = project_trace(trace, partitions(names(interaction.lifelines))[clocks])
    multitrace = cut(whole, how, Random(f"0 {name} random {clocks} {how}").random)
    assert multitrace is not None
    return interaction, multitrace


@pytest.mark.parametrize("mode", ["accept", "prefix", "multiprefix", "slice"])
@pytest.mark.parametrize("clocks", ["one", "pairs", "each"])
@pytest.mark.parametrize("name", ["orders", "sensor", "i5", "i14"])
def test_what_is_explained_fits_together_and_nothing_can_be_added(
    name: str, clocks: str, mode: Mode
) -> None:
    interaction, multitrace = asked(name, clocks, "wrong", 120)
    found = explain(interaction, multitrace, mode)
    assert fault(interaction, multitrace, mode, found) == ""
    if found.failure is None:
        return
    weaker: Mode = "prefix" if mode == "accept" else mode
    places = [one.position for one in found.failure]
    for number, (one, part) in enumerate(zip(found.failure, multitrace.components, strict=True)):
        if one.next_action is not None:
            longer = [*places[:number], one.position + 1, *places[number + 1 :]]
            cut_off = MultiTrace(
                tuple(
                    Component(each.lifelines, tuple(each.actions[:place]))
                    for each, place in zip(multitrace.components, longer, strict=True)
                )
            )
            assert not Verifier(interaction, weaker).decide(cut_off).verdict.passes
            assert part.actions[one.position] not in one.allowed


def test_who_sees_everything_does_not_wait_for_others() -> None:
    """After `l1!b` nothing is possible, whoever else does what."""
    term = alt(seq(do("l1!a"), do("l2!c")), do("l1!b"))
    seen = multi(l1_l2="l1!b l2!c")
    found = explain(term, seen, "prefix")
    assert found.failure is not None
    (one,) = found.failure
    assert (one.position, one.allowed, one.obstacle) == (1, (), None)


@pytest.mark.parametrize(("name", "clocks"), [("sensor", "pairs"), ("sensor", "each")])
def test_what_a_component_cannot_have_seen_by_itself_is_cut_off_at_once(
    name: str, clocks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is explained by a few searches, not by one for each further action."""
    interaction, multitrace = asked(name, clocks, "wrong", 2_000)
    searches = []
    run = Search.run

    def counted(self: Search, layer: Layer) -> bool | None:
        searches.append(1)
        return run(self, layer)

    monkeypatch.setattr(Search, "run", counted)
    found = explain(interaction, multitrace, "slice")
    assert found.failure is not None
    assert len(searches) < 40


def test_the_way_back_asks_once_what_remains_of_a_residual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Logs of any length have few residuals here."""
    interaction, multitrace = asked("orders", "each", "late", 2_000)
    derived = []
    rests = LazyAutomaton.rests

    def counted(self: LazyAutomaton, *of: Any) -> Iterator[Any]:
        derived.append(1)
        return rests(self, *of)

    monkeypatch.setattr(LazyAutomaton, "rests", counted)
    assert explain(interaction, multitrace, "slice").witness is not None
    assert len(derived) < 3 * multitrace.length
