"""The cycle collector, out of the way while verdicts are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep the cycle collector at rest. Deciders keep what they make, or take it apart themselves,
    so its rounds find next to nothing, and one alone can take longer than a thousand verdicts."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
