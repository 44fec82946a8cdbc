"""Scenario and property documents -> values ready for use."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from choreomon.actors.balancing import NO_REPLICAS, Replicas
from choreomon.core.errors import Defect, DocumentError, Path, Problem, PropertyError
from choreomon.core.message import ENVIRONMENT, Label
from choreomon.documents.carried_defects import carried_defects
from choreomon.documents.compilation import (
    LoadedProperty,
    carrying_labels_in,
    compiled,
)
from choreomon.documents.observation import EVERYTHING, ObservationDocument
from choreomon.documents.property_shape import PropertyDocument
from choreomon.documents.reachability import reachability_warnings
from choreomon.documents.roles import coming_defects, over_slots, replicas, role_defects
from choreomon.documents.rule_compilation import (
    ExpandedRule,
    compiled_rules,
    expanded_rules,
    labels_of_rules,
)
from choreomon.documents.rule_expansion import expansion_of
from choreomon.documents.rule_warnings import rule_warnings
from choreomon.documents.shape import ApplicationDocument, NetworkDocument, ScenarioDocument
from choreomon.documents.stated_interaction import (
    StatedInteraction,
    interaction_defects,
    interaction_warnings,
    stated_interaction,
)
from choreomon.documents.validation import (
    application_defects,
    empty_part_warnings,
    final_state_warnings,
    label_defects,
    label_warnings,
    link_defects,
    repetition_warnings,
    start_warnings,
)
from choreomon.files.input_files import beginning
from choreomon.files.shape_reading import in_shape
from choreomon.files.source_positions import MAX_BYTES, Positioned, read_positioned

_OTHER_FILES: Final = {
    ".hif": "an interaction",
    ".hsf": "a signature",
    ".htf": "a multi-trace",
    ".hcf": "a configuration",
    ".timbuk": "an automaton",
}
"""Other kinds of files, by their suffix."""


@dataclass(frozen=True, slots=True)
class Document:
    """A checked document.

    `processes` are those of the application in its order; without an application those
    that labels name, in the order in which they appear. The order is that of the entries
    of vector clocks. `property_line`, `roles_line` and `max_events_line` are where `property`,
    `roles` and `network.max_events` stand; 0 where they do not. `processes` and `property` are over
    the roles in `replicas`, as the author wrote them; whatever runs or is monitored is
    `over_slots`.
    """

    file: str
    name: str
    application: ApplicationDocument | None
    network: NetworkDocument
    property: LoadedProperty | None
    processes: tuple[str, ...]
    interaction: StatedInteraction | None = None
    observation: ObservationDocument = EVERYTHING
    warnings: tuple[Problem, ...] = ()
    max_events_line: int = 0
    property_line: int = 0
    roles_line: int = 0
    replicas: Replicas = NO_REPLICAS

    def over_slots(self) -> Document:
        """The document over the slots of its roles: its processes are slots, its property is about
        their events. One without roles, or over slots, is itself."""
        roles = self.replicas.roles
        if not roles:
            return self
        loaded = self.property
        return replace(
            self,
            processes=roles.processes(self.processes),
            property=None if loaded is None else over_slots(loaded, roles),
        )

    def without_roles(self, who: str) -> Document:
        """The document, for those `who` know no replicas. Raises `DocumentError` where there are
        roles."""
        if not self.replicas.roles:
            return self
        told = f"are services with replicas, of which {who} know nothing: leave roles out"
        raise DocumentError((Problem(self.file, self.roles_line, "roles", told),))

    def inputs(self) -> tuple[str, ...]:
        """The files that were read."""
        stated = None if self.interaction is None else self.interaction.file
        return (self.file,) if stated is None else (self.file, stated)


def load_document(path: str | os.PathLike[str]) -> Document:
    """The document in a file; a name that ends in `.json` is JSON, any other YAML.

    Raises `DocumentError`, also for a file that cannot be read.
    """
    file = os.fspath(path)
    content = beginning(file, MAX_BYTES + 1)
    return parse_document(content, file)


def parse_document(text: str | bytes, file: str) -> Document:
    """The document that `text` holds; `file` is what problems call it, and its suffix
    decides between JSON and YAML.

    Raises `DocumentError` with all problems found, and where the suffix is that of another kind
    of file.
    """
    suffix = PurePath(file).suffix.lower()
    if suffix in _OTHER_FILES:
        told = f"holds {_OTHER_FILES[suffix]}: expected a scenario or property document"
        raise DocumentError((Problem(file, 0, "", f"{told}, .yaml or .json"),))
    as_json = suffix == ".json"
    located = read_positioned(text, file, as_json=as_json)
    document = in_shape(ScenarioDocument, located)
    application = document.application
    in_rules: list[Defect] = []
    rules = _rules(document, located, in_rules)
    carrying = tuple(carrying_labels_in(document.property) if document.property else ())
    carrying += tuple(labels_of_rules(rules))
    labels = tuple([(path, each.label) for path, each in carrying])
    processes = _processes(application, labels)
    of_roles = replicas(document.roles)
    defects = [
        *(application_defects(application) if application else ()),
        *in_rules,
        *(carried_defects(application, carrying) if application else ()),
        *link_defects(document.network.links, application),
        *label_defects(labels, application),
        *interaction_defects(document.interaction, document.observation, application),
        *role_defects(of_roles.roles, processes, labels, document.interaction),
        *coming_defects(document.roles, of_roles),
    ]
    loaded: LoadedProperty | None = None
    if document.property is not None:
        loaded = _compiled(document.property, defects)
    elif rules and not in_rules:
        loaded = _compiled_rules(rules, defects)
    stated, in_interaction = _stated(document, located, file)
    if defects or in_interaction:
        raise DocumentError((*_problems(defects, located), *in_interaction))
    warnings = [
        *_warnings(document, loaded, stated, labels, located),
        *_warnings_of_rules(rules, loaded),
    ]
    return Document(
        file=file,
        name=document.name or PurePath(file).stem or file,
        application=application,
        network=document.network,
        property=loaded,
        processes=processes,
        interaction=stated,
        observation=document.observation,
        warnings=_problems(warnings, located),
        max_events_line=located.lines.get(("network", "max_events"), 0),
        property_line=located.lines.get(("property",), located.lines.get(("rules",), 0)),
        roles_line=located.lines.get(("roles",), 0),
        replicas=of_roles,
    )


def _warnings_of_rules(
    rules: list[ExpandedRule], loaded: LoadedProperty | None
) -> Iterable[Defect]:
    if loaded is None or not rules:
        return ()
    return rule_warnings(rules, loaded.automaton, loaded.parameters)


def _stated(
    document: ScenarioDocument, located: Positioned, file: str
) -> tuple[StatedInteraction | None, tuple[Problem, ...]]:
    """The interaction of an application, if the document states one, or its problems."""
    if document.interaction is None or document.application is None:
        return None, ()
    try:
        line = located.lines[("interaction",)]
        return stated_interaction(document.interaction, file, line, document.application), ()
    except DocumentError as error:
        return None, error.problems


def _warnings(
    document: ScenarioDocument,
    loaded: LoadedProperty | None,
    stated: StatedInteraction | None,
    labels: Collection[tuple[Path, Label]],
    located: Positioned,
) -> Iterator[Defect]:
    yield from empty_part_warnings(located.value)
    if stated is not None and document.application is not None:
        yield from interaction_warnings(stated.interaction, document.application)
    if loaded is None:
        return
    if document.property is not None:
        yield from repetition_warnings(document.property)
        if document.property.automaton is not None:
            yield from final_state_warnings(document.property.automaton, loaded.automaton)
    if document.application is not None:
        yield from start_warnings(document.application)
        yield from label_warnings(labels, document.application)
        yield from reachability_warnings(labels, document.application, loaded.automaton)


def _rules(
    document: ScenarioDocument, located: Positioned, defects: list[Defect]
) -> list[ExpandedRule]:
    if document.rules is None:
        return []
    expansion = expansion_of(document.rules, document.application)
    return expanded_rules(
        document.rules, expansion, lambda path: located.lines.get(path, 0), defects
    )


def _compiled_rules(rules: list[ExpandedRule], defects: list[Defect]) -> LoadedProperty | None:
    """Compile a property written as rules, as `_compiled` does."""
    try:
        return compiled_rules(rules)
    except PropertyError as error:
        defects.extend(error.defects)
        return None


def _compiled(document: PropertyDocument, defects: list[Defect]) -> LoadedProperty | None:
    """The property; `None` where it cannot be monitored, and then `defects` says why."""
    try:
        return compiled(document)
    except PropertyError as error:
        defects.extend(error.defects)
        return None


def _problems(defects: Iterable[Defect], located: Positioned) -> tuple[Problem, ...]:
    problems = [located.problem(defect.path, defect.message) for defect in defects]
    return tuple(sorted(problems, key=lambda problem: problem.line))


def _processes(
    application: ApplicationDocument | None, labels: Iterable[tuple[Path, Label]]
) -> tuple[str, ...]:
    if application is not None:
        return tuple(process.id for process in application.processes)
    named = dict.fromkeys(
        process for _, label in labels for process in (label.message.sender, label.message.receiver)
    )
    return tuple(process for process in named if process != ENVIRONMENT)
