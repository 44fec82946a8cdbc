"""Multi-traces in which one clock saw everything: words of the interaction.

Traces of millions of actions of a protocol that repeats itself meet few states of the automaton
that reads them. Interleaving may make the states large; then this gives up, and leaves the word to
those who look at one possibility after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, forget_steps
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.quick.words import Stopped, TooManyTerms, Words
from choreomon.verify.verdict import Answer, Verdict

QuickMode: TypeAlias = Literal["accept", "prefix", "multiprefix"]

STOPPED: Final = "the search was stopped"

STATES: Final = 20_000


class WordDecider:
    """Decides multi-traces of one interaction in which one component saw everything.

    More than `limit` states are not kept, neither for the next multi-trace nor for the rest of
    this one.
    """

    def __init__(self, interaction: Interaction, mode: QuickMode, limit: int = STATES) -> None:
        self.mode: QuickMode = mode
        self.limit = limit
        self.words = Words(limit)
        self._term = normal(interaction)

    def __del__(self) -> None:
        self.words.forget()

    @property
    def forgotten(self) -> int:
        """How often all states were forgotten."""
        return self.words.forgotten

    def applies(self, multitrace: MultiTrace) -> bool:
        """Whether the multi-trace can be read as one word: nobody else saw anything, and where
        what follows may be missing, nobody else could have."""
        active = [part for part in multitrace.components if len(part.actions)]
        if len(active) != 1:
            return False
        return self.mode != "multiprefix" or not self._term.lifelines & ~mask(active[0].lifelines)

    def decide(
        self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None = None
    ) -> Answer | None:
        """The verdict on a multi-trace that this `applies` to, None where sets of terms become
        too large. Inconc only if `should_stop()` was true while states were made."""
        if len(self.words) > self.limit:
            self.words.forget()
            forget_steps()
        self.words.should_stop = should_stop
        actions = next(part.actions for part in multitrace.components if len(part.actions))
        try:
            word = self.words.of(self._term).after(actions)
        except TooManyTerms:
            return None
        except Stopped:
            return Answer(Verdict.INCONC, STOPPED)
        if word.is_accepted:
            return Answer(Verdict.PASS)
        if word.terms and self.mode != "accept":
            return Answer(Verdict.WEAK_PASS)
        return Answer(Verdict.FAIL)
