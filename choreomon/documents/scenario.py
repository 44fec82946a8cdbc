"""A scenario made ready to run: what its document says, as values.

The simulator runs it in virtual time, `choreomon.deployment` for real. Both read documents here, so
that they cannot read them differently.
"""

from __future__ import annotations

from dataclasses import dataclass

from choreomon.actors.compilation import CompiledApplication, compile_application
from choreomon.actors.delays import Delay, LinkDelays, microseconds
from choreomon.core.errors import DocumentError, Problem
from choreomon.documents.actors import (
    application_from_document,
    delay_from_document,
    link_delays_from_document,
)
from choreomon.documents.read import Document
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import DEFAULT_RULES, RulesName


@dataclass(frozen=True)
class Scenario:
    """An application with its network, and the property to monitor; `automaton` is `None` where
    there is none.

    `delays` hold for messages of the application and of monitors alike; `in_order` is about those
    of monitors, since those of the application always are. `service` is how long a process is busy
    with a message, `monitoring_service` a monitor with an event or a message. `deadline` is in
    microseconds, `None`: monitors wait. `parameters`: those of a property for each instance.
    """

    application: CompiledApplication
    delays: LinkDelays
    service: Delay
    max_events: int
    automaton: SequenceAutomaton | None
    rules: RulesName
    in_order: bool
    monitoring_service: Delay
    deadline: int | None
    parameters: Parameters | None = None


def _check_that_replicas_stay(document: Document) -> None:
    for role, membership in document.replicas.memberships.items():
        if membership.moves_any:
            told = "are for simulated runs, real replicas stay: use simulate, or take them out"
            field = f"roles.{role}.changes"
            raise DocumentError((Problem(document.file, 0, field, told),))


def scenario(document: Document, doing: str) -> Scenario:
    """The scenario of a document. Raises `DocumentError` for one without an application; `doing`
    is what it was wanted for, as `simulate`."""
    application = document.application
    if application is None:
        told = f"is missing: there is nothing to {doing}"
        raise DocumentError((Problem(document.file, 0, "application", told),))
    if doing == "run":
        _check_that_replicas_stay(document)
    document = document.over_slots()
    network = document.network
    monitoring = network.monitoring
    return Scenario(
        application=compile_application(application_from_document(application), document.replicas),
        delays=link_delays_from_document(network, document.replicas.roles),
        service=delay_from_document(network.service),
        max_events=network.max_events,
        automaton=document.property.automaton if document.property else None,
        rules=document.property.rules if document.property else DEFAULT_RULES,
        in_order=monitoring.in_order,
        monitoring_service=delay_from_document(monitoring.service),
        deadline=None if monitoring.deadline is None else microseconds(monitoring.deadline),
        parameters=document.property.parameters if document.property else None,
    )
