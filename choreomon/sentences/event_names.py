"""Name the events of a verdict in explanations of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from choreomon.core.run import MonitorsMessage, RunEvent, RunVerdict
from choreomon.sentences.known_order import order_sentence
from choreomon.sentences.wording import event_in_words, milliseconds


class EventNames(Protocol):
    """Names of the events of a verdict, by index."""

    def judged(self, verdict: RunVerdict) -> str:
        """The event that the verdict is about, with all that is known of it."""

    def times(self, verdict: RunVerdict) -> str:
        """A sentence that says when that event happened, and when the verdict was given; empty if
        that is not known."""

    def short(self, index: int) -> str:
        """The short name of an event, as a word among others."""

    def full(self, index: int) -> str:
        """The name of an event, with what is known of it."""

    def span(self, first: int, last: int) -> str:
        """The name of a stretch of events of one process, from one to another."""

    def order(self, first: int, second: int) -> str:
        """A sentence on how it is known that one event came before another; empty if there is
        nothing to say."""


class NumberedEvents:
    """Names events of a run, some of them kept, by their index."""

    def __init__(
        self, events: Sequence[RunEvent], messages: Sequence[MonitorsMessage] = ()
    ) -> None:
        self._events = events
        self._messages = messages
        self._known = {event.index: event for event in events}

    def judged(self, verdict: RunVerdict) -> str:
        event = self._known.get(verdict.event_index)
        if event is None:
            return f"event {verdict.event_index} ({verdict.label})"
        return f"event {event.index} ({event_in_words(event)})"

    def times(self, verdict: RunVerdict) -> str:
        happened = verdict.happened_at
        if happened is None:
            event = self._known.get(verdict.event_index)
            happened = None if event is None else event.time
        if happened is None or verdict.declared_at < happened:
            return ""
        later = milliseconds(verdict.declared_at - happened)
        return (
            f"It happened at {milliseconds(happened)}, and this was declared at "
            f"{milliseconds(verdict.declared_at)} ({later} later)."
        )

    def short(self, index: int) -> str:
        return f"event {index}"

    def full(self, index: int) -> str:
        event = self._known.get(index)
        return f"event {index}" if event is None else f"event {index} ({event_in_words(event)})"

    def span(self, first: int, last: int) -> str:
        return f"events {first} to {last}"

    def order(self, first: int, second: int) -> str:
        return order_sentence(self._events, self._messages, first, second)
