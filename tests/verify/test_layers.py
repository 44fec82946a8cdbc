"""Layers against brute force and against the searches; what they keep; and planted bugs."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, alt, loop_s, loop_w, par, seq, strict
from choreomon.multitrace.coded import LONG
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.slices import random_multi_prefix
from choreomon.verify import exact, layers
from choreomon.verify.exact import ExactDecider, observed_parts
from choreomon.verify.exact_search import STOPPED, ExactMode, Limits, Search
from choreomon.verify.layered_walk import Bounds
from choreomon.verify.layers import LayeredTest, Layers
from choreomon.verify.papers.engine import search
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from choreomon.verify.views import Views
from tests.verify.exact_cases import questions as exact_questions
from tests.verify.papers.questions import a, logs, questions

MODES: tuple[ExactMode, ...] = ("accept", "prefix", "multiprefix")


def holds(interaction: Interaction, seen: MultiTrace, mode: ExactMode, walk: Layers) -> bool:
    """The answer by layers alone."""
    parts = observed_parts(interaction, seen)
    if parts is None:
        return False
    assert mode != "slice"
    for bounds in (Bounds(1, 1), Bounds(3, None), Bounds(10_000, None)):
        answer, _ = walk.holds(normal(interaction), parts, mode, bounds)
        if answer is not None:
            return answer
    raise AssertionError


def disagreements(seed: int, number: int, met: Counter[tuple[str, bool]]) -> int:
    """How many answers are not those of brute force."""
    rng = Random(seed)
    found = 0
    for question in questions(rng, number):
        seen = question.multitrace
        if rng.random() < 0.7:
            seen = random_multi_prefix(rng, seen)
        walk = Layers(kept=rng.choice((2, 10_000)))
        for mode in MODES:
            expected = question.oracle.judge(seen, mode).passes
            met[mode, expected] += 1
            found += holds(question.interaction, seen, mode, walk) is not expected
    return found


@pytest.mark.parametrize("seed", range(3))
def test_layers_answer_as_brute_force_does(seed: int) -> None:
    met: Counter[tuple[str, bool]] = Counter()
    assert disagreements(seed, 150, met) == 0
    assert min(met[mode, answer] for mode in MODES for answer in (True, False)) > 5


@pytest.mark.parametrize("seed", range(3))
def test_the_mode_test_ends_in_layers_as_in_the_whole_graph(seed: int) -> None:
    rng = Random(seed)
    met: Counter[tuple[Verdict, str]] = Counter()
    for question in questions(rng, 150):
        seen = random_multi_prefix(rng, question.multitrace)
        result = search(question.interaction, seen, "test")
        answer = LayeredTest(question.interaction).decide(seen)
        assert answer is not None
        met[answer.verdict, answer.reason] += 1
        assert (answer.verdict, answer.reason) == (result.verdict, result.reason), question[:2]
        if not result.verdict.passes:
            assert answer.vertices == result.vertices
    assert set(met) == {
        (Verdict.PASS, ""),
        (Verdict.WEAK_PASS, ""),
        (Verdict.INCONC, "LackObs"),
        (Verdict.FAIL, ""),
    }


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_deciders_that_take_every_log_for_a_long_one_answer_as_brute_force_does(
    monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(exact, "LONG", 0)
    met: Counter[tuple[ExactMode, Verdict]] = Counter()
    for seed in range(first, first + 20):
        for question in exact_questions(seed):
            decider = ExactDecider(question.interaction, question.mode)
            assert decider.decide(question.multitrace).verdict is question.verdict, question
            met[question.mode, question.verdict] += 1
    assert len(met) == 11


def test_a_walk_that_forgets_the_lifelines_that_go_on_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layers.Layers, "_beside", lambda *_: ())
    assert disagreements(1, 150, Counter())


def test_a_walk_that_takes_anybody_first_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "WAITS", None)
    assert disagreements(1, 150, Counter())


def test_a_walk_that_takes_what_it_cut_for_all_there_is_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = layers.Layers.end
    monkeypatch.setattr(
        layers.Layers, "end", lambda *args, **more: whole(*args, **more)._replace(cut=False)
    )
    assert disagreements(1, 150, Counter())


def test_a_walk_that_follows_one_follow_up_only_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layers, "after", lambda *args: after(*args)[:1])
    assert disagreements(1, 150, Counter())


ORDERS = loop_s(
    strict(a("customer!order"), a("shop?order"), seq(a("shop!parcel"), a("customer?parcel")))
)


def rounds(number: int, last: str = "") -> MultiTrace:
    """Logs of so many orders, of which the shop's goes on with `last`."""
    return logs(
        f"customer: {'customer!order customer?parcel ' * number};"
        f"shop: {'shop?order shop!parcel ' * number}{last}"
    )


