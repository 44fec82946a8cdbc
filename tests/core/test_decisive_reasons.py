"""Of many reasons the decisive ones are kept, and what is said of them stays true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.decisive_reasons import MOST_REASONS, Weight, decisive, with_decisive_reasons
from choreomon.core.verdict import FRM, FRM_P, GAP, VIOLATED, MonitorVerdict, Reason, Reference

_pres = st.builds(
    Weight,
    role=st.just("pre"),
    record=st.integers(0, 9),
    state=st.sampled_from(["q1", "q2", "q3"]),
    result=st.sampled_from([FRM, FRM_P, GAP]),
    relation=st.sampled_from(["before", "concurrent"]),
    certain=st.booleans(),
)
_weights = st.lists(_pres | _pres.map(lambda pre: pre._replace(role="vio")), max_size=40)
_most = st.integers(0, 12)


@given(_weights, _most)
def test_what_is_kept_is_some_of_it_each_once(weights: list[Weight], most: int) -> None:
    kept = decisive(weights, most)
    assert len(kept) <= most
    assert len({*kept}) == len(kept)
    assert {*kept} <= {*range(len(weights))}


@given(_weights, _most)
def test_a_pre_that_may_have_been_cancelled_is_not_told_without_a_cancellation(
    weights: list[Weight], most: int
) -> None:
    told = [weights[place] for place in decisive(weights, most)]
    cancelled = {each.record for each in weights if each.role == "vio"}
    still = {each.record for each in told if each.role == "vio"}
    for each in told:
        if each.role == "pre" and not each.certain and each.record in cancelled:
            assert each.record in still


@given(_weights, _most)
def test_the_most_decisive_cancellation_of_a_pre_is_the_first_after_it(
    weights: list[Weight], most: int
) -> None:
    kept = decisive(weights, most)
    for place, after in pairwise(kept):
        pre, vio = weights[place], weights[after]
        if pre.role == "pre" and not pre.certain and vio.role == "vio":
            assert vio.record == pre.record
            mine = [w for w in weights if w.role == "vio" and w.record == pre.record]
            assert vio.rank == min(each.rank for each in mine)


@given(_weights, st.integers(1, 12))
def test_one_that_is_certain_comes_first(weights: list[Weight], most: int) -> None:
    if any(each.role == "pre" and each.certain for each in weights):
        first = weights[decisive(weights, most)[0]]
        assert first.certain
        assert first.role == "pre"


@given(_weights)
def test_each_state_has_its_most_decisive_pre_where_there_is_room(weights: list[Weight]) -> None:
    told = [weights[place] for place in decisive(weights, 6)]  # three states, and a vio for each
    for state in {each.state for each in weights if each.role == "pre"}:
        of_state = [each for each in weights if each.role == "pre" and each.state == state]
        best = min(each.rank for each in of_state)
        assert best in [each.rank for each in told if each.role == "pre" and each.state == state]


# --- of monitors --------------------------------------------------------------------


@dataclass(frozen=True)
class Crowd:
    """So many records that may be the step before, each of which each of as many may cancel."""

    pres: int
    vios: int

    def because(self) -> tuple[Reason, ...]:
        found: list[Reason] = []
        for number in range(1, self.pres + 1):
            pre = Reference("q0", f"P{number}", "q1")
            found.append(Reason("pre", pre, (0, number), FRM, "concurrent", False))
            found += [
                Reason(
                    *("vio", Reference("q1", f"P{other}", "q0"), (1, other), FRM, "concurrent"),
                    False,
                    of=(0, number),
                    of_reference=pre,
                )
                for other in range(self.vios)
            ]
        return tuple(found)


def verdict(because: Sequence[Reason]) -> MonitorVerdict:
    return MonitorVerdict(
        VIOLATED, "P", (1, 0), (Reference("q1", "P", "q2"),), tuple(because), ("P9",)
    )


def test_few_reasons_stay_as_they_are() -> None:
    few = verdict(Crowd(4, 3).because())
    assert len(few.because) == MOST_REASONS
    assert with_decisive_reasons(few) is few


def test_of_many_some_are_left_out_and_counted() -> None:
    many = verdict(Crowd(64, 64).because())
    assert len(many.because) == 64 * 65
    bounded = with_decisive_reasons(many)
    assert len(bounded.because) == MOST_REASONS
    assert bounded.reasons_left_out == 64 * 65 - MOST_REASONS
    assert bounded._replace(because=many.because, reasons_left_out=0) == many
    pres = [each for each in bounded.because if each.role == "pre"]
    assert all(any(vio.of_reference == pre.reference for vio in bounded.because) for pre in pres)


def test_one_that_suffices_is_kept_wherever_it_is() -> None:
    surely = Reason("pre", Reference("q0", "P0", "q1"), (0, 99), FRM, "before", True)
    bounded = with_decisive_reasons(verdict([*Crowd(64, 64).because(), surely]))
    assert bounded.because[0] == surely


def test_what_was_left_out_before_still_counts() -> None:
    bounded = with_decisive_reasons(verdict(Crowd(64, 64).because()))
    again = with_decisive_reasons(bounded, 4)
    assert len(again.because) + again.reasons_left_out == 64 * 65
