"""Joining of the logs that several machines kept of the same run: one multi-trace."""

from __future__ import annotations

from collections.abc import Iterable

from choreomon.multitrace.multitrace import Component, MultiTrace


def joined(logs: Iterable[tuple[str, MultiTrace]]) -> MultiTrace:
    """The components of all the multi-traces, in their order. Names are what errors call them.

    A component without actions says only that there is such a lifeline: it gives way to another
    one of the same lifelines, so that a log may name machines that it knows nothing of.

    Raises ValueError where a lifeline is in two components that cannot both be right: it has one
    clock and one log. Logs that are each in parts (the beginning in one file, the rest in another)
    are not put together.
    """
    found: dict[tuple[str, ...], tuple[str, Component]] = {}
    for name, multitrace in logs:
        for part in multitrace.components:
            other = found.get(part.lifelines)
            if other is None or not other[1].actions:
                found[part.lifelines] = (name, part)
            elif part.actions:
                raise ValueError(_twice(part.lifelines[0], other[0], name))
    owner: dict[str, str] = {}
    for lifelines, (name, _) in found.items():
        for lifeline in lifelines:
            if lifeline in owner:
                raise ValueError(_twice(lifeline, owner[lifeline], name))
            owner[lifeline] = name
    return MultiTrace(tuple(part for _, part in found.values()))


def _twice(lifeline: str, first: str, second: str) -> str:
    files = f"{first} and in {second}" if first != second else f"two components of {first}"
    return f"{lifeline} has a log in {files}; of one run it has one log, and one clock"
