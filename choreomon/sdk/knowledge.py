"""Knowledge of clocks: what the agent answered, and what the service has heard since.

Nothing that was heard is ever forgotten: it is carried on with what is sent, and told to the
agent with the next report. Clocks of systems that the agent does not have are not carried on;
what cannot be read is counted and otherwise treated as if nothing had come with the message.
Both lose order, which makes verdicts less certain, never wrong. What cannot be read, and what tells
of more than can have happened, is the same: whoever may write a header can write anything.
"""

from __future__ import annotations

from choreomon.agent_files.clocks.text import (
    Clocks,
    ClockText,
    decode_clocks_untrusted,
    encode_clocks,
    is_short,
    merge_clocks,
    merge_texts,
)
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import is_far_beyond


class Knowledge:
    """`refused` counts the clocks from other services that were not understood."""

    __slots__ = ("_answer", "_known", "_processes", "_short", "_text", "_untold", "refused")

    def __init__(self) -> None:
        self._processes: dict[bytes, int] = {}
        self._known: Clocks = {}
        self._untold: Clocks = {}
        self._short = False  # as the agent's clocks are
        self._answer: ClockText = ""  # the agent's latest, not yet merged into `_known`
        self._text: ClockText | None = ""  # of `_known`; None where it has to be made again
        self.refused = 0

    def welcomed(self, clock: ClockText) -> None:
        """The agent said which systems it has, with their clocks."""
        self._merge_answer()
        clocks = decode_clocks_untrusted(clock)
        self._short = is_short(clock)
        self._processes = {key: len(one) for key, one in clocks.items()}
        self._known = merge_clocks(clocks, self._fitting(self._known))
        self._untold = self._fitting(self._untold)
        self._text = None

    def _fitting(self, clocks: Clocks) -> Clocks:
        processes = self._processes
        return {key: one for key, one in clocks.items() if processes.get(key) == len(one)}

    def admit(self, heard: ClockText) -> ClockText:
        """The part of a clock from another service that the agent will understand."""
        if not heard:
            return ""
        try:
            clocks = decode_clocks_untrusted(heard)
        except MalformedMessage:
            self.refused += 1
            return ""
        fitting = {
            key: clock
            for key, clock in self._fitting(clocks).items()
            if not is_far_beyond(clock, self._known[key])
        }
        if len(fitting) == len(clocks):
            return heard
        self.refused += any(key in self._processes for key in clocks.keys() - fitting.keys())
        return encode_clocks(fitting, short=self._short)

    def hear(self, heard: ClockText) -> None:
        """An admitted clock came with a message whose handling needs no report."""
        if heard:
            clocks = decode_clocks_untrusted(heard)
            self._untold = merge_clocks(self._untold, clocks)
            self._know(clocks)

    def to_tell(self, heard: ClockText) -> ClockText:
        """The clock for the next report: what was heard since the last one, and `heard`, which is
        admitted. From now on that report keeps it."""
        if not self._untold:
            return heard
        untold, self._untold = self._untold, {}
        told = merge_clocks(untold, decode_clocks_untrusted(heard))
        return encode_clocks(told, short=self._short)

    def take_back(self, heard: ClockText) -> None:
        """A report that kept `heard` will not be made."""
        self.hear(heard)

    def left(self, heard: ClockText) -> None:
        """Note that a report keeps `heard`, but the service continues before the answer."""
        if heard:
            self._know(decode_clocks_untrusted(heard))

    def answered(self, clock: ClockText) -> None:
        """The agent's clock after an event. Its answers come in order, so each knows all that
        the one before knows; the earlier ones need not be read."""
        self._answer = clock
        self._text = None

    def doubted(self) -> None:
        """The agent may have forgotten everything: tell it again."""
        self._merge_answer()
        self._untold = self._known

    def current(self) -> ClockText:
        """The text of all that is known."""
        if self._text is None:
            self._merge_answer()
            self._text = encode_clocks(self._known, short=self._short)
        return self._text

    def _know(self, clocks: Clocks) -> None:
        known = merge_clocks(self._known, clocks)
        if known != self._known:
            self._known = known
            self._text = None

    def _merge_answer(self) -> None:
        if self._answer:
            # A malformed clock of the agent tells nothing but that it was sent.
            try:
                self._known = merge_clocks(
                    self._known, self._fitting(decode_clocks_untrusted(self._answer))
                )
            except MalformedMessage:
                self.refused += 1
            self._answer = ""


def joined(left: ClockText, right: ClockText) -> ClockText:
    """Join two admitted texts: the text that knows all that they know."""
    if not left or not right:
        return left or right
    return merge_texts(left, right)
