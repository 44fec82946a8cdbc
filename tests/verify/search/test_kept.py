"""What a searcher keeps for the next multi-trace is bounded, and changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import Mask, mask
from choreomon.interaction.term import Interaction, alt, loop_w, par, seq
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet, insert_action
from choreomon.multitrace.projection import project_trace
from choreomon.multitrace.slices import random_slice
from choreomon.verify.search import engine
from choreomon.verify.search.engine import Searcher, search
from choreomon.verify.search.measure import Measures
from choreomon.verify.search.options import Options
from choreomon.verify.search.steps import FollowUps
from choreomon.verify.verdict import Mode
from tests.verify.search.questions import LIFELINES, PARTITIONS, a

TERM = loop_w(
    alt(
        par(seq(a("l1!a"), a("l2!a")), seq(a("l2!b"), a("l3!b"))),
        seq(a("l3!b"), alt(a("l1!b"), a("l2!a"))),
    )
)
OPTIONS = Options(reduction="none", relevance=False)
LIMIT = 10
MODES: tuple[Mode, ...] = ("accept", "multiprefix", "simulate")


class Bounded(FollowUps):
    def __init__(self) -> None:
        super().__init__(LIMIT)


class Confused(FollowUps):
    """Planted: removed lifelines are not in the key."""

    def of(self, term: Interaction, leaf: Interaction, gone: Mask) -> tuple[Interaction, ...]:
        for key, known in self._known.items():
            if key[:2] == (term, leaf):
                return known
        return super().of(term, leaf, gone)


def multi_traces(number: int) -> Iterator[MultiTrace]:
    """Slices of what is accepted, some with an action more."""
    rng = Random(3)
    accepted = sorted(traces(TERM, 5))
    for _ in range(number):
        seen = random_slice(rng, project_trace(rng.choice(accepted), rng.choice(PARTITIONS)))
        if rng.random() < 0.4:
            seen = insert_action(rng, seen, alphabet(LIFELINES, ("a", "b"))) or seen
        yield seen


def differences(searcher: Searcher) -> int:
    """How many answers are not those of a searcher that knows nothing yet."""
    return sum(
        searcher.search(seen) != search(TERM, seen, searcher.mode, OPTIONS)
        for seen in multi_traces(150)
    )


@pytest.mark.parametrize("mode", MODES)
def test_what_is_kept_changes_no_answer(mode: Mode) -> None:
    assert not differences(Searcher(TERM, mode, OPTIONS))


@pytest.mark.parametrize("mode", MODES)
def test_little_is_kept_and_answers_stay(monkeypatch: pytest.MonkeyPatch, mode: Mode) -> None:
    monkeypatch.setattr(engine, "KEPT", LIMIT)
    monkeypatch.setattr(engine, "FollowUps", Bounded)
    searcher = Searcher(TERM, mode, OPTIONS)
    renewed = 0
    for seen in multi_traces(150):
        tables = [searcher._measures, *searcher._automata.values()]
        too_large = [table for table in tables if len(table) > LIMIT]
        assert searcher.search(seen) == search(TERM, seen, mode, OPTIONS)
        used = {id(table) for table in (searcher._measures, *searcher._automata.values())}
        mine = {mask(part.lifelines) for part in seen.components}
        for table in too_large:
            if isinstance(table, Measures) or table.lifelines in mine:
                assert id(table) not in used
                renewed += 1
        assert len(searcher._follow_ups) <= LIMIT
    assert renewed > 20


def test_the_law_notices_follow_ups_of_which_others_are_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "FollowUps", Confused)
    assert differences(Searcher(TERM, "multiprefix", OPTIONS))
