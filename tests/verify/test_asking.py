"""Whoever may stop a decision is asked wherever it may take long, and what is known stays right."""

from __future__ import annotations

import pytest

from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import loop_w, seq, strict
from choreomon.verify.late import LateTerms
from choreomon.verify.quick import situations as module
from choreomon.verify.quick.situations import Situations
from choreomon.verify.quick.words import Stopped
from choreomon.verify.views import Views
from tests.verify.papers.questions import a, mask_of

LEAF = a("l1!a")
NEST = LEAF
for _ in range(20):
    NEST = loop_w(strict(NEST, seq(a("l2?b"), LEAF)))


class Asked:
    """Counts the questions, and says yes to one of them."""

    def __init__(self, stops_at: int | None = None) -> None:
        self.times = 0
        self._stops_at = stops_at

    def __call__(self) -> bool:
        self.times += 1
        return self.times == self._stops_at

    def ask(self) -> None:
        if self():
            raise Stopped


def test_it_is_asked_before_the_normal_form_of_every_follow_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests = after(NEST, LEAF)
    assert len(rests) > 1
    assert LEAF.action is not None
    monkeypatch.setattr(module, "after", lambda *_: rests)
    for stops_at in (None, 1, len(rests)):
        graph = Situations("prune", 1000)
        asked = Asked(stops_at)
        graph.words.should_stop = asked
        if stops_at is not None:
            with pytest.raises(Stopped):
                graph[NEST][LEAF.action]
            assert asked.times == stops_at
            graph.words.should_stop = None
        found = graph[NEST][LEAF.action]
        assert [one.term for one in found] == list(dict.fromkeys(map(normal, rests)))
    asked = Asked()
    graph = Situations("prune", 1000)
    graph.words.should_stop = asked
    assert graph[NEST][LEAF.action]
    assert asked.times == len(rests)
    assert graph[NEST].closed(("l1",)) is not None
    assert asked.times == len(rests) + 1


def test_it_is_asked_at_every_part_of_a_late_term_that_is_changed() -> None:
    terms = LateTerms()
    node = terms.plain(LEAF)
    for number in range(30):
        node = terms.coreg(0, terms.late(seq(a("l1!a"), a(f"l2!m{number}"))), node)
    asked = Asked(20)
    terms.ask = asked.ask
    with pytest.raises(Stopped):
        terms.seen(node, mask_of("l1"))
    terms.ask = None
    seen = terms.seen(node, mask_of("l1"))
    assert seen.lifelines == mask_of("l1")
    assert seen is terms.seen(node, mask_of("l1"))


def test_it_is_asked_before_what_a_component_sees_is_worked_out() -> None:
    views, asked = Views(), Asked()
    views.asking(asked.ask)
    late = views.late_terms.late(NEST)
    views.local(NEST, mask_of("l1"), False)
    first = asked.times
    assert first > 0
    views.seen(late, mask_of("l1"), False)
    assert asked.times > first
    again = asked.times
    views.local(NEST, mask_of("l1"), False)
    views.seen(late, mask_of("l1"), False)
    assert asked.times == again
