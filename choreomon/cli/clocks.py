"""Which lifelines share a clock, as options say it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from choreomon.multitrace.projection import Partition


def shared_clocks(groups: Iterable[str], option: str) -> Partition:
    """Groups of names, each as `a,b`. Raises `BadParameter` for a group without a name, or with
    an empty one, and for names that come twice."""
    named = [[name.strip() for name in group.split(",")] for group in groups]
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
