"""Several documents read as one: the rules of all of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from choreomon.actors.balancing import Replicas
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import Message
from choreomon.core.names import is_plain
from choreomon.core.roles import Roles
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.core.suggestion import unknown
from choreomon.documents.compilation import LoadedProperty
from choreomon.documents.read import Document, load_document
from choreomon.documents.rule_compilation import listed, remembered_elsewhere
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.automaton_defects import MAX_STATES_OF_RULES
from choreomon.properties.instances import forgotten_by_some, together
from choreomon.properties.parts import first_about, joined, restricted
from choreomon.properties.renumbered import renumbered


def load_documents(paths: Sequence[str | os.PathLike[str]]) -> Document:
    """Load one document with the rules of all files; the `property` of a file becomes a rule named
    like the file. With one path it is that document, unchanged. Raises `DocumentError`, also if two
    rules have one id, or if one message carries different parameters in two files.
    """
    documents = [load_document(path) for path in paths]
    return documents[0] if len(documents) == 1 else _together(documents)


def with_rules(document: Document, ids: Collection[str]) -> Document:
    """The document with these of its rules alone. Raises ValueError for one that it has not."""
    loaded = document.property
    rules = () if loaded is None else loaded.automaton.rules
    known = dict.fromkeys(stated.id for stated, _ in rules)
    for id in ids:
        if id not in known:
            raise ValueError(unknown("rule", id, known))
    if loaded is None:
        return document
    states = {state for stated, own in rules if stated.id in ids for state in own}
    automaton = renumbered(restricted(loaded.automaton, states), 0)
    sequences = loaded.automaton.sequences
    if len(sequences) == len(rules):
        of_rules = zip(rules, sequences, strict=True)
        lengths = tuple(length for (stated, _), length in of_rules if stated.id in ids)
        automaton = replace(automaton, sequences=lengths)
    parameters = loaded.parameters
    if parameters is not None:
        labels = {label.message for label in automaton.labels}
        carried = {
            message: names for message, names in parameters.carried.items() if message in labels
        }
        used = {name for names in carried.values() for name in names}
        parameters = replace(
            parameters, names=tuple(n for n in parameters.names if n in used), carried=carried
        )
    if parameters is not None and not parameters.names:
        parameters = None
    chosen = replace(
        loaded,
        automaton=automaton,
        sequences=(),
        parameters=parameters,
        patterns=tuple(
            pattern
            for pattern, (stated, _) in zip(loaded.patterns, rules, strict=True)
            if stated.id in ids
        ),
    )
    return replace(document, property=chosen)


def _together(documents: Sequence[Document]) -> Document:
    problems = [
        *_twice(documents),
        *_carried_otherwise(documents),
        *_slots_otherwise(documents),
        *_forgotten_by_some(documents),
    ]
    if problems:
        raise DocumentError(tuple(problems))
    automata: list[SequenceAutomaton] = []
    first = 0
    for document in documents:
        if document.property is None:
            continue
        automaton = renumbered(_as_rules(document, document.property), first)
        first += len(automaton.states)
        automata.append(automaton)
    if first > MAX_STATES_OF_RULES:
        told = f"the rules of all files come to {first} states; at most {MAX_STATES_OF_RULES} are"
        raise DocumentError((Problem(documents[0].file, 0, "", f"{told} supported"),))
    parameters = [
        each.property.parameters
        for each in documents
        if each.property is not None and each.property.parameters is not None
    ]
    sequences = [each.property.automaton.sequences for each in documents if each.property]
    automaton = joined(automata)
    if all(sequences):
        lengths = tuple(length for own in sequences for length in own)
        automaton = replace(automaton, sequences=lengths)
    patterns = tuple(
        pattern
        for each in documents
        if each.property is not None
        for pattern in each.property.patterns or ("",)
    )
    loaded = LoadedProperty(automaton, "precise", (), together(parameters), patterns)
    processes = dict.fromkeys(name for each in documents for name in each.processes)
    return replace(
        documents[0],
        property=loaded if automata else None,
        processes=tuple(processes),
        replicas=_replicas(documents),
        warnings=tuple(warning for each in documents for warning in each.warnings),
        name=documents[0].name if not automata else f"{len(documents)} files",
    )


def _as_rules(document: Document, loaded: LoadedProperty) -> SequenceAutomaton:
    """The automaton with rules that know their file."""
    automaton = loaded.automaton
    if not automaton.rules:
        stated = StatedRule(_id_of(document), document.name, line=document.property_line)
        automaton = replace(automaton, rules=(RuleStates(stated, frozenset(automaton.states)),))
    return replace(
        automaton,
        rules=tuple(
            RuleStates(stated._replace(file=document.file), states)
            for stated, states in automaton.rules
        ),
    )


def _id_of(document: Document) -> str:
    stem = PurePath(document.file).stem
    return stem if is_plain(stem) else "property"


def _twice(documents: Sequence[Document]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for document in documents:
        if document.property is None:
            told = "has no property and no rules: leave it out"
            yield Problem(document.file, 0, "", told)
            continue
        if document.property.rules != "precise":
            told = (
                f"is judged by the rules {document.property.rules}: only precise ones go together"
            )
            yield Problem(document.file, document.property_line, "property.rules", told)
        ids = {stated.id: stated.line for stated, _ in document.property.automaton.rules}
        for id, line in (ids or {_id_of(document): document.property_line}).items():
            here = f"{document.file}:{line}"
            if (other := first.setdefault(id, here)) != here:
                told = f"{id!r} is the id of a rule in {other}, too: give each one of its own"
                yield Problem(document.file, line, "rules", told)


def _carried_otherwise(documents: Sequence[Document]) -> Iterator[Problem]:
    carried: dict[Message, tuple[tuple[str, ...], str]] = {}
    for document in documents:
        loaded = document.property
        if loaded is None:
            continue
        own = {} if loaded.parameters is None else loaded.parameters.carried
        for message, line in _lines_of_messages(document, loaded.automaton):
            names = own.get(message, ())
            before, other = carried.setdefault(message, (names, f"{document.file}:{line}"))
            if {*before} != {*names}:
                told = (
                    f"{message} carries {listed(names)}, and in {other} {listed(before)}: one "
                    "message carries the same in all files; write "
                    "the same parameters in both, and name them in for_each"
                )
                yield Problem(document.file, line, "rules", told)


def _slots_otherwise(documents: Sequence[Document]) -> Iterator[Problem]:
    """Roles with other numbers of slots, or another balance, than in a file before."""
    first: dict[str, tuple[object, str]] = {}
    for document in documents:
        replicas = document.replicas
        for role, count in replicas.roles.slots.items():
            stated = count, replicas.balancing.get(role), replicas.memberships.get(role)
            here = f"{document.file}:{document.roles_line}"
            before, other = first.setdefault(role, (stated, here))
            if before != stated:
                told = f"is another role than in {other}: say the same of it in both, or in one"
                yield Problem(document.file, document.roles_line, f"roles.{role}", told)


def _replicas(documents: Sequence[Document]) -> Replicas:
    """The roles of all files."""
    found = [each.replicas for each in documents]
    return Replicas(
        Roles({role: count for each in found for role, count in each.roles.slots.items()}),
        {role: balance for each in found for role, balance in each.balancing.items()},
        {role: moves for each in found for role, moves in each.memberships.items()},
    )


def _lines_of_messages(
    document: Document, automaton: SequenceAutomaton
) -> Iterator[tuple[Message, int]]:
    """Yield each message, and where the first rule that is about it stands."""
    found: dict[Message, int] = {}
    for label, stated in first_about(automaton).items():
        found.setdefault(label.message, stated.line)
    for label in automaton.labels:
        found.setdefault(label.message, document.property_line)
    yield from found.items()


def _forgotten_by_some(documents: Sequence[Document]) -> Iterator[Problem]:
    named = [
        (each.file, each.property.parameters)
        for each in documents
        if each.property is not None and each.property.parameters is not None
    ]
    lines = {each.file: each.property_line for each in documents}
    for file, names, other in forgotten_by_some(named):
        told = remembered_elsewhere(names, other)
        yield Problem(file, lines[file], "forget_after", told)
