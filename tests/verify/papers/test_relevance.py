"""What does not matter to the rest of a multi-trace is cut out, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from choreomon.core.action import Action
from choreomon.interaction.lifelines import mask, names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import frontier
from choreomon.interaction.term import EMPTY, Interaction, act, alt, loop_p, loop_w, par, seq
from choreomon.interaction.weakening import is_exact_by_removal
from choreomon.multitrace.multitrace import Component, MultiTrace, component, multi_trace
from choreomon.multitrace.mutation import alphabet, insert_action
from choreomon.verify.papers import relevance
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.heuristics import STRATEGIES, Filters
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.relevance import Relevance
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import LIFELINES, a, logs, passing, random_term

PLAIN = Options(reduction="none", local=None)
WHOLE = replace(PLAIN, goal=Verdict.WEAK_PASS, relevance=False)


def relevant(
    term: Interaction, seen: MultiTrace, consumed: tuple[int, ...] | None = None
) -> Interaction | None:
    """What matters of the term to what is left of the multi-trace."""
    whole = multi_trace(seen.components, names(term.lifelines))
    words = [list(map(act, part.actions)) for part in whole.components]
    cut = Relevance(words, [mask(part.lifelines) for part in whole.components])
    found = cut.of_all([normal(term)], consumed or (0,) * len(words))
    return found[0] if found else None


def explained(term: Interaction, seen: MultiTrace) -> bool:
    """Whether the multi-trace is a multi-prefix, by a search that cuts nothing."""
    return search(term, seen, "multiprefix", WHOLE).verdict.passes


def observed(rng: Random, term: Interaction) -> MultiTrace:
    """Prefixes of what each lifeline does on a random way through the term, sometimes with an
    action more."""
    local: dict[str, list[Action]] = {name: [] for name in LIFELINES}
    left = term
    for _ in range(rng.randint(1, 9)):
        steps = frontier(left)
        if not steps:
            break
        step = rng.choice(steps)
        local[step.action.lifeline].append(step.action)
        left = step.follow_up
    parts = [
        component([name], actions[: rng.randint(len(actions) // 2, len(actions))])
        for name, actions in local.items()
    ]
    seen = multi_trace(parts)
    if rng.random() < 0.4:
        seen = insert_action(rng, seen, alphabet(LIFELINES, ("a", "b"))) or seen
    return seen


def drawn(seed: int, number: int) -> Iterator[tuple[Interaction, MultiTrace]]:
    """Questions for which lifeline removal is exact."""
    rng = Random(seed)
    found = 0
    while found < number:
        term = random_term(rng, sizes=(5, 16))
        if is_exact_by_removal(term):
            found += 1
            yield term, observed(rng, term)


def keeps_what_is_explained(term: Interaction, seen: MultiTrace, rng: Random) -> bool:
    """Of a multi-trace and of ends of its components."""
    seen = multi_trace(seen.components, names(term.lifelines))
    consumed = tuple(rng.randint(0, len(part.actions)) for part in seen.components)
    for positions in ((0,) * len(consumed), consumed):
        rest = MultiTrace(
            tuple(
                Component(part.lifelines, part.actions[position:])
                for part, position in zip(seen.components, positions, strict=True)
            )
        )
        cut = relevant(term, seen, positions)
        if explained(term, rest) != (cut is not None and explained(cut, rest)):
            return False
    return True


def test_what_remains_explains_what_the_whole_explains() -> None:
    rng = Random(1)
    explains = fails = 0
    for term, seen in drawn(31, 1_500):
        assert keeps_what_is_explained(term, seen, rng), (term, seen)
        explains += explained(term, seen)
        fails += not explained(term, seen)
    assert explains > 400
    assert fails > 200


MIXED = (
    par(seq(a("l1!a"), a("l1!c")), seq(a("l1!b"), a("l2!d"))),
    logs("l1: l1!a l1!b l1!c; l2: l2!d"),
)
PARALLEL_COPIES = (
    loop_p(seq(a("l1!a"), a("l1!b"), a("l2!c"))),
    logs("l1: l1!a l1!a l1!b l1!b; l2: l2!c"),
)


@pytest.mark.parametrize(("term", "seen"), [MIXED, PARALLEL_COPIES])
def test_what_others_do_in_between_counts(term: Interaction, seen: MultiTrace) -> None:
    assert keeps_what_is_explained(term, seen, Random(2))
    assert relevant(term, seen) is not None


@pytest.mark.parametrize(
    ("whose", "name", "wrong"),
    [
        (relevance, "_onward", lambda places, others: places),
        (Relevance, "_repeated", lambda self, part, own, others, depth: (EMPTY, own)),
        (
            Relevance,
            "_chosen",
            lambda self, part, own, others, depth: self._followed(part.left, own, 0, depth),
        ),
    ],
)
def test_a_wrong_cut_is_noticed(
    whose: object, name: str, wrong: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whose, name, wrong)
    rng = Random(3)
    cases = [MIXED, PARALLEL_COPIES, *drawn(32, 300)]
    assert not all(keeps_what_is_explained(term, seen, rng) for term, seen in cases)


TOLD = passing("l1", "m", "l2")


@pytest.mark.parametrize(
    ("term", "seen", "rest"),
    [
        # What comes after the ends of the logs.
        (seq(a("l1!a"), a("l1!b"), a("l2!c"), a("l2!d")), "l1: l1!a; l2: l2!c",
         seq(a("l1!a"), a("l2!c"))),
        (seq(TOLD, TOLD, TOLD), "l1: l1!m l1!m; l2: l2?m", seq(TOLD, a("l1!m"))),
        # A loop and a choice that the logs rule out.
        (seq(loop_w(TOLD), a("l1!b"), a("l2!c")), "l1: l1!b; l2: l2!c", seq(a("l1!b"), a("l2!c"))),
        (alt(seq(a("l1!a"), a("l2!b")), seq(a("l1!b"), a("l2!c"))), "l1: l1!b; l2:", a("l1!b")),
        # Other operands may act in between: only where the log had ended before all of them.
        (seq(a("l1!a"), par(a("l1!b"), a("l1!c"), a("l2!b"))), "l1: l1!a; l2: l2!b",
         seq(a("l1!a"), a("l2!b"))),
        (par(a("l1!a"), seq(a("l1!b"), a("l1!c"))), "l1: l1!b", par(a("l1!a"), a("l1!b"))),
        # Nothing explains what no lifeline does, or one does too little of.
        (seq(TOLD, TOLD), "l1: l1!m l1!x; l2:", None),
        (seq(TOLD, TOLD), "l1: l1!m l1!m l1!m; l2:", None),
    ],
)  # fmt: skip
def test_what_is_cut(term: Interaction, seen: str, rest: Interaction | None) -> None:
    assert relevant(term, logs(seen)) is (None if rest is None else normal(rest))


def test_what_is_nested_too_deep_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    term = seq(loop_w(alt(TOLD, seq(TOLD, a("l1!b")))), a("l1!b"), a("l2!c"))
    seen = logs("l1: l1!b; l2:")
    assert relevant(term, seen) is a("l1!b")
    monkeypatch.setattr(relevance, "_DEEP", 0)
    assert relevant(term, seen) is normal(seq(loop_w(alt(TOLD, seq(TOLD, a("l1!b")))), a("l1!b")))
    rng = Random(4)
    assert all(keeps_what_is_explained(term, seen, rng) for term, seen in drawn(33, 300))


def test_others_go_on_place_by_place() -> None:
    def slowly(places: int, others: int) -> int:
        while True:
            further = places | (places & others) << 1
            if further == places:
                return places
            places = further

    for places in range(64):
        for others in range(64):
            assert relevance._onward(places, others) == slowly(places, others)


def test_little_is_kept_and_the_same_is_cut() -> None:
    forgotten = 0
    for term, seen in drawn(36, 100):
        whole = multi_trace(seen.components, names(term.lifelines))
        words = [list(map(act, part.actions)) for part in whole.components]
        lifelines = [mask(part.lifelines) for part in whole.components]
        some, unlimited = Relevance(words, lifelines, limit=4), Relevance(words, lifelines)
        rests = [normal(step.follow_up) for step in frontier(term)]
        for positions in product(*[range(len(word) + 1) for word in words]):
            kept = len(some)
            assert some.of_all(rests, positions) == unlimited.of_all(rests, positions)
            forgotten += len(some) < kept
    assert forgotten > 100


def test_no_strategy_answers_otherwise_where_nothing_is_cut() -> None:
    met: Counter[Verdict] = Counter()
    fewer = 0
    for term, seen in drawn(34, 400):
        for strategy in STRATEGIES:
            cut, whole = (
                search(term, seen, "multiprefix", replace(PLAIN, strategy=strategy, relevance=yes))
                for yes in (True, False)
            )
            assert cut.verdict is whole.verdict, (term, seen)
            met[cut.verdict] += 1
            fewer += cut.vertices < whole.vertices
    assert min(met[Verdict.PASS], met[Verdict.WEAK_PASS], met[Verdict.FAIL]) > 50
    assert fewer > 300


def test_whether_the_interaction_may_stop_is_another_question() -> None:
    term = seq(a("l1!a"), a("l1!b"), a("l1!c"))
    for seen, verdict in (
        ("l1: l1!a l1!b", Verdict.WEAK_PASS),
        ("l1: l1!a l1!b l1!c", Verdict.PASS),
    ):
        assert search(term, logs(seen), "multiprefix", PLAIN).verdict is verdict


def test_nothing_is_cut_from_graphs_that_are_counted() -> None:
    term = seq(loop_w(TOLD), loop_w(passing("l1", "n", "l3")))
    seen = logs("l1: l1!m l1!m l1!m; l2: l2?m l2?m; l3: l3?x")
    assert search(term, seen, "multiprefix", PLAIN).vertices < (
        search(term, seen, "multiprefix", replace(PLAIN, relevance=False)).vertices
    )
    for counted in (
        replace(PLAIN, goal=None),
        replace(PLAIN, record=True),
        replace(PLAIN, filters=Filters(max_node_number=1_000)),
    ):
        sizes = {
            search(term, seen, "multiprefix", replace(counted, relevance=yes)).vertices
            for yes in (True, False)
        }
        assert len(sizes) == 1
