"""Clocks that are made of messages, beside the closure of what happened before what."""

from __future__ import annotations

import random
import re

import pytest

from choreomon.core.recorded import Place, RecordedEvent
from choreomon.logs.writers.made_clocks import with_clocks


def drawn(seed: int) -> list[RecordedEvent]:
    """A log of processes that send, handle and do something alone, in two sessions; the logs of the
    processes stand one after the other, so that a handle may come before its send."""
    randomness = random.Random(seed)
    found: list[RecordedEvent] = []
    for session in ("", "s"):
        on_their_way: list[tuple[str, str, str]] = []
        names = ["a", "b", "c"][: randomness.randint(2, 3)]
        for number in range(randomness.randint(1, 14)):
            process = randomness.choice(names)
            arrived = [one for one in on_their_way if one[1] == process]
            what = randomness.random()
            place = Place("log", number + 1)
            if arrived and what < 0.5:
                sender, _, message = arrived[randomness.randrange(len(arrived))]
                if randomness.random() < 0.9:  # else it comes a second time
                    on_their_way.remove((sender, process, message))
                found.append(
                    RecordedEvent(process, "handle", "m", place, sender, message, session=session)
                )
            elif what < 0.8:
                peer = randomness.choice([name for name in names if name != process])
                message = f"m{number}"
                on_their_way.append((process, peer, message))
                if randomness.random() < 0.9:  # else nobody recorded it
                    found.append(
                        RecordedEvent(process, "send", "m", place, peer, message, session=session)
                    )
            else:
                found.append(RecordedEvent(process, "local", "x", place, session=session))
    if randomness.random() < 0.5:
        found.sort(key=lambda event: event.process)
    return found


def before(events: list[RecordedEvent]) -> list[set[int]]:
    """For each event those that happened before it: steps again and again, until none is new."""
    happened: list[set[int]] = []
    for later, event in enumerate(events):
        happened.append(
            {
                earlier
                for earlier, other in enumerate(events)
                if other.session == event.session
                and (
                    (other.process == event.process and earlier < later)
                    or (
                        (other.kind, event.kind) == ("send", "handle")
                        and other.message_id == event.message_id
                    )
                )
            }
        )
    while True:
        more = [own.union(*(happened[each] for each in own)) for own in happened]
        if more == happened:
            return happened
        happened = more


@pytest.mark.parametrize("seed", range(200))
def test_clocks_count_what_happened_before(seed: int) -> None:
    events = drawn(seed)
    happened = before(events)
    made = with_clocks(events)
    assert sorted((one.session, one.place) for one in made) == sorted(
        (one.session, one.place) for one in events
    )
    clocks = {(one.session, one.place, one.process): one.clock for one in made}
    for event, known in zip(events, happened, strict=True):
        counted: dict[str, int] = {event.process: 1}
        for each in known:
            counted[events[each].process] = counted.get(events[each].process, 0) + 1
        assert clocks[event.session, event.place, event.process] == counted
    assert with_clocks(made) == made


def test_what_no_clock_can_say_is_refused() -> None:
    place = Place("log", 3)
    circle = [
        RecordedEvent("a", "handle", "m", place, "b", "1"),
        RecordedEvent("a", "send", "n", place, "b", "2"),
        RecordedEvent("b", "handle", "n", place, "a", "2"),
        RecordedEvent("b", "send", "m", place, "a", "1"),
    ]
    with pytest.raises(ValueError, match="log:3: handles m before it is sent"):
        with_clocks(circle)
    with pytest.raises(ValueError, match=re.escape("log:3: handles m without a message id")):
        with_clocks([circle[0]._replace(message_id=None)])
    with pytest.raises(ValueError, match="log:3: sends n with the id 2, which was sent before"):
        with_clocks([circle[1], circle[1]])
    with pytest.raises(ValueError, match="log:3: has no clock, and others have one"):
        with_clocks([*circle, circle[0]._replace(clock={"a": 1})])
