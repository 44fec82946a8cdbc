"""Multi-traces of which every log is of one lifeline: by the automaton of the strict reading."""

from __future__ import annotations

from collections import Counter

import pytest

from choreomon.interaction.removal import remove
from choreomon.interaction.strengthening import strengthened
from choreomon.interaction.term import Interaction, Operator, loop_w, par, seq, strict
from choreomon.verify import discrete, short_logs
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.interaction.drawn import a
from tests.verify.exact_cases import EXACT_MODES, multi, passing, wrong
from tests.verify.test_exact import ORDERED

CROSSED = par(
    strict(a("l1!m1"), a("l2?m1")),
    strict(a("l2!m2"), a("l1?m2")),
)
"""Whose operands share two lifelines."""


def test_logs_of_one_lifeline_and_of_several_are_decided_as_by_brute_force() -> None:
    met: Counter[tuple[ExactMode, Verdict]] = Counter()
    assert not wrong(range(2_000, 2_080), met=met)
    assert not wrong(range(2_400, 2_430), EXACT_MODES, ORDERED, 16, met)
    assert met.total() > 4_000
    assert len(met) == 11


def test_discrete_multi_traces_are_decided_by_automata_of_interactions_without_one() -> None:
    endless = loop_w(seq(passing("l1", "m1", "l2"), passing("l2", "m2", "l3")))
    decider = ExactDecider(endless, "accept")
    apart = multi(l1="l1!m1 l1!m1", l2="l2?m1 l2?m1 l2!m2 l2!m2", l3="l3?m2 l3?m2")
    assert decider.decide(apart)[:2] == (Verdict.FAIL, "")
    apart = multi(l1="l1!m1 l1!m1", l2="l2?m1 l2!m2 l2?m1 l2!m2", l3="l3?m2 l3?m2")
    answer = decider.decide(apart)
    assert (answer.verdict, answer.method) == (Verdict.PASS, "reduced")
    together = multi(l1_l2="l1!m1 l1!m1 l2?m1 l2!m2 l2?m1 l2!m2", l3="l3?m2 l3?m2")
    answer = decider.decide(together)
    assert (answer.verdict, answer.method) == (Verdict.PASS, "exact")


def test_where_a_short_search_is_lost_others_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_logs, "LOST", 2)
    met: Counter[tuple[ExactMode, Verdict]] = Counter()
    assert not wrong(range(2_000, 2_030), met=met)
    assert len(met) == 11


def test_what_is_forgotten_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_logs, "KEPT", 20)
    assert not wrong(range(2_000, 2_030), ("multiprefix", "accept"))


def test_what_grows_without_an_end_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it no more than left out, slices would be missed."""
    monkeypatch.setattr(short_logs, "GROWTH", 0)
    assert not wrong(range(2_030, 2_080), ("slice",))
    missed = property(lambda logs: False, lambda logs, value: None)
    monkeypatch.setattr(short_logs.ShortLogs, "is_cut", missed, raising=False)
    assert wrong(range(2_030, 2_080), ("slice",))


def test_lifelines_that_are_removed_where_orders_show_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An order from l1 to l2, through l3, which did nothing yet."""
    around = par(
        seq(passing("l1", "m1", "l3"), passing("l3", "m2", "l2")), passing("l2", "m3", "l1")
    )
    seen = multi(l1="l1?m3 l1!m1", l2="l2?m2 l2!m3")
    assert Verifier(around, "multiprefix").decide(seen).verdict is Verdict.FAIL
    monkeypatch.setattr(short_logs, "is_separable", lambda term: True)
    assert Verifier(around, "multiprefix").decide(seen).verdict is Verdict.WEAK_PASS


def test_a_lifeline_that_goes_on_after_its_whole_log_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(short_logs, "prune", remove)
    assert wrong(range(2_000, 2_030), ("accept",))


def test_a_coreg_with_two_shared_lifelines_that_is_read_strictly_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = multi(l1="l1?m2 l1!m1", l2="l2!m2 l2?m1")
    assert ExactDecider(CROSSED, "accept").decide(seen).verdict is Verdict.PASS

    def all_strict(term: Interaction) -> Interaction:
        if term.operator is not Operator.COREG:
            return strengthened(term)
        assert term.left is not None
        assert term.right is not None
        return strict(all_strict(term.left), all_strict(term.right))

    for reader in (discrete, short_logs):
        monkeypatch.setattr(reader, "strengthened", all_strict)
    assert ExactDecider(CROSSED, "accept").decide(seen).verdict is Verdict.FAIL
    assert wrong(range(2_000, 2_040), ("accept",))
    assert wrong(range(2_000, 2_040), ("slice",))


def test_prefixes_that_are_read_strictly_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = strict(a("l1!m1"), a("l2!m2"))
    late = multi(l2="l2!m2")
    assert ExactDecider(ordered, "prefix").decide(late).verdict is Verdict.FAIL
    read_so = property(lambda decider: discrete.discrete_logs(decider.normal))
    monkeypatch.setattr(ExactDecider, "discrete", read_so)
    assert ExactDecider(ordered, "prefix").decide(late).verdict is Verdict.WEAK_PASS
    assert wrong(range(2_000, 2_080), ("prefix",))
