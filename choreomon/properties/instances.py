"""Properties for each instance: of each order, each tenant, each session.

Messages carry values of parameters, any of them; a *binding* gives each parameter of the property a
value. What is forbidden is forbidden for each binding by itself, over the *slice* of the run: the
events that agree with it on what they carry (parametric trace slicing: Chen and Rosu, "Parametric
trace slicing and monitoring", TACAS 2009). What happened before what is that of the whole run.

The last step of a sequence carries all that its sequence carries, so that its event names the
binding; bindings are only ever restricted, never joined as in that paper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from choreomon.core.errors import Defect, Path
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import Label, Message
from choreomon.core.suggestion import did_you_mean
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.certain_cancellations import takes_back_the_same
from choreomon.properties.progress import rules_of
from choreomon.properties.relations import pre_transitions

Values: TypeAlias = Mapping[str, str]
"""Of parameters, by their names."""

Binding: TypeAlias = tuple[tuple[str, str], ...]
"""Names of parameters with their values, sorted."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of a property, and which of them each message carries."""

    names: tuple[str, ...]
    carried: Mapping[Message, tuple[str, ...]]

    def of(self, label: Label) -> tuple[str, ...]:
        """The parameters that an event of this label has values of."""
        return self.carried.get(label.message, ())

    def binding(self, label: Label, values: Values) -> Binding | None:
        """What an event of this label binds; None where it lacks a value."""
        names = self.of(label)
        if any(name not in values for name in names):
            return None
        return tuple(sorted((name, values[name]) for name in names))


def agree(one: Binding, other: Binding) -> bool:
    """Return whether two bindings give the parameters that both have the same values."""
    known = dict(one)
    return all(known.get(name, value) == value for name, value in other)


def joined(one: Binding, other: Binding) -> Binding:
    """What two bindings that agree bind together."""
    return tuple(sorted({**dict(one), **dict(other)}.items()))


def in_words(binding: Binding) -> str:
    """`order=A-17, tenant=t1`."""
    return ", ".join(f"{name}={value}" for name, value in binding)


def parameters_of(
    for_each: Sequence[str], labels: Sequence[tuple[Path, CarryingLabel]], defects: list[Defect]
) -> Parameters | None:
    """The parameters that a property names in `for_each`; None where it names none. `labels` are
    those of the property with their paths. What is wrong is added to `defects`."""
    carried: dict[Message, tuple[str, ...]] = {}
    for path, (label, names) in labels:
        for name in names:
            if name not in for_each:
                meant = did_you_mean(name, for_each) or ": name it in for_each"
                defects.append(Defect(path, f"carries {name!r}, which is no parameter{meant}"))
        before = carried.setdefault(label.message, names)
        if {*before} != {*names}:
            told = f"carries ({', '.join(names)}), and elsewhere ({', '.join(before)})"
            defects.append(Defect(path, f"{told}: one message carries the same everywhere"))
    for place, name in enumerate(for_each):
        if not any(name in names for names in carried.values()):
            told = f"is {name!r}, which no message carries: write it behind one, as in (order)"
            defects.append(Defect(("property", "for_each", place), told))
    return Parameters(tuple(for_each), carried) if for_each else None


def instance_defects(
    automaton: SequenceAutomaton, parameters: Parameters, places: Mapping[Label, Path]
) -> Iterator[Defect]:
    """Steps and cancellations that carry less than what they rest on, so that nobody could say
    which instances they concern. A cancellation may, where it takes back the same whatever is
    live."""
    told: set[Label] = set()
    for rule in rules_of(automaton):
        part = rule.automaton
        whole = {name for label in part.labels for name in parameters.of(label)}
        for t in part.forward:
            missing = whole.difference(parameters.of(t.label))
            if t.target in part.final and missing and t.label not in told:
                told.add(t.label)
                lacks = " and ".join(name for name in parameters.names if name in missing)
                yield Defect(
                    places.get(t.label, ("property",)),
                    f"carries no {lacks}, and other labels of its sequence do: at {t.label}, which "
                    f"ends it, nobody could say of which {lacks}; let its message carry it",
                )
    for t in (*automaton.forward, *automaton.backward):
        lacking = _missing(automaton, parameters, t)
        if not lacking or t.label in told:
            continue
        backward = t in automaton.backward
        if backward and takes_back_the_same(automaton, t.label):
            continue
        told.add(t.label)
        lacks = " and ".join(lacking)
        if backward:
            message = (
                f"carries no {lacks}, and what it takes back does: every instance would have to be "
                "looked at; let its message carry it, or lead back to the start from anywhere"
            )
        else:
            message = (
                f"carries no {lacks}, and a step before it does: at {t.label} nobody could say of "
                f"which {lacks}; let its message carry it"
            )
        yield Defect(places.get(t.label, ("property",)), message)


def _missing(
    automaton: SequenceAutomaton, parameters: Parameters, t: Transition
) -> tuple[str, ...]:
    """The parameters that what a transition rests on carries, and it does not."""
    own = parameters.of(t.label)
    rests_on = [parameters.of(pre.label) for pre in pre_transitions(automaton, t)]
    names: Collection[str] = {name for each in rests_on for name in each}
    return tuple(name for name in parameters.names if name in names and name not in own)
