"""What may remain of a term while components are consumed: a graph that is built while it is used.

Its nodes are terms. Actions lead from one to others, and so does closing a component of which
everything was seen. What was worked out once is kept for all multi-traces, within bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project, remove
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import Interaction, act
from choreomon.verify.quick.words import SubsetState, Words

Closing: TypeAlias = Literal["remove", "prune"]
"""What is done with a component of which everything was seen: `remove` it, since more of it may
have happened (prefixes and multi-prefixes); `prune` it, since nothing more did (acceptance)."""


class Situation(dict[Action, "tuple[Situation, ...]"]):
    """A term, and the situations that actions lead to, as far as anybody asked.

    Situations are compared by their terms: as dictionaries they would be by what was asked.
    """

    __slots__ = ("_closed", "_views", "situations", "term")

    def __init__(self, situations: Situations, term: Interaction) -> None:
        self.situations = situations
        self.term = term
        self._closed: dict[tuple[str, ...], Situation | None] = {}
        self._views: dict[tuple[str, ...], SubsetState] = {}

    def __missing__(self, action: Action) -> tuple[Situation, ...]:
        leaf = act(action)
        found: tuple[Situation, ...] = ()
        if leaf.lifelines & self.term.lifelines:
            situations = self.situations
            rests = after(self.term, leaf, situations.words.ask)
            # Equals are met where there is a choice; a single one is not worth a normal form.
            forms = situations.forms(rests) if len(rests) > 1 else rests
            found = tuple(map(situations.__getitem__, forms))
        self[action] = found
        return found

    def closed(self, lifelines: tuple[str, ...]) -> Situation | None:
        """What remains when everything on `lifelines` was seen; None where that cannot be."""
        if lifelines in self._closed:
            return self._closed[lifelines]
        ask = self.situations.words.ask
        if ask is not None:
            ask()
        rest = self.situations.close(self.term, mask(lifelines))
        found = None if rest is None else self.situations[normal(rest)]
        self._closed[lifelines] = found
        return found

    def view(self, lifelines: tuple[str, ...]) -> SubsetState:
        """What `lifelines` may still see, each alone or all with one clock."""
        found = self._views.get(lifelines)
        if found is None:
            seen = project(self.term, mask(lifelines))
            found = self._views[lifelines] = self.situations.words.of(seen)
        return found

    def forget(self) -> None:
        """Drops everything that was found out."""
        self.clear()
        self._closed.clear()
        self._views.clear()


class Situations(dict[Interaction, Situation]):
    """The one situation of every term that was asked for, and the words that components may see.

    Nothing is forgotten unless `forget` is called. Situations lead to each other: taken apart, they
    need no garbage collector, so whoever drops them should call it.
    """

    def __init__(self, closing: Closing, limit: int) -> None:
        self.closing: Closing = closing
        self.words = Words(limit)

    def __missing__(self, term: Interaction) -> Situation:
        found = self[term] = Situation(self, term)
        return found

    def close(self, term: Interaction, lifelines: Mask) -> Interaction | None:
        """The term when everything on `lifelines` was seen; None where that cannot be."""
        return remove(term, lifelines) if self.closing == "remove" else prune(term, lifelines)

    def distinct(self, found: Sequence[Situation]) -> tuple[Situation, ...]:
        """Those with different normal forms, by these."""
        if len(found) < 2:
            return tuple(found)
        return tuple(map(self.__getitem__, self.forms([one.term for one in found])))

    def forms(self, terms: Sequence[Interaction]) -> Iterable[Interaction]:
        """The different normal forms of terms, in their order."""
        ask = self.words.ask
        if ask is None:
            return dict.fromkeys(map(normal, terms))
        found: dict[Interaction, None] = {}
        for term in terms:
            ask()
            found[normal(term)] = None
        return found

    def forget(self) -> None:
        """Drops all situations and words."""
        for situation in self.values():
            situation.forget()
        self.clear()
        self.words.forget()


def all_closed(steps: tuple[Situation, ...], lifelines: tuple[str, ...]) -> tuple[Situation, ...]:
    """What remains of each when everything on `lifelines` was seen, without repetitions."""
    if len(steps) == 1:
        only = steps[0].closed(lifelines)
        return () if only is None else (only,)
    closed = [step.closed(lifelines) for step in steps]
    return tuple({step.term: step for step in closed if step is not None}.values())
