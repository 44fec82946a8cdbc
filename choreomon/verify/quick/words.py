"""Multi-traces in which one clock saw everything: words of the interaction.

A word is read by an automaton that is built while it is used. Its states are sets of terms, all
that may remain after what was read (the subset construction over the small-step semantics). A
state is a dictionary from actions to states, so what was read before costs one look-up an action:
traces of millions of actions of a protocol that repeats itself meet few states.

Interleaving may make such sets large. Then this gives up, and leaves the word to those who look at
one possibility after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.exact_search import STOPPED
from choreomon.verify.quick.commuting import Stopped
from choreomon.verify.verdict import Answer, Verdict

QuickMode: TypeAlias = Literal["accept", "prefix", "multiprefix"]

MOST_TERMS: Final = 64
"""A state with more of them is not made."""

STATES: Final = 20_000


class TooManyTerms(Exception):
    """A state would have more than `MOST_TERMS`."""


class Word(dict[Action, "Word"]):
    """What may remain after the words that lead here: terms in normal form, none where these are
    no prefixes of accepted traces. `is_accepted`: whether they are accepted themselves."""

    __slots__ = ("_decider", "is_accepted", "terms")

    def __init__(self, decider: WordDecider, terms: frozenset[Interaction]) -> None:
        self._decider = decider
        self.terms = terms
        self.is_accepted = any(term.terminates for term in terms)

    def __missing__(self, action: Action) -> Word:
        if not self.terms:
            return self
        found = self[action] = self._decider.after(self, action)
        return found


class WordDecider:
    """Decides multi-traces of one interaction in which at most one component is not empty.

    More than `limit` states are not kept from one multi-trace for the next.
    """

    def __init__(self, interaction: Interaction, mode: QuickMode, limit: int = STATES) -> None:
        self.mode: QuickMode = mode
        self.limit = limit
        self.forgotten = 0
        """How often all states were forgotten."""
        self._term = normal(interaction)
        self._words: dict[frozenset[Interaction], Word] = {}
        self._should_stop: Callable[[], bool] | None = None

    def __len__(self) -> int:
        """How many states are kept."""
        return len(self._words)

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
        self._should_stop = should_stop
        try:
            word = self.read(next(p.actions for p in multitrace.components if len(p.actions)))
        except TooManyTerms:
            return None
        except Stopped:
            return Answer(Verdict.INCONC, STOPPED)
        if word.is_accepted:
            return Answer(Verdict.PASS)
        if word.terms and self.mode != "accept":
            return Answer(Verdict.WEAK_PASS)
        return Answer(Verdict.FAIL)

    def read(self, actions: Sequence[Action]) -> Word:
        """The state after these actions."""
        if len(self._words) > self.limit:
            # States lead to each other; taken apart they need no garbage collector.
            for word in self._words.values():
                word.clear()
            self._words.clear()
            self.forgotten += 1
        word = self._word(frozenset((self._term,)))
        for action in actions:
            word = word[action]
        return word

    def after(self, word: Word, action: Action) -> Word:
        """The state after one more action, worked out anew."""
        if self._should_stop is not None and self._should_stop():
            raise Stopped
        leaf = act(action)
        remaining: set[Interaction] = set()
        for term in word.terms:
            if leaf.lifelines & term.lifelines:
                remaining.update(map(normal, after(term, leaf)))
        if len(remaining) > MOST_TERMS:
            raise TooManyTerms
        return self._word(frozenset(remaining))

    def _word(self, terms: frozenset[Interaction]) -> Word:
        found = self._words.get(terms)
        if found is None:
            found = self._words[terms] = Word(self, terms)
        return found
