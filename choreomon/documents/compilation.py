"""The property part of a document -> a validated automaton."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from choreomon.core.errors import Defect, Path, PropertyError
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, Label
from choreomon.documents.property_shape import (
    AndFormula,
    AutomatonDocument,
    Formula,
    LabelledTransition,
    LoopTransition,
    NotFormula,
    PropertyDocument,
)
from choreomon.properties import formula as formulas
from choreomon.properties.automaton import (
    SelfLoop,
    SequenceAutomaton,
    StatedTransition,
    UndecidableSelfLoop,
    sequence_automaton,
)
from choreomon.properties.automaton_defects import MAX_STATES, MAX_TRANSITIONS
from choreomon.properties.fresh import begun_anew
from choreomon.properties.instances import (
    Forgetting,
    Parameters,
    instance_defects,
    parameters_of,
)
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import RulesName


@dataclass(frozen=True, slots=True)
class LoadedProperty:
    """A property that can be monitored. `sequences` are those it was written as; empty
    where it was written as an automaton. `parameters` is None where it is for no instances.
    `patterns`: of each rule its pattern in one sentence, empty where it is an automaton."""

    automaton: SequenceAutomaton
    rules: RulesName
    sequences: tuple[MessageSequence, ...] = ()
    parameters: Parameters | None = None
    patterns: tuple[str, ...] = ()


def carrying_labels_in(document: PropertyDocument) -> Iterator[tuple[Path, CarryingLabel]]:
    """Yields the labels with the parameters that they carry; those of formulas carry none of their
    own."""
    return (each for each in _steps_in(document) if each[1].label != BEGIN)


def _steps_in(document: PropertyDocument) -> Iterator[tuple[Path, CarryingLabel]]:
    if document.automaton is not None:
        yield from _steps_of(document.automaton, ("property", "automaton"))
    for number, sequence in enumerate(document.sequences or ()):
        path: Path = ("property", "sequences", number)
        for step, label in enumerate(sequence.steps):
            yield (*path, "steps", step), label
        for position, cancellation in enumerate(sequence.cancel):
            yield (*path, "cancel", position, "on"), cancellation.on
    for number, label in enumerate(document.fresh):
        yield ("property", "fresh", number), label


def labels_of_automaton(
    document: AutomatonDocument, path: Path
) -> Iterator[tuple[Path, CarryingLabel]]:
    """The labels of events of the automaton at `path`, those of formulas with no parameters of
    their own."""
    return (each for each in _steps_of(document, path) if each[1].label != BEGIN)


def _steps_of(document: AutomatonDocument, path: Path) -> Iterator[tuple[Path, CarryingLabel]]:
    for number, transition in enumerate(document.transitions):
        at: Path = (*path, "transitions", number)
        match transition:
            case LabelledTransition(label=label):
                yield (*at, "on"), label
            case LoopTransition(formula=formula):
                for place, label_ in _labels_in_formula(formula, (*at, "when")):
                    yield place, CarryingLabel(label_)


def _labels_in_formula(formula: Formula, path: Path) -> Iterator[tuple[Path, Label]]:
    match formula:
        case Label():
            yield path, formula
        case NotFormula(operand=operand):
            yield from _labels_in_formula(operand, (*path, "not"))
        case AndFormula(operands=operands):
            for position, operand in enumerate(operands):
                yield from _labels_in_formula(operand, (*path, "and", position))


def compiled(document: PropertyDocument) -> LoadedProperty:
    """The automaton of a property.

    Raises `PropertyError` with paths from the top of the document.
    """
    sequences = tuple(
        MessageSequence(
            tuple(step.label for step in sequence.steps),
            tuple(Cancellation(c.on.label, c.after, c.back_to) for c in sequence.cancel),
        )
        for sequence in document.sequences or ()
    )
    _check_size(document)
    try:
        automaton = (
            automaton_of(document.automaton, document.undecidable_self_loop)
            if document.automaton is not None
            else sequences_automaton(sequences)
        )
    except PropertyError as error:
        within: Path = ("property",) if document.automaton is None else ("property", "automaton")
        raise PropertyError(
            tuple(Defect((*within, *defect.path), defect.message) for defect in error.defects)
        ) from None
    if automaton.begun and document.rules != "precise":
        raise PropertyError((_without_begin(document),))
    if document.for_each and document.rules != "precise":
        told = f"are {document.rules}, which know of no instances: leave this out, or for_each"
        raise PropertyError((Defect(("property", "rules"), told),))
    labels = [*carrying_labels_in(document)]
    fresh = [each for each in labels if each[0][1] == "fresh"]
    automaton, parameters = for_each_instance(
        automaton, document.for_each, labels, fresh, ("property",)
    )
    if document.forget_after is not None:
        parameters = forgetting(parameters, fresh, document.forget_after, ("property",))
    return LoadedProperty(automaton, document.rules, sequences, parameters)


def forgetting(
    parameters: Parameters | None,
    fresh: Sequence[tuple[Path, CarryingLabel]],
    after: float,
    path: Path,
) -> Parameters:
    """The parameters of a property, or of a rule, that is at `path`, with what may be forgotten:
    instances that bind just what a fresh label does. Others are taken back by none, or with more
    than themselves, so that whatever began later would be possibly violated for good. Raises
    `PropertyError`."""
    told = ""
    if parameters is None:
        told = "is about instances, and there are none: name their parameters in for_each"
    elif not fresh:
        told = (
            "needs labels in fresh: an instance of which nobody says that it begins may be one "
            "that was forgotten, so that every new one would be possibly violated; name them"
        )
    elif not any(each.parameters for _, each in fresh):
        told = "forgets nothing, since no label of fresh carries a parameter: let one carry some"
    if parameters is None or told:
        raise PropertyError((Defect((*path, "forget_after"), f"{told}, or leave this out"),))
    bindings = {tuple(sorted(each.parameters)) for _, each in fresh if each.parameters}
    return replace(parameters, forgetting=Forgetting(after, frozenset(bindings)))


def _without_begin(document: PropertyDocument) -> Defect:
    """Say that the rules know of no `begin`, where it is first written."""
    path = next(path for path, carrying in _steps_in(document) if carrying.label == BEGIN)
    told = f"is begin, of which {document.rules} rules know nothing"
    return Defect(path, f"{told}: leave property.rules out, or begin")


def for_each_instance(
    automaton: SequenceAutomaton,
    for_each: Sequence[str],
    labels: Sequence[tuple[Path, CarryingLabel]],
    fresh: Sequence[tuple[Path, CarryingLabel]],
    path: Path,
) -> tuple[SequenceAutomaton, Parameters | None]:
    """The automaton with what begins instances anew, and the parameters of a property, or of a
    rule, that is at `path`; `labels` are all that it has, those that are `fresh`, too.

    Raises `PropertyError`.
    """
    defects: list[Defect] = []
    stated = [each for each in labels if each[1].parameters or "when" not in each[0]]
    parameters = parameters_of(for_each, stated, defects, path)
    if parameters is None and fresh and not defects:
        told = "begins instances anew, and there are none: name their parameters in for_each"
        defects.append(Defect((*path, "fresh"), told))
    places: dict[Label, Path] = {}
    for at, (label, _) in labels:
        places.setdefault(label, at)
    if parameters is not None and not defects:
        defects += instance_defects(automaton, parameters, places)
    if parameters is not None and fresh and not defects:
        begin = [(at, label) for at, (label, _) in fresh]
        automaton = begun_anew(automaton, parameters, begin)
        defects += instance_defects(automaton, parameters, places)
    if defects:
        raise PropertyError(tuple(defects))
    if parameters is not None:
        automaton = replace(automaton, carried=parameters.carried)
    return automaton, parameters


def _check_size(document: PropertyDocument) -> None:
    """Refuse what no automaton may be before anything as large is built: a few bytes of a
    cancellation can stand for very many transitions."""
    sizes: list[tuple[Path, int, int, str]] = []
    if document.automaton is not None:
        path: Path = ("property", "automaton")
        sizes += [
            (
                (*path, "transitions"),
                len(document.automaton.transitions),
                MAX_TRANSITIONS,
                "transitions",
            ),
            (
                (*path, "transitions"),
                _formula_parts(document.automaton),
                MAX_TRANSITIONS,
                "parts of formulas",
            ),
            ((*path, "initial"), len(document.automaton.initial), MAX_STATES, "states"),
            ((*path, "final"), len(document.automaton.final), MAX_STATES, "states"),
        ]
    if document.sequences is not None:
        steps = sum(len(sequence.steps) for sequence in document.sequences)
        cancelled = sum(
            max(0, last - first + 1)
            for sequence in document.sequences
            for first, last in (cancellation.after for cancellation in sequence.cancel)
            if first >= 1 and last < len(sequence.steps)
        )
        sizes += [
            (("property", "sequences"), steps + cancelled, MAX_TRANSITIONS, "transitions"),
        ]
    defects = tuple(
        Defect(path, f"comes to {size} {what}; at most {limit} are supported: split the property")
        for path, size, limit, what in sizes
        if size > limit
    )
    if defects:
        raise PropertyError(defects)


def _formula_parts(document: AutomatonDocument) -> int:
    todo: list[Formula] = [
        transition.formula
        for transition in document.transitions
        if isinstance(transition, LoopTransition)
    ]
    parts = 0
    while todo:
        parts += 1
        match todo.pop():
            case NotFormula(operand=operand):
                todo.append(operand)
            case AndFormula(operands=operands):
                todo.extend(operands)
    return parts


def automaton_of(
    document: AutomatonDocument, undecidable_self_loop: UndecidableSelfLoop
) -> SequenceAutomaton:
    """The validated automaton. Raises `PropertyError` with paths from it."""
    transitions: list[StatedTransition] = []
    self_loops: list[SelfLoop] = []
    for number, transition in enumerate(document.transitions):
        path: Path = ("transitions", number)
        match transition:
            case LoopTransition(source=state, formula=formula):
                self_loops.append(SelfLoop(state, _formula(formula), path))
            case LabelledTransition(source=source, target=target, label=carrying):
                label = carrying.label
                if source == target:
                    self_loops.append(SelfLoop(source, formulas.Atom(label), path))
                else:
                    transitions.append(
                        StatedTransition(source, label, target, transition.backward, path)
                    )
    return sequence_automaton(
        initial=document.initial,
        final=document.final,
        transitions=transitions,
        self_loops=self_loops,
        undecidable_self_loop=undecidable_self_loop,
    )


def _formula(document: Formula) -> formulas.Formula:
    match document:
        case True:
            return formulas.Truth()
        case Label():
            return formulas.Atom(document)
        case NotFormula(operand=operand):
            return formulas.Not(_formula(operand))
        case AndFormula(operands=operands):
            return formulas.And(tuple(_formula(operand) for operand in operands))
        case _:
            assert_never(document)
