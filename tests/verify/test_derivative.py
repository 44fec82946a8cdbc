"""When things happened unobserved: verdicts by name, and bugs that these notice."""

from __future__ import annotations

import pytest

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.term import strict
from choreomon.verify import completions, derivative, exact, residual
from choreomon.verify.exact import decide_exact
from choreomon.verify.gaps import NOTHING, Gaps, Past, needed, smallest
from choreomon.verify.residual import UNDECIDED, Residual, Residuals
from tests.verify.exact_cases import ORDERED, beams, questions
from tests.verify.named_cases import wrong_by_name
from tests.verify.papers.questions import a, mask_of

pytestmark = pytest.mark.usefixtures("by_search")


def all_of_them(profiles: set[Gaps]) -> tuple[int, ...]:
    return tuple(range(len(next(iter(profiles)))))


def test_forgetting_gaps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residual, "needed", all_of_them)
    assert not wrong_by_name()
    for seed in range(500, 530):
        for one in questions(seed, ("multiprefix", "slice"), ORDERED, 16):
            assert decide_exact(one.interaction, one.multitrace, one.mode).verdict is one.verdict


def test_gaps_that_matter() -> None:
    one, two, three = 1, 2, 4
    assert needed([(one, one | two)]) == (1,)
    assert needed([(one | two, one)]) == (0,)
    assert needed([(one, two)]) == (0, 1)
    assert needed([(one | two, two, two | three)]) == (0, 2)
    assert needed([(one, 0), (0, two)]) == (0, 1)
    assert needed([(one, one), (0, two)]) == (1,)


def test_pasts_that_contain_another_one_are_dropped() -> None:
    """Of two in which the same happened somewhere one is left."""
    one, two = 1, 2
    some, more, others, later = (Past(gaps) for gaps in ((one, 0), (one, two), (two, 0), (0, one)))
    assert smallest([more, others, some, later]) == (later, some, others)
    assert smallest([more, Past((one, 0)), NOTHING, some]) == (NOTHING,)
    assert smallest([more, more]) == (more,)


def test_what_has_to_come_behind_something_else_has_not_happened_before_it() -> None:
    """Then nothing is undecided."""
    residuals = Residuals()
    term = strict(a("l1!a"), a("l2!b"))
    assert residuals.undecided(term, (mask_of("l2"),), NONE) is residuals.plain(term)
    assert residuals.undecided(term, (mask_of("l1"),), NONE).kind == UNDECIDED


# -- planted bugs ----------------------------------------------------------------------------


def never(past: Past, count: int, region: Mask) -> Gaps:
    return (NONE,) * count


def only_observed(past: Past, count: int, on: Mask, region: Mask) -> Gaps:
    return (on & ~region,) * count


WHOLE_UNTIL = derivative.until


def only_all(count: int, number: int) -> Gaps:
    return WHOLE_UNTIL(count, number) if number == count else (NONE,) * count


BUGS = {
    "left operands may be later": (derivative, "too_late", never),
    "right operands may be earlier": (derivative, "too_early", only_observed),
    "strict operands may be earlier": (derivative, "until", only_all),
    "and within undecided ones": (derivative, "since", lambda gaps, number: gaps),
    "operands are over in any order": (completions, "in_order", lambda *_: True),
    "operands may be over too late": (completions, "first", lambda past: len(past.lifelines)),
    "only the last gap is kept": (residual, "needed", lambda of: (len(next(iter(of))) - 1,)),
    "nothing may happen in a gap": (Residuals, "opened", lambda self, node, free: node),
    "nothing restricts": (Residuals, "restricted", lambda self, node, lost: node),
}


@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, function, bug = BUGS[name]
    monkeypatch.setattr(owner, function, bug)
    assert wrong_by_name()


def test_views_of_one_gap_only_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_the_last(self: Residuals, node: Residual, lifelines: Mask) -> Residual:
        lost = (*[ALL] * (node.count - 1), NONE) if node.count else ()
        return whole(self, self.restricted(node, lost), lifelines)

    whole = Residuals.seen
    monkeypatch.setattr(exact, "BEAMS", beams(1, None))
    assert not wrong_by_name()
    monkeypatch.setattr(Residuals, "seen", of_the_last)
    assert wrong_by_name()
