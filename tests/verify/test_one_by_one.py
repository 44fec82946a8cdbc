"""Components one after the other, where no order shows between them: the answers of brute force,
and work that does not pile up with the number of components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from choreomon.interaction.lifelines import is_single
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import Interaction, alt, loop_p, loop_s, loop_w, seq
from choreomon.interaction.weakening import has_strict_like, weakened
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import exact, exact_discrete, one_by_one
from choreomon.verify.exact import ExactDecider, decide_exact, observed_parts
from choreomon.verify.exact_discrete import Discrete
from choreomon.verify.exact_search import STOPPED, TOO_MANY_VERTICES, ExactMode, Limits
from choreomon.verify.one_by_one import OneByOne
from choreomon.verify.verdict import Verdict
from choreomon.verify.views import Views
from tests.verify.exact_cases import Question, questions
from tests.verify.papers.questions import a, logs, passing

MODES: tuple[ExactMode, ...] = ("slice", "multiprefix")


def fitting(seeds: range) -> Iterator[tuple[Question, Interaction]]:
    """Questions for which this is, each with the term without strict-like operators."""
    for seed in seeds:
        for one in questions(seed, MODES):
            term = normal(one.interaction)
            parts = observed_parts(term, one.multitrace) or ()
            discrete = all(is_single(part.lifelines) for part in parts)
            if not has_strict_like(term) or (discrete and is_exact_to_weaken(term)):
                yield one, normal(weakened(term))


def answers(seeds: range) -> Iterator[tuple[bool | None, bool]]:
    """What is found, and what is right."""
    for one, term in fitting(seeds):
        parts = observed_parts(term, one.multitrace)
        if parts is not None:
            discrete = Discrete(Views(), term, Limits())
            yield discrete.holds(parts, one.mode)[0], one.verdict.passes


def wrong(seeds: range) -> bool:
    return any(found is not None and found is not right for found, right in answers(seeds))


def test_every_answer_is_that_of_brute_force() -> None:
    all_of_them = list(answers(range(250)))
    assert all(found is right for found, right in all_of_them)
    assert sum(right for _, right in all_of_them) > 500
    assert sum(not right for _, right in all_of_them) > 500


def test_where_few_vertices_do_not_tell_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_by_one, "_TRIES", (0, 1))
    found = set()
    for answer, right in answers(range(60)):
        assert answer is None or answer is right
        found.add(answer)
    assert found == {None, True, False}
    for one, _ in fitting(range(60)):
        assert decide_exact(one.interaction, one.multitrace, one.mode).verdict is one.verdict


def test_views_cut_only_what_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tries but the first one ask them."""
    monkeypatch.setattr(one_by_one, "_TRIES", (0, 1_000))
    assert all(found is right for found, right in answers(range(120)))


def nothing_before(self: OneByOne, term: Interaction, _: object) -> object:
    return self._views.late_terms.plain(term)


AFTER = Views.after


