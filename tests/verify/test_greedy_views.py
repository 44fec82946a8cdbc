"""One way to go on tried before all are made: a yes is right, a no is not believed, and what is
found out does not multiply with the number of lifelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from choreomon.interaction.lifelines import NONE
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import Interaction, alt, loop_p, loop_s, loop_w, par, seq, strict
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import exact
from choreomon.verify.exact import ExactDecider, decide_exact, observed_parts
from choreomon.verify.exact_search import STOPPED, ExactMode, Limits
from choreomon.verify.late import LateTerm, LateTerms
from choreomon.verify.late_search import LateSearch
from choreomon.verify.one_by_one import OneByOne
from choreomon.verify.verdict import Verdict
from choreomon.verify.views import Views
from tests.verify.exact_cases import questions
from tests.verify.papers.questions import a, logs, passing

MODES: tuple[ExactMode, ...] = ("slice", "multiprefix")
WITHOUT_HEADS = ("strict", "seq", "par", "coreg", "alt", "loopS", "loopW", "loopP", "loopC")


def answers(seeds: range) -> Iterator[tuple[bool, bool]]:
    """Whether greedy views lead to the end, and whether it can be reached."""
    for seed in seeds:
        for one in questions(seed, MODES, WITHOUT_HEADS):
            parts = observed_parts(normal(one.interaction), one.multitrace)
            if parts is not None and one.multitrace.length:
                search = LateSearch(Views(greedy=True), parts, one.mode == "slice", Limits())
                yield search.goes_through(one.interaction)[0], one.verdict.passes


def believed(seeds: range) -> bool:
    return all(right for found, right in answers(seeds) if found)


def test_what_greedy_views_find_is_right_and_mostly_they_find_it() -> None:
    compared = list(answers(range(200)))
    assert all(right for found, right in compared if found)
    possible = [found for found, right in compared if right]
    assert len(possible) > 900
    assert not all(possible)
    assert sum(possible) > 0.9 * len(possible)


def wrong(seeds: range) -> bool:
    return any(
        decide_exact(one.interaction, one.multitrace, one.mode).verdict is not one.verdict
        for seed in seeds
        for one in questions(seed, MODES)
    )


def test_verdicts_are_those_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "FEW", 0)
    assert not wrong(range(300, 420))


def test_a_no_of_greedy_views_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two choices they know the one of which less is left. Planted bug: nobody asks again."""
    monkeypatch.setattr(exact, "FEW", 0)
    choice = alt(strict(a("l1!m"), a("l2!m"), a("l3!m")), strict(a("l1!m"), a("l2!n")))
    seen = logs("l1,l2: l1!m l2!m; l3: l3!m")
    assert decide_exact(choice, seen, "slice").verdict is Verdict.PASS
    monkeypatch.setattr(LateSearch, "run", lambda *_: (False, 0))
    assert decide_exact(choice, seen, "slice").verdict is Verdict.FAIL


def test_greedy_views_that_forget_what_they_decided_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: iterations that may not act on a lifeline any more do so all the same."""
    assert believed(range(60))
    monkeypatch.setattr(LateTerms, "undecided", without_pruning(LateTerms.undecided))
    assert not believed(range(60))


def without_pruning(right: Callable[..., LateTerm]) -> Callable[..., LateTerm]:
    return lambda self, term, epochs, _: right(self, term, epochs, NONE)


# -- many lifelines ---------------------------------------------------------------------------


def ring(number: int) -> list[Interaction]:
    """Everybody sends a message to the next one."""
    return [passing(f"l{n}", f"m{n}", f"l{(n + 1) % number}") for n in range(number)]


def windows(number: int, together: int) -> MultiTrace:
    """Of three iterations of the ring, by so many lifelines with one clock: what each began to
    record a little later than the one before."""
    happened = [
        word
        for _ in range(3)
        for n in range(number)
        for word in (f"l{n}!m{n}", f"l{(n + 1) % number}?m{n}")
    ]
    parts = []
    for first in range(0, number, together):
        names = [f"l{n}" for n in range(first, first + together)]
        own = [a(word).action for word in happened if word.replace("?", "!").split("!")[0] in names]
        parts.append(component(names, own[1 + first % 3 : -1]))  # type: ignore[arg-type]
    return multi_trace(parts)


@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize(
    "interaction",
    [lambda messages: loop_w(par(*messages)), lambda messages: loop_p(seq(*messages))],
)
def test_orders_that_show_between_many_lifelines_take_one_vertex_for_each_action(
    interaction: Callable[[list[Interaction]], Interaction],
    together: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LateSearch, "run", None)
    for number in (6, 12):
        term = interaction(ring(number))
        assert not is_exact_to_weaken(normal(term))
        seen = windows(number, together)
        decider = ExactDecider(term, "slice")
        answer = decider.decide(seen)
        assert answer.verdict is Verdict.WEAK_PASS
        assert answer.vertices <= 2 * seen.length
        assert decider.greedy.remembered < 300 * seen.length


def test_another_component_may_have_to_be_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components that take turns lead greedy views nowhere here."""
    asked: list[int | None] = []
    right = LateSearch._depth_first

    def noted(
        self: LateSearch, start: object, first: int | None, *args: int, **more: bool
    ) -> object:
        asked.append(first)
        return right(self, start, first, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(LateSearch, "_depth_first", noted)
    monkeypatch.setattr(LateSearch, "run", None)
    seen = logs(
        "l0,l1: l1?m0 l1!m1 l0?m5 l0!m0 l1?m0 l1!m1 l0?m5;"
        "l2,l3: l2?m1 l2!m2 l3?m2 l3!m3 l2?m1 l2!m2"
    )
    assert decide_exact(loop_s(par(*ring(6))), seen, "slice").verdict is Verdict.WEAK_PASS
    assert {None, 0} <= set(asked)


def test_components_one_by_one_are_asked_greedily_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OneByOne, "holds", None)
    decider = ExactDecider(loop_w(seq(*ring(12))), "slice")
    seen = windows(12, 1)
    answer = decider.decide(seen)
    assert answer.verdict is Verdict.WEAK_PASS
    assert answer.vertices == seen.length
    assert decider.greedy.remembered < 40 * seen.length


def test_ways_to_be_over_are_not_all_looked_at_before_limits_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever has to be over may have acted in many epochs, in as many ways as these make
    together."""
    monkeypatch.setattr(exact, "FEW", 12)
    asked = 0

    def stops() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5_000

    term = loop_s(par(*ring(12)))
    answer = decide_exact(term, windows(12, 1), "slice", Limits(should_stop=stops))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, STOPPED)
    assert asked == 5_001
