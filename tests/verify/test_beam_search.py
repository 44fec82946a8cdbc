"""The one search: how little it visits, and that what it leaves out matters to no verdict."""

from __future__ import annotations

import pytest

from choreomon.core.action import Action
from choreomon.interaction.term import Interaction, alt, loop_p, loop_s, loop_w, par, seq, strict
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import beam_search, exact
from choreomon.verify.beam_search import Beam, ExactMode, Layer, Search
from choreomon.verify.exact import ExactDecider, decide_exact
from choreomon.verify.lazy_automaton import LazyAutomaton, Move
from choreomon.verify.persistent_set import PersistentSets
from choreomon.verify.verdict import Verdict
from tests.verify.exact_cases import EXACT_MODES, ORDERED, beams, passing, searched, wrong
from tests.verify.named_cases import ORDERS, RING, wrong_by_name
from tests.verify.papers.questions import a, logs

pytestmark = pytest.mark.usefixtures("by_search")

# -- persistent sets -------------------------------------------------------------------------


def test_without_persistent_sets_all_verdicts_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(PersistentSets, "may_be_first", lambda *question: asked.append(question))
    assert not wrong(range(700, 725))
    assert not wrong(range(725, 740), EXACT_MODES, ORDERED, 16)
    assert not wrong_by_name()
    assert asked


def test_whoever_takes_anybody_first_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted bug: everything counts as persistent."""
    whole = LazyAutomaton.move

    def sure(*question: object) -> Move:
        return whole(*question)._replace(persistent=True)  # type: ignore[arg-type]

    monkeypatch.setattr(LazyAutomaton, "move", sure)
    assert wrong_by_name()


def test_a_component_that_has_not_begun_is_not_taken_first_for_that() -> None:
    """`l1` did `u` unobserved, after what `l2` did."""
    term = seq(strict(a("l2!x"), a("l1!u")), a("l1!a"))
    seen = logs("l1: l1!a; l2: l2!x")
    assert searched(term, seen, "slice").answer


# -- what is visited --------------------------------------------------------------------------


def repeated(times: int, *local: str) -> MultiTrace:
    """Components, each with some words over and over."""
    parts = []
    for text in local:
        name, _, words = text.partition(": ")
        own: list[Action] = [a(word).action for word in words.split()]  # type: ignore[misc]
        parts.append(component(name.split(","), own * times))
    return multi_trace(parts)


HANDSHAKE = loop_s(strict(a("l1!syn"), a("l2?syn"), a("l2!ack"), a("l1?ack")))
PIPELINE = loop_w(seq(passing("l1", "job", "l2"), passing("l2", "part", "l3")))
COMMITMENT = loop_s(
    strict(
        a("l1!ask"),
        par(strict(a("l2?ask"), a("l2!yes")), strict(a("l3?ask"), a("l3!yes"))),
        par(a("l1?yes"), a("l1?yes")),
        a("l1!commit"),
        par(a("l2?commit"), a("l3?commit")),
    )
)
PROTOCOLS: dict[str, tuple[Interaction, MultiTrace]] = {
    "handshake": (HANDSHAKE, repeated(500, "l1: l1!syn l1?ack", "l2: l2?syn l2!ack")),
    "pipeline": (PIPELINE, repeated(500, "l1: l1!job", "l2: l2?job l2!part", "l3: l3?part")),
    "commitment": (
        COMMITMENT,
        repeated(
            200,
            "l1: l1!ask l1?yes l1?yes l1!commit",
            "l2: l2?ask l2!yes l2?commit",
            "l3: l3?ask l3!yes l3?commit",
        ),
    ),
    "shared clock": (ORDERS, repeated(500, "l1,l2: l1!order l2?order l2!parcel l1?parcel")),
    "two outcomes": (
        loop_w(
            alt(
                seq(passing("l1", "go", "l2"), passing("l2", "yes", "l1")),
                seq(passing("l1", "go", "l2"), passing("l2", "no", "l1")),
            )
        ),
        repeated(250, "l1: l1!go l1?yes l1!go l1?no", "l2: l2?go l2!yes l2?go l2!no"),
    ),
}
"""Protocols, and logs of 2,000 actions of them."""


@pytest.mark.parametrize("mode", EXACT_MODES)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_logs_of_protocols_are_walked_through_once(name: str, mode: ExactMode) -> None:
    """As many vertices as actions."""
    term, seen = PROTOCOLS[name]
    assert seen.length == 2_000
    decider = ExactDecider(term, mode)
    answer = decider.decide(seen)
    assert answer.verdict is Verdict.PASS
    assert answer.vertices == 2_000
    assert decider.automaton.remembered < 100


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_is_missing_in_the_end_costs_no_more(name: str) -> None:
    """A multi-prefix is told in as many vertices, after whether it is accepted."""
    term, seen = PROTOCOLS[name]
    first, *others = seen.components
    cut = MultiTrace((*others, first._replace(actions=first.actions[:-1])))
    answer = decide_exact(term, cut, "multiprefix")
    assert answer.verdict is Verdict.WEAK_PASS
    assert answer.vertices == cut.length


def test_components_that_interleave_with_themselves_are_decided_in_few_steps() -> None:
    letters = "abcdefgh"
    term = par(*[loop_w(seq(a(f"l1!{one}"), a("l1!z"), a(f"l2?{one}"))) for one in letters])
    word = "".join(f"l1!{one} l1!z " for one in letters)
    heard = "".join(f"l2?{one} " for one in letters)
    answer = decide_exact(term, logs(f"l1: {word * 2}; l2: {heard * 2}"), "accept")
    assert answer.verdict is Verdict.PASS
    assert answer.vertices < 1_500


@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize(
    "term", [loop_w(par(*RING)), loop_p(seq(*RING)), loop_w(seq(*RING)), loop_s(seq(*RING))]
)
def test_rings_of_lifelines_that_begin_to_record_late_take_a_vertex_for_each_action(
    term: Interaction, together: int
) -> None:
    happened = [
        word for _ in range(3) for n in range(6) for word in (f"l{n}!m{n}", f"l{(n + 1) % 6}?m{n}")
    ]
    parts = []
    for first in range(0, 6, together):
        names = [f"l{n}" for n in range(first, first + together)]
        own = [a(word).action for word in happened if word[:2] in names]
        parts.append(component(names, own[1 + first % 3 : -1]))  # type: ignore[arg-type]
    seen = multi_trace(parts)
    decider = ExactDecider(term, "slice")
    answer = decider.decide(seen)
    assert answer.verdict is Verdict.WEAK_PASS
    assert answer.vertices <= 2 * seen.length
    assert decider.automaton.remembered < 3_000


def test_a_narrow_beam_says_yes_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest residual is not the right one: a beam of one does not tell, one of two does."""
    monkeypatch.setattr(beam_search, "NARROW", 0)
    term = alt(
        seq(a("l1!m"), a("l1!n")), seq(a("l1!m"), a("l1!o"), a("l1!p")), seq(a("l1!m"), a("l2!q"))
    )
    seen = logs("l1: l1!m l1!o l1!p; l2:")
    answers = [searched(term, seen, "accept", width).answer for width in (0, 1, 3, None)]
    assert answers[0] is None
    assert answers[-2:] == [True, True]
    assert answers[1] is not False


