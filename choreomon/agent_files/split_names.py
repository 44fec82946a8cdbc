"""Names that a split gives: the id of its system, and its files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec

from choreomon.agent_files.table_shape import SYSTEM_ID_BYTES
from choreomon.core.names import short
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import RulesName

_VERSION: Final = 1
"""Of what is digested."""

_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that some systems keep for devices, whatever follows the first dot."""


def system_id(
    automaton: SequenceAutomaton,
    processes: Sequence[str],
    rules: RulesName,
    nonce: bytes,
    parameters: Parameters | None = None,
) -> str:
    """The name that tells a split property from every other one: 32 hex digits.

    A digest of the property, with its parameters, the order of processes, the rules and the nonce.
    Self-loops are no part of it, since they change nothing once a property is validated; nor is
    whether it was written as sequences. The id is in every frame, and the nonce, which must be
    random and is written nowhere, keeps those who see it from finding out by trial which messages
    the property names.
    """
    canonical: list[object] = [
        *("choreomon system", _VERSION, nonce.hex(), rules, list(processes)),
        *(list(automaton.states), list(automaton.initial), list(automaton.final)),
        *([_canonical(t) for t in group] for group in (automaton.forward, automaton.backward)),
    ]
    if parameters is not None:
        canonical += [parameters.names, sorted(parameters.carried.items())]
    return sha256(msgspec.json.encode(canonical)).digest()[:SYSTEM_ID_BYTES].hex()


def _canonical(transition: Transition) -> list[str]:
    kind, (sender, name, receiver) = transition.label
    return [transition.source, kind, sender, name, receiver, transition.target]


def table_file_names(processes: Sequence[str]) -> dict[str, str]:
    """The name of each process's file, such as `hallway.json`, whatever the process is called.

    The names differ in more than case, and none is that of a device: `~`, which no plain name has,
    keeps the names that are made up apart from all others.
    """
    names = distinct_file_names([*map(short, processes)])
    return {process: names[short(process)] for process in processes}


def distinct_file_names(stems: Sequence[str]) -> dict[str, str]:
    """The name of a file for each of these stems, with which files may be called."""
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    for stem in stems:
        safe = f"process~{stem}" if _DEVICES.fullmatch(stem) else stem
        count = taken[safe.casefold()] = taken.get(safe.casefold(), 0) + 1
        names[stem] = f"{safe}.json" if count == 1 else f"{safe}~{count}.json"
    return names
