"""Lifelines that share a clock, from options."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from choreomon.multitrace.projection import Partition


def shared_clocks(groups: Iterable[str], option: str) -> Partition:
    """Groups of names, each as `a,b` or `"a,b",c`. Raises `BadParameter` for a group without a
    name, or with an empty one, and for names that come twice."""
    from choreomon.core.names import names_of_list

    named = [names_of_list(group) for group in groups]
    for names in named:
        if not all(names) or len({*names}) < len(names):
            raise click.BadParameter(
                f"{','.join(names)!r} should be different names, such as a,b", param_hint=option
            )
    if not named:
        return ()
    from choreomon.multitrace.projection import partition

    try:
        return partition(named)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def clocks_of_logs(clocks: Iterable[str], paths: Iterable[str], read: Collection[str]) -> Partition:
    """Groups of processes that share a clock, as `--colocated` says it of event logs: of the
    `paths` that are such logs by their names, and of those `read` as logs. Raises `BadParameter`
    for a group that shares none, and where there are no event logs."""
    own = any(Path(path).suffix.lower() == ".jsonl" for path in paths)
    if clocks and not (own or read):
        raise click.BadParameter(
            "is about event logs (.jsonl), and there are none: in other files the components "
            "themselves say who shares a clock",
            param_hint="--colocated",
        )
    groups = shared_clocks(clocks, "--colocated")
    for alone in [group for group in groups if len(group) == 1]:
        raise click.BadParameter(
            f"{alone[0]!r} shares no clock: name two processes or more, such as a,b",
            param_hint="--colocated",
        )
    return groups
