"""What is alike, told together: one of each kind in full, the others counted and folded away."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class Alike(NamedTuple, Generic[Key, Item]):
    """All items with one key; `first` is the one to show, `others` are in their order."""

    key: Key
    first: Item
    others: tuple[Item, ...]


def kinds(items: Iterable[Item], key: Callable[[Item], Key]) -> list[Alike[Key, Item]]:
    """The kinds in the order in which the first item of each is met. Sort the items by how much
    each tells before: the gravest of all comes first, and of each kind the best to show."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return [Alike(one, first, tuple(others)) for one, (first, *others) in found.items()]