def no_choice(self: Views, *arguments: object) -> object:
    return AFTER(self, *arguments)[:1]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("owner", "name", "bug"),
    [
        (OneByOne, "_opened", nothing_before),
        (Views, "after", no_choice),
    ],
)
def test_planted_bugs_are_noticed(
    owner: type, name: str, bug: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can have happened before the first observed action; only one of the terms that may
    remain is looked at."""
    monkeypatch.setattr(one_by_one, "_TRIES", (0, 1_000))
    assert not wrong(range(120))
    monkeypatch.setattr(owner, name, bug)
    assert wrong(range(120))


def test_views_are_asked_of_what_may_have_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted bug: as if nothing had happened yet where another component is over."""
    monkeypatch.setattr(one_by_one, "_TRIES", (0, 1_000))
    both = seq(a("l1!m"), a("l2!m"), a("l2!n"), a("l1!n"))
    seen = logs("l1: l1!n; l2: l2!n")
    assert decide_exact(both, seen, "slice").verdict is Verdict.WEAK_PASS
    right = OneByOne._may_lead_on

    def too_early(self: OneByOne, *arguments: object) -> bool:
        self._before = False
        return right(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(OneByOne, "_may_lead_on", too_early)
    assert decide_exact(both, seen, "slice").verdict is Verdict.FAIL


# -- many components --------------------------------------------------------------------------


def ring(number: int) -> list[Interaction]:
    """Everybody sends a message to the next one."""
    return [passing(f"l{n}", f"m{n}", f"l{(n + 1) % number}") for n in range(number)]


def windows(rng: Random, number: int, rounds: int, *, whole: bool) -> MultiTrace:
    """What each of them saw of so many iterations of the ring, some of it only."""
    parts = []
    for n in range(number):
        once = [f"l{n}?m{(n - 1) % number}", f"l{n}!m{n}"]
        words = (once if n else once[::-1]) * rounds
        begin, end = sorted((rng.randrange(len(words) + 1), rng.randrange(len(words) + 1)))
        seen = words if whole else words[begin:end]
        parts.append(component([f"l{n}"], [a(word).action for word in seen]))  # type: ignore[misc]
    return multi_trace(parts)


@pytest.mark.parametrize("loop", [loop_w, loop_s])
@pytest.mark.parametrize("whole", [True, False])
def test_rings_of_many_lifelines_take_one_vertex_for_each_action(
    loop: Callable[[Interaction], Interaction], whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "LateSearch", None)
    for number in (4, 12):
        decider = ExactDecider(loop(seq(*ring(number))), "slice")
        seen = windows(Random(number), number, 2, whole=whole)
        answer = decider.decide(seen)
        assert answer.verdict is (Verdict.PASS if whole else Verdict.WEAK_PASS)
        assert answer.vertices == seen.length
        # All that is found out for one action: it does not double with each lifeline.
        assert decider.views.remembered < 60 * seen.length + 100


def test_clocks_that_lifelines_share_are_taken_one_by_one_where_there_is_no_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "LateSearch", None)
    decider = ExactDecider(loop_p(seq(*[a(f"l{n}!m{n}") for n in range(8)])), "slice")
    seen = logs("l0,l1: l1!m1 l0!m0 l0!m0; l2,l3: l2!m2; l4: l4!m4 l4!m4; l5,l6,l7: l7!m7 l5!m5")
    assert decider.decide(seen).verdict is Verdict.WEAK_PASS
    assert decider.decide(logs("l0,l1: l1!m1; l2: l2!m1")).verdict is Verdict.FAIL


def test_what_no_component_alone_tells_is_told_by_two_of_them() -> None:
    """Both may see the end of either choice, but not of different ones."""
    one = alt(seq(a("l1!m"), a("l2!m"), a("l3!m")), seq(a("l1!n"), a("l2!n"), a("l3!m")))
    for actions, verdict in (
        ("l1: l1!m; l2: l2!n; l3: l3!m", Verdict.FAIL),
        ("l1: l1!m; l2:; l3: l3!m", Verdict.WEAK_PASS),
        ("l1: l1!n; l2: l2!n; l3: l3!m", Verdict.PASS),
    ):
        assert decide_exact(one, logs(actions), "slice").verdict is verdict
    endless = loop_w(one)
    assert decide_exact(endless, logs("l1: l1!m; l2: l2!n"), "slice").verdict is Verdict.WEAK_PASS


def test_limits_stop_the_search() -> None:
    term = loop_w(seq(*ring(4)))
    seen = windows(Random(1), 4, 2, whole=True)
    answer = decide_exact(term, seen, "slice", Limits(vertices=3))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, TOO_MANY_VERTICES)
    answer = decide_exact(term, seen, "slice", Limits(should_stop=lambda: True))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, STOPPED)


def test_orders_that_show_are_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rings of which everybody sends before receiving, or not, at the same time."""
    monkeypatch.setattr(exact_discrete, "OneByOne", None)
    monkeypatch.setattr(exact, "Discrete", None)
    term = loop_p(seq(*ring(3)))
    assert not is_exact_to_weaken(normal(term))
    seen = windows(Random(1), 3, 1, whole=True)
    assert decide_exact(term, seen, "slice").verdict is Verdict.PASS
