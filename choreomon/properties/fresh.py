"""Labels that begin an instance anew: from there on it is as if no event of its own had been.

An event is an instance's *own*, as a fresh label sees it, where it carries all parameters that the
fresh label does; others it shares with more instances, and these stay. A fresh label becomes
backward transitions that take back all of its own steps and no other ones, and need not look at
what is live.

`BEGIN` is an instance's own where all steps that follow it are. Then a fresh label leads where it
does, too, unless it takes that back: it is as if the instance had begun just before.

The fresh event itself is judged by what was before it, and stays: so the first step of an instance
may be fresh, which begins what it is a step of, and the last one, which ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import Final

from choreomon.core.errors import Defect, Path, PropertyError
from choreomon.core.message import BEGIN, Label
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    Transition,
    sequence_automaton,
)
from choreomon.properties.automaton_defects import MAX_TRANSITIONS
from choreomon.properties.certain_cancellations import takes_back_the_same
from choreomon.properties.instances import Parameters
from choreomon.properties.relations import cancels, pre_transitions

_CANNOT: Final = "cannot begin instances anew"


def begun_anew(
    automaton: SequenceAutomaton, parameters: Parameters, fresh: Sequence[tuple[Path, Label]]
) -> SequenceAutomaton:
    """The automaton in which these labels, given with their paths, begin instances anew.

    Raises `PropertyError` for a label that takes nothing back, that is a step between the first and
    the last of an instance's own, where own forward transitions go in circles or cannot be taken
    back without shared ones, and where a cancellation of one instance takes back what it shares,
    since nothing would give that back, or one that more instances share takes back what is begun
    anew, since that would be given back to one of them.
    """
    added: list[StatedTransition] = []
    defects: list[Defect] = []
    for path, label in fresh:
        found = [*cancelling_defects(automaton, parameters, label)]
        told = [*own_defects(automaton, parameters, label, some=bool(found))]
        defects += [Defect(path, message) for message in told]
        added += [
            StatedTransition(source, label, target, True, path)
            for source, target in ([] if told else found)
        ]
        added += [
            StatedTransition(t.source, label, t.target, False, path)
            for t in ([] if told else own_steps(automaton, parameters, label))
            if t.label == BEGIN and not _takes_back(automaton, label, t)
        ]
        if len(added) > MAX_TRANSITIONS:
            raise PropertyError(
                (Defect(path, f"comes to more than {MAX_TRANSITIONS} transitions: split it"),)
            )
    if defects:
        raise PropertyError(tuple(defects))
    whole = extended(automaton, added)
    unequal = _taken_back_by_what_carries_more(whole, parameters)
    defects += chain.from_iterable(
        [Defect(path, message) for message in defects_of_all(whole, parameters, label, unequal)]
        for path, label in fresh
    )
    if defects:
        raise PropertyError(tuple(defects))
    return replace(
        whole,
        states=automaton.states,
        self_loops=automaton.self_loops,
        sequences=automaton.sequences,
    )


def extended(automaton: SequenceAutomaton, added: Sequence[StatedTransition]) -> SequenceAutomaton:
    """The automaton with transitions more. Its self-loops speak of the labels that its
    author gave it, and are not asked about others."""
    try:
        return sequence_automaton(
            initial=automaton.initial,
            final=automaton.final,
            transitions=[
                *(StatedTransition(*t, False) for t in automaton.forward),
                *(StatedTransition(*t, True) for t in automaton.backward),
                *added,
            ],
        )
    except PropertyError as error:
        told = [each for each in error.defects if each.path]
        fix = "; write the property as sequences, or let its ways part from one state"
        raise PropertyError(
            tuple(Defect(each.path, f"{_CANNOT}: {each.message}{fix}") for each in told)
            or tuple(Defect(added[0].path, each.message) for each in error.defects)
        ) from None


def is_own(parameters: Parameters, fresh: Label, label: Label) -> bool:
    """Return whether an event with this label is of one instance, as a fresh label sees it."""
    return {*parameters.of(fresh)} <= {*parameters.of(label)}


def own_steps(
    automaton: SequenceAutomaton, parameters: Parameters, fresh: Label
) -> list[Transition]:
    """The forward transitions of an instance's own. What does as `BEGIN` does is given back with
    it, so it is own, too, where that is."""
    own = {t for t in automaton.forward if is_own(parameters, fresh, t.label)}
    begun = {(t.source, t.target) for t in automaton.begun if _is_before(automaton, t, own)}
    return [t for t in automaton.forward if t in own or (t.source, t.target) in begun]


def _takes_back(automaton: SequenceAutomaton, fresh: Label, begun: Transition) -> bool:
    """Tell whether the label takes back what `BEGIN` does where nothing else has happened."""
    return any(
        t.label == fresh and begun in pre_transitions(automaton, t) and cancels(automaton, t, begun)
        for t in automaton.backward
    )


def _is_before(automaton: SequenceAutomaton, begun: Transition, own: Set[Transition]) -> bool:
    """Tell whether all that follows what `BEGIN` does is an instance's own."""
    after = automaton.reach[begun.target]
    return all(t in own for t in automaton.forward if t.source in after and t.label != BEGIN)


