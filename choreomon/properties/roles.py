"""Roles: services with replicas, each of which is a process of its own, called a *slot*.

A role `shop` of three slots is the processes `shop/0`, `shop/1` and `shop/2`. A property over roles
is the property whose transitions are replaced by parallel ones, one for each slot of the role that
*owns the event*; the other end of the message stays the name of the role, since who sends does not
know which slot will handle. So a step costs as many transitions as its owner has slots, and the
property over slots is formed exactly where the one over roles is (docs/adr/037-roles.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from choreomon.core.message import BEGIN, SEND, Label, Message
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.instances import Parameters


@dataclass(frozen=True)
class Roles:
    """The roles of a system with their numbers of slots. Names of processes that are none stand for
    themselves."""

    slots: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.slots)

    @cached_property
    def _roles(self) -> Mapping[str, str]:
        return {slot: role for role in self.slots for slot in self.slots_of(role)}

    def slots_of(self, name: str) -> tuple[str, ...]:
        """The slots of a role, in order; of a process itself."""
        count = self.slots.get(name)
        return (name,) if count is None else tuple(slot_name(name, n) for n in range(count))

    def role_of(self, process: str) -> str:
        """The role of a slot; of another process itself."""
        return self._roles.get(process, process)

    def processes(self, names: Iterable[str]) -> tuple[str, ...]:
        """The slots of roles, and processes that are none, in the order of `names`."""
        return tuple(slot for name in names for slot in self.slots_of(name))

    def labels(self, label: Label) -> tuple[Label, ...]:
        """The labels of the slots that own the events of this label; that of the beginning has no
        owner."""
        if label == BEGIN or label.process not in self.slots:
            return (label,)
        return tuple(at_slot(label, slot) for slot in self.slots_of(label.process))

    def label(self, label: Label) -> Label:
        """The label over slots of an event whose message has slots at both ends: the other end
        becomes the name of its role."""
        kind, (sender, name, receiver) = label
        if kind == SEND:
            return Label(kind, Message(sender, name, self.role_of(receiver)))
        return Label(kind, Message(self.role_of(sender), name, receiver))

    def of_roles(self, label: Label) -> Label:
        """The label over roles of an event: both ends become the names of their roles."""
        kind, (sender, name, receiver) = label
        return Label(kind, Message(self.role_of(sender), name, self.role_of(receiver)))

    def automaton(self, automaton: SequenceAutomaton) -> SequenceAutomaton:
        """The property over slots of one over roles."""
        if not self:
            return automaton
        return replace(
            automaton,
            forward=self._transitions(automaton.forward),
            backward=self._transitions(automaton.backward),
            carried=self._carried(automaton, automaton.carried),
        )

    def parameters(
        self, automaton: SequenceAutomaton, parameters: Parameters | None
    ) -> Parameters | None:
        """The parameters over slots of those of the `automaton` over roles."""
        if parameters is None or not self:
            return parameters
        return replace(parameters, carried=self._carried(automaton, parameters.carried))

    def _transitions(self, transitions: Iterable[Transition]) -> tuple[Transition, ...]:
        return tuple(
            Transition(source, label, target)
            for source, by_role, target in transitions
            for label in self.labels(by_role)
        )

    def _carried(
        self, automaton: SequenceAutomaton, carried: Mapping[Message, tuple[str, ...]]
    ) -> Mapping[Message, tuple[str, ...]]:
        return {
            label.message: carried[by_role.message]
            for by_role in automaton.labels
            if by_role.message in carried
            for label in self.labels(by_role)
        }


NO_ROLES: Final = Roles()


def slot_name(role: str, number: int) -> str:
    """The process that is a slot of a role; `number` counts from 0."""
    return f"{role}/{number}"


def at_slot(label: Label, slot: str) -> Label:
    """The label of a role's event as one of its slots has it."""
    kind, (sender, name, receiver) = label
    if kind == SEND:
        return Label(kind, Message(slot, name, receiver))
    return Label(kind, Message(sender, name, slot))
