"""Kinds of similar items, told together: one of each in full, the others counted and folded
away."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class Alike(NamedTuple, Generic[Key, Item]):
    """The items with one key; `first` is the one to show, `others` are in their order."""

    key: Key
    first: Item
    others: tuple[Item, ...]


def kinds(items: Iterable[Item], key: Callable[[Item], Key]) -> list[Alike[Key, Item]]:
    """The kinds, in the order of the first item of each. Sort the items before by how much each
    tells: the gravest first, and within each kind the best one to show."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return [Alike(one, first, tuple(others)) for one, (first, *others) in found.items()]
