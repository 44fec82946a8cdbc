"""States of residuals: what is kept, what is forgotten, and what lifelines see of them."""

from __future__ import annotations

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import ALL, NONE, Mask, mask, names
from choreomon.interaction.term import EMPTY, Interaction, alt, loop_s, par, seq, strict, subterms
from choreomon.verify.lazy_automaton import LazyAutomaton, State
from choreomon.verify.residual import PLAIN, Residual, Residuals
from tests.interaction.drawn import interactions
from tests.verify.papers.questions import a, mask_of

WITHOUT_LOOPS = ("strict", "seq", "par", "coreg", "alt")
"""Of interactions with at most four actions, then."""


def actions_of(term: Interaction) -> list[Action]:
    return sorted({part.action for part in subterms(term) if part.action is not None})


def words(automaton: LazyAutomaton, state: State, alphabet: list[Action], length: int) -> set[str]:
    """What leads to a state in which all may be over."""
    found = {""} if state.terminates else set()
    for action in alphabet if length else ():
        reached = automaton.next(state, action)
        if reached is not None:
            found |= {
                f"{action} {rest}" for rest in words(automaton, reached, alphabet, length - 1)
            }
    return found


def differing(seeds: range, lifelines: Mask = ALL) -> int:
    """Of how many interactions the automaton accepts something else than what these lifelines see
    of the accepted traces."""
    found = 0
    for term in interactions(seeds.start, len(seeds), operators=WITHOUT_LOOPS, max_size=8):
        automaton = LazyAutomaton()
        start = automaton.start(term, lifelines, begun=False)
        kept = names(lifelines & term.lifelines)
        seen = {
            "".join(f"{action} " for action in trace if action.lifeline in kept)
            for trace in traces(term, 4)
        }
        found += words(automaton, start, actions_of(term), 4) != seen
    return found


def test_the_automaton_of_an_interaction_accepts_its_traces() -> None:
    assert not differing(range(200))


@pytest.mark.parametrize("lifelines", ["l1", "l2,l3"])
def test_the_automaton_of_some_lifelines_accepts_what_they_see(lifelines: str) -> None:
    assert not differing(range(200), mask_of(lifelines))


def test_states_in_which_residuals_are_lost_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LazyAutomaton.state
    monkeypatch.setattr(
        LazyAutomaton, "state", lambda self, residuals: whole(self, sorted(residuals, key=id)[:1])
    )
    assert differing(range(200))


def test_equal_states_are_one_and_lead_to_one() -> None:
    automaton = LazyAutomaton()
    term = loop_s(alt(strict(a("l1!a"), a("l2?a")), strict(a("l1!b"), a("l2?b"))))
    start = automaton.start(term, ALL, begun=False)
    assert automaton.start(term, ALL, begun=False) is start
    sent, received = parse_action("l1!a"), parse_action("l2?a")
    once = automaton.next(start, sent)
    assert once is not None
    assert automaton.next(once, received) is start
    assert automaton.next(start, received) is None
    assert start.next == {sent: once, received: None}


def test_the_smallest_residual_of_a_state_is_the_first() -> None:
    automaton = LazyAutomaton()
    choice = alt(*[seq(*[a("l1!a")] * number) for number in range(1, 6)])
    state = automaton.next(automaton.start(choice, ALL, begun=False), parse_action("l1!a"))
    assert state is not None
    sizes = [one.size for one in state.residuals]
    assert sizes == sorted(sizes)
    assert state.size == sizes[-1]


def test_what_is_forgotten_is_made_anew_and_what_is_kept_is_not() -> None:
    automaton = LazyAutomaton()
    term = loop_s(seq(a("l1!a"), a("l2?a"), a("l1!b")))
    everything = [parse_action(text) for text in ("l1!a", "l2?a", "l1!b")] * 5
    state: State | None = automaton.start(term, ALL, begun=True)
    for action in everything:
        assert state is not None
        state = automaton.next(state, action)
    assert state is not None
    before, residuals = automaton.remembered, state.residuals
    (kept,) = automaton.forget([state])
    assert kept.residuals == residuals
    assert not kept.next
    assert not state.next
    assert automaton.remembered < before
    for action in everything:
        reached = automaton.next(kept, action)
        assert reached is not None
        kept = reached


def test_a_projection_allows_what_the_residual_allows() -> None:
    """Also what happens unobserved first, where it may."""
    automaton = LazyAutomaton()
    term = strict(a("l1!a"), a("l2?a"), a("l1!b"))
    residual = automaton.residuals.plain(term)
    on_l1 = mask(["l1"])
    first, second = parse_action("l1!a"), parse_action("l1!b")
    view = automaton.projection(residual, on_l1, begun=False)
    assert automaton.next(view, second) is None
    assert automaton.next(view, first) is not None
    late = automaton.projection(residual, on_l1, begun=True)
    assert automaton.next(late, second) is not None
    assert automaton.projection(residual, on_l1, begun=True) is late


def test_who_is_over_in_a_complete_log_does_nothing_more() -> None:
    automaton = LazyAutomaton()
    term = par(a("l1!a"), loop_s(a("l1!b")), loop_s(a("l2!c")))
    on_l1 = mask(["l1"])
    state = automaton.state([automaton.residuals.plain(term)])
    going_on = automaton.observation(on_l1, NONE, NONE)
    silent = automaton.observation(on_l1, NONE, on_l1)
    assert automaton.observation(on_l1, NONE, on_l1) is silent
    after, last = (
        automaton.move(state, parse_action("l1!a"), how).state for how in (going_on, silent)
    )
    assert after is not None
    assert last is not None
    assert after.residuals[0].lifelines == mask_of("l1,l2")
    assert last.residuals[0].lifelines == mask_of("l2")


def test_an_automaton_that_is_dropped_leads_nowhere() -> None:
    automaton = LazyAutomaton()
    start = automaton.start(loop_s(a("l1!a")), ALL, begun=False)
    assert automaton.next(start, parse_action("l1!a")) is start
    del automaton
    assert not start.next


def test_nothing_happened_unobserved_in_what_is_plain() -> None:
    residuals = Residuals()
    plain: Residual = residuals.plain(EMPTY)
    assert plain.kind == PLAIN
    assert plain is residuals.plain(EMPTY)
    assert plain.count == 0
