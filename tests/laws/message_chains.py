"""By which messages an explanation says that the order of two events is known, held against the
trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from choreomon.core.run import MonitorsMessage, RunEvent

_APPLICATION = re.compile(r"(\S+) -> (\S+) : (\S+) \(events (\d+) and (\d+)\)")
_MONITORS = re.compile(
    r"(an inquiry|the response|a message) of (\S+)'s monitor to (\S+)'s "
    r"\(taken before event (\d+)\)"
)
_KINDS = {"an inquiry": "inquiry", "the response": "response", "a message": "other"}
_LAST = 1 << 62


def unlike_the_trace(
    chain: str,
    events: Sequence[RunEvent],
    messages: Sequence[MonitorsMessage],
    first: int,
    second: int,
) -> Iterator[str]:
    """What is wrong with this chain from the event `first` to the event `second`: each message was
    sent where the one before had been taken, and after that."""
    process, place = events[first].process, (first, _LAST)
    for hop in chain.split(", then "):
        if re.fullmatch(r"[\d,]+ more", hop):
            return
        if match := _APPLICATION.fullmatch(hop):
            sent, taken = events[int(match[4])], events[int(match[5])]
            if taken.sent_at != sent.index or str(sent.message) != " ".join(hop.split()[:5]):
                yield f"no such message: {hop}"
            if sent.process != process or (sent.index, _LAST) < place:
                yield f"not sent after what was known: {hop}"
            process, place = taken.process, (taken.index, _LAST)
        elif match := _MONITORS.fullmatch(hop):
            found = [
                each
                for each in messages
                if each.kind == _KINDS[match[1]]
                and (each.sender, each.receiver, each.taken[0])
                == (match[2], match[3], int(match[4]))
                and each.sender == process
                and each.sent >= place
            ]
            if not found:
                yield f"no such message between monitors: {hop}"
                return
            process, place = match[3], min(each.taken for each in found)
        else:
            yield f"not understood: {hop}"
            return
    if process != events[second].process or place > (second, _LAST):
        yield "it does not lead to the event"
