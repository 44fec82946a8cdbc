"""Names of processes that tests ask for and documents do not have."""

from __future__ import annotations

from choreomon.core.errors import ChoreomonError
from choreomon.core.slot_ranges import with_ranges
from choreomon.core.suggestion import did_you_mean
from choreomon.documents.read import Document


def no_process(name: str, document: Document) -> ChoreomonError:
    """The error for a name that is no process of the document over slots; that of a role is none,
    since each slot has a monitor."""
    names, roles = document.processes, document.replicas.roles
    told = did_you_mean(name, names) or f"; it has {', '.join(with_ranges(names))}"
    if name in roles.slots:
        told = f": it is a role, so name one of its slots, as {roles.slots_of(name)[0]}"
    return ChoreomonError(f"{document.file}: has no process {name!r}{told}")
