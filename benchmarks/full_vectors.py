"""Monitoring messages with all entries of all clocks, as wire version 2 had them: what the bytes
that are sent now are compared with."""

from __future__ import annotations

from typing import Final

import msgspec

from choreomon.agent_files.wire import NO_SYSTEM
from choreomon.monitor.messages import MonitoringMessage

plain: Final = msgspec.msgpack.Encoder().encode
"""A value as MessagePack, every clock in it an array of its entries."""


def full(message: MonitoringMessage) -> bytes:
    """The frame with full vectors. As long as that of the wire where no clock is coded; the number
    of its kind, a byte, is not told."""
    return plain((2, NO_SYSTEM, 0, message))
