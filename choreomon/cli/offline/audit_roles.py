"""Audits of documents with roles: which replicas there are is what logs have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.replica_names import ReplicaNames
    from choreomon.documents.read import Document
    from choreomon.logs.mappings.mapping_document import Mapping


def names_of_replicas(document: Document, mapping: Mapping | None) -> ReplicaNames:
    """The names that replicas of the document's roles have in logs, beside those that a mapping
    tells. A name in the mapping that is no role is told: its replicas are taken for other
    processes."""
    from choreomon.core.replica_names import ReplicaNames
    from choreomon.core.suggestion import did_you_mean

    roles = tuple(document.replicas.roles.slots)
    patterns = {} if mapping is None or not roles else mapping.document.replicas
    for name in patterns:
        if name not in roles:
            meant = did_you_mean(name, roles) or f"; those are {', '.join(roles)}"
            told = f"replicas: {name} is no role of {document.file}{meant}"
            file = "" if mapping is None else f"{mapping.file}: "
            click.echo(f"warning: {file}{told}", err=True)
    others = tuple(process for process in document.processes if process not in roles)
    return ReplicaNames(roles, others, patterns)


def refuse_followed_roles(document: Document) -> NoReturn:
    """Raises `UsageError`: a replica that comes later may have been there before a verdict."""
    raise click.UsageError(
        f"{document.file}: has roles, of which replicas may come as long as logs grow, and a "
        "verdict has to know all: leave out --follow"
    )


def with_replicas(
    question: AuditQuestion, reading: LogReading, logs: Sequence[str]
) -> AuditQuestion:
    """The question with the replicas that logs have, which are read once for that. Raises
    `DocumentError`, also for a log that cannot be read twice."""
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.core.recorded import RecordedEvent

    processes: set[str] = set()
    peers: set[str] = set()
    for log in logs:
        if Path(log).exists() and not Path(log).is_file():
            told = "can be read only once, and documents with roles need two readings: use a file"
            raise DocumentError((Problem(log, 0, "", told),))
        for each in reading.read(log):
            if isinstance(each, RecordedEvent):
                processes.add(each.process)
                if each.peer is not None:
                    peers.add(each.peer)
    return question.known(processes, peers)
