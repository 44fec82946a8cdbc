"""Questions about many sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from choreomon.automata.automaton import Automaton
from choreomon.batch.bounds import MEMORY
from choreomon.multitrace.projection import Partition
from choreomon.verify.automaton_verifier import AutomatonMode

MAX_ACTIONS: Final = 1_000_000
"""The default limit on the actions of a session."""


@dataclass(frozen=True, kw_only=True)
class SessionsQuestion:
    """A question about every session, as a value that can be sent to other processes. -
    `automaton`: that of what should happen, if it has one;
    - `interaction`: the interaction that the automaton comes from, or that has none, as JSON;
    - `mode`: one of those that automata answer;
    - `together`: lifelines that share a clock, in all sessions; none if rows say clocks;
    - `budget`, `memory`: as in `choreomon.batch.question.Question`, for each session that is
      decided alone.
    """

    automaton: Automaton | None
    interaction: str | None
    mode: AutomatonMode
    together: Partition = ()
    budget: float | None = None
    memory: int | None = MEMORY
