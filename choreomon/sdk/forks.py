"""Forks: processes in the child whose connection is the parent's.

Nothing is told on it there. Two that speak on one connection would give two events one number, of
which the agent counts one.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    def left_behind(self) -> None:
        """Disconnect in the child of a fork, before anything else happens in it."""


_CONNECTED: WeakSet[Forked] = WeakSet()


def close_in_children(process: Forked) -> None:
    """Register a process for all later forks, for as long as it is there."""
    _CONNECTED.add(process)


def _forked() -> None:
    for process in tuple(_CONNECTED):
        process.left_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
