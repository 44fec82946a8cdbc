"""Lists of processes with ranges of slots."""

from __future__ import annotations

import pytest

from choreomon.core.slot_ranges import with_ranges


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), []),
        (("b", "a"), ["b", "a"]),
        (("shop/0", "shop/1"), ["shop/0", "shop/1"]),
        (("shop/0", "shop/1", "shop/2"), ["shop/0 to shop/2"]),
        (("shop/10", "shop/9", "bank", "shop/8"), ["shop/8 to shop/10", "bank"]),
        (("shop/0", "till/0", "shop/2", "shop"), ["shop/0", "shop/2", "till/0", "shop"]),
        (("a/b", "a/01", "/1"), ["a/b", "a/01", "/1"]),
        (("shop/0", "shop/1", "shop/2", "shop/4"), ["shop/0 to shop/2", "shop/4"]),
    ],
)
def test_slots_in_a_row_are_a_range(names: tuple[str, ...], told: list[str]) -> None:
    assert with_ranges(names) == told


def test_all_slots_are_the_role() -> None:
    processes = ("bank", *(f"shop/{number}" for number in range(8)), "till/0", "till/1")
    assert with_ranges(processes[1:9], processes) == ["shop (all 8 slots)"]
    assert with_ranges(("till/1", "till/0"), processes) == ["till/0", "till/1"]
    assert with_ranges(processes[1:8], processes) == ["shop/0 to shop/6"]
    assert with_ranges(("bank", "shop", "shop/3"), processes) == ["bank", "shop", "shop/3"]
