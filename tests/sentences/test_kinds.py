from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from choreomon.sentences.kinds import kinds


@given(st.lists(st.tuples(st.integers(0, 4), st.integers())))
def test_kinds_are_the_groups_of_a_stable_sort(items: list[tuple[int, int]]) -> None:
    found = {kind.key: [kind.first, *kind.others] for kind in kinds(items, lambda one: one[0])}
    slow = {
        key: [*group] for key, group in groupby(sorted(items, key=lambda o: o[0]), lambda o: o[0])
    }
    assert found == slow


def test_kinds_come_in_the_order_in_which_they_are_met() -> None:
    assert [kind.key for kind in kinds("banana", str.upper)] == ["B", "A", "N"]
