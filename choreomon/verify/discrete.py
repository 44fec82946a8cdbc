"""Multi-traces whose logs have one lifeline each, decided by the automaton of another reading.

Such logs do not tell weak from strict operators (`choreomon.interaction.strengthening`), and read
strictly most interactions have a small automaton, weak loops or not. So they are decided by it, in
the reduced form of the automata paper's procedure (`choreomon.automata.reduced`). The global trace
that explains logs under that reading is one of the interaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

from choreomon.automata.automaton import Automaton
from choreomon.automata.logs import Log, Missing
from choreomon.automata.reduced import Reduced
from choreomon.automata.witness import path_through
from choreomon.core.action import Action
from choreomon.interaction.lifelines import is_single, names
from choreomon.interaction.normal import normal
from choreomon.interaction.strengthening import strengthened
from choreomon.interaction.term import Interaction, Operator, subterms
from choreomon.verify.synthesis import small_automaton

if TYPE_CHECKING:
    from choreomon.verify.beam_search import Observed
    from choreomon.verify.budget import CheckBudget

MOST_STATES: Final = 500
"""The most states of the automaton. Most have some dozens; with more, a tenth of a second is
lost."""

Steps: TypeAlias = tuple[tuple[Action, bool], ...]
"""The actions of a global trace, each with whether a log has it."""


class DiscreteLogs:
    """Decider of discrete multi-traces for one interaction with a small automaton. It keeps what it
    learns, within bounds. Not thread-safe."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._reduced = Reduced(automaton, reorders=False)

    def decide(
        self, parts: Iterable[Observed], missing: Missing, check_budget: CheckBudget | None
    ) -> tuple[bool, int]:
        """Decide whether the logs are explained; also the number of cuts visited. Raises
        Exhausted."""
        self._reduced.checking(check_budget)
        return self._reduced.decide(_logs(parts), missing)

    def witness(
        self, parts: Iterable[Observed], missing: Missing, check_budget: CheckBudget | None
    ) -> Steps:
        """An accepted global trace that explains the logs; there must be one. Raises Exhausted."""
        self._reduced.checking(check_budget)
        logs = _logs(parts)
        cuts = self._reduced.explored(logs, missing)
        found = path_through(self.automaton, logs, missing, cuts, check_budget)
        assert found is not None, "a search finds what it found before"
        return found


def are_discrete(parts: Iterable[Observed]) -> bool:
    """Tell whether every log with actions is of one lifeline."""
    return all(is_single(part.lifelines) or not len(part.actions) for part in parts)


def discrete_automaton(interaction: Interaction) -> Automaton | None:
    """The automaton of an interaction read strictly, if it is small. If a loop stays weak, one
    lifeline may be any number of iterations ahead of another, so no automaton is tried."""
    read = strengthened(normal(interaction))
    for part in subterms(read):
        if part.operator is Operator.LOOP_C and not is_single(part.lifelines):
            return None
    return small_automaton(read, MOST_STATES)


def discrete_logs(interaction: Interaction) -> DiscreteLogs | None:
    """The decider for discrete multi-traces; None where the interaction, read strictly, has no
    small automaton."""
    automaton = discrete_automaton(interaction)
    return None if automaton is None else DiscreteLogs(automaton)


def _logs(parts: Iterable[Observed]) -> list[Log]:
    return [(names(part.lifelines), part.actions) for part in parts]
