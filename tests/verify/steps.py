"""Steps that are counted, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType

import pytest

from choreomon.interaction.enabled import Enabled
from choreomon.interaction.term import EMPTY, Interaction


class _Last(Enabled):
    """An action after which nothing is left."""

    __slots__ = ()

    def follow_up(self) -> Interaction:
        return EMPTY


def without_what_follows(steps: Iterable[Enabled]) -> list[Enabled]:
    """Planted bug: what is left after an action is forgotten."""
    return [_Last(step._leaf, step._above, step._around, step.loops) for step in steps]


class Counted:
    """A function that counts its calls."""

    def __init__(self, whole: Callable[..., Interaction]) -> None:
        self.calls = 0
        self._whole = whole

    def __call__(self, *args: object) -> Interaction:
        self.calls += 1
        return self._whole(*args)


def counted(patch: pytest.MonkeyPatch, owner: type | ModuleType, name: str) -> Counted:
    """Has the calls of a function of a module, or of a method, counted from now on."""
    found = Counted(getattr(owner, name))
    # A function, unlike an object that can be called, is a method where it is found in a class.
    patch.setattr(owner, name, lambda *args: found(*args))
    return found
