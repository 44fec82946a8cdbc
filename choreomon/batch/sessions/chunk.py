"""Sessions that are judged together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from choreomon.core.action import Action, emission
from choreomon.sessions.blocks import Alphabet, Block, Clocks, Codes, Lengths

_NONE: Final = emission("", "")


class Chunk(NamedTuple):
    """Whole sessions, as columns: a value that other processes can be given.

    - `names`: of the sessions;
    - `lengths`: how many actions each has;
    - `actions`: of all sessions, in order, as places in `alphabet`;
    - `clocks`: of each action its clock; None where there are none;
    - `problems`: what is wrong with sessions, by their places; these have no verdict.
    """

    names: list[str]
    lengths: Lengths
    actions: Codes
    clocks: Clocks | None
    problems: Mapping[int, str]
    alphabet: tuple[Action, ...]


def chunk_of(block: Block, alphabet: Alphabet, *, clocked: bool = True) -> Chunk:
    """The chunk of a block whose runs are whole sessions; with the actions that are in it alone.
    Without `clocked` nothing of clocks."""
    known = alphabet.actions.known
    there = np.zeros(len(known) + 1, np.bool_)
    places = np.minimum(block.actions, len(known))
    there[places] = True
    renumbered = (np.cumsum(there) - 1).astype(np.int32)
    own = [known[number] if number < len(known) else None for number in np.flatnonzero(there)]
    return Chunk(
        block.names,
        block.lengths,
        renumbered[places],
        block.clocks if clocked else None,
        block.problems,
        tuple(action or _NONE for action in own),  # those of sessions with a problem
    )
