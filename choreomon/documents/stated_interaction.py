"""The interaction that a scenario states, and what must hold between the two.

A process is a lifeline: a send of m is its action `l!m`, a handle `l?m`. So an interaction may
speak of processes and of messages that the application has, and of nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from choreomon.core.action import EMISSION, Action
from choreomon.core.errors import Defect, DocumentError, Path, Problem
from choreomon.core.suggestion import listed
from choreomon.documents.observation import ObservationDocument
from choreomon.documents.shape import ApplicationDocument
from choreomon.documents.validation import sent_and_handled, unknown_process
from choreomon.files.input_files import folder_of
from choreomon.interaction.term import Interaction, subterms

_FIELD: Path = ("interaction",)
_LOGS: Path = ("observation", "logs")
_SUFFIXES = (".hif", ".hsf", ".json", ".mmd", ".mermaid", ".puml", ".plantuml")


@dataclass(frozen=True, slots=True)
class StatedInteraction:
    """`file` is where it was read from; None where the document itself holds it."""

    file: str | None
    interaction: Interaction


def stated_interaction(
    stated: str, document: str, line: int, application: ApplicationDocument
) -> StatedInteraction:
    """The interaction that the field `interaction` of a document holds or names.

    `document` is the document's file, beside which a file is looked for; `line` that of the
    field. Raises `DocumentError`: about the file, with its lines, or about the field.
    """
    # Imported here, so that documents without interactions are read sooner.
    from choreomon.hibou.model import read_interaction
    from choreomon.hibou.signature import Signature

    processes = tuple(process.id for process in application.processes)
    messages = dict.fromkeys(name for process in application.processes for name in process.handlers)
    signature = Signature(processes, tuple(messages))
    if not stated.strip().lower().endswith(_SUFFIXES):
        try:
            return StatedInteraction(None, read_interaction(stated, signature, document))
        except DocumentError as error:
            raise DocumentError(
                tuple(
                    replace(
                        problem,
                        line=line,
                        field="interaction",
                        message=f"line {problem.line} of it: "
                        + _with_way_out(problem, stated, (*processes, *messages)),
                    )
                    for problem in error.problems
                )
            ) from None
    from choreomon.interaction_files.loading import load_interaction

    file = os.fspath(folder_of(document) / stated.strip())
    try:
        return StatedInteraction(file, load_interaction(file, signature))
    except DocumentError as error:
        if any(problem.line for problem in error.problems):
            raise
        # It has no line to point at: it is missing, empty, or no text.
        raise DocumentError(
            tuple(
                Problem(document, line, "interaction", f"{file}: {problem.message}")
                for problem in error.problems
            )
        ) from None


def _with_way_out(problem: Problem, stated: str, names: Iterable[str]) -> str:
    """The message about an interaction in a document, which points at JSON only where its line
    has a name of the document that the text cannot hold."""
    from choreomon.hibou.scanner import WAY_OUT, is_name

    line = "".join(stated.split("\n")[problem.line - 1 : problem.line])
    meant = [
        name
        for name in dict.fromkeys(names)
        if not is_name(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.])", line)
    ]
    way_out = f": rename {listed(meant)}, or name a .json file with the interaction"
    return problem.message.replace(WAY_OUT, way_out if meant else "")


def interaction_defects(
    stated: str | None, observation: ObservationDocument, application: ApplicationDocument | None
) -> Iterator[Defect]:
    """An interaction without runs that it could be about, logs of unknown processes, and
    processes with two logs."""
    if application is None:
        if stated is not None:
            yield Defect(_FIELD, "needs an application: what is checked are its runs")
        return
    known = tuple(process.id for process in application.processes)
    owner: dict[str, int] = {}
    for number, log in enumerate(observation.logs):
        for position, process in enumerate(log.processes):
            path = (*_LOGS, number, "processes", position)
            if process not in known:
                yield Defect(path, unknown_process(process, known))
            elif process in owner:
                yield Defect(
                    path,
                    f"{process} writes log number {owner[process] + 1} of this list, too: "
                    "a process has one log",
                )
            else:
                owner[process] = number


def interaction_warnings(
    interaction: Interaction, application: ApplicationDocument
) -> Iterator[Defect]:
    """Actions that no run ever shows, each once."""
    possible = sent_and_handled(application)
    told: set[Action] = set()
    for part in subterms(interaction):
        action = part.action
        if action is not None and action not in possible and action not in told:
            told.add(action)
            does = "sends" if action.kind == EMISSION else "handles"
            yield Defect(
                _FIELD, f"{action} never happens: {action.lifeline} never {does} {action.message}"
            )
