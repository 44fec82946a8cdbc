"""Retransmission: inquiries that are sent again while they are not answered, and how to tell that
they are the same."""

from __future__ import annotations

from collections.abc import Iterator

from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.inspection import unanswered_inquiries
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState


def open_inquiries(
    monitor: MonitorSetup, state: MonitorState, clock: VectorClock
) -> Iterator[Inquiry]:
    """Yield what others were asked and have not answered, oldest event first: what to ask again
    after a restart, or where it may have been lost."""
    for inspection in state.inspections:
        for inquiry in unanswered_inquiries(monitor, state, inspection, clock):
            if inquiry.receiver != monitor.process:
                yield inquiry


def same_inquiry(inquiry: Inquiry, other: Inquiry, asker: int) -> bool:
    """Tell whether both inquiries ask the same question about the same event of the process at
    `asker`."""
    return (
        inquiry.event[asker] == other.event[asker]
        and inquiry.inspected == other.inspected
        and inquiry.sender == other.sender
        and inquiry.named == other.named
    )
