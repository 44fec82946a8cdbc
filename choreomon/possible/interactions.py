"""Interactions as protocols: states are what remains of them, in normal form.

Of an interaction whose loops are not all strict there may be endlessly many such states. A search
that saw all of them has seen all runs, whether the interaction has a finite automaton or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import copy

from choreomon.core.action import EMISSION, RECEPTION, Action
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.interaction.enabled import enabled
from choreomon.interaction.lifelines import NONE, names
from choreomon.interaction.normal import normal
from choreomon.interaction.operands import receivers
from choreomon.interaction.term import EMPTY, Interaction, Operator, act, combined, strict, subterms
from choreomon.possible.actions import readings
from choreomon.possible.protocol import Events


class InteractionProtocol:
    """The accepted runs of an interaction of the session at hand. `watched` are the labels of the
    property. A message to several receivers is sent to them in the order in which they are
    written."""

    def __init__(self, interaction: Interaction, watched: Collection[Label]) -> None:
        self.processes = names(interaction.lifelines)
        arrows, alone = _arrows(interaction)
        self._events: dict[Action, tuple[Events, ...]] = readings(alone, self.processes, watched)
        numbered = {a: self._numbered(a, str(number)) for number, a in enumerate(arrows)}
        self._start = normal(_with(interaction, numbered))
        self._steps: dict[Interaction, tuple[tuple[Events, Interaction], ...]] = {}
        self.labels = frozenset(
            label for each in self._events.values() for events in each for label in events
        )

    def _numbered(self, arrow: Interaction, number: str) -> Interaction:
        """The arrow with actions that are of no other one: its number stands for the message, after
        a character that no name has."""
        assert arrow.left is not None
        sent = arrow.left.action
        assert sent is not None
        to = receivers(arrow)
        messages = [Message(sent.lifeline, sent.message, receiver) for receiver in to]
        own = f"{sent.message}\0{number}"
        first = Action(sent.lifeline, EMISSION, own)
        self._events[first] = (tuple(Label(SEND, message) for message in messages),)
        taken = []
        for receiver, message in zip(to, messages, strict=True):
            action = Action(receiver, RECEPTION, own)
            self._events[action] = ((Label(HANDLE, message),),)
            taken.append(act(action))
        rest = taken.pop()
        while taken:
            rest = combined(Operator.COREG, NONE, taken.pop(), rest)
        return strict(act(first), rest)

    def loosened(self, watched: Collection[Label]) -> InteractionProtocol | None:
        """A protocol that allows at least the runs of this one without some events that are not
        `watched`, and perhaps others; None where that would be this one. Within loops that are not
        strict, which may be ahead on one lifeline as far as they like and so have endlessly many
        states, it has only the lifelines at which something watched happens."""
        wanted = frozenset(watched)
        outermost: dict[Interaction, Interaction] = {}
        pending = [self._start]
        seen = set()
        while pending:
            top = pending.pop()
            if top in seen:
                continue
            seen.add(top)
            if top.operator in (Operator.LOOP_C, Operator.LOOP_H):
                outermost[top] = self._only(top, wanted)
            else:
                pending += [each for each in (top.left, top.right) if each is not None]
        loose = normal(_with(self._start, outermost))
        if loose is self._start:
            return None
        made = copy(self)
        made._start = loose
        made._steps = {}
        return made

    def _only(self, loop: Interaction, wanted: frozenset[Label]) -> Interaction:
        """The loop without the lifelines at which nothing wanted happens in it."""
        leaves = [(part, part.action) for part in subterms(loop) if part.action is not None]
        kept = {
            action.lifeline
            for _, action in leaves
            if any(not wanted.isdisjoint(events) for events in self._events[action])
        }
        return _with(loop, {part: EMPTY for part, a in leaves if a.lifeline not in kept})

    def initial(self) -> tuple[Interaction, ...]:
        return (self._start,)

    def may_end(self, state: Interaction) -> bool:
        return state.terminates

    def steps(self, state: Interaction) -> Iterator[tuple[Events, Interaction]]:
        known = self._steps.get(state)
        if known is None:
            found: dict[tuple[Events, Interaction], None] = {}
            for step in enabled(state):
                follow_up = normal(step.follow_up())
                for events in self._events[step.action]:
                    found[events, follow_up] = None
            known = self._steps[state] = tuple(found)
        return iter(known)


def _with(term: Interaction, others: Mapping[Interaction, Interaction]) -> Interaction:
    """The term with others in the place of some of its subterms."""
    made: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if (other := others.get(part)) is not None:
            made[part] = other
        elif part.left is None:
            made[part] = part
        else:
            right = None if part.right is None else made[part.right]
            made[part] = combined(part.operator, part.region, made[part.left], right)
    return made[term]


def _arrows(interaction: Interaction) -> tuple[list[Interaction], list[Action]]:
    """The subterms that are messages passed, and the actions that stand outside of them."""
    arrows: list[Interaction] = []
    alone: dict[Action, None] = {}
    seen = set()
    pending = [interaction]
    while pending:
        top = pending.pop()
        if top in seen:
            continue
        seen.add(top)
        if top.action is not None:
            alone[top.action] = None
        elif receivers(top):
            arrows.append(top)
        else:
            pending += [each for each in (top.right, top.left) if each is not None]
    return arrows, [*alone]
