"""The option that says of which instances of a property one wants to hear."""

from __future__ import annotations

from collections.abc import Sequence

import click


def chosen_values(of: Sequence[str]) -> dict[str, str]:
    """Values by parameter, from texts as `order=A-17`. Raises `UsageError`."""
    named = [each.partition("=") for each in of]
    for given, (name, equals, value) in zip(of, named, strict=True):
        if not (name and equals and value):
            raise click.UsageError(f"--for {given!r}: give a parameter and its value: order=A-17")
    return {name: value for name, _, value in named}