@pytest.mark.parametrize(
    ("mode", "last", "expected"),
    [
        ("prefix", "", Verdict.PASS),
        ("prefix", "shop?order", Verdict.FAIL),
        ("test", "", Verdict.PASS),
        ("test", "shop?order", Verdict.INCONC),
        ("test", "shop!parcel", Verdict.INCONC),
    ],
)
def test_of_long_logs_no_more_is_kept_than_a_layer(
    monkeypatch: pytest.MonkeyPatch, mode: Mode, last: str, expected: Verdict
) -> None:
    """What is visited grows with the logs, what is kept does not; and no search is begun."""
    made: list[Layers] = []
    whole = Layers.__init__

    def noted(self: Layers, *args: object, **more: object) -> None:
        whole(self, *args, **more)  # type: ignore[arg-type]
        made.append(self)

    monkeypatch.setattr(Layers, "__init__", noted)
    monkeypatch.setattr(Search, "__init__", None)
    verifier = Verifier(ORDERS, mode)
    seen = rounds(LONG // 4 + 1, last)
    assert seen.length >= LONG
    assert verifier.decide(seen).verdict is expected
    assert sum(len(walk._rests) for walk in made) <= 20


@pytest.mark.parametrize("interaction", [ORDERS, par(ORDERS, ORDERS)])
def test_what_is_no_multi_prefix_may_be_a_slice(
    monkeypatch: pytest.MonkeyPatch, interaction: Interaction
) -> None:
    monkeypatch.setattr(exact, "LONG", 0)
    late = logs("customer: customer?parcel; shop: shop!parcel shop?order")
    assert ExactDecider(interaction, "multiprefix").decide(late).verdict is Verdict.FAIL
    assert ExactDecider(interaction, "slice").decide(late).verdict is Verdict.WEAK_PASS


def test_long_logs_that_begin_with_the_system_are_slices_without_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(exact.Search, "run", lambda *_: asked.append("search"))
    monkeypatch.setattr(exact.LateSearch, "run", lambda *_: asked.append("late search"))
    monkeypatch.setattr(exact.Discrete, "holds", lambda *_: asked.append("one by one"))
    monkeypatch.setattr(exact.LateLayers, "holds", lambda *_: asked.append("late layers"))
    answer = ExactDecider(ORDERS, "slice").decide(rounds(LONG // 4 + 1))
    assert answer.verdict is Verdict.PASS
    assert not asked


NARROW = Bounds(2, None)
CHOICES = normal(loop_s(alt(strict(a("a!go"), a("b?go")), strict(a("c!go"), a("d?go")))))


def choices(number: int, more: int) -> MultiTrace:
    """So many of both; of what `d` does, some more than that."""
    return logs(
        f"a: {'a!go ' * number}; b: {'b?go ' * number};"
        f"c: {'c!go ' * number}; d: {'d?go ' * (number + more)}"
    )


def test_what_is_found_in_layers_that_were_cut_is_right_and_else_the_searches_tell() -> None:
    parts = observed_parts(CHOICES, choices(20, 0))
    wrong = observed_parts(CHOICES, choices(20, 1))
    assert parts is not None
    assert wrong is not None
    walk = Layers()
    assert walk.end(CHOICES, parts, NARROW).cut
    assert walk.holds(CHOICES, parts, "accept", NARROW)[0] is True
    assert walk.holds(CHOICES, wrong, "prefix", NARROW)[0] is None
    assert walk.holds(CHOICES, wrong, "prefix", Bounds(64, 2))[0] is False
    assert LayeredTest(CHOICES, tries=(NARROW,)).decide(choices(20, 1)) is None


def test_what_grows_too_large_is_left_out() -> None:
    ahead = normal(par(loop_w(strict(a("l1!m"), a("l2?m"))), a("l2!n")))
    parts = observed_parts(ahead, logs(f"l1: {'l1!m ' * 300}; l2: l2!n {'l2?m ' * 300}"))
    lagging = observed_parts(ahead, logs(f"l1: {'l1!m ' * 300} ; l2: l2?n"))
    assert parts is not None
    assert lagging is not None
    assert Layers().holds(ahead, parts, "prefix", Bounds(1, 1))[0] is True
    only = lagging[:1]
    assert Layers().holds(ahead, only, "prefix", Bounds(1, 1))[0] is None
    assert Layers().holds(ahead, only, "prefix", Bounds(1, None))[0] is True


def test_a_walk_ends_when_asked_to() -> None:
    seen = rounds(LONG)
    decider = ExactDecider(ORDERS, "prefix")
    answer = decider.decide(seen, Limits(should_stop=lambda: True))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, STOPPED)
    answer = Verifier(ORDERS, "test", should_stop=lambda: "TimedOut").decide(seen)
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, "TimedOut")


def test_a_search_and_the_layers_visit_as_many_vertices_of_a_graph_without_choice() -> None:
    ticks = loop_s(strict(a("customer!order"), a("shop?order"), a("customer?parcel")))
    parts = observed_parts(
        ticks,
        logs(f"customer: {'customer!order customer?parcel ' * 10}; shop: {'shop?order ' * 10}"),
    )
    assert parts is not None
    searched = Search(Views(), parts, "prefix", Limits())
    assert searched.run(ticks)[0]
    # The search stops before it has counted the end.
    assert Layers().end(ticks, parts, Bounds(1, 1)).visited == searched.visited + 1 == 31


def test_a_component_that_the_interaction_does_not_have_lacks_nothing() -> None:
    strange = logs("x: x!n; y: ")
    assert LayeredTest(a("x!m")).decide(strange) == (Verdict.FAIL, "", 1)
    assert LayeredTest(seq(a("x!m"), a("y?m"))).decide(strange) == (Verdict.INCONC, "LackObs", 1)
