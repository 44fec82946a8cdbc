"""Words of interactions, read by automata that are built while they are used.

The states are sets of terms, all that may remain after what was read (the subset construction over
the small-step semantics). A state is a dictionary from actions to states, so what was read before
costs one look-up an action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import getitem
from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act, forget_steps
from choreomon.multitrace.coded import CodedTrace

MOST_TERMS: Final = 64
"""A state with more of them is not made: where operands interleave, sets of terms may grow
exponentially."""

ROWS: Final = 1 << 8
"""More states are not numbered at a time, while a long trace is read."""


class Stopped(Exception):
    """A decision was asked to stop before it was made."""


class TooManyTerms(Exception):
    """A state would have more than `MOST_TERMS`."""


class SubsetState(dict[Action, "SubsetState"]):
    """What may remain after the words that lead here: terms in normal form, none where these are
    no prefixes of accepted traces. `is_accepted`: whether they are accepted themselves."""

    __slots__ = ("_words", "is_accepted", "terms")

    def __init__(self, words: Words, terms: frozenset[Interaction]) -> None:
        self._words = words
        self.terms = terms
        self.is_accepted = any(term.terminates for term in terms)

    def __missing__(self, action: Action) -> SubsetState:
        if not self.terms:
            return self
        found = self[action] = self._words.after(self, action)
        return found

    def after(self, actions: Iterable[Action]) -> SubsetState:
        """The state after some more actions. Raises what `Words.after` raises."""
        if isinstance(actions, CodedTrace):
            return _after_codes(self, actions)
        return reduce(getitem, actions, self)


class _Row(dict[int, "_Row"]):
    """A state, and the rows of the states that the actions of one trace lead to, by their codes:
    numbers are looked up in half the time that actions take."""

    __slots__ = ("_alphabet", "_rows", "word")

    def __init__(
        self, word: SubsetState, alphabet: Sequence[Action], rows: dict[int, _Row]
    ) -> None:
        self.word = word
        self._alphabet = alphabet
        self._rows = rows
        rows[id(word)] = self

    def __missing__(self, code: int) -> _Row:
        word = self.word[self._alphabet[code]]
        if len(self._rows) > ROWS:
            _take_apart(self._rows)
        row = self._rows.get(id(word))
        if row is None:
            row = _Row(word, self._alphabet, self._rows)
        self[code] = row
        return row


def _take_apart(rows: dict[int, _Row]) -> None:
    # Rows lead to each other; taken apart they need no garbage collector.
    for row in rows.values():
        row.clear()
    rows.clear()


def _after_codes(word: SubsetState, trace: CodedTrace) -> SubsetState:
    """`SubsetState.after`, of a trace of numbers."""
    rows: dict[int, _Row] = {}
    try:
        return reduce(getitem, trace.codes, _Row(word, trace.alphabet, rows)).word
    finally:
        _take_apart(rows)


class Words:
    """The automata of any number of terms, with their states in common.

    Once there are more than `limit` states all are forgotten, also in the middle of a word.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self.forgotten = 0
        """How often all states were forgotten."""
        self.should_stop: Callable[[], bool] | None = None
        """Asked before a state is made, and for everything that may take long then."""
        self._known: dict[frozenset[Interaction], SubsetState] = {}

    def __len__(self) -> int:
        """How many states are kept."""
        return len(self._known)

    def of(self, term: Interaction) -> SubsetState:
        """The state in which nothing of a term was read."""
        return self._word(frozenset((normal(term),)))

    def after(self, word: SubsetState, action: Action) -> SubsetState:
        """The state after one more action, worked out anew.

        Raises `Stopped` where `should_stop()` is true, `TooManyTerms` where there are too many.
        """
        ask = self.ask
        if ask is not None:
            ask()
        leaf = act(action)
        remaining: set[Interaction] = set()
        for term in word.terms:
            if leaf.lifelines & term.lifelines:
                for rest in after(term, leaf, ask):
                    if ask is not None:
                        ask()
                    remaining.add(normal(rest))
        if len(remaining) > MOST_TERMS:
            raise TooManyTerms
        if self._limit is not None and len(self._known) > self._limit:
            self.forget()
            forget_steps()
        return self._word(frozenset(remaining))

    @property
    def ask(self) -> Callable[[], None] | None:
        """To be called before whatever may take long: raises `Stopped` where `should_stop()` is
        true. None where nobody may stop."""
        return None if self.should_stop is None else self._ask

    def _ask(self) -> None:
        if self.should_stop is not None and self.should_stop():
            raise Stopped

    def forget(self) -> None:
        """Drops all states. They lead to each other: taken apart, they need no garbage
        collector."""
        for word in self._known.values():
            word.clear()
        self._known.clear()
        self.forgotten += 1

    def _word(self, terms: frozenset[Interaction]) -> SubsetState:
        found = self._known.get(terms)
        if found is None:
            found = self._known[terms] = SubsetState(self, terms)
        return found
