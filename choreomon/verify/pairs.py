"""What is left of a question when only the actions of two messages are looked at.

Leave all other actions out of a global trace that explains some logs: what remains explains what
remains of the logs, and is accepted by what remains of the interaction. So where nothing explains
that, nothing explains the logs. It is a necessary condition on several components at once, which
the view of each alone is not: as many messages were sent before something else as were received.
And it is easily decided, since few messages are pending in few combinations, and the runs
(`choreomon.verify.runs`) of what remains are long.

It is asked of late terms on the way (`choreomon.verify.late_search`), with what is left of the
logs. Components that have not begun, or that have nothing left to tell of these messages, may do
anything unobserved: that allows more, so no is still no.

Only pairs are looked at that are much easier than the whole. Together they may visit a multiple of
the vertices that the search itself has visited; what would take more is not asked, or not answered,
and then cuts nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, act
from choreomon.verify.exact_search import Observed, Places
from choreomon.verify.late import LATE, PLAIN, LateTerm
from choreomon.verify.overestimates import onto_messages
from choreomon.verify.runs import boundaries, within_runs
from choreomon.verify.views import Views

# None of these four changes an answer. With them docs/adr/010 was measured.

MESSAGES: Final = 8
"""Pairs are made of so many messages, those recorded most often."""

EASIER: Final = 8
"""Pairs are looked at that have so many times fewer places between runs than the whole
(`choreomon.verify.runs.boundaries`)."""

SHARE: Final = 8
"""How many vertices all pairs together may visit, for each one that the search has visited."""

PATIENCE: Final = 400
"""A pair that has visited more vertices than this and never cut anything is given up."""

_Vertex: TypeAlias = tuple[LateTerm, Places, int, int | None]
"""What remains, how much of each component's log of the two messages was consumed, which
components have begun (bits), and the component within whose run this is."""


class Pairs:
    """The pairs of messages of one question. `term` has no `loopH` and no marks."""

    def __init__(
        self,
        views: Views,
        term: Interaction,
        parts: Sequence[Observed],
        before: bool,
        ask: Callable[[], None],
    ) -> None:
        counted = Counter(action.message for part in parts for action in part.actions)
        often = sorted(message for message, _ in counted.most_common(MESSAGES))
        waits = views.waiting(term)
        most = boundaries([within_runs(p.actions, p.lifelines, waits) for p in parts]) // EASIER
        made = [
            Pair(views, term, parts, before, frozenset(two), ask) for two in combinations(often, 2)
        ]
        self.pairs = sorted(
            (one for one in made if one.boundaries <= most), key=lambda one: one.boundaries
        )
        self._spent = 0

    def allow(self, node: LateTerm, places: Places, visited: int) -> bool:
        """False only where nothing explains what is left of the logs from these places on, which
        do not lie within runs. `visited`: vertices of the search before this one."""
        for number, pair in enumerate(self.pairs):
            left = SHARE * (visited + 1) - self._spent
            if left <= 0:
                return True
            spent = pair.visited
            answer = pair.allows(node, places, spent + left)
            self._spent += pair.visited - spent
            if answer is False:
                pair.cuts += 1
                # What has cut something will do so again.
                self.pairs.insert(0, self.pairs.pop(number))
                return False
        self.pairs = [one for one in self.pairs if one.cuts or one.visited <= PATIENCE]
        return True


class Pair:
    """The question about one pair of messages. Answers are kept for the same logs only."""

    def __init__(
        self,
        views: Views,
        term: Interaction,
        parts: Sequence[Observed],
        before: bool,
        messages: frozenset[str],
        ask: Callable[[], None],
    ) -> None:
        self._views = views
        self._before = before
        self._messages = messages
        self._ask = ask
        self._made = views.on_messages(messages)
        self._lifelines = [part.lifelines for part in parts]
        logs = [[one for one in part.actions if one.message in messages] for part in parts]
        self._leaves = [list(map(act, log)) for log in logs]
        self._end: Places = tuple(map(len, logs))
        self._at = [list(_counted(part.actions, messages)) for part in parts]
        waits = views.waiting(normal(onto_messages(term, messages, self._made)))
        self._inside = [
            within_runs(log, lifelines, waits)
            for log, lifelines in zip(logs, self._lifelines, strict=True)
        ]
        self.boundaries = boundaries(self._inside)
        self._known: dict[_Vertex, bool] = {}
        self.visited = 0
        self.cuts = 0

    def allows(self, node: LateTerm, places: Places, most: int) -> bool | None:
        """Whether something explains what is left of the logs of the two messages; None where that
        was not found out before `most` vertices were visited in all."""
        here = tuple([at[place] for at, place in zip(self._at, places, strict=True)])
        begun = sum(1 << number for number, place in enumerate(places) if place)
        terms = self._views.late_terms
        rest = terms.opened(self._late(node), self._free(here, begun))
        return self._answer((rest, here, begun, None), most)

    def _late(self, node: LateTerm) -> LateTerm:
        terms = self._views.late_terms

        def change(top: LateTerm) -> LateTerm | None:
            if top.kind == PLAIN:
                return terms.plain(onto_messages(top.term, self._messages, self._made))
            if top.kind != LATE:
                return None
            term = normal(onto_messages(top.term, self._messages, self._made))
            return terms.undecided(term, top.epochs, top.pruned)

        return terms.changed(node, ("onto", self._messages), change)

    def _free(self, places: Places, begun: int) -> Mask:
        """The lifelines on which something may happen unobserved now, and perhaps some more."""
        found = NONE
        for number, lifelines in enumerate(self._lifelines):
            silent = places[number] == self._end[number]
            if silent or (self._before and not begun >> number & 1):
                found |= lifelines
        return found

    def _answer(self, start: _Vertex, most: int) -> bool | None:
        """Depth first; every vertex that is left leads nowhere."""
        known = self._known
        if start[1] == self._end:
            return True
        if start in known:
            return known[start]
        way = [(start, self._moves(start))]
        while way:
            vertex, moves = way[-1]
            for then in moves:
                answer = True if then[1] == self._end else known.get(then)
                if answer is None:
                    if self.visited >= most:
                        return None
                    way.append((then, self._moves(then)))
                    break
                if answer:
                    known.update((one, True) for one, _ in way)
                    return True
            else:
                known[vertex] = False
                way.pop()
        return False

    def _moves(self, vertex: _Vertex) -> Iterator[_Vertex]:
        self.visited += 1
        self._ask()
        node, places, begun, within = vertex
        for number in range(len(places)) if within is None else (within,):
            place = places[number]
            if place == self._end[number]:
                continue
            then = (*places[:number], place + 1, *places[number + 1 :])
            started = begun | 1 << number
            inside = self._inside[number][place + 1]
            free = NONE if inside else self._free(then, started)
            for rest in self._views.after(node, self._leaves[number][place], free):
                yield rest, then, started, number if inside else None


def _counted(actions: Iterable[Action], messages: frozenset[str]) -> Iterator[int]:
    """For each place in a log, how many actions of these messages lie before it."""
    found = 0
    yield found
    for action in actions:
        found += action.message in messages
        yield found
