"""Looking ahead drops nothing that can lead to the end of the logs."""

from __future__ import annotations

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.term import alt, loop_w, seq
from choreomon.verify import beam_search, exact, look_ahead
from choreomon.verify.beam_search import Layer, Places, Search
from choreomon.verify.exact import decide_exact
from choreomon.verify.lazy_automaton import LazyAutomaton, State
from choreomon.verify.look_ahead import AHEAD, LookAhead
from choreomon.verify.residual import Residual
from choreomon.verify.verdict import Verdict
from tests.verify.exact_cases import EXACT_MODES, ORDERED, beams, passing, wrong
from tests.verify.named_cases import wrong_by_name
from tests.verify.papers.questions import a, logs, mask_of


class Dropped:
    """What looking ahead drops, each with the search and the places."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.residuals: list[tuple[Search, Places, Residual]] = []
        self.asked = 0
        whole = Search.fitting
        seen = self

        def noted(self: Search, layer: Layer) -> Layer:
            kept = whole(self, layer)
            for places, cluster in layer.items():
                left = kept[places].state.residuals if places in kept else ()
                seen.asked += len(cluster.state.residuals)
                seen.residuals += [
                    (self, places, one) for one in cluster.state.residuals if one not in left
                ]
            return kept

        monkeypatch.setattr(Search, "fitting", noted)


def leads_on(search: Search, places: Places, residual: Residual) -> bool:
    """Whether the end of the logs can be reached from there, without looking ahead."""
    again = Search(search.automaton, search._term, [], search.mode)
    again.components, again.end, again._silent = search.components, search.end, search._silent
    again.looks_ahead = False  # type: ignore[misc]
    state: State = search.automaton.state([residual])
    (cluster,) = search.first_layer(state).values()
    return bool(again.run({places: cluster._replace(unobserved=search.unobserved(places))}))


def lost(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many residuals are dropped, and how many of them could lead to the end."""
    dropped = Dropped(monkeypatch)
    # Every layer is looked at, and nothing else is dropped.
    monkeypatch.setattr(exact, "BEAMS", beams(0, None))
    monkeypatch.setattr(beam_search, "NARROW", 0)
    monkeypatch.setattr(Search, "narrowed", lambda self, layer: layer)
    wrong(range(800, 815))
    wrong(range(830, 840), EXACT_MODES, ORDERED, 16)
    found = sum(leads_on(*one) for one in dropped.residuals)
    return len(dropped.residuals), found


def test_what_is_dropped_cannot_lead_to_the_end_of_the_logs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped, mistaken = lost(monkeypatch)
    assert dropped > 150
    assert not mistaken


@pytest.mark.parametrize("ahead", [1, 3])
def test_looking_ahead_a_little_drops_nothing_that_is_needed_either(
    ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "AHEAD", ahead)
    monkeypatch.setattr(look_ahead, "NARROW", 2)
    _, mistaken = lost(monkeypatch)
    assert not mistaken


def test_without_looking_ahead_all_verdicts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "BEAMS", beams(1, None))
    monkeypatch.setattr(Search, "looks_ahead", False)
    assert not wrong(range(800, 815))
    assert not wrong(range(830, 845), EXACT_MODES, ORDERED, 16)
    assert not wrong_by_name()


def test_looking_ahead_for_actions_that_are_explained_already_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: of each component the last explained action is looked for once more."""
    whole = LookAhead.fits

    def mistaken(self: LookAhead, residual: Residual, places: Places) -> bool:
        return whole(self, residual, [max(place - 1, 0) for place in places])

    monkeypatch.setattr(LookAhead, "fits", mistaken)
    assert lost(monkeypatch)[1]


def test_looking_ahead_for_what_is_left_in_the_end_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: as if nothing might be left to do, in whatever mode."""
    whole = LookAhead.__init__

    def mistaken(self: LookAhead, *found: object, **how: bool) -> None:
        whole(self, *found, **{**how, "complete": True})  # type: ignore[arg-type]

    monkeypatch.setattr(LookAhead, "__init__", mistaken)
    assert lost(monkeypatch)[1]


def test_dead_ends_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """An `l3?m` would have to come before `l3!o`, and nobody recorded it."""
    messages = loop_w(alt(passing("l1", "n", "l2"), passing("l2", "m", "l3")))
    interaction = seq(messages, passing("l3", "o", "l2"))
    seen = logs(f"l1,l3: {'l1!n ' * 6} l3!o; l2: l2!m l2?n l2?n l2?o")
    monkeypatch.setattr(exact, "BEAMS", beams(0, None))
    monkeypatch.setattr(beam_search, "NARROW", 0)
    monkeypatch.setattr(Search, "narrowed", lambda self, layer: layer)
    visited = []
    for looks_ahead in (True, False):
        monkeypatch.setattr(Search, "looks_ahead", looks_ahead)
        answer = decide_exact(interaction, seen, "multiprefix")
        assert answer.verdict is Verdict.FAIL
        visited.append(answer.vertices)
    assert visited[0] < visited[1]


def test_so_many_actions_are_looked_at_and_no_more() -> None:
    automaton = LazyAutomaton()
    repeated = loop_w(a("l1!a"))
    good, wrong = (parse_action(text) for text in ("l1!a", "l1!b"))

    def fits(number: int) -> bool:
        """Where the action behind so many right ones is wrong."""
        own = [(mask_of("l1"), [*[good] * number, wrong])]
        ahead = LookAhead(automaton, own, complete=False, before=False)
        return ahead.fits(automaton.residuals.plain(repeated), (0,))

    assert [fits(number) for number in (0, AHEAD - 1, AHEAD, AHEAD + 9)] == [False] * 2 + [True] * 2
    assert AHEAD == 64  # as docs/adr/016 says
