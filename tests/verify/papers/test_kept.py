"""What a searcher keeps for the next multi-trace is bounded, and changes no result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from choreomon.interaction.denotation import traces
from choreomon.interaction.term import Interaction, alt, loop_w, par, seq
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet, insert_action
from choreomon.multitrace.projection import project_trace
from choreomon.multitrace.slices import random_slice
from choreomon.verify.papers import engine, local
from choreomon.verify.papers.engine import Searcher, search
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.steps import FollowUps
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.papers.questions import LIFELINES, PARTITIONS, a

TERM = loop_w(
    alt(
        par(seq(a("l1!a"), a("l2!a")), seq(a("l2!b"), a("l3!b"))),
        seq(a("l3!b"), alt(a("l1!b"), a("l2!a"))),
    )
)
OPTIONS = Options(reduction="none")
LIMIT = 10
NUMBER = 60
MODES: tuple[Mode, ...] = ("accept", "multiprefix", "simulate")


class Confused(FollowUps):
    """Planted: the action is not in the key."""

    def of(self, term: Interaction, leaf: Interaction) -> tuple[Interaction, ...]:
        for key, known in self._known.items():
            if key[0] is term:
                return known
        return super().of(term, leaf)


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
    """How many results are not those of a searcher that keeps nothing yet."""
    return sum(
        searcher.search(seen) != search(TERM, seen, searcher.mode, OPTIONS)
        for seen in multi_traces(NUMBER)
    )


@pytest.mark.parametrize("mode", MODES)
def test_what_is_kept_changes_no_result(mode: Mode) -> None:
    assert not differences(Searcher(TERM, mode, OPTIONS))


@pytest.mark.parametrize("mode", MODES)
def test_results_stay_where_little_is_kept(monkeypatch: pytest.MonkeyPatch, mode: Mode) -> None:
    observed = list(multi_traces(NUMBER))
    expected = [search(TERM, seen, mode, OPTIONS) for seen in observed]
    monkeypatch.setattr(local, "KEPT", LIMIT)
    for table in (FollowUps, Measures):
        monkeypatch.setattr(engine, table.__name__, partial(table, limit=LIMIT))
    searcher = Searcher(TERM, mode, OPTIONS)
    forgotten: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for seen, result in zip(observed, expected, strict=True):
        assert searcher.search(seen) == result
        sizes_now = {
            "FollowUps": len(searcher._follow_ups),
            "Measures": len(searcher._measures),
            "LocalAnalysis": searcher._local_views.remembered,
        }
        for name, size in sizes_now.items():
            forgotten[name] += size < sizes.get(name, 0)
            sizes[name] = size
        assert len(searcher._follow_ups) <= LIMIT
        assert len(searcher._measures) <= LIMIT
    assert forgotten["LocalAnalysis"] > 4
    assert forgotten["Measures" if mode == "simulate" else "FollowUps"] > 4


@pytest.mark.parametrize("kept", [False, True])
def test_telling_pass_from_weak_pass_costs_what_accept_costs(kept: bool) -> None:
    """Also where a graph is recorded, which is that of the mode."""
    searcher = Searcher(TERM, "multiprefix", replace(OPTIONS, record=kept))
    found = [(searcher.search(seen), search(TERM, seen, "accept")) for seen in multi_traces(NUMBER)]
    checked = [(one.checked, other.vertices) for one, other in found if one.checked]
    assert len(checked) > 10
    assert all(one == other for one, other in checked)


def test_where_all_ends_were_weighed_nothing_is_checked() -> None:
    found = [search(TERM, seen, "test") for seen in multi_traces(NUMBER)]
    assert {one.checked for one in found if one.verdict is Verdict.WEAK_PASS} == {0}


def test_the_law_notices_follow_ups_of_another_action(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "FollowUps", Confused)
    assert differences(Searcher(TERM, "multiprefix", OPTIONS))
