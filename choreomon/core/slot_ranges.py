"""Lists of processes for people, in which slots of a role that follow each other are a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from choreomon.core.roles import slot_name, slot_parts

SINGLY: Final = 2
"""Slots in a row that are still named one by one."""


def with_ranges(names: Iterable[str]) -> list[str]:
    """The names in their order, all slots of a role at the place of the first; of more than
    `SINGLY` in a row `shop/0 to shop/7`."""
    of_roles: dict[tuple[str, bool], list[int]] = {}
    for name in names:
        slot = slot_parts(name)
        numbers = of_roles.setdefault((name, False) if slot is None else (slot[0], True), [])
        if slot is not None:
            numbers.append(slot[1])
    found: list[str] = []
    for (name, of_role), numbers in of_roles.items():
        found += _ranges(name, numbers) if of_role else [name]
    return found


def _ranges(role: str, numbers: Iterable[int]) -> Iterator[str]:
    rows: list[list[int]] = []
    for number in sorted({*numbers}):
        if rows and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    for row in rows:
        if len(row) > SINGLY:
            yield f"{slot_name(role, row[0])} to {slot_name(role, row[-1])}"
        else:
            yield from (slot_name(role, number) for number in row)