def _left(automaton: SequenceAutomaton) -> set[str]:
    """The states at which it matters that a step was made: others go on from there, or are taken
    back from there, as from a final one."""
    return {t.source for t in (*automaton.forward, *automaton.backward)}


def cancelling_defects(
    automaton: SequenceAutomaton, parameters: Parameters, fresh: Label
) -> Iterator[tuple[str, str]]:
    """Yield from where to where the label leads back: from the target of each own step, where it
    matters that one is there, to where the own ones that lead there begin."""
    own = own_steps(automaton, parameters, fresh)
    following: dict[str, list[str]] = {}
    for t in own:
        following.setdefault(t.source, []).append(t.target)
    left = _left(automaton)
    targets = {t.target for t in own}
    for begin in dict.fromkeys(t.source for t in own if t.source not in targets):
        reached = dict.fromkeys(following[begin])
        queue = [*reached]
        for state in queue:
            new = [each for each in following.get(state, ()) if each not in reached]
            reached.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
        yield from ((state, begin) for state in reached if state in left)


def own_defects(
    automaton: SequenceAutomaton, parameters: Parameters, fresh: Label, *, some: bool
) -> Iterator[str]:
    """Yield what of a label alone keeps it from being fresh. `some`: it takes something back."""
    own = own_steps(automaton, parameters, fresh)
    left = _left(automaton)
    circle = _circle(automaton, own)
    if circle:
        yield (
            f"{_CANNOT}: forward transitions go in circles through {', '.join(circle)}, so that "
            "one that leads back could be one of them; write the property as sequences, or without "
            "the circle"
        )
        return
    if not some:
        carried = ", ".join(parameters.of(fresh))
        which = f" that carries all of ({carried})" if carried else ""
        yield f"begins nothing anew, since no step{which} is before another one: leave it out"
    for t in own:
        between = t.source not in automaton.initial and t.target in left
        if t.label == fresh and between and {*pre_transitions(automaton, t)} & {*own}:
            yield (
                f"{_CANNOT}: it is a step between the first and the last one of an instance, and "
                "would go on with what it ends; let the first or the last step do it"
            )
            return


def _circle(automaton: SequenceAutomaton, own: Sequence[Transition]) -> list[str]:
    """The states of a circle of forward transitions that own ones lead to, or are in."""
    reach = automaton.reach
    for state in dict.fromkeys(state for t in own for state in (t.source, *reach[t.target])):
        around = [each for each in automaton.states if each in reach[state]]
        circle = [each for each in around if state in reach[each]]
        if len(circle) > 1:
            return circle
    return []


def _taken_back_by_what_carries_more(
    automaton: SequenceAutomaton, parameters: Parameters
) -> list[tuple[Transition, Transition]]:
    """Steps with cancellations of them that carry what they do not: no own one is taken back with
    shared ones where there are none of these."""
    carried = {label: frozenset(parameters.of(label)) for label in (*automaton.labels, BEGIN)}
    return [
        (r, t)
        for r in automaton.forward
        for t in automaton.backward
        if not carried[t.label] <= carried[r.label] and cancels(automaton, t, r)
    ]


def defects_of_all(
    automaton: SequenceAutomaton,
    parameters: Parameters,
    fresh: Label,
    unequal: Sequence[tuple[Transition, Transition]],
) -> Iterator[str]:
    """Yield what keeps the cancellations of all from being as if no own event had been."""
    own = {*own_steps(automaton, parameters, fresh)}
    for r, t in unequal:
        if r not in own and is_own(parameters, fresh, t.label):
            lacks = " and ".join(
                name for name in parameters.of(fresh) if name not in parameters.of(r.label)
            )
            if t.label == fresh:
                yield (
                    f"{_CANNOT}: what it takes back has {r.label} in it, which carries no {lacks}, "
                    "so that other instances share it; let its message carry that, or let no own "
                    "step lie beside it"
                )
            else:
                yield (
                    f"{_CANNOT}: {t.label} takes back {r.label}, which carries no {lacks}, for one "
                    f"instance alone, and nothing would give it back; let {t.label} carry no more "
                    "than what it takes back"
                )
            return
    for r in (t for t in automaton.begun if t in own):
        for t in automaton.backward:
            if is_own(parameters, fresh, t.label) or r._replace(label=t.label) in automaton.forward:
                continue  # the latter gives it back itself
            if cancels(automaton, t, r):
                yield (
                    f"{_CANNOT}: {t.label} takes back begin for more instances, and to this one it "
                    f"would be given back; let {t.label} carry ({', '.join(parameters.of(fresh))})"
                )
                return
    if not takes_back_the_same(automaton, fresh):
        yield (
            f"{_CANNOT}: it is a cancellation, too, which takes back more than what came last; "
            "leave that cancellation out, since all of an instance's own is taken back"
        )
