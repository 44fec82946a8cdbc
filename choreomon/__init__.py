"""Finds out whether forbidden message sequences happened, without a global clock.

What users of properties and monitors mostly import is here; everything else has its place by
name, as `choreomon.verify.verifier`. The layers, of which each knows only those to its left:

    core <- properties <- monitor <- formats, render <- cli
    core <- interaction, multitrace <- verify <- formats, render <- cli
    core <- actors <- formats

`simulator`, the other package of this distribution, stands above `formats`: it runs
applications, which `actors` describes, with their monitors in virtual time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from choreomon.core.errors import ChoreomonError, DocumentError, PropertyError
from choreomon.core.message import Event, Label, Message
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import SequenceAutomaton, sequence_automaton
from choreomon.properties.partial_order import evaluate
from choreomon.properties.reference import formations
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import transition_tables

if TYPE_CHECKING:
    from choreomon.formats.read import load_document

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
    "evaluate",
    "formations",
    "load_document",
    "sequence_automaton",
    "sequences_automaton",
    "transition_tables",
]


def __getattr__(name: str) -> Any:
    # Reading documents needs pydantic, which `choreomon --help` should not wait for.
    if name == "load_document":
        from choreomon.formats.read import load_document

        return load_document
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
