"""Long global traces: multi-traces in which one clock saw everything.

Where all actions are in one log there is nothing to search: the trace is followed through an
automaton that is built on the way (`choreomon.automata.stepping`), the subset construction of an
automaton, or that over the residuals of an interaction (`choreomon.verify.lazy_automaton`). This
answers `accept` and `prefix`; if the log covers all lifelines, `multiprefix` is the same as
`prefix`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from choreomon.automata.automaton import Automaton, States
from choreomon.automata.emptiness import trimmed
from choreomon.core.action import Action
from choreomon.core.errors import BudgetExceeded
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, subterms
from choreomon.multitrace.coded import LONG, CodedTrace
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.budget import CheckBudget
from choreomon.verify.verdict import Answer, Mode, Verdict

if TYPE_CHECKING:
    from choreomon.automata.stepping import Stepper
    from choreomon.verify.lazy_automaton import State

REMEMBERED: Final = 200_000
"""The most residuals and states kept for an interaction; a trace that needs more is not answered
here."""

_BYTES: Final = 256


class Follower(NamedTuple):
    """A stepper for the traces of one protocol.

    - `stepper`: from all of its states an accepted trace can be completed;
    - `is_final`: whether an accepted trace may end in a state;
    - `checking`: arranges for a function to be called before anything new is computed; it may
      raise, to stop.
    """

    stepper: Stepper[Any]
    is_final: Callable[[Any], bool]
    checking: Callable[[CheckBudget | None], None]


class GlobalTraces:
    """Decider of long global traces for one protocol and mode. It keeps what it learns. Not
    thread-safe."""

    def __init__(
        self,
        mode: Mode,
        lifelines: Iterable[str],
        letters: Iterable[Action],
        made: Callable[[Sequence[Action]], Follower],
    ) -> None:
        """`made` builds the follower of traces over these letters."""
        self._mode = mode
        self._lifelines = frozenset(lifelines)
        self._letters = tuple(letters)
        self._numbers = {letter: number for number, letter in enumerate(self._letters)}
        self._made = made
        self._follower: Follower | None = None

    def answer(
        self, multitrace: MultiTrace, check_budget: CheckBudget | None = None
    ) -> Answer | None:
        """The verdict on a multi-trace whose actions are all in one log of `LONG` actions or more;
        None for any other, for other modes, and if it takes too many states. `vertices` counts the
        states on the way."""
        recorded = [part for part in multitrace.components if len(part.actions)]
        if len(recorded) != 1 or len(recorded[0].actions) < LONG:
            return None
        if self._mode not in ("accept", "prefix") and not (
            self._mode == "multiprefix" and self._lifelines <= set(recorded[0].lifelines)
        ):
            return None
        numbers = self._numbered(recorded[0].actions)
        if numbers is None:
            return Answer(Verdict.FAIL, "", 0)
        try:
            if self._follower is None:
                self._follower = self._made(self._letters)
            stepper, is_final, checking = self._follower
            checking(check_budget)
            state, followed = stepper.follow(numbers)
        except BudgetExceeded:
            self._follower = None
            return None
        if state is not None and is_final(state):
            return Answer(Verdict.PASS, "", followed + 1)
        fits = state is not None and self._mode != "accept"
        return Answer(Verdict.WEAK_PASS if fits else Verdict.FAIL, "", followed + 1)

    def _numbered(self, actions: Sequence[Action]) -> Sequence[int] | None:
        """The number of each action; None where one is no letter."""
        if not isinstance(actions, CodedTrace):
            numbers = [*map(self._numbers.get, actions)]
            return None if None in numbers else numbers  # type: ignore[return-value]
        table = [self._numbers.get(action, -1) for action in actions.alphabet]
        if -1 in table:
            return None
        if len(table) <= _BYTES and len(self._letters) <= _BYTES:
            # In C, and the numbers of bytes are objects that exist already.
            return bytes(actions.codes).translate(bytes(table).ljust(_BYTES, b"\0"))
        return [*map(table.__getitem__, actions.codes)]


def of_automaton(automaton: Automaton, mode: Mode) -> GlobalTraces:
    """Answers from an automaton: the traces that it accepts, or can continue."""
    whole = trimmed(automaton)

    def after(states: States, letter: int) -> States | None:
        return whole.after(states, letter) or None

    def is_final(states: States) -> bool:
        return bool(states & whole.final)

    def made(letters: Sequence[Action]) -> Follower:
        from choreomon.automata.stepping import Stepper

        return Follower(Stepper(len(letters), whole.initial or None, after), is_final, _unchecked)

    return GlobalTraces(mode, whole.lifelines, whole.letters, made)


def of_interaction(interaction: Interaction, mode: Mode) -> GlobalTraces:
    """The traces of an interaction."""
    term = normal(interaction)
    letters = {part.action for part in subterms(term) if part.action is not None}

    def made(letters: Sequence[Action]) -> Follower:
        from choreomon.automata.stepping import Stepper
        from choreomon.verify.lazy_automaton import LazyAutomaton

        lazy = LazyAutomaton()

        def after(state: State, letter: int) -> State | None:
            if lazy.remembered > REMEMBERED:
                raise BudgetExceeded(f"more than {REMEMBERED:,} residuals and states")
            return lazy.next(state, letters[letter])

        start = lazy.state([lazy.residuals.plain(term)])
        return Follower(Stepper(len(letters), start, after), _terminates, lazy.checking)

    return GlobalTraces(mode, names(interaction.lifelines), sorted(letters), made)


def _unchecked(_: CheckBudget | None) -> None:
    """Ignores the budget: steps of an automaton take next to no time."""


def _terminates(state: State) -> bool:
    return state.terminates
