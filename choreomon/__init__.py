"""Finds out whether forbidden message sequences happened, without a global clock.

What programs mostly import is here, and docs/python.md shows it; everything else has its place by
name, as `choreomon.verify.explanation`. A name is looked up when it is first used. CONTRIBUTING.md
has the map of the packages. `simulator`, the other package of this distribution, runs applications
with their monitors in virtual time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from choreomon.core.errors import ChoreomonError, DocumentError, PropertyError
    from choreomon.core.message import Event, Label, Message
    from choreomon.documents.interactions import load_interaction
    from choreomon.documents.read import load_document
    from choreomon.interaction_files.loading import load_multi_trace
    from choreomon.monitor.pull import Monitor
    from choreomon.properties.automaton import SequenceAutomaton, sequence_automaton
    from choreomon.properties.partial_order import evaluate
    from choreomon.properties.reference import formations
    from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
    from choreomon.properties.tables import transition_tables
    from choreomon.verify.verifier import Verifier

__all__ = [
    "Cancellation",
    "ChoreomonError",
    "DocumentError",
    "Event",
    "Label",
    "Message",
    "MessageSequence",
    "Monitor",
    "PropertyError",
    "SequenceAutomaton",
    "Verifier",
    "evaluate",
    "formations",
    "load_document",
    "load_interaction",
    "load_multi_trace",
    "sequence_automaton",
    "sequences_automaton",
    "transition_tables",
]


_MODULES: Final = {
    "Cancellation": "properties.sequences",
    "ChoreomonError": "core.errors",
    "DocumentError": "core.errors",
    "Event": "core.message",
    "Label": "core.message",
    "Message": "core.message",
    "MessageSequence": "properties.sequences",
    "Monitor": "monitor.pull",
    "PropertyError": "core.errors",
    "SequenceAutomaton": "properties.automaton",
    "Verifier": "verify.verifier",
    "evaluate": "properties.partial_order",
    "formations": "properties.reference",
    "load_document": "documents.read",
    "load_interaction": "documents.interactions",
    "load_multi_trace": "interaction_files.loading",
    "sequence_automaton": "properties.automaton",
    "sequences_automaton": "properties.sequences",
    "transition_tables": "properties.tables",
}


def __getattr__(name: str) -> Any:
    # A service that imports `choreomon.sdk` has no use for monitors, nor `choreomon --help` for
    # PyYAML, which reading documents needs.
    if name in _MODULES:
        return getattr(import_module(f"choreomon.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