def test_all_components_are_tried_until_each_has_begun() -> None:
    """What `l1` does next hinders nobody, and would be the only way to go on if all had begun."""
    term = strict(a("l1!a"), a("l1!a"), par(loop_w(a("l1!c")), loop_w(a("l2!b"))))
    found = []

    class Noted(Search):
        goes_straight = False

        def passed(self, before: Layer, after: Layer) -> None:
            found.append({*after})

    decider = ExactDecider(term, "slice")
    parts = decider.observed(logs("l1: l1!a l1!a l1!c l1!c; l2: l2!b l2!b"))
    assert parts is not None
    for beam in (Beam(16), Beam(16, eager=True)):
        found.clear()
        assert decider.search(parts, "slice", None, Noted).attempt(beam)
        assert (2, 0) in found[1]
        assert (3, 0) in found[2]
        assert ((2, 1) in found[2]) is beam.eager


def test_what_is_answered_is_not_searched_again() -> None:
    term = alt(seq(a("l1!m"), a("l2!n")), seq(a("l1!o"), a("l2!p")))
    search = searched(term, logs("l1: l1!m; l2: l2!p"), "accept")
    assert search.answer is False
    visited = search.visited
    assert visited > 0
    assert search.attempt(Beam(1_000)) is False
    assert search.visited == visited


def test_logs_that_are_begun_early_leave_every_verdict_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beam_search, "AHEAD", 1)
    monkeypatch.setattr(exact, "BEAMS", (Beam(3, eager=True), Beam(1_000, eager=True), Beam(None)))
    assert not wrong(range(2_100, 2_125), ("slice",))
    assert not wrong(range(2_130, 2_150), ("slice",), ORDERED, 16)
    assert not wrong_by_name()


def test_the_first_widths_are_tried_again_until_there_is_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int | None] = []
    whole = Search.attempt

    def noted(self: Search, beam: Beam) -> bool | None:
        tried.append(beam.width)
        return whole(self, beam)

    monkeypatch.setattr(Search, "attempt", noted)
    monkeypatch.setattr(exact, "BEAMS", beams(0, 0, None))
    assert (
        decide_exact(ORDERS, logs("l1: l1!order; l2: l2?order"), "accept").verdict is Verdict.FAIL
    )
    assert tried[0] == 0
