"""Lists of processes for people, in which slots of a role that follow each other are a range, and
all of them the role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from choreomon.core.roles import slot_name, slot_parts

SINGLY: Final = 2
"""Slots in a row that are still named one by one."""


def with_ranges(names: Iterable[str], processes: Iterable[str] = ()) -> list[str]:
    """The names in their order, all slots of a role at the place of the first; of more than
    `SINGLY` in a row `shop/0 to shop/7`, or `shop (all 8 slots)` where `processes`, those that
    there are, have no other slot of it."""
    there = _by_role(processes)
    found: list[str] = []
    for (name, of_role), numbers in _by_role(names).items():
        if not of_role:
            found.append(name)
        elif numbers == there.get((name, True)) and len(numbers) > SINGLY:
            found.append(f"{name} (all {len(numbers)} slots)")
        else:
            found += _ranges(name, numbers)
    return found


def _by_role(names: Iterable[str]) -> dict[tuple[str, bool], set[int]]:
    """The names of roles, with the numbers of their slots, and those that are no slots."""
    found: dict[tuple[str, bool], set[int]] = {}
    for name in names:
        slot = slot_parts(name)
        if slot is None:
            found[name, False] = set()
        else:
            found.setdefault((slot[0], True), set()).add(slot[1])
    return found


def _ranges(role: str, numbers: Iterable[int]) -> Iterator[str]:
    rows: list[list[int]] = []
    for number in sorted(numbers):
        if rows and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    for row in rows:
        if len(row) > SINGLY:
            yield f"{slot_name(role, row[0])} to {slot_name(role, row[-1])}"
        else:
            yield from (slot_name(role, number) for number in row)
