"""Sizes of values: the length of their MessagePack form, as on disk and on the wire. It is the same
on every machine and in every process, unlike the size of Python's objects. It leaves out pointers,
tables of names and look-up structures. So it compares states with each other, and says how much a
state holds, not how much memory a process takes.
"""

from __future__ import annotations

from typing import Final

import msgspec

_ENCODER: Final = msgspec.msgpack.Encoder()


def packed_bytes(value: object) -> int:
    """The size of tuples, lists, texts, numbers, truth values and `None`, nested in any way. Raises
    `TypeError` for anything else."""
    return len(_ENCODER.encode(value))
