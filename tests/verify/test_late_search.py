"""The search over late terms: when things happened unobserved, by name and against slower ways."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import ALL, NONE, Mask, is_single, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import (
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_c,
    loop_w,
    seq,
    strict,
    subterms,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import late, late_ends, late_search, late_steps
from choreomon.verify.epochs import Epochs, Past, in_order, needed
from choreomon.verify.exact import observed_parts
from choreomon.verify.exact_search import TOO_MANY_VERTICES, ExactMode, Exhausted, Limits, Search
from choreomon.verify.late import LateTerm, LateTerms
from choreomon.verify.late_search import LateSearch, LateVertex
from choreomon.verify.views import Fits, Views
from tests.verify.exact_cases import Question, questions

MODES: tuple[ExactMode, ...] = ("slice", "multiprefix")


def do(text: str) -> Interaction:
    return act(parse_action(text))


def multi(**local: str) -> MultiTrace:
    """Components by co-localization, as in `l1_l2="l1!a l2?a"`."""
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


def found(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> bool:
    parts = observed_parts(interaction, seen)
    if parts is None:
        return False
    return LateSearch(Views(), parts, mode == "slice", Limits()).run(interaction)[0]


def tried(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> bool:
    """The same by a search that tries everything unobserved."""
    parts = observed_parts(interaction, seen)
    if parts is None:
        return False
    return Search(Views(), parts, mode, Limits(vertices=20_000)).run(interaction)[0]


# -- by name ---------------------------------------------------------------------------------
# In all of them a circle of orders leads through lifelines that nobody observed.

ON_L1 = mask(["l1"])
FOLLOWED = strict(do("l1!a"), do("l2!x"))
GAP = seq(FOLLOWED, strict(do("l2!y"), do("l3!u"), do("l1!b")))
"""`l2!x` is after `l1!a`, so are `l2!y` and `l3!u`: too late for a clock that l1 and l3 share."""
ACROSS = coreg(
    mask(["l1", "l3"]),
    strict(do("l1!a"), do("l2!x"), do("l1!c")),
    strict(do("l2!y"), do("l3!u"), do("l1!b")),
)
"""As `GAP`, but `l2!x` was decided on, for `l1!c`, before `l2!y` was."""
BEHIND = coreg(
    ON_L1, FOLLOWED, strict(do("l2!y"), do("l3!u"), do("l1!b")), strict(do("l2!z"), do("l1!c"))
)
"""As `GAP`, where `l2!y` is decided on, for `l2!z`, and the `l3!u` behind it is not yet."""
ENDED = coreg(
    ON_L1,
    strict(do("l1!a"), do("l3!d")),
    strict(seq(strict(do("l3!v"), do("l2!y")), strict(do("l2!z"), do("l1!u"))), do("l1!b")),
)
"""`l3!v` is after `l3!d`, where l3 was observed no longer, `l1!u` before `l1!a`, where l1 was not
yet: `l2!y` and `l2!z` would have to change places."""
CHOSEN = coreg(
    ON_L1,
    strict(do("l1!a"), do("l3!d")),
    strict(alt(strict(do("l3!v"), do("l1!u")), strict(do("l3!v"), do("l1!w"))), do("l1!b")),
)
"""As `ENDED`, within a choice."""
WITHIN = coreg(
    ON_L1,
    strict(do("l1!a"), do("l3!d")),
    strict(
        seq(do("l3!v"), loop_w(do("l1!t"))),
        alt(strict(do("l1!u"), do("l1!b")), strict(do("l1!w"), do("l1!b"))),
    ),
)
"""As `ENDED`, where the same operand did `l1!u` and does `l1!b`."""
REPEATED = loop_w(
    strict(do("l3?n"), loop_c(mask(["l1", "l3"]), strict(do("l3?m"), do("l2?p"), do("l1!m"))))
)
TWICE = coreg(
    mask(["l2"]), strict(do("l2?q"), do("l3!u"), do("l3!w")), strict(do("l2!y"), do("l2!z"))
)
"""`l2!y` is before `l2?q`, where l2 was not observed yet, `l3!u` after it, where l3 was not."""
IN_BETWEEN = strict(
    coreg(
        mask(["l2"]),
        strict(coreg(mask(["l3"]), strict(do("l2?q"), do("l3!u")), do("l3!s")), do("l3!w")),
        do("l2!y"),
    ),
    do("l2!z"),
)
"""As `TWICE`, but l3 was observed before what needs `l3!u`."""

NAMED: list[tuple[Interaction, MultiTrace, bool]] = [
    (GAP, multi(l1_l3="l1!a l1!b", l2=""), False),
    (GAP, multi(l1_l3="l1!a l3!u l1!b", l2=""), True),
    (GAP, multi(l1_l3="l1!b", l2=""), True),
    (ACROSS, multi(l1_l3="l1!a l1!c l1!b", l2=""), False),
    (ACROSS, multi(l1_l3="l1!b l1!a l1!c", l2=""), False),
    (ACROSS, multi(l1_l3="l1!a l1!c l3!u l1!b", l2=""), True),
    (BEHIND, multi(l1_l3="l1!a l1!c l1!b", l2=""), False),
    (BEHIND, multi(l1_l3="l1!a l1!c l3!u l1!b", l2=""), True),
    (ENDED, multi(l1="l1!a l1!b", l3="l3!d", l2=""), False),
    (ENDED, multi(l1="l1!a l1!u l1!b", l3="l3!d", l2=""), True),
    (CHOSEN, multi(l1="l1!a l1!b", l3="l3!d", l2=""), False),
    (CHOSEN, multi(l1="l1!a l1!w l1!b", l3="l3!d", l2=""), True),
    (WITHIN, multi(l1="l1!a l1!b", l3="l3!d"), False),
    (WITHIN, multi(l1="l1!a l1!u l1!b", l3="l3!d"), True),
    (TWICE, multi(l2="l2?q l2!z", l3="l3!w"), True),
    (TWICE, multi(l2_l3="l2?q l3!w l2!z"), False),
    (IN_BETWEEN, multi(l2="l2?q l2!z", l3="l3!s l3!w"), True),
    (IN_BETWEEN, multi(l2_l3="l2?q l3!s l3!w l2!z"), False),
    (REPEATED, multi(l1_l2="l2?p l2?p l1!m l1!m l1!m", l3=""), True),
]


def wrong_by_name() -> set[int]:
    return {
        number
        for number, (interaction, seen, fits) in enumerate(NAMED)
        if found(interaction, seen, "slice") is not fits
    }


def test_what_happened_unobserved_happened_in_some_order() -> None:
    for interaction, seen, fits in NAMED:
        assert tried(interaction, seen, "slice") is fits
    assert not wrong_by_name()


def test_limits_end_the_search() -> None:
    interaction, seen, _ = NAMED[0]
    parts = observed_parts(interaction, seen)
    assert parts is not None
    with pytest.raises(Exhausted, match=TOO_MANY_VERTICES):
        LateSearch(Views(), parts, True, Limits(vertices=1)).run(interaction)


def test_every_component_has_a_try_at_being_first(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[tuple[int | None, int | None]] = []
    whole = LateSearch._depth_first

    def noted(
        self: LateSearch,
        start: LateVertex,
        first: int | None,
        most: int | None,
        careful: bool,
    ) -> bool | None:
        order.append((first, most))
        return whole(self, start, first, most, careful)

    monkeypatch.setattr(LateSearch, "_depth_first", noted)
    interaction, seen, fits = NAMED[9]
    monkeypatch.setattr(late_search, "_TRIES", (0, 1))
    assert found(interaction, seen, "slice") is fits
    assert order[:4] == [(0, 0), (1, 0), (None, 0), (0, seen.length)]
    order.clear()
    monkeypatch.setattr(late_search, "_TRIES", (0, 0))
    assert found(interaction, seen, "slice") is fits
    assert order[-1] == (None, None)
    for interaction, seen, fits in NAMED:
        assert found(interaction, seen, "slice") is fits


# -- against slower ways ---------------------------------------------------------------------


def has_heads(interaction: Interaction) -> bool:
    """Whether there is a `loopH` over several lifelines, of which only `no` is to be believed."""
    return any(
        part.operator is Operator.LOOP_H and not is_single(part.lifelines)
        for part in subterms(normal(interaction))
    )


def wrong(seeds: Iterable[int], largest: int = 9) -> list[Question]:
    return [
        question
        for seed in seeds
        for question in questions(seed, MODES, largest=largest)
        if found(question.interaction, question.multitrace, question.mode)
        is not question.verdict.passes
        and (question.verdict.passes or not has_heads(question.interaction))
    ]


def test_it_agrees_with_brute_force() -> None:
    assert not wrong(range(300, 380))
    assert not wrong(range(400, 430), largest=13)


def test_forgetting_epochs_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(profiles: set[Epochs]) -> tuple[int, ...]:
        return tuple(range(len(next(iter(profiles)))))

    asked = [question for seed in range(500, 540) for question in questions(seed, MODES)]
    short = [found(one.interaction, one.multitrace, one.mode) for one in asked]
    monkeypatch.setattr(late, "needed", all_of_them)
    assert [found(one.interaction, one.multitrace, one.mode) for one in asked] == short
    assert not wrong_by_name()


def test_epochs_that_matter() -> None:
    one, two, three = 1, 2, 4
    assert needed([(one, one | two)]) == (1,)
    assert needed([(one | two, one)]) == (0,)
    assert needed([(one, two)]) == (0, 1)
    assert needed([(one | two, two, two | three)]) == (0, 2)
    assert needed([(one, 0), (0, two)]) == (0, 1)
    assert needed([(one, one), (0, two)]) == (1,)


def test_what_components_may_see_never_cuts_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without tries, all vertices are looked at.
    monkeypatch.setattr(late_search, "_TRIES", ())
    assert not wrong_by_name()
    assert not wrong(range(600, 660))
    assert not wrong(range(700, 720), largest=13)


def test_what_components_may_see_cuts_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # An `l3?m` would have to come before `l3!o`, and nobody recorded it.
    monkeypatch.setattr(late_search, "_TRIES", ())
    messages = loop_w(alt(strict(do("l1!n"), do("l2?n")), strict(do("l2!m"), do("l3?m"))))
    interaction = seq(messages, strict(do("l3!o"), do("l2?o")))
    seen = multi(l1_l3=" ".join(["l1!n"] * 6 + ["l3!o"]), l2="l2!m l2?n l2?n l2?o")
    parts = observed_parts(interaction, seen)
    assert parts is not None
    visited: list[int] = []
    for fits in (Fits.allows, lambda *_: True):
        monkeypatch.setattr(Fits, "allows", fits)
        verdict, count = LateSearch(Views(), parts, True, Limits()).run(interaction)
        assert not verdict
        visited.append(count)
    assert visited[0] < visited[1]


# -- planted bugs ----------------------------------------------------------------------------


def test_forgetting_all_epochs_but_the_last_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late, "needed", lambda profiles: (len(next(iter(profiles))) - 1,))
    assert wrong_by_name()


def test_left_operands_that_may_be_later_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(past: Past, count: int, region: int) -> Epochs:
        return (0,) * count

    monkeypatch.setattr(late_steps, "too_late", never)
    assert wrong_by_name()


def test_right_operands_that_may_be_earlier_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_observed(past: Past, count: int, on: int, region: int) -> Epochs:
        return (on & ~region,) * count

    monkeypatch.setattr(late_steps, "too_early", only_observed)
    assert wrong_by_name()


def test_strict_operands_that_may_be_earlier_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = late_steps.until

    def only_all(count: int, number: int) -> Epochs:
        return whole(count, number) if number == count else (0,) * count

    monkeypatch.setattr(late_steps, "until", only_all)
    assert wrong_by_name()


def test_strict_operands_within_late_ones_that_may_be_earlier_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_steps, "since", lambda epochs, number: epochs)
    assert wrong_by_name()


def test_operands_that_are_over_in_the_wrong_order_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_ends, "in_order", lambda past, other, region: True)
    assert wrong_by_name()
    monkeypatch.setattr(late_ends, "in_order", in_order)
    monkeypatch.setattr(late_ends, "first", lambda past: len(past))
    assert wrong_by_name()


def test_epochs_in_which_nothing_may_happen_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late.LateTerms, "opened", lambda self, node, free: node)
    assert wrong_by_name()


def test_views_in_which_nothing_happened_unobserved_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def decided(self: LateTerms, node: LateTerm, lifelines: Mask) -> LateTerm:
        return whole(self, self.restricted(node, (ALL,) * node.count), lifelines)

    whole = LateTerms.seen
    monkeypatch.setattr(late_search, "_TRIES", ())
    monkeypatch.setattr(LateTerms, "seen", decided)
    assert wrong_by_name()


@pytest.mark.parametrize("only", [0, -1])
def test_views_of_one_epoch_only_are_noticed(monkeypatch: pytest.MonkeyPatch, only: int) -> None:
    def of_one(self: LateTerms, node: LateTerm, lifelines: Mask) -> LateTerm:
        lost = [ALL] * node.count
        if lost:
            lost[only] = NONE
        return whole(self, self.restricted(node, tuple(lost)), lifelines)

    whole = LateTerms.seen
    monkeypatch.setattr(late_search, "_TRIES", ())
    monkeypatch.setattr(LateTerms, "seen", of_one)
    assert wrong_by_name()
