"""The reduced form of the centralized procedure: what Algorithm 1 of the automata paper decides,
at a fraction of its states.

It searches through cuts: a cut says how many letters of each log were read, with the set of states
in which the automaton may be then. Letters that a log may lack are read without a step in any log.
There are two reductions.

**Bounds by position.** At each place of its log, a location alone allows certain states: those in
which a path that reads the log may be there, with the letters of all others free. They can be
reached so from an initial state, and a final one can be reached so from them. A path that explains
all logs is, at every cut, in a state that each location allows at its place. So all other states
are dropped. What is allowed takes two walks through automata that stay the same for all logs
(`choreomon.automata.local_view`), one of them backwards.

**Persistent sets.** At a cut, it is enough to go on with a set of locations if each letter that one
of them may read next can be moved in front of all letters that the other locations still have. Then
the others wait. A single location is best. This loses nothing: take a path that explains the rest
of the logs. Some location of the set has letters left, so letters of the set are on the path; let
`a` be the first of them, after the letters `u` of other locations. While `u` is read, the path is
in states that both the location of `a`, at its place now, and the location of each letter of `u`,
at some later place, allow. If `a` and the last letter of `u` are not in conflict in such a state
(`choreomon.automata.commutation`), reading them in the other order leads to the same state, by a
state on a path that explains the same logs; so the same holds for `a` and the letter before, and so
on to the front. No letter changes places with another one of its own location, hence all logs stay
as they are. The rest of the path is shorter by one letter, and the argument goes on. In an
automaton that is not deterministic `b a` may lead to several states: `a b` has to lead to each of
them.

A location still has the letters that its log may lack: before the log begins (slices), after it
ends (multi-prefixes, slices). A location of the set may read them next just as its next observed
letter, so they too have to be movable; if they are, they are read on the spot. A location at the
end of its log may be in a set, but not alone.

A search that visits many more cuts than a path has is lost among orders, none of which fits. Then
states from which the rest of some two logs cannot be read are dropped, too
(`choreomon.automata.two_logs`); to find these takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from choreomon.automata.automaton import Automaton, States
from choreomon.automata.commutation import Commutation
from choreomon.automata.local_view import LocalView
from choreomon.automata.logs import WHOLE, Decided, Log, Missing, coded
from choreomon.automata.semi_centralized import LocalVerifiers, locations_of
from choreomon.automata.two_logs import Bounds, TwoLogs
from choreomon.core.action import Action

KEPT: Final = 100_000
"""The most steps from sets of states kept; with more, all are forgotten before the next logs."""

LOST: Final = 500
"""A search counts as lost when it has visited this many cuts and twice as many as logs have
letters."""

Cut: TypeAlias = tuple[int, ...]
"""The number of letters of each log that were read."""


class Reduced:
    """Decides logs of one automaton; what it learns of the automaton it keeps, within bounds.
    `check_budget` is called at every cut, and now and then before; it may raise, to stop.
    `verifiers` are local verifiers to share. `reorders`: whether to look for persistent sets; if
    few letters can change places, that takes more time than it saves. Not for several threads at
    once."""

    def __init__(
        self,
        automaton: Automaton,
        verifiers: LocalVerifiers | None = None,
        check_budget: Callable[[], None] | None = None,
        *,
        reorders: bool = True,
    ) -> None:
        self.automaton = automaton
        self.reorders = reorders
        self.check_budget = check_budget
        self._forwards = verifiers or LocalVerifiers(automaton, check_budget)
        self._backwards = LocalVerifiers(automaton.reverse, check_budget)
        self._commutation = Commutation(automaton)
        self.two_logs = TwoLogs(automaton)
        self._after: dict[tuple[int, States], States] = {}

    def checking(self, check_budget: Callable[[], None] | None) -> None:
        """Sets the `check_budget` called from now on."""
        self.check_budget = self._forwards.check_budget = check_budget
        self._backwards.check_budget = check_budget

    def decide(
        self, logs: Sequence[Log], missing: Missing = WHOLE, free: Sequence[str] = ()
    ) -> Decided:
        """Decide whether the automaton explains the logs; also the number of cuts visited. On the
        lifelines `free`, which have no log, anything may happen."""
        if len(self._after) > KEPT:
            self._after.clear()
        if len(logs) == 1:
            lifelines, actions = logs[0]
            view = self._forwards.at(lifelines)
            if len(view.own) == len(self.automaton.letters):
                return self._walked(view, actions, missing)
        search = self._search(logs, missing, free)
        if search is None:
            return Decided(False, 0)
        return Decided(search.run(), search.visited)

    def explored(self, logs: Sequence[Log], missing: Missing = WHOLE) -> Container[Cut]:
        """The cuts through which a search for a path that explains the logs went, with a place for
        each log: if there is such a path, there is one through these."""
        search = self._search(logs, missing)
        if search is None:
            return ()
        search.run()
        found: set[Cut] = set()
        for cut in search.seen:
            place_of = dict(zip(search.numbers, cut, strict=True))
            found.add(tuple([place_of.get(number, 0) for number in range(len(logs))]))
        return found

    def _search(
        self, logs: Sequence[Log], missing: Missing, free: Sequence[str] = ()
    ) -> _Search | None:
        """A search that has not begun; None where a log is wrong by itself."""
        asked = [(log, missing) for log in logs]
        if free:
            asked.append(((free, ()), Missing(before=True, after=True)))
        every = locations_of(self.automaton, [log for log, _ in asked])
        asked += [(log, WHOLE) for log in every[len(asked) :]]
        locations: dict[int, _Location] = {}
        always: States = -1
        for number, (log, lacking) in enumerate(asked):
            one = self._location(log, lacking)
            if one is None:
                return None
            if one.has_letters:
                locations[number] = one
            else:
                always &= one.allowed[0]
        return _Search(self, locations, always)

    def _walked(self, view: LocalView, actions: Sequence[Action], missing: Missing) -> Decided:
        """Decide for a location that has all letters: there is nothing to order, and nothing to
        keep."""
        numbers, steps = self.automaton.letter_numbers, view.steps
        target = view.start(before=missing.before)
        for action in actions:
            letter = numbers.get(action)
            if letter is None or target is None:
                return Decided(False, 0)
            subset = target
            try:
                target = steps[subset][letter]
            except KeyError:
                if self.check_budget is not None:
                    self.check_budget()
                target = view.step(subset, letter)
        if target is not None and missing.after:
            target = view.released(target)
        return Decided(target is not None and view.accepts(target), len(actions))

    def _location(self, log: Log, missing: Missing) -> _Location | None:
        """The location of a log; None if the log is wrong by itself."""
        lifelines, actions = log
        word = coded(self.automaton, actions)
        if word is None:
            return None
        forwards = self._forwards.at(lifelines)
        backwards = self._backwards.at(lifelines)
        path = forwards.path(word, missing, self.check_budget)
        if path is None or not forwards.accepts(path[-1]):
            return None
        back = backwards.path(word[::-1], Missing(missing.after, missing.before), self.check_budget)
        assert back is not None  # since a path explains the log
        back.reverse()
        pairs = list(zip(path, back, strict=True))
        there, here = forwards.subsets, backwards.subsets
        met = {pair: there[pair[0]] & here[pair[1]] for pair in set(pairs)}
        return _Location(word, [met[pair] for pair in pairs], forwards.own, missing)

    def after(self, states: States, letter: int) -> States:
        """The states after a letter, as `Automaton.after`, but kept."""
        key = (letter, states)
        known = self._after.get(key)
        if known is None:
            known = self._after[key] = self.automaton.after(states, letter)
        return known

    def conflicts(self, letter: int) -> dict[int, States]:
        """The conflicts of a letter, as `Commutation.conflicts`."""
        return self._commutation.conflicts(letter)


class _Location:
    """A location with its log, as numbers of letters.

    `allowed`: the states that it allows at each place. `next`: the letters that it may read at each
    place; `free`: those of them that leave it where it is.
    """

    def __init__(
        self, log: list[int], allowed: list[States], own: tuple[int, ...], missing: Missing
    ) -> None:
        self.log = log
        self.own = own
        self.end = len(log)
        self.allowed = allowed
        self.before = own if missing.before else ()
        self.after = own if missing.after else ()
        self.has_letters = bool(log or self.before or self.after)

    def free(self, place: int) -> tuple[int, ...]:
        """The letters that it may read at a place without going on."""
        if place == self.end:
            return self.after or (self.before if not place else ())
        return () if place else self.before

    def next(self, place: int) -> tuple[int, ...]:
        """The letters that it may read at a place."""
        free = self.free(place)
        if place == self.end or self.log[place] in free:
            return free
        return (self.log[place], *free)

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """The places at which each letter may be read, ascending; 0 twice if it is free and next
        there."""
        found = {letter: [0] for letter in self.free(0)}
        for place, letter in enumerate(self.log):
            found.setdefault(letter, []).append(place)
        if self.end:
            for letter in self.after:
                found.setdefault(letter, []).append(self.end)
        return found


class _Search:
    """A search over the locations that have letters, by their numbers. `always` are the states
    allowed by the locations without letters; `seen` are the cuts reached, with their states;
    `visited` counts the cuts expanded."""

    def __init__(
        self,
        reduced: Reduced,
        locations: dict[int, _Location],
        always: States,
    ) -> None:
        self.numbers = tuple(locations)
        self.locations = tuple(locations.values())
        self.seen: dict[Cut, States] = {}
        self.visited = 0
        self._reduced = reduced
        self._always = always
        self._last_conflicts: dict[tuple[int, int, int], int] = {}
        self._going = 0  # the location that went on alone last
        self._is_lost = False
        self._bounds: list[tuple[int, int, Bounds]] = []

    def run(self) -> bool:
        """Tell whether a path explains the logs."""
        locations, check_budget, seen = self.locations, self._reduced.check_budget, self.seen
        after = self._reduced.after
        ends = tuple(one.end for one in locations)
        final = self._reduced.automaton.final
        start = (0,) * len(locations)
        fresh: dict[Cut, States] = {}
        begun = self._reduced.automaton.initial & self._allowed(start)
        if begun:
            seen[start] = fresh[start] = begun
        lost = LOST + 2 * sum(ends)
        while fresh:
            cut, states = fresh.popitem()  # the last one that is new: depth first
            if check_budget is not None:
                check_budget()
            self.visited += 1
            if self.visited >= lost and not self._is_lost:
                self._is_lost = True
                if not begun & self._bounded_by_two(start):
                    return False
            if self._bounds:
                states &= self._allowed(cut)
                if not states:
                    continue
            going = self._persistent(cut)
            states = self._closed(cut, states, going)
            if cut == ends:
                if states & final:
                    return True
                continue
            for number in going:
                one = locations[number]
                place = cut[number]
                if place == one.end:
                    continue
                found = after(states, one.log[place]) & one.allowed[place + 1]
                if not found:
                    continue
                there = (*cut[:number], place + 1, *cut[number + 1 :])
                known = seen.get(there, 0)
                found &= self._allowed(there) & ~known
                if found:
                    seen[there] = known | found
                    fresh[there] = fresh.get(there, 0) | found
        return False

    def _bounded_by_two(self, start: Cut) -> States:
        """Drop, from now on, states from which the rest of two logs cannot be read; return those
        left at the start."""
        check_budget = self._reduced.check_budget
        self._bounds = self._reduced.two_logs.pairs(self.locations, check_budget)
        return self._allowed(start)

    def _allowed(self, cut: Cut) -> States:
        """The states that all locations allow, and any two of them together."""
        found = self._always
        for one, place in zip(self.locations, cut, strict=True):
            found &= one.allowed[place]
        for first, second, bounds in self._bounds:
            if not found:
                break
            found &= bounds[cut[first]].get(cut[second], 0)
        return found

    def _closed(self, cut: Cut, states: States, going: Sequence[int]) -> States:
        """Add to these states all to which free letters of these locations lead."""
        letters = [letter for one in going for letter in self.locations[one].free(cut[one])]
        if not letters:
            return states
        allowed = self._allowed(cut)
        fresh = states
        while fresh:
            found = 0
            for letter in letters:
                found |= self._reduced.after(fresh, letter)
            fresh = found & allowed & ~states
            states |= fresh
        return states

    def _persistent(self, cut: Cut) -> list[int]:
        """The smallest set found of locations with which it is enough to go on."""
        locations = self.locations
        every = range(len(locations))
        best: list[int] = [*every]
        if len(best) < 2 or not self._reduced.reorders:
            return best
        for seed in (self._going, *every):
            if cut[seed] == locations[seed].end:
                continue
            found = [seed]
            for one in found:  # which grows meanwhile
                for other in every:
                    if (
                        other not in found
                        and self._last_conflict(one, cut[one], other) >= cut[other]
                    ):
                        found.append(other)
                if len(found) >= len(best):
                    break
            if len(found) < len(best):
                best = found
                if len(best) == 1:
                    self._going = seed
                    break
        return best

    def _last_conflict(self, one: int, place: int, other: int) -> int:
        """The last place at which another location may have to read a letter before this one goes
        on from a place; -1 if there is none."""
        key = (one, place, other)
        last = self._last_conflicts.get(key)
        if last is None:
            last = -1
            mine, theirs = self.locations[one], self.locations[other]
            here = mine.allowed[place]
            allowed = theirs.allowed
            for letter in mine.next(place):
                for earlier, states in self._reduced.conflicts(letter).items():
                    if states & here and earlier in theirs.places:
                        states &= here
                        for there in reversed(theirs.places[earlier]):
                            if there <= last:
                                break
                            if states & allowed[there]:
                                last = there
            self._last_conflicts[key] = last
        return last
