"""Short logs of one lifeline each, through what may remain of the strict reading.

An automaton of the strict reading (`choreomon.verify.discrete`) is made as a whole, before the
first logs are decided. Short logs pass by few of its states, so those are made that logs lead to,
for interactions that have no automaton, too: depth first, with one action of one log after the
other. It is the search of the removal paper, section 4, over a reading of which less remains:

- a log that was read leaves its lifeline: nothing may happen there any more where logs are whole
  (`prune`), and anything where they may lack their ends (`remove`). Of a reading in which no circle
  contradicts a choice of local traces (`choreomon.interaction.strengthening.is_separable`), what is
  left after removing a lifeline has the multi-traces without it;
- what may be missing before the first action of a log happens while that log stays where it is;
- by the same argument no log can be read whose rest is wrong by itself. That is looked at in the
  beginning, and at every step of a search that does not go straight through;
- what was found out is kept by what remains of the interaction and of each log, so that logs that
  end in the same way share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from choreomon.automata.logs import WHOLE, Missing
from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask, each, known_mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project, remove
from choreomon.interaction.step import after, prune
from choreomon.interaction.strengthening import is_separable, strengthened
from choreomon.interaction.term import Interaction, forget_steps, observed, subterms
from choreomon.interaction.weakening import has_strict_like
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.budget import CheckBudget, Exhausted, ShouldStop, checking
from choreomon.verify.verdict import Answer, Mode, Verdict

SHORT: Final = 200
"""Actions of all logs together: of longer ones each takes more time than by an automaton."""

LOST: Final = 1_000
"""A search is lost when it has come to this many vertices that were not known."""

PATIENT: Final = 30_000
"""As `LOST`, where nobody else is quick."""

GROWTH: Final = 3
"""What remains after actions that are missing is searched up to so many times the symbols of the
interaction."""

BEGINNINGS: Final = 100
"""What may remain of one lifeline before a log begins: of more, any may explain the log."""

KEPT: Final = 50_000
"""Of each kind; with more, all is forgotten before the next logs."""

Rest: TypeAlias = int
"""The number of a word that is left of a log; 0 is the empty one. Less than 0 where the log may not
have begun, so that actions may be missing before."""

Log: TypeAlias = tuple[Mask, Sequence[Action]]
"""A lifeline, and what was recorded there. Without actions it may be several."""

Vertex: TypeAlias = tuple[Interaction, tuple[Rest, ...]]
"""What remains of the interaction, and of each log."""


class ShortDecider:
    """Decider of short discrete multi-traces for one interaction and mode. It keeps what it learns,
    within bounds. Not thread-safe."""

    def __init__(self, interaction: Interaction, mode: Mode) -> None:
        self._mode = mode
        before = mode == "slice"
        term = normal(interaction)
        self._lifelines = term.lifelines
        # What `multiprefix` allows, `prefix` does where nothing is ordered strictly.
        is_asked = mode in ("accept", "multiprefix", "slice") or (
            mode == "prefix" and not has_strict_like(term)
        )
        read = normal(strengthened(term)) if is_asked else None
        self._read = read if read is not None and is_separable(read) else None
        if self._read is not None:
            self._whole = ShortLogs(self._read, WHOLE)
            self._parts = ShortLogs(self._read, Missing(before=before, after=True))

    @property
    def is_asked(self) -> bool:
        """Tell whether these decisions answer the mode for this interaction."""
        return self._read is not None

    def decide(
        self, multitrace: MultiTrace, should_stop: ShouldStop | None, *, patiently: bool = False
    ) -> Answer | None:
        """The answer; None about multi-traces that are not discrete, and about long ones unless
        `patiently` is said; about `prefix` where that asks for something else, of interactions from
        which lifelines may not be removed, and where a search is lost. It has no number of
        vertices: how many are new depends on what was asked before."""
        if self._read is None or not multitrace.is_discrete:
            return None
        if multitrace.length > SHORT and not patiently:
            return None
        logs = self._logs(multitrace)
        if logs is None:
            return Answer(Verdict.FAIL, method="exact")
        try:
            most = PATIENT if patiently else LOST
            return self._decided(logs, most, checking(should_stop))
        except Exhausted as cut:
            return Answer(Verdict.INCONC, str(cut), method="exact")

    def _decided(
        self, logs: Sequence[Log], most: int, check_budget: CheckBudget | None
    ) -> Answer | None:
        if self._mode != "accept":
            explained, _ = self._parts.explained(logs, most, check_budget)
            if explained is None:
                return None
            if not explained:
                return Answer(Verdict.FAIL, method="exact")
        explained, _ = self._whole.explained(logs, most, check_budget)
        if explained is None:
            return None
        if explained:
            return Answer(Verdict.PASS, method="exact")
        verdict = Verdict.FAIL if self._mode == "accept" else Verdict.WEAK_PASS
        return Answer(verdict, method="exact")

    def _logs(self, multitrace: MultiTrace) -> list[Log] | None:
        """The logs by the lifelines of the interaction, silent ones together; None where something
        was recorded of others."""
        found: list[Log] = []
        silent = self._lifelines
        for lifelines, actions in multitrace.components:
            own = known_mask(lifelines) & silent
            silent &= ~own
            if own:
                found.append((own, actions))
            elif len(actions):
                return None
        if silent:
            found.append((silent, ()))
        return found


class ShortLogs:
    """Decides short logs of one interaction, read strictly, in normal form and separable. What is
    found out for some is kept for the next, within bounds. Not for several threads at once.

    `missing`: what logs may lack; those that may begin late may stop early, too."""

    def __init__(self, term: Interaction, missing: Missing) -> None:
        self.term = term
        self.whole = not missing.after
        self.before = missing.before
        leaves = [part for part in subterms(term) if part.action is not None]
        self._leaves = {
            one: [leaf for leaf in leaves if leaf.lifelines == one] for one in each(term.lifelines)
        }
        self._check_budget: CheckBudget | None = None
        self.is_cut = False
        """Whether something was not searched that grows without an end."""
        self._words: dict[tuple[Action, Rest], Rest] = {}
        self._split: list[tuple[Interaction, Rest]] = []
        """By number: the first action, and the rest after it. That of 0 is never asked for."""
        self._forget()

    def _forget(self) -> None:
        self._words.clear()
        self._split[:] = [(self.term, 0)]
        self._explained: dict[Vertex, bool] = {}
        self._alone: dict[tuple[Interaction, Rest], bool] = {}
        self._after: dict[tuple[Interaction, Interaction], tuple[Interaction, ...]] = {}
        self._without: dict[tuple[Interaction, Mask], Interaction | None] = {}

    def explained(
        self, logs: Iterable[Log], most: int, check_budget: CheckBudget | None
    ) -> tuple[bool | None, int]:
        """Tell whether these logs are explained, None where the search is lost after `most`
        vertices; and how many it came to. `check_budget` is called for each; it may raise, to stop.
        """
        kept = (self._split, self._explained, self._alone, self._after, self._without)
        if max(map(len, kept)) > KEPT:
            self._forget()
            forget_steps()
        self._check_budget = check_budget
        term = self.term
        lifelines: list[Mask] = []
        rests: list[Rest] = []
        for lifeline, actions in logs:
            rest = self._word(actions)
            if rest:
                lifelines.append(lifeline)
                rests.append(-rest if self.before else rest)
                continue
            left = self._ended(term, lifeline)
            if left is None:
                return False, 0
            term = left
        if not rests:
            return not self.whole or term.terminates, 1
        for one, rest in zip(lifelines, rests, strict=True):
            if not self._is_right_alone(project(term, one), rest):
                return False, 0
        return self._search((term, tuple(rests)), lifelines, most)

    def _word(self, actions: Sequence[Action]) -> Rest:
        words = self._words
        rest: Rest = 0
        for action in reversed(actions):
            key = (action, rest)
            known = words.get(key)
            if known is None:
                known = words[key] = len(self._split)
                self._split.append((observed(action), rest))
            rest = known
        return rest

    def _search(self, start: Vertex, lifelines: list[Mask], most: int) -> tuple[bool | None, int]:
        explained = self._explained
        if (known := explained.get(start)) is not None:
            return known, 0
        self.is_cut = False
        seen = {start}
        way: list[tuple[Vertex, Iterator[Vertex]]] = [(start, self._next(start, lifelines))]
        while way:
            vertex, following = way[-1]
            found = None
            for there in following:
                found = explained.get(there)
                if found or (found is None and there not in seen):
                    break
            else:
                if not self.before:  # else it may be on a circle with one that is not finished
                    explained[vertex] = False
                way.pop()
                continue
            if found is None and not any(there[1]):
                explained[there] = found = not self.whole or there[0].terminates
                if not found:
                    continue
            if found:
                explained.update((vertex, True) for vertex, _ in way)
                return True, len(seen)
            if self._check_budget is not None:
                self._check_budget()
            if len(seen) == most:
                return None, most
            seen.add(there)
            strays = len(seen) > 2 * len(way) + 2
            way.append((there, self._next(there, lifelines, strays=strays)))
        if self.is_cut:
            return None, len(seen)
        explained.update(dict.fromkeys(seen, False))
        return False, len(seen)

    def _next(
        self, vertex: Vertex, lifelines: list[Mask], *, strays: bool = False
    ) -> Iterator[Vertex]:
        """The vertices after one; where a search `strays`, those at which no log is wrong alone."""
        term, rests = vertex
        for number, rest in enumerate(rests):
            if rest:
                leaf, behind = self._split[abs(rest)]
                there = (*rests[:number], behind, *rests[number + 1 :])
                for left in self._steps(term, leaf):
                    remains = left if behind else self._ended(left, lifelines[number])
                    if remains is not None:
                        vertex = (remains, there)
                        if not strays or self._may_be_right(vertex, lifelines):
                            yield vertex
        for number, rest in enumerate(rests):
            if rest < 0:
                for leaf in self._leaves[lifelines[number]]:
                    for left in self._steps(term, leaf):
                        if left.size > GROWTH * self.term.size:
                            self.is_cut = True
                            continue
                        vertex = (left, rests)
                        if not strays or self._may_be_right(vertex, lifelines):
                            yield vertex

    def _may_be_right(self, vertex: Vertex, lifelines: list[Mask]) -> bool:
        term, rests = vertex
        return all(
            self._is_right_alone(project(term, one), rest)
            for one, rest in zip(lifelines, rests, strict=True)
            if rest
        )

    def _is_right_alone(self, term: Interaction, rest: Rest) -> bool:
        """Tell whether a term over one lifeline explains what is left of its log."""
        known = self._alone
        if rest < 0:
            if (term, rest) not in known:
                begun = self._beginnings(term)
                known[term, rest] = len(begun) > BEGINNINGS or any(
                    self._is_right_alone(one, -rest) for one in begun
                )
            return known[term, rest]
        pending = [(term, rest)]
        while pending:
            top = pending[-1]
            if top in known:
                pending.pop()
                continue
            one, word = top
            if not word:
                known[top] = not self.whole or one.terminates
                continue
            leaf, behind = self._split[word]
            unknown = None
            for left in self._steps(one, leaf):
                there = (left, behind)
                found = known.get(there)
                if found:
                    known[top] = True
                    break
                if found is None:
                    unknown = unknown or there
            else:
                if unknown is None:
                    known[top] = False
                else:
                    pending.append(unknown)
        return known[term, rest]

    def _beginnings(self, term: Interaction) -> list[Interaction]:
        """Return what may remain of a term over one lifeline after any actions, up to many."""
        found = {term: None}
        pending = [term]
        while pending and len(found) <= BEGINNINGS:
            one = pending.pop()
            for leaf in self._leaves.get(one.lifelines, ()):
                for left in self._steps(one, leaf):
                    if left not in found:
                        found[left] = None
                        pending.append(left)
        return [*found]

    def _steps(self, term: Interaction, leaf: Interaction) -> tuple[Interaction, ...]:
        key = (term, leaf)
        known = self._after.get(key)
        if known is None:
            found = dict.fromkeys([normal(left) for left in after(term, leaf, self._check_budget)])
            known = self._after[key] = tuple(found)
        return known

    def _ended(self, term: Interaction, lifeline: Mask) -> Interaction | None:
        """Return what remains when the log of a lifeline was read; None where more would have had
        to happen there."""
        if not term.lifelines & lifeline:
            return term
        key = (term, lifeline)
        if key in self._without:
            return self._without[key]
        left = prune(term, lifeline) if self.whole else remove(term, lifeline)
        known = self._without[key] = None if left is None else normal(left)
        return known
