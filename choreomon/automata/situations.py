"""Situations of an automaton at cuts of logs, made on demand and kept.

A *situation* is a set of states, and the set of *open* logs: those whose lifelines may do anything
unobserved, since the log may lack it, or, if logs are whole, those that are used up. It is the
subset construction, done lazily, of the automaton of the automata paper, Definition 4, without the
cuts: situations of one automaton are the same for all logs over the same lifelines, so what was
learnt for one multi-trace is known for a million others.

An action is read as a *code*: the number of its letter, and whether it is the first or the last one
of its log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.automata.automaton import Automaton, States, members
from choreomon.automata.emptiness import trimmed
from choreomon.automata.logs import WHOLE, Missing, closed, letters_on
from choreomon.core.errors import BudgetExceeded

DEAD: Final = 0
"""The situation without states."""

FIRST: Final = 1
LAST: Final = 2

PAIRS: Final = 200
"""The most pairs of sets of states examined to find out whether an action may be taken first. If
that takes more, it is not."""


STEPS: Final = 200_000
"""The most steps of sets of states kept."""


class Situation(NamedTuple):
    """`states`, closed under what the `open` logs (bits, by their numbers) may do unobserved."""

    states: States
    open: int


class Situations:
    """The situations of logs over given groups of lifelines, with what they may lack.

    - `logs`: the lifelines of each log, disjoint. Other lifelines of the automaton are silent.
    - `most`: the most situations kept.

    Raises ValueError for logs of which only beginnings may be missing.
    """

    def __init__(
        self,
        automaton: Automaton,
        logs: Sequence[Sequence[str]],
        missing: Missing = WHOLE,
        most: int = 100_000,
    ) -> None:
        if missing.before and not missing.after:
            raise ValueError("logs that may begin late may stop early, too")
        self.automaton = trimmed(automaton)
        self.letters = len(automaton.letters)
        self.missing = missing
        self.most = most
        self.own = [letters_on(automaton, lifelines) for lifelines in logs]
        self.log_of = [-1] * self.letters
        for log, letters in enumerate(self.own):
            for letter in letters:
                self.log_of[letter] = log
        self.known: list[Situation] = [Situation(0, 0)]
        self._numbers: dict[Situation, int] = {}
        self._live: dict[int, States] = {}
        self._steps: dict[tuple[States, int], States] = {}

    def code(self, letter: int, *, first: bool, last: bool) -> int:
        """The code of a letter. `first` makes a difference only if logs may begin late."""
        flags = (FIRST if first and self.missing.before else 0) | (LAST if last else 0)
        return letter + self.letters * flags

    @property
    def codes(self) -> int:
        """The number of codes."""
        return self.letters * 4

    def start(self, empty: int) -> int:
        """The situation before all logs, given the `empty` ones (bits)."""
        if self.missing.before:
            empty = (1 << len(self.own)) - 1
        return self._number(self.automaton.initial, empty)

    def after(self, situation: int, code: int) -> int:
        """The situation after an action. Raises BudgetExceeded where there are too many."""
        states, open_logs = self.known[situation]
        flags, letter = divmod(code, self.letters)
        log = 1 << self.log_of[letter]
        if flags & FIRST:
            open_logs &= ~log
        if flags & LAST:
            open_logs |= log
        return self._number(self._step(states, letter), open_logs)

    def is_final(self, situation: int) -> bool:
        """Tell whether an accepted word may end here."""
        return bool(self.known[situation].states & self.automaton.final)

    def may_be_first(self, situation: int, code: int) -> bool:
        """Tell whether it is enough to try this action, the next one of its log: whatever may come
        before it in other logs may as well come after it.

        It is a persistent set of one action, as in Godefroid's book on partial-order methods,
        chapter 4; here it is about sets of states. In every way to go on, the action comes after a
        word of others. Those words are followed from these states, and from the states after the
        action; if the action, wherever it can be taken then, leads only to states to which the
        other order leads, the other order is enough. So if it can be taken nowhere, it is enough to
        try it, and to fail. False if `PAIRS` steps do not settle it.
        """
        states, open_logs = self.known[situation]
        flags, letter = divmod(code, self.letters)
        own = self.own[self.log_of[letter]]
        silent = 0 if self.missing.after else open_logs
        others = [
            other
            for log, letters in enumerate(self.own)
            if log != self.log_of[letter] and not silent >> log & 1
            for other in letters
        ]
        unobserved = own if flags & FIRST else ()
        start = (states, self._step(states, letter))
        seen = {start}
        pending = [start]
        while pending:
            earlier, later = pending.pop()
            if self._step(earlier, letter) & ~later:
                return False
            pairs = [(self._step(earlier, one), self._step(later, one)) for one in others]
            pairs += [(self._step(earlier, one), later) for one in unobserved]
            for pair in pairs:
                if pair[0] and pair not in seen:
                    if len(seen) == PAIRS:
                        return False
                    seen.add(pair)
                    pending.append(pair)
        return True

    def _number(self, states: States, open_logs: int) -> int:
        if self.missing.after:
            letters = [one for log in members(open_logs) for one in self.own[log]]
            states = closed(self.automaton, states, letters)
        else:
            states &= self._ending_without(open_logs)
        if not states:
            return DEAD
        situation = Situation(states, open_logs)
        known = self._numbers.get(situation)
        if known is None:
            if len(self.known) > self.most:
                raise BudgetExceeded(f"more than {self.most:,} situations")
            known = self._numbers[situation] = len(self.known)
            self.known.append(situation)
        return known

    def _ending_without(self, logs: int) -> States:
        """The states from which a final one can be reached by the letters of the other logs."""
        known = self._live.get(logs)
        if known is None:
            letters = [
                letter for log, own in enumerate(self.own) if not logs >> log & 1 for letter in own
            ]
            known = fresh = self.automaton.final
            while fresh:
                found = 0
                for letter in letters:
                    found |= self.automaton.before(fresh, letter)
                fresh = found & ~known
                known |= fresh
            self._live[logs] = known
        return known

    def _step(self, states: States, letter: int) -> States:
        key = (states, letter)
        known = self._steps.get(key)
        if known is None:
            if len(self._steps) >= STEPS:
                self._steps.clear()
            known = self._steps[key] = self.automaton.after(states, letter)
        return known
