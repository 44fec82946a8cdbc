"""`loopW` in place of `loopH` accepts at least as much, by the definition: all traces."""

from __future__ import annotations

import pytest

from choreomon.interaction import loop_heads
from choreomon.interaction.denotation import traces
from choreomon.interaction.loop_heads import without_heads
from choreomon.interaction.term import Interaction, Operator, loop_h, loop_w, subterms
from tests.interaction.drawn import a, breaches, interactions


def accepts_at_least_as_much(term: Interaction) -> bool:
    there = without_heads(term)
    heads = any(part.operator is Operator.LOOP_H for part in subterms(there))
    return not heads and traces(term, 4) <= traces(there, 4)


def test_without_heads_at_least_as_much_is_accepted() -> None:
    assert not breaches(accepts_at_least_as_much, interactions(3, 200, max_size=8))


def test_on_one_lifeline_heads_make_no_difference() -> None:
    assert without_heads(loop_h(a("l1!a"))) is loop_w(a("l1!a"))
    assert traces(loop_h(a("l1!a")), 5) == traces(loop_w(a("l1!a")), 5)


def test_loops_that_are_taken_once_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_heads, "combined", lambda operator, region, left, right: left)
    assert breaches(accepts_at_least_as_much, interactions(3, 200, max_size=8))
