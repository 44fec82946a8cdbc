"""Properties for each instance: of each order, each tenant, each session.

Messages carry values of parameters, any of them; a *binding* gives each parameter of the property a
value. What is forbidden is forbidden for each binding by itself, over the *slice* of the run: the
events that agree with it on what they carry (parametric trace slicing: Chen and Rosu, "Parametric
trace slicing and monitoring", TACAS 2009). What happened before what is that of the whole run.

The last step of a sequence carries all that its sequence carries, so that its event names the
binding; bindings are only ever restricted, never joined as in that paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from choreomon.core.binding import Binding, Values
from choreomon.core.errors import Defect, Path
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import Label, Message
from choreomon.core.suggestion import did_you_mean
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.certain_cancellations import certain_cancellations
from choreomon.properties.progress import rules_of
from choreomon.properties.relations import pre_transitions, vio_transitions


class Forgetting(NamedTuple):
    """Instances that monitors may forget once they have been idle for so long: those that bind one
    of these sets of parameters, each sorted. `after` is in seconds."""

    after: float
    bindings: frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Parameters:
    """The parameters of a property, and which of them each message carries. `forgetting`: `None`
    where instances are remembered for ever."""

    names: tuple[str, ...]
    carried: Mapping[Message, tuple[str, ...]]
    forgetting: Forgetting | None = None

    def of(self, label: Label) -> tuple[str, ...]:
        """The parameters that an event of this label has values of."""
        return self.carried.get(label.message, ())

    def binding(self, label: Label, values: Values) -> Binding | None:
        """Return what an event of this label binds; None where it lacks a value."""
        names = self.of(label)
        if any(name not in values for name in names):
            return None
        return tuple(sorted((name, values[name]) for name in names))


def together(parameters: Sequence[Parameters]) -> Parameters | None:
    """Join the parameters of several rules as one property's, which carry the same in all messages
    that they share. Forgetting takes the longest of their times."""
    if not parameters:
        return None
    names = dict.fromkeys(name for each in parameters for name in each.names)
    carried = {message: found for each in parameters for message, found in each.carried.items()}
    forgets = [each.forgetting for each in parameters if each.forgetting is not None]
    if not forgets:
        return Parameters(tuple(names), carried)
    after = max(each.after for each in forgets)
    bindings = frozenset[tuple[str, ...]]().union(*[each.bindings for each in forgets])
    return Parameters(tuple(names), carried, Forgetting(after, bindings))


def forgotten_by_some(
    named: Sequence[tuple[str, Parameters]],
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield what one of several rules forgets and another one remembers, where an agent has one row
    for both: the name of the first, the parameters that are bound, and the name of the second."""
    for name, parameters in named:
        bindings = parameters.forgetting.bindings if parameters.forgetting else ()
        for names in sorted(bindings):
            for other, others in named:
                about = {tuple(sorted(carried)) for carried in others.carried.values()}
                forgets = others.forgetting is not None and names in others.forgetting.bindings
                if names in about and not forgets:
                    yield name, names, other


def parameters_of(
    for_each: Sequence[str],
    labels: Sequence[tuple[Path, CarryingLabel]],
    defects: list[Defect],
    within: Path = ("property",),
) -> Parameters | None:
    """The parameters that a property names in `for_each`; None where it names none. `labels` are
    those of the property with their paths, `within` is its own. What is wrong is added to
    `defects`."""
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
            defects.append(Defect((*within, "for_each", place), told))
    return Parameters(tuple(for_each), carried) if for_each else None


def instance_defects(
    automaton: SequenceAutomaton, parameters: Parameters, places: Mapping[Label, Path]
) -> Iterator[Defect]:
    """Yield what carries less than what it rests on, so that nobody could say which instances it
    concerns, and labels that share a reference and carry different parameters. A cancellation may
    carry less where it takes back the same whatever is live (`certain_cancellations`)."""
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
    for t, others in rests_on(automaton).items():
        for other in others:
            missing = {*parameters.of(other.label)}.difference(parameters.of(t.label))
            if missing and t.label not in told:
                told.add(t.label)
                lacks = " and ".join(name for name in parameters.names if name in missing)
                message = _lacking(automaton, t, other, lacks)
                yield Defect(places.get(t.label, ("property",)), message)
    yield from _shared_reference_defects(automaton, parameters, places)


def rests_on(automaton: SequenceAutomaton) -> dict[Transition, tuple[Transition, ...]]:
    """Map each transition to what decides whether it fires: its pre-transitions, and what may
    cancel these. Nothing where it fires whenever it is seen, as the start of a sequence, or as a
    cancellation that takes back the same whatever is live. Where each transition carries what these
    carry, it carries what they rest on in turn."""
    certain = certain_cancellations(automaton)
    same: dict[tuple[str, str], tuple[Transition, ...]] = {}
    found: dict[Transition, tuple[Transition, ...]] = {}
    for t in automaton.forward:
        found[t] = ()
        if t.source not in automaton.initial:
            found[t] = same[t.source, ""] = same.get((t.source, "")) or _with_vio(automaton, t)
    for t in automaton.backward:
        found[t] = ()
        if t.reference not in certain:
            ends = (t.source, t.target)
            found[t] = same[ends] = same.get(ends) or _with_vio(automaton, t)
    return found


def _with_vio(automaton: SequenceAutomaton, transition: Transition) -> tuple[Transition, ...]:
    pres = pre_transitions(automaton, transition)
    vio = [back for pre in pres for back in vio_transitions(automaton, pre)]
    return tuple(dict.fromkeys((*pres, *vio)))


def _lacking(automaton: SequenceAutomaton, t: Transition, other: Transition, lacks: str) -> str:
    """Say that a transition carries less than another one on which it rests."""
    if other in automaton.backward and t in automaton.forward:
        return (
            f"carries no {lacks}, and {other.label}, which takes back a step before it, does: at "
            f"{t.label} nobody could say of which {lacks}; let both messages carry the same"
        )
    if other in automaton.backward:
        return (
            f"carries no {lacks}, and {other.label}, which takes back the same, does: every "
            "instance would have to be looked at; let both messages carry the same, or lead back "
            "to the start from anywhere"
        )
    if t in automaton.backward:
        return (
            f"carries no {lacks}, and what it takes back does: every instance would have to be "
            "looked at; let its message carry it, or lead back to the start from anywhere"
        )
    return (
        f"carries no {lacks}, and a step before it does: at {t.label} nobody could say of "
        f"which {lacks}; let its message carry it"
    )


def _shared_reference_defects(
    automaton: SequenceAutomaton, parameters: Parameters, places: Mapping[Label, Path]
) -> Iterator[Defect]:
    """Monitors tell each other references alone, so that one is for the same parameters."""
    first: dict[Reference, Label] = {}
    told: set[Label] = set()
    for t in (*automaton.forward, *automaton.backward):
        label = first.setdefault(t.reference, t.label)
        own, others = parameters.of(t.label), parameters.of(label)
        if {*own} != {*others} and t.label not in told:
            told.add(t.label)
            yield Defect(
                places.get(t.label, ("property",)),
                f"carries ({', '.join(own)}), and {label}, which does the same and is watched by "
                f"{t.label.process}, too, carries ({', '.join(others)}): nobody who asks "
                f"{t.label.process} could say which of the two is meant; let both carry the same",
            )
